/**
 * Runs the steps one after the other, also after a failed one, and ends with the totals alone on a line. Runs under
 * Node 20 and needs no package: the first step installs them.
 *
 *     node .ci/gate.mjs [STEP…]        these steps only
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTES, STEPS } from './steps.mjs';
import { childSeconds, countsOf, lineOf, sumOf } from './totals.mjs';
import { yardstick } from './yardstick.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REPORTS = join(ROOT, 'var', 'ci');
const asked = process.argv.slice(2);
const scripts = readJson(join(ROOT, 'package.json')).scripts;

const unknown = asked.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}; the steps are ${STEPS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

let running = null;
const results = [];
const SKIPPED = { passed: 0, failed: 0, skipped: 1 };
// The last line is written whatever happens, an error of the gate itself included.
process.on('uncaughtException', (error) => {
  console.error(error);
  end('gate');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal));

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
for (const step of STEPS) {
  if (asked.length > 0 ? !asked.includes(step.name) : step.ifScript !== undefined && !(step.ifScript in scripts))
    continue;
  results.push(step.ifTime && minutesLeft() < step.minutes ? notRun(step) : await run(step));
  // Without packages nothing else can run.
  if (step.name === 'install' && !results.at(-1).succeeded) break;
}
finish();

function minutesLeft() {
  return MINUTES - process.uptime() / 60;
}

function notRun({ name, minutes }) {
  const remark = `skipped: ${Math.floor(minutesLeft())} of ${MINUTES} min were left, and it may take ${minutes}`;
  return { name, seconds: 0, processor: 0, succeeded: true, remark, counts: SKIPPED };
}

async function run(step) {
  const file = step.file === undefined ? join(REPORTS, `${step.name}.json`) : join(ROOT, step.file);
  rmSync(file, { force: true });
  console.log(`\n=== ${step.name}: ${step.command}`);
  const started = Date.now();
  const before = processorSeconds();
  const { code, late } = await spawned(step, file);
  const seconds = Math.round((Date.now() - started) / 1000);
  // A server that a runner started is no child of it: the runner says what it took.
  const processor = Math.round(processorSeconds() - before + (readJson(`${file}.server`)?.seconds ?? 0));
  const report = step.report === undefined ? null : readJson(file);
  // The better of two: what runs beside it slows the yardstick too, but seldom twice.
  const yardsticks = step.yardsticks === undefined ? 0 : processor / Math.max(yardstick(), yardstick());
  const dear = step.yardsticks !== undefined && yardsticks > step.yardsticks;
  const succeeded = code === 0 && !late && !dear;
  const remark = late
    ? `killed after ${Math.round(seconds / 60)} min`
    : code !== 0
      ? `exit code ${code}`
      : dear
        ? `${Math.round(yardsticks)} times the yardstick's processor time; the bound is ${step.yardsticks}`
        : unreported(step, report);
  return { name: step.name, seconds, processor, succeeded, remark, counts: countsOf(step.report, report, succeeded) };
}

function unreported(step, report) {
  if (report?.absent !== undefined) return `skipped: ${report.absent}`;
  return step.report !== undefined && report === null ? 'not run here, nothing counted; see its output' : '';
}

/** In a process group of its own, so that a step that is killed leaves nothing behind. */
function spawned({ command, minutes }, file) {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', command], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
      env: { ...process.env, TIEOUT_TEST_REPORT: file, NO_COLOR: '1' },
    });
    running = child;
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        killGroup(child);
      },
      Math.max(0, Math.min(minutes, minutesLeft())) * 60_000,
    );
    child.on('close', (code) => {
      clearTimeout(timer);
      // What a runner left running would hold the gate's output open.
      killGroup(child);
      running = null;
      resolve({ code: code ?? 1, late });
    });
  });
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

/** Of everything that this process started and that has ended; 0 where the system does not say it. */
function processorSeconds() {
  try {
    return childSeconds(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return 0;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function end(signal) {
  if (running !== null) killGroup(running);
  results.push({
    name: signal,
    seconds: 0,
    processor: 0,
    succeeded: false,
    remark: 'the gate was stopped',
    counts: countsOf(undefined, null, false),
  });
  finish();
}

function finish() {
  console.log('');
  for (const { name, seconds, processor, succeeded, counts, remark } of results) {
    const said = [
      `${name.padEnd(14)}${!succeeded ? 'FAILED' : remark.startsWith('skipped') ? '-     ' : 'ok    '}${String(seconds).padStart(6)} s${String(processor).padStart(6)} s of processor  `,
      lineOf(counts),
    ];
    console.log(`${said.join('')}${remark === '' ? '' : `  (${remark})`}`);
  }
  const sum = sumOf(results.map(({ counts }) => counts));
  if (sum.skipped > 0) console.log(`${sum.skipped} skipped`);
  console.log(lineOf({ ...sum, skipped: 0 }));
  process.exit(results.every(({ succeeded }) => succeeded) && sum.failed === 0 ? 0 : 1);
}
