/**
 * How much of the allowance is used far from the database: paced slots at the real limits over a server whose answers take 50 ms,
 * against the pace that the limits allow.
 *
 * `node bench/workers/distance.ts [SLOTS=20]`
 */
import type { RateLimit } from '../../src/ports/pacing.ts';
import { GRACE_MS } from '../../src/service/pacing/burst-turn.ts';
import { createLimiter } from '../../src/service/pacing/limiter.ts';
import { paceInterval } from '../../src/service/pacing/paced.ts';
import { openStore } from '../../src/store/open.ts';
import { makeDatabase } from '../../test/store/postgres/database.ts';
import { delayingProxy } from '../../test/store/postgres/delaying-proxy.ts';
import { setup } from '../../test/store/postgres/global-setup.ts';
import { machine, publishTable, round } from '../support/report.ts';

const LIMITS: readonly RateLimit[] = [
  { requests: 100, perMs: 60_000 },
  { requests: 1_000, perMs: 900_000 },
];
const GUARD_MS = 5_000;
const CLOCK = {
  domain: 'a boot',
  now: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

const slots = Number(process.argv[2] ?? 20);
const down = setup();
try {
  console.log(machine());
  const rows = [];
  for (const delayMs of [0, 50]) {
    await using database = await makeDatabase();
    await using proxy = await delayingProxy(database.url, delayMs);
    const { store } = await openStore({ url: proxy.url, sealer: null, monotonic: CLOCK });
    const log = store.bookings;
    const limiter = createLimiter({
      limits: LIMITS,
      guardMs: GUARD_MS,
      egress: 'here',
      log,
      clock: CLOCK,
      wall: () => Date.now(),
    });
    await limiter.acquire({ pace: 'paced' });
    await limiter.acquire({ pace: 'paced' });
    const began = performance.now();
    for (let n = 0; n < slots; n++) await limiter.acquire({ pace: 'paced' });
    const perSlot = (performance.now() - began) / slots;
    const allowed = paceInterval(LIMITS, GUARD_MS + GRACE_MS);
    rows.push({
      'answers take ms': delayMs,
      'ms a slot': round(perSlot),
      'of the pace %': round((allowed / perSlot) * 100, 1),
    });
    await store.close();
  }
  publishTable('distance', rows);
} finally {
  down();
}
