/**
 * A simulated year: what the schedule of looks costs and finds, beside re-fetching everything and re-fetching the last 30
 * days. `npm run bench:settling [-- records a day = 5000] [seed = 7]`; virtual time, nothing is sent.
 */
import { paceInterval } from '../../src/service/pacing/paced.ts';
import { machine, publishTable, round } from '../support/report.ts';
import { ASSUMED, settle } from './reality.ts';
import { everything, lastDays, type Outcome, schedule, TAIL_DAYS } from './strategies.ts';

const DAYS = 365;
/** From here on a night is like any other: the last looks at the first records are over. */
const STEADY_FROM = 60;
const LIMITS = [
  { requests: 100, perMs: 60_000 },
  { requests: 1_000, perMs: 900_000 },
];
const GUARD_MS = 5_000;

const recordsADay = Number(process.argv[2] ?? 5_000);
const seed = Number(process.argv[3] ?? 7);
const interval = paceInterval(LIMITS, GUARD_MS);
const allowance = Math.floor(86_400_000 / interval);

console.log(machine());
console.log(`${DAYS} days of ${recordsADay} records, seed ${seed}; one address may send ${allowance} requests a day`);
console.log(`assumed: ${JSON.stringify(ASSUMED)}\n`);
const reality = settle(DAYS, recordsADay, seed);
const started = performance.now();
const outcomes = [schedule(reality), everything(reality), lastDays(reality, 30)];
const mine = sum(outcomes[0]?.nights ?? []);
publishTable(
  'settling, requests',
  outcomes.map((outcome) => costs(outcome, mine)),
);
console.log();
publishTable('settling, changes', outcomes.map(finds));
console.log(`\nthe schedule's requests by class: ${JSON.stringify(outcomes[0]?.classes)}`);
console.log(
  `changes of the last ${TAIL_DAYS} days are left out; took ${round((performance.now() - started) / 1000)} s`,
);

function costs({ name, nights }: Outcome, least: number) {
  const steady = [...nights.slice(STEADY_FROM)].sort((a, b) => a - b);
  const most = Math.max(...nights);
  const over = nights.findIndex((requests) => requests > allowance);
  return {
    'what a night looks at': name,
    'requests in the year': sum(nights),
    '× the schedule': round(sum(nights) / least),
    'a night (median)': median(steady),
    'most in a night': most,
    'hours for that': round((most * interval) / 3_600_000),
    'nights that do not fit into a day': over < 0 ? 0 : nights.filter((requests) => requests > allowance).length,
  };
}

function finds({ name, found }: Outcome) {
  const days = found.filter((each) => each !== null).sort((a, b) => a - b);
  return {
    'what a night looks at': name,
    'changes after the end': found.length,
    found: days.length,
    '%': round((days.length / found.length) * 100),
    'days until found (median)': median(days),
    '9 of 10 within': days[Math.floor(days.length * 0.9)] ?? 0,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Of sorted values. */
function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
