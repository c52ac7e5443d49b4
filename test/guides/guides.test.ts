/**
 * The guides' examples, performed in a copy of the tree: their files are written, what is made from the code is made anew, the
 * commands of the guides succeed, and the tests that they name pass, in this runner.
 */
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { copyTree, type Performed, performGuide, run } from './perform.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const copy = copyTree();
const home = process.cwd();
// Some of the tests look at the tree from the working folder.
process.chdir(copy);
afterAll(() => {
  process.chdir(home);
  rmSync(copy, { recursive: true, force: true });
});

const [job, report, rule]: readonly Performed[] = ['job', 'report', 'rule'].map((what) =>
  performGuide(`docs/contributing/adding-a-${what}.md`, copy),
);
const commands = [...new Set([job, report, rule].flatMap((guide) => guide?.commands ?? []))];
const VITEST = 'npx vitest run ';
const GENERATE = 'npm run generate';
/** Half a minute of processor time for the whole tree: in types.long.test.ts. */
const TYPES = 'npm run types';

/** Modules of the copy: they are run as they are imported. */
const load = (path: string) => import(/* @vite-ignore */ join(copy, path));

const written: string[] = [];
const log = vi.spyOn(console, 'log').mockImplementation((path: string) => void written.push(path));
const { scripts } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { scripts: { generate: string } };
for (const [, script = ''] of scripts.generate.matchAll(/node (\S+\.ts)/g)) await load(script);
log.mockRestore();

it('a job is one file, its test and a line of the list', () => {
  expect(job?.created).toEqual(['jobs/weekly-audit.ts', 'test/jobs/weekly-audit.test.ts']);
  expect(job?.edited).toEqual(['jobs/index.ts']);
});

it('a report is one file, its test and a line of the list; the rest is generated', () => {
  expect(report?.created).toEqual(['reports/discounts.ts', 'test/reports/discounts.test.ts']);
  expect(report?.edited).toEqual(['reports/index.ts']);
  expect(report?.commands[0]).toBe(GENERATE);
  expect(written).toEqual(expect.arrayContaining(['test/golden/excel-eu/discounts.csv', 'docs/finance-guide.md']));
});

it('a rule is one file, its test and its name in the list; the rest is generated', () => {
  expect(rule?.created).toEqual(['src/rules/host-cut-too-high.ts', 'test/rules/host-cut-too-high.test.ts']);
  expect(rule?.edited).toEqual(['src/rules/index.ts']);
  expect(rule?.commands[0]).toBe(GENERATE);
});

const others = commands.filter((command) => !command.startsWith(VITEST) && command !== GENERATE && command !== TYPES);

it.each(others)('%s', (command) => {
  run(command, copy);
});

/** Files that the guides have tested, those of a folder each. */
const tests = commands
  .filter((command) => command.startsWith(VITEST))
  .flatMap((command) => command.slice(VITEST.length).split(' '))
  .flatMap((path) =>
    statSync(join(copy, path)).isDirectory() ? globSync(`${path}/**/*.test.ts`, { cwd: copy }) : path,
  );

it('each guide has its own test run', () => {
  const own = [job, report, rule].flatMap((guide) => guide?.created.filter((path) => path.endsWith('.test.ts')) ?? []);
  expect(tests).toEqual(expect.arrayContaining(own));
});

describe.each([...new Set(tests)].sort())('%s', async (path) => {
  await load(path);
});
