/**
 * The steps of the gate, in the order in which they start; a new step is one entry.
 *
 * - `command`: as typed in the checkout.
 * - `minutes`: the step is killed, and has failed, after this long: it hangs. Several times what it takes on two cores with
 *   nothing else to do, because machines of a fifth of that speed were seen.
 * - `ifTime`: not started where less than `minutes` are left of the gate's; the gate then says so, and counts it as skipped.
 * - `yardsticks`: the step has failed where it took more processor time than this many times `yardstick.mjs`.
 * - `report`: what its runner writes to the path in TIEOUT_TEST_REPORT (`vitest`, `checks`) or to `file` (`mutation`).
 *   Steps without one count nothing where they pass, and one failure where they do not.
 *   A runner for which the machine lacks a program writes `{ "absent": "why" }` instead: nothing is counted, and the gate says why.
 * - `ifScript`: run only where package.json has this script.
 * - `beside`: one core's work: the steps after it do not wait for it, and what it wrote is printed when it has ended.
 */
/** Of the whole gate: what is running then is killed. */
export const MINUTES = 85;

export const STEPS = [
  { name: 'install', command: 'npm ci', minutes: 20 },
  { name: 'lint', command: 'npm run lint', minutes: 6 },
  { name: 'types', command: 'npm run types', minutes: 10 },
  {
    name: 'tests',
    command: 'npm test -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 40,
    // Measured: 690 (827 s of processor, on a machine at a third of its speed).
    yardsticks: 1_500,
    report: 'vitest',
  },
  {
    name: 'quarter',
    command: 'npm run test:quarter -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 60,
    ifTime: true,
    beside: true,
    report: 'vitest',
  },
  {
    name: 'long',
    command: 'npm run test:long -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 20,
    report: 'vitest',
  },
  { name: 'faults', command: 'npm run test:faults:short', minutes: 40, report: 'vitest' },
  { name: 'browser', command: 'npm run test:browser', minutes: 25, report: 'vitest' },
  { name: 'package', command: 'npm run test:package', minutes: 35, report: 'checks' },
  { name: 'spreadsheets', command: 'npm run test:spreadsheets', minutes: 12, report: 'vitest' },
  { name: 'pacing', command: 'npm run bench:pacing -- 1', minutes: 5, report: 'checks' },
  {
    name: 'fuzz',
    // One seed, so that a change is not refused for what was there before it: new ones are for longer runs by hand.
    command: 'npm run test:fuzz -- --seconds 60 --seed 1',
    minutes: 5,
    ifTime: true,
    report: 'checks',
    ifScript: 'test:fuzz',
  },
  {
    name: 'changed',
    command: 'npm run test:mutation:changed -- --minutes 4',
    minutes: 8,
    ifTime: true,
    report: 'checks',
    ifScript: 'test:mutation:changed',
  },
  {
    name: 'mutation',
    command: 'npm run test:mutation:short',
    minutes: 10,
    ifTime: true,
    report: 'mutation',
    file: 'var/mutation/report.json',
  },
];
