/** The Service says 429, or nothing but 429 for an hour: who goes on asking makes it worse. */
import { request } from 'node:http';
import { expect } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/sandbox/contract.ts';
import type { Meddling } from './harness/proxy.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openVirtualNight, type VirtualNight } from './harness/virtual-night.ts';

const MINUTE = 60_000;
const RECORDS = 40;
/** Requests answered before the fault begins. */
const CALM = 15;

faultRow(
  {
    number: 8,
    fault: '429 with and without Retry-After; the one-hour block',
    how: 'the sandbox with the real limits, which another client of the same address uses up in the middle of a run; a proxy that adds Retry-After; virtual time',
    mustHold: 'only probes are sent during the block; the run waits, continues and completes',
  },
  async (row) => {
    row.measured('silence after a 429, min', minutes(await shortBlock(row)));
    row.measured('silence after a 429 with Retry-After of 1800 s, min', minutes(await retryAfter(row)));
    const { silences, whileBlocked } = await hourBlock(row);
    row.measured('silences in the one-hour block, min', silences.map(minutes).join(' and '));
    row.measured('requests during the block', `${whileBlocked} (the one that learned of it, and one probe)`);
  },
);

const minutes = (ms: number) => (ms / MINUTE).toFixed(1);

/** Pauses of more than a minute between one request and the next. */
function silences(sentAt: readonly number[]): number[] {
  return sentAt.map((at, n) => at - (sentAt[n - 1] ?? at)).filter((gap) => gap > MINUTE);
}

async function expectComplete(night: VirtualNight): Promise<void> {
  const result = await night.run();
  expect(result).toMatchObject({ outcome: 'reconciled', run: { state: 'complete' } });
  if (result.outcome !== 'reconciled') throw new Error(result.outcome);
  const { unverified, quarantined } = result.tally.verdicts;
  expect([unverified, quarantined]).toEqual([0, 0]);
}

/** Another client of the same address sends requests, past Tieout, until it is refused. */
async function strangerAsks(night: VirtualNight): Promise<void> {
  const url = new URL(`${night.sandbox.url}/host-api/countries`);
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      request(url, (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
        .on('error', reject)
        .end();
    });
  while ((await ask()) !== 429);
}

/** Passes requests; before the n-th is answered, another client uses up the limits of the address. */
function withStranger(night: () => VirtualNight): Meddling {
  let count = 0;
  return async (call) => {
    if (++count === CALM) await strangerAsks(night());
    await call.pass();
  };
}

async function shortBlock(row: Row): Promise<number> {
  const options = { records: RECORDS, limits: DEFAULT_RATE_LIMITS, seed: row.seed };
  const meddle = withStranger(() => night);
  await using night = await openVirtualNight({ ...options, meddle: (call) => meddle(call) });
  await expectComplete(night);
  // The other client's last request, and the one whose 429 showed Tieout the block.
  expect(night.sandbox.stats().rejected).toBe(2);
  const [silence = 0, ...more] = silences(night.sentAt);
  expect(more).toEqual([]);
  expect(silence).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(silence).toBeLessThan(16 * MINUTE);
  return silence;
}

async function retryAfter(row: Row): Promise<number> {
  let count = 0;
  await using night = await openVirtualNight({
    records: RECORDS,
    limits: DEFAULT_RATE_LIMITS,
    seed: row.seed,
    meddle: async (call) => {
      if (++count !== CALM) return call.pass();
      call.response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1800' });
      call.response.end('{"statusCode":429,"message":"ThrottlerException: Too Many Requests"}');
    },
  });
  await expectComplete(night);
  const [silence = 0, ...more] = silences(night.sentAt);
  expect(more).toEqual([]);
  expect(silence).toBeGreaterThanOrEqual(30 * MINUTE);
  expect(silence).toBeLessThan(31 * MINUTE);
  return silence;
}

async function hourBlock(row: Row): Promise<{ silences: number[]; whileBlocked: number }> {
  const meddle = withStranger(() => night);
  await using night = await openVirtualNight({
    records: RECORDS,
    // Of the two limits the long one alone: the other client exceeds it at once, and the address is blocked for an hour.
    limits: DEFAULT_RATE_LIMITS.slice(1),
    seed: row.seed,
    meddle: (call) => meddle(call),
  });
  await expectComplete(night);
  const found = silences(night.sentAt);
  const { whileBlocked } = night.sandbox.stats();
  expect(found).toHaveLength(2);
  expect(found[0]).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(found[1]).toBeGreaterThanOrEqual(60 * MINUTE);
  expect(whileBlocked).toBe(2);
  expect(night.sentAt).toHaveLength(RECORDS + 2);
  return { silences: found, whileBlocked };
}
