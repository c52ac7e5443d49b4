/**
 * Runs the steps one after the other, but for what runs beside the others, also after a failed one, and ends with the totals alone on a line. Runs under
 * Node 20 and needs no package: the first step installs them.
 *
 *     node .ci/gate.mjs [STEP…]        these steps only
 */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
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

const running = new Set();
/** Processor seconds of the children that have ended. */
let ofEnded = 0;
/** What each step came to, in the order of the steps. */
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
const beside = [];
for (const step of STEPS) {
  if (asked.length > 0 ? !asked.includes(step.name) : step.ifScript !== undefined && !(step.ifScript in scripts))
    continue;
  const at = results.push(pending(step)) - 1;
  const done = (step.ifTime && minutesLeft() < step.minutes ? notRun(step) : run(step)).then((result) => {
    results[at] = result;
  });
  if (step.beside) beside.push(done);
  else await done;
  // Without packages nothing else can run.
  if (step.name === 'install' && !results[at].succeeded) break;
}
await Promise.all(beside);
finish();

function minutesLeft() {
  return MINUTES - process.uptime() / 60;
}

async function notRun({ name, minutes }) {
  const remark = `skipped: ${Math.floor(minutesLeft())} of ${MINUTES} min were left, and it may take ${minutes}`;
  return { name, seconds: 0, processor: 0, succeeded: true, remark, counts: SKIPPED };
}

/** Of a step that has not ended: where the gate is stopped, it has failed. */
function pending({ name }) {
  const counts = countsOf(undefined, null, false);
  return { name, seconds: 0, processor: 0, succeeded: false, remark: 'the gate was stopped', counts };
}

async function run(step) {
  const file = step.file === undefined ? join(REPORTS, `${step.name}.json`) : join(ROOT, step.file);
  rmSync(file, { force: true });
  const heading = `\n=== ${step.name}: ${step.command}`;
  console.log(step.beside ? `${heading}  (beside the following)` : heading);
  const started = Date.now();
  const { code, late, ofChild } = await spawned(step, file);
  const seconds = Math.round((Date.now() - started) / 1000);
  // A server that a runner started is no child of it: the runner says what it took.
  const processor = Math.round(ofChild + (readJson(`${file}.server`)?.seconds ?? 0));
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
function spawned({ name, command, minutes, beside }, file) {
  return new Promise((resolve) => {
    const output = beside ? openSync(join(REPORTS, `${name}.txt`), 'w') : 'inherit';
    const child = spawn('bash', ['-c', command], {
      cwd: ROOT,
      stdio: ['ignore', output, output],
      detached: true,
      env: { ...process.env, TIEOUT_TEST_REPORT: file, NO_COLOR: '1' },
    });
    running.add(child);
    let late = false;
    let ofChild = 0;
    const timer = setTimeout(
      () => {
        late = true;
        killGroup(child);
      },
      Math.max(0, Math.min(minutes, minutesLeft())) * 60_000,
    );
    // The time of a child is added when it ends, so that two beside each other are told apart.
    child.on('exit', () => {
      const all = processorSeconds();
      ofChild = all - ofEnded;
      ofEnded = all;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      // What a runner left running would hold the gate's output open.
      killGroup(child);
      running.delete(child);
      if (beside) console.log(`\n=== ${name}, which ran beside\n${readFileSync(join(REPORTS, `${name}.txt`), 'utf8')}`);
      resolve({ code: code ?? 1, late, ofChild });
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
  for (const child of running) killGroup(child);
  results.push(pending({ name: signal }));
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
