/**
 * The steps of the gate, in their order; a new step is one entry.
 *
 * - `command`: as typed in the checkout.
 * - `minutes`: the step is killed, and has failed, after this long: half as long again as on two cores with nothing else to do.
 * - `processorSeconds`: the step has failed where it took more, on a machine however busy.
 * - `report`: what its runner writes to the path in TIEOUT_TEST_REPORT (`vitest`, `checks`) or to `file` (`mutation`).
 *   Steps without one count nothing where they pass, and one failure where they do not.
 *   A runner for which the machine lacks a program writes `{ "absent": "why" }` instead: nothing is counted, and the gate says why.
 * - `ifScript`: run only where package.json has this script.
 */
export const STEPS = [
  { name: 'install', command: 'npm ci', minutes: 3 },
  { name: 'lint', command: 'npm run lint', minutes: 1 },
  { name: 'types', command: 'npm run types', minutes: 2 },
  {
    name: 'tests',
    command: 'npm test -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 10,
    // Measured: 276 on a quiet machine, 344 to 398 where five to seven programs shared each core, 609 on a machine of half the speed.
    processorSeconds: 800,
    report: 'vitest',
  },
  {
    name: 'long',
    command: 'npm run test:long -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 5,
    report: 'vitest',
  },
  { name: 'faults', command: 'npm run test:faults:short', minutes: 13, report: 'vitest' },
  { name: 'spreadsheets', command: 'npm run test:spreadsheets', minutes: 4, report: 'vitest' },
  { name: 'browser', command: 'npm run test:browser', minutes: 10, report: 'vitest' },
  {
    name: 'quarter',
    command: 'npm run test:quarter -- --reporter=default --reporter=json --outputFile.json="$TIEOUT_TEST_REPORT"',
    minutes: 18,
    report: 'vitest',
  },
  { name: 'package', command: 'npm run test:package', minutes: 11, report: 'checks' },
  { name: 'fuzz', command: 'npm run test:fuzz -- --seconds 60', minutes: 2, report: 'checks', ifScript: 'test:fuzz' },
  {
    name: 'mutation',
    command: 'npm run test:mutation:short',
    minutes: 4,
    report: 'mutation',
    file: 'var/mutation/report.json',
  },
  {
    name: 'changed',
    command: 'npm run test:mutation:changed -- --minutes 4',
    minutes: 5,
    report: 'checks',
    ifScript: 'test:mutation:changed',
  },
  { name: 'pacing', command: 'npm run bench:pacing -- 1', minutes: 1, report: 'checks' },
];
