/**
 * Mutates source files of Stryker's scope that were changed since the merge base with main, or else since the last tag or
 * the last twenty commits: `node test/mutation/changed.ts [--minutes 8] [--files 2]`. The tests are those of the files' own
 * rooms: the tests that merely reach a file take longer than the step may. Mutants of earlier runs are not run again. A run that
 * is not over in time is no failure, and neither is a change without such a file.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const REPORT = `${root}var/mutation/report.json`;
const CONFIG = 'test/mutation/stryker.config.json';
/** Of all mutants of the changed files together, in percent. */
const AT_LEAST = 60;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '8' }, files: { type: 'string', default: '2' } },
});

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Null in a copy without a history. */
function base(): string | null {
  const head = git('rev-parse', 'HEAD');
  for (const branch of ['origin/main', 'main']) {
    const found = git('merge-base', branch, 'HEAD');
    if (found !== null && found !== head) return found;
  }
  return git('describe', '--tags', '--abbrev=0') ?? git('rev-parse', 'HEAD~20');
}

function inScope(file: string, patterns: readonly string[]): boolean {
  const isIn = (pattern: string) => matchesGlob(file, pattern);
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'));
  const excepted = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  return wanted.some(isIn) && !excepted.some(isIn);
}

/** Those with the most changed lines; the largest files would take all the time, and the smallest have nothing to mutate. */
function changedFiles(): string[] {
  const since = base();
  const { mutate } = JSON.parse(readFileSync(`${root}${CONFIG}`, 'utf8')) as { mutate: string[] };
  const lines = since === null ? [] : (git('diff', '--numstat', '--diff-filter=d', since, 'HEAD') ?? '').split('\n');
  return lines
    .map((line) => line.split('\t'))
    .map(([added, , name = '']) => ({ name, added: Number(added) }))
    .filter(({ name }) => inScope(name, mutate) && existsSync(`${root}${name}`))
    .filter(({ name }) => isFit(statSync(`${root}${name}`).size))
    .sort((a, b) => b.added - a.added || (a.name < b.name ? -1 : 1))
    .slice(0, Number(values.files))
    .map(({ name }) => name);
}

const isFit = (bytes: number) => bytes > 1_200 && bytes < 6_000;

interface Report {
  files: Record<string, { mutants: readonly { status: string }[] }>;
}

/** Killed and time-outs of the mutants that a test of this run reaches; null where there are none. Tests with processes are not run. */
function score(): number | null {
  const { files } = JSON.parse(readFileSync(REPORT, 'utf8')) as Report;
  const all = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const killed = all.filter((status) => status === 'Killed' || status === 'Timeout').length;
  const alive = all.filter((status) => status === 'Survived').length;
  return killed + alive === 0 ? null : (100 * killed) / (killed + alive);
}

function stryker(names: readonly string[], minutes: number): number | 'late' {
  // A run that fails before its first mutant writes none, and an older one would be read in its place.
  rmSync(REPORT, { force: true });
  const tests = new Set(names.map((name) => `test/${name.split('/')[1]}/**/*.test.ts`));
  const { status, error } = spawnSync(
    process.execPath,
    [
      `${root}node_modules/@stryker-mutator/core/bin/stryker.js`,
      'run',
      CONFIG,
      '--mutate',
      names.join(','),
      '--testFiles',
      [...tests].join(','),
      '--incrementalFile',
      'var/mutation/changed.json',
    ],
    { cwd: root, stdio: 'inherit', timeout: minutes * 60_000, killSignal: 'SIGTERM' },
  );
  // Stryker ends by itself on the signal, with what it has done saved for the next run.
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT' ? 'late' : (status ?? 1);
}

/** The report, and whether the step passes. */
function judged(files: readonly string[]): { said: string; held: boolean } {
  if (files.length === 0) return { said: 'no file of the scope was changed', held: true };
  console.log(`mutating ${files.join(', ')}`);
  const status = stryker(files, Number(values.minutes));
  if (status === 'late') return { said: `not finished in ${values.minutes} minutes, nothing is judged`, held: true };
  if (!existsSync(REPORT)) return { said: `Stryker ended with ${status} before its first mutant`, held: false };
  // Stryker ends with 1 below its own bound too, which is for whole folders: a few small files have a bound of their own.
  const found = score();
  if (found === null) return { said: 'no test of its own room reaches a mutant', held: true };
  return { said: `killed ${found.toFixed(1)} %; at least ${AT_LEAST} % are wanted`, held: found >= AT_LEAST };
}

if (import.meta.main) {
  const files = changedFiles();
  const { said, held } = judged(files);
  console.log(said);
  const report = process.env.TIEOUT_TEST_REPORT;
  if (report !== undefined)
    writeFileSync(report, JSON.stringify({ passed: held ? files.length : 0, failed: held ? 0 : 1 }));
  process.exitCode = held ? 0 : 1;
}
