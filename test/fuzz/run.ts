/**
 * `npm run test:fuzz -- [--seconds 60] [--seed S]`: bodies, quotes, files, webhooks and endpoints of chains at random until the time is over. A
 * failure ends it, and prints the smallest input found in a minute that fails, and the seed that finds it again.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fuzzChains } from './chains.ts';
import { fuzzPart, PARTS, soon } from './in-process.ts';
import { fuzzNight } from './nights.ts';
import { fuzzText, TEXT_READERS } from './texts.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds);
const first = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const end = performance.now() + seconds * 1000;
const RUNS = 400;
/** Longer than the search for the smallest input that fails, and below what the gate gives. */
const HANGS_MS = 150_000;
/** Each of some hundred requests over a socket. */
const CHAIN_RUNS = 20;

let inputs = 0;
let nights = 0;
let failed = 0;

let at = 'the first input';
// A hang of the machine around the inputs, which no clock of processor time sees.
setTimeout(
  () => {
    console.error(`still at ${at}`);
    process.exit(1);
  },
  seconds * 1000 + HANGS_MS,
).unref();

async function attempt(what: string, seed: number, work: () => Promise<number>): Promise<void> {
  if (failed > 0) return;
  at = `${what}, --seed ${seed}`;
  try {
    inputs += await work();
  } catch (error) {
    failed++;
    console.error(
      `${what}, --seed ${seed}:\n${error instanceof Error ? `${error.message.slice(0, 6000)}\n${error.cause}` : error}\n`,
    );
  }
}

for (let seed = first; performance.now() < end && failed === 0; seed++) {
  for (const part of PARTS) {
    await attempt(part, seed, async () => {
      await fuzzPart(part, seed, RUNS);
      return RUNS;
    });
  }
  for (const reader of TEXT_READERS) {
    await attempt(reader, seed, async () => {
      await fuzzText(reader, { seed, numRuns: RUNS }, soon);
      return RUNS;
    });
  }
  if (performance.now() > end) break;
  await attempt('chains', seed, () => fuzzChains(seed, CHAIN_RUNS));
  if (performance.now() > end || failed > 0) break;
  await attempt('a night', seed, () => fuzzNight(seed));
  nights++;
}
console.log(
  `${inputs} inputs and ${nights} nights in ${seconds} s from seed ${first}: ${failed === 0 ? '0 nights stopped, 0 hangs over 1 s, 0 secrets out' : `${failed} failures`}`,
);
const report = process.env.TIEOUT_TEST_REPORT;
if (report !== undefined)
  writeFileSync(
    report,
    JSON.stringify({ passed: PARTS.length + TEXT_READERS.length + 2 - Math.min(failed, PARTS.length + 2), failed }),
  );
process.exitCode = failed === 0 ? 0 : 1;
