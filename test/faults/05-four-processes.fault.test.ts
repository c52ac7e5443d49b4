/** Four processes behind one address, each with work to do, and one allowance. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from '../e2e/support/workspace.ts';
import { faultRow } from './harness/row.ts';
import { openScene, type Scene } from './harness/scene.ts';

/** The windows of real deployments, twenty and forty-five times shorter. */
const LIMITS = [
  { requests: 60, perMs: 3_000 },
  { requests: 300, perMs: 20_000 },
];
/** On two cores with five busy processes a request is under way for longer than anywhere else. */
const GUARD = '1500ms';

faultRow(
  {
    number: 5,
    fault: 'four processes share one address',
    how: '`run`, `audit`, `serve` with live purchases and webhooks, and repeated `service` calls at the same time on one database; windows of 3 s and 20 s instead of 60 s and 900 s',
    mustHold: 'no rolling window exceeds its limit, counted by the sandbox; no answer is 429',
  },
  async (row) => {
    const yaml = LIMITS.map(({ requests, perMs }) => `{ requests: ${requests}, per: ${perMs}ms }`).join(', ');
    await using scene = await openScene({
      records: row.isShort ? 40 : 350,
      limits: LIMITS,
      realTime: true,
      service: { rateLimits: `[${yaml}]`, guard: GUARD },
      settings: 'webhooks: { port: 0, requireSignature: false }\n',
    });
    const { place, sandbox } = scene;
    const env = { TIEOUT_HOST_API_KEY: sandbox.hostApiKey };
    const serving = place.start(['serve', '--json'], { env });
    let told = '';
    serving.child.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    await until('it listens', () => told.includes('\n'));
    const { url } = JSON.parse(told) as { url: string };

    const started = performance.now();
    let done = false;
    const runs = Promise.all([
      place.process(['run', '--fail-on', 'none'], { env }),
      place.process(['audit', '--from', '2000-01-01', '--to', '2100-01-01', '--fail-on', 'none'], { env }),
    ]).finally(() => {
      done = true;
    });
    const [purchases, calls] = await Promise.all([buyUntil(() => done, scene, url), callUntil(() => done, scene)]);
    const finished = await runs;
    const seconds = (performance.now() - started) / 1000;
    serving.child.kill('SIGTERM');
    await serving.done;

    const { limits, rejected, requests, byEndpoint } = sandbox.stats();
    const quotes = Object.entries(byEndpoint).reduce((sum, [name, n]) => (name.includes('quote') ? sum + n : sum), 0);
    row.measured(
      'requests',
      `${requests} in ${seconds.toFixed(0)} s (${calls} by \`service\`, ${quotes} quotes for ${purchases} live purchases)`,
    );
    for (const { requests: most, perMs, maxSeen } of limits)
      row.measured(`most requests in any ${perMs / 1000} s`, `${maxSeen} of ${most}`);
    row.measured('answers 429', rejected);
    for (const { code, err } of finished) expect(code, err).toBe(0);
    expect(limits.filter(({ requests: most, maxSeen }) => maxSeen > most)).toEqual([]);
    expect(rejected).toBe(0);
    expect(quotes).toBeGreaterThan(0);
  },
);

/** A user buys at intervals, and the Service sends webhooks to the application. */
async function buyUntil(isDone: () => boolean, { sandbox }: Scene, url: string): Promise<number> {
  let bought = 0;
  while (!isDone()) {
    sandbox.live.create({
      kind: 'purchase',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: 100 + bought,
      method: 'CARD_PAYMENT',
      webhookUrl: `${url}/webhooks/purchases`,
    });
    bought++;
    await pause(1_500);
  }
  return bought;
}

/** Interactive use: one process after the other, each with one call. */
async function callUntil(isDone: () => boolean, { place }: Scene): Promise<number> {
  let calls = 0;
  while (!isDone()) {
    const { code, err } = await place.process(['service', 'countries', '--json']);
    expect(code, err).toBe(0);
    calls++;
  }
  return calls;
}
