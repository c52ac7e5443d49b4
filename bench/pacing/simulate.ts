/**
 * Runs the limiter against four kinds of servers for a day of virtual time each and prints what they saw.
 * `node bench/pacing/simulate.ts [hours=24] [seed=7]`; exit code 1 where a limit was exceeded or the allowance wasted.
 */
import { writeFileSync } from 'node:fs';
import { printTable, publishTable, type Row, round } from '../support/report.ts';
import { type Outcome, SCENARIOS, simulate } from './scenarios.ts';
import { MODEL_NAMES } from './servers.ts';

const rowOf = ({ scenario, model, received, peaks, violations, utilisation, transactionsPerRequest }: Outcome) => ({
  scenario,
  server: model,
  requests: received,
  'most in 1 min': peaks[0] ?? 0,
  'most in 15 min': peaks[1] ?? 0,
  violations,
  'used %': round(utilisation * 100, 2),
  'transactions a request': round(transactionsPerRequest, 2),
});

const hours = Number(process.argv[2] ?? 24);
const seed = Number(process.argv[3] ?? 7);
const counts = { passed: 0, failed: 0 };
console.log(
  `${hours} h of virtual time each; limits 100 per 1m and 1000 per 15m; deliveries take 0 to 5 s; seed ${seed}\n`,
);
const rows: Row[] = [];
for (const scenario of SCENARIOS) {
  for (const [at, model] of MODEL_NAMES.entries()) {
    const outcome = await simulate(scenario, model, hours, seed + at);
    rows.push(rowOf(outcome));
    const holds = outcome.violations === 0 && outcome.utilisation >= scenario.utilisation;
    counts[holds ? 'passed' : 'failed']++;
  }
}
// As a step of the gate it changes no document.
const report = process.env.TIEOUT_TEST_REPORT;
if (report === undefined) publishTable('pacing', rows);
else printTable(rows);
if (report !== undefined) writeFileSync(report, JSON.stringify(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
