/**
 * Nights with deliveries on local chains: how many planted defects are found, how many requests go to the endpoints of the
 * chains, and whether a replay without them gives the same bytes.
 *
 *     node bench/chains/run.ts [records=5000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDemoWorld } from '../../src/app/demo.ts';
import { score } from '../../src/app/demo-score.ts';
import { compareWithPublished, renderRun } from '../../src/app/render-run.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import { Releasers } from '../../src/runner/releasers.ts';
import { machine, publishTable, type Row, round } from '../support/report.ts';

const records = Number(process.argv[2] ?? 5000);
console.log(`${records} records; ${machine()}`);

const counted = new Map<string, { requests: number; calls: number }>();
const real = globalThis.fetch;
let isOnline = true;
globalThis.fetch = (input, init) => {
  if (!isOnline) throw new Error('the network is off');
  const origin = new URL(String(input)).origin;
  const { requests, calls } = counted.get(origin) ?? { requests: 0, calls: 0 };
  const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
  counted.set(origin, { requests: requests + 1, calls: calls + (Array.isArray(body) ? body.length : 1) });
  return real(input, init);
};

const out = mkdtempSync(join(tmpdir(), 'tieout-chains-'));
const releasers = new Releasers();
const rows: Row[] = [];
try {
  const world = await openDemoWorld(
    { records, days: 30, seed: 11, defects: 0.05, out, chain: true, statementFile: join(out, 'statement.csv') },
    { clock: createSystemClock(), releasers, signal: new AbortController().signal, onProgress: () => undefined },
  );
  const { chains } = world.sandbox;
  await world.track();
  await world.captureMonth(() => undefined);
  const nights = [];
  for (const night of [1, 2] as const) {
    counted.clear();
    const startedAt = performance.now();
    const done = await world.night(night);
    nights.push(done);
    const sum = (kind: 'requests' | 'calls', type?: string) =>
      chains
        .filter((chain) => type === undefined || chain.type === type)
        .reduce((total, { url }) => total + (counted.get(new URL(url).origin)?.[kind] ?? 0), 0);
    rows.push({
      night,
      records: done.tally.population,
      'requests to chains': sum('requests'),
      evm: sum('requests', 'evm'),
      bitcoin: sum('requests', 'bitcoin'),
      solana: sum('requests', 'solana'),
      'without batching': sum('calls'),
      'night s': round((performance.now() - startedAt) / 1000),
    });
  }
  const last = nights[1];
  if (last === undefined) throw new Error('there was no second night');
  const { injected, found, falseAlarms, wrong, ...scored } = await score(join(out, last.folder, 'breaks.csv'), [
    ...world.sandbox.answerKey(),
    ...(world.sandbox.statement?.answers ?? []),
  ]);
  const ofPayments = scored.rows.filter(({ rule }) => rule.startsWith('PAYOUT_'));
  isOnline = false;
  const differing: string[] = [];
  for (const { run, folder } of nights) {
    const to = join(out, `replay-${run.runId}`);
    const rendered = await renderRun(world.app, run, { out: to, profile: 'standard', decimals: 'exact' });
    differing.push(...(await compareWithPublished(join(out, folder), rendered.folder)));
  }
  publishTable('chains', rows);
  console.log(
    `planted ${injected}, found ${found}, with another figure ${wrong}, false alarms ${falseAlarms}; ` +
      `about payments ${ofPayments.reduce((sum, row) => sum + row.found, 0)}; ` +
      `replayed with the network off: ${differing.length === 0 ? 'the same bytes' : differing.join('; ')}`,
  );
} finally {
  await releasers.release();
  rmSync(out, { recursive: true, force: true });
}
