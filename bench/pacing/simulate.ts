/**
 * Runs the limiter against four kinds of servers for a day of virtual time each and prints what they saw.
 * `node bench/pacing/simulate.ts [hours=24] [seed=7]`; exit code 1 where a limit was exceeded or the allowance wasted.
 */
import { writeFileSync } from 'node:fs';
import { type Outcome, SCENARIOS, simulate } from './scenarios.ts';
import { MODEL_NAMES } from './servers.ts';

const COLUMNS = ['scenario', 'server', 'requests', 'max/1m', 'max/15m', 'violations', 'utilisation', 'txn/req'];
const WIDTHS = [24, 16, 9, 7, 8, 11, 12, 8];

function line(cells: readonly (string | number)[]): string {
  return cells
    .map((cell, at) => (at < 2 ? String(cell).padEnd(WIDTHS[at] ?? 0) : String(cell).padStart(WIDTHS[at] ?? 0)))
    .join(' ');
}

function row(outcome: Outcome): string {
  const { scenario, model, received, peaks, violations, utilisation, transactionsPerRequest } = outcome;
  const percent = `${(utilisation * 100).toFixed(2)} %`;
  return line([scenario, model, received, ...peaks, violations, percent, transactionsPerRequest.toFixed(2)]);
}

const hours = Number(process.argv[2] ?? 24);
const seed = Number(process.argv[3] ?? 7);
const counts = { passed: 0, failed: 0 };
console.log(
  `${hours} h of virtual time each; limits 100 per 1m and 1000 per 15m; deliveries take 0 to 5 s; seed ${seed}\n`,
);
console.log(line(COLUMNS));
for (const scenario of SCENARIOS) {
  for (const [at, model] of MODEL_NAMES.entries()) {
    const outcome = await simulate(scenario, model, hours, seed + at);
    console.log(row(outcome));
    const holds = outcome.violations === 0 && outcome.utilisation >= scenario.utilisation;
    counts[holds ? 'passed' : 'failed']++;
  }
}
const report = process.env.TIEOUT_TEST_REPORT;
if (report !== undefined) writeFileSync(report, JSON.stringify(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
