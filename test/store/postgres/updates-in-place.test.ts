/** A night changes every record that it verifies: none of its indexes may have to be written for it. */
import { expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { SEALER } from '../support/engines.ts';
import { allItems, complete, plan, track, verified } from '../support/scenario.ts';
import { makeDatabase, onServer } from './database.ts';
import { isSwitchedOff } from './server.ts';

const UPDATES = `select pg_stat_force_next_flush(), n_tup_upd::int as all, n_tup_hot_upd::int as in_place,
  n_tup_newpage_upd::int as moved from pg_stat_user_tables where relname = 'tracked_records'`;

it.skipIf(isSwitchedOff())(
  'records under way are updated in place by every night',
  async () => {
    await using database = await makeDatabase();
    const { store } = await openStore({ url: database.url, sealer: SEALER });
    await track(store, ...Array.from({ length: 200 }, (_, n) => `record-${n}`));
    for (const date of ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21']) {
      const night = await plan(store, { date });
      const items = await allItems(store, night);
      expect(items).toHaveLength(200);
      const batch = items.map(({ recordKey, id }) =>
        verified(recordKey, aPurchase({ recordId: id, status: 'PAYMENT_IN_PROGRESS' }), date),
      );
      for (let at = 0; at < batch.length; at += 50) {
        await store.items.save(night.run.runId, night.fence, batch.slice(at, at + 50));
      }
      await complete(store, night);
    }
    await store.close();
    let seen = { all: 0, in_place: 0, moved: 0 };
    while (seen.all < 800)
      [seen = { all: 0, in_place: 0, moved: 0 }] = await onServer<typeof seen>(database.url, UPDATES);
    // A row leaves its page while another transaction of the server, such as an ANALYZE, may still see the versions that fill it.
    expect(seen.in_place + seen.moved).toBe(seen.all);
    expect(seen.in_place).toBeGreaterThan(200);
  },
  60_000,
);
