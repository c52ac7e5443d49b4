/**
 * How the server reaches the rows of a night, on 20,000 records with statistics: by the indexes that the migrations
 * make for it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Selection } from '../../../src/domain/run.ts';
import type { PlanScope, Store } from '../../../src/ports/store/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { DUE_POLICY } from '../../support/due-rule.ts';
import { SEALER } from '../support/engines.ts';
import { bodyOf, unreachable, verified } from '../support/scenario.ts';
import { makeDatabase, onServer, type TestDatabase } from './database.ts';
import { MAKE_LARGE } from './large.ts';
import { accessOf } from './plans.ts';
import { isSwitchedOff } from './server.ts';

const JUDGED = 'nightly-2025-11-20-r1';
const UNDER_WAY = 'nightly-2025-11-21-r1';

describe.skipIf(isSwitchedOff())('on 20,000 records', () => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await makeDatabase();
    ({ store } = await openStore({ url: database.url, sealer: SEALER }));
    await onServer(database.url, ...MAKE_LARGE);
  });
  afterAll(async () => {
    await store?.close();
    await database?.[Symbol.asyncDispose]();
  });

  /** Table → indexes, for what the work asked; a table that is read from end to end says so. */
  async function reached(work: () => Promise<unknown>): Promise<Record<string, string[]>> {
    const access = await accessOf(database.url, work);
    // A handful of runs: whichever way the server takes them is right.
    const tables = [...access].filter(([table]) => table !== 'runs' && table !== 'leases').sort();
    return Object.fromEntries(
      tables.map(([table, { indexes, whole }]) => [
        table,
        [...indexes].sort().concat(whole ? ['from end to end'] : []),
      ]),
    );
  }

  const preview = (selection: Selection) => {
    const scope: PlanScope = {
      job: 'nightly',
      businessDate: '2025-11-22',
      selection,
      policy: DUE_POLICY,
      createdFrom: null,
      createdTo: null,
    };
    return () => store.items.preview(scope);
  };
  const judged = async () => {
    const run = await store.runs.get(JUDGED);
    if (run === null) throw new Error('the run was not made');
    return run;
  };

  it('due records are found by their next check and by open breaks, each from an index', async () => {
    const tables = await reached(preview({ type: 'due' }));
    // The few records with a break are joined; among 20,000 the server may go through all of them for that.
    expect(tables.tracked_records).toContain('tracked_records_looks');
    expect(tables.breaks).not.toContain('from end to end');
    expect(tables.break_events?.filter((way) => way === 'from end to end')).toEqual([]);
  });

  it('records asked for by id are found by their ids', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `${n}`.padStart(15, 'a'));
    expect(await reached(preview({ type: 'ids', kind: null, ids }))).toEqual({
      tracked_records: ['tracked_records_kind_record_id_key'],
    });
  });

  it('delivered records are found from the few deliveries that wait', async () => {
    expect(await reached(preview({ type: 'delivered' }))).toEqual({
      deliveries: ['deliveries_waiting'],
      tracked_records: ['tracked_records_pkey'],
    });
  });

  it('the next items to fetch come in order from the index of unobserved ones', async () => {
    // Whether one was refused before is looked up in the breaks in whichever way is cheaper: they are few, and short.
    expect(await reached(() => store.items.next(UNDER_WAY, 12_000, 50))).toMatchObject({
      run_items: ['run_items_waiting'],
      tracked_records: ['tracked_records_pkey'],
    });
  });

  it('a batch of observations is saved by key', async () => {
    const fence = { name: 'nightly', token: 1 };
    await onServer(database.url, `insert into leases values ('nightly', 1, 'a test', 9000000000000)`);
    const batch = [
      ...Array.from({ length: 25 }, (_, n) => unreachable(15_000 + n, '2025-11-21')),
      ...Array.from({ length: 25 }, (_, n) => verified(16_000 + n, aPurchase({ recordId: 'another' }), '2025-11-21')),
    ];
    const tables = await reached(() => store.items.save(UNDER_WAY, fence, batch));
    for (const [table, ways] of Object.entries(tables)) expect([table, ways]).not.toContain('from end to end');
    expect(tables).toMatchObject({
      contents: ['contents_record_key_sha256_key'],
      run_items: ['run_items_pkey'],
      tracked_records: ['tracked_records_pkey'],
    });
  });

  it('a page of cases is a stretch of the run, with bodies, quotes and past by their keys', async () => {
    const run = await judged();
    const after = { kind: 'purchase', recordId: '8' } as const;
    expect(await reached(() => store.items.cases(run, after, 200))).toEqual({
      contents: ['contents_pkey'],
      quote_methods: ['quote_methods_pkey'],
      quotes: ['quotes_pkey'],
      run_items: ['run_items_pkey'],
      snapshots: ['snapshots_pkey'],
      tracked_records: ['tracked_records_pkey'],
    });
  });

  it('standing breaks of a page are found by their records', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => 4_000 + n);
    expect(await reached(() => store.breaks.standing(keys, 1_000_000))).toEqual({
      break_events: ['break_events_break', 'break_events_pkey'],
      breaks: ['breaks_record'],
    });
  });

  it('status changes of a page are a stretch of the run', async () => {
    const [from, to] = [{ kind: 'purchase', recordId: '8' } as const, { kind: 'purchase', recordId: '81' } as const];
    expect(await reached(() => store.items.statusChanges(JUDGED, from, to))).toEqual({
      status_changes: ['status_changes_run'],
    });
  });

  it('tracked records are paged through without beginning at the first one again', async () => {
    const everything = { kind: null, createdFrom: null, createdTo: null };
    const after = { kind: 'sale', recordId: '8' } as const;
    expect(await reached(() => store.tracked.latest(everything, after, 200))).toEqual({
      contents: ['contents_pkey'],
      snapshots: ['snapshots_pkey'],
      tracked_records: ['tracked_records_kind_record_id_key'],
    });
  });

  it('captured quotes and their methods are looked up, at any estimate of how many there are', async () => {
    const wish = {
      direction: 'onramp',
      asset: { chain: 'ETH', symbol: 'ETH', decimals: 18 },
      fiatCurrency: 'EUR',
    } as const;
    const page = Array.from({ length: 50 }, (_, n) => ({ ...wish, from: n * 60_000, to: n * 60_000 + 3_600_000 }));
    // Among a million quotes the server estimates that reading every method costs less than looking up those of a page.
    const joinsThatLookUp = (state: string) => `
      do $$ begin
        execute format('alter database %I set enable_nestloop = ${state}', current_database());
        execute format('alter database %I set enable_mergejoin = ${state}', current_database());
      end $$`;
    await onServer(database.url, joinsThatLookUp('off'));
    try {
      for (const method of ['CARD_PAYMENT', null]) {
        const wanted = page.map((each) => ({ ...each, method }));
        expect(await reached(() => store.quotes.captured(wanted, 1_000_000))).toEqual({
          quote_methods: ['quote_methods_pkey'],
          quotes: ['quotes_captured', 'quotes_pkey'],
        });
      }
    } finally {
      await onServer(database.url, joinsThatLookUp('on'));
    }
  });

  it('a body is found by its hash', async () => {
    const { sha256 } = bodyOf(aPurchase());
    const tables = await reached(() => store.items.evidence(sha256));
    expect(tables).toEqual({ bodies: ['bodies_pkey'], contents: ['contents_pkey', 'contents_received'] });
  });

  it('the records of a hash, received or redacted, are found from indexes', async () => {
    const tables = await reached(() => store.history.recordsWith('c0ffee00'));
    // The primary key names the last block of hashes.
    expect(tables.contents).toEqual(['contents_pkey', 'contents_received', 'contents_redacted']);
  });

  const queue = (filter: object) => () =>
    store.workList.page({ states: ['open', 'acknowledged', 'reopened'], ...filter }, { sort: 'stake', limit: 50 });

  it('a text of the queue is found in the index of words', async () => {
    await onServer(
      database.url,
      `insert into break_words (break_key, words)
        select n, array_to_tsvector(array['fee', 'q' || n]) from generate_series(1, 20000) as n`,
      'analyze break_words',
    );
    for (const text of ['q777', 'q1999', 'nowhere'])
      expect((await reached(queue({ text }))).break_words).toEqual(['break_words_words']);
  });

  it('a record of the queue is found by its id', async () => {
    const tables = await reached(queue({ recordId: 'a'.repeat(15) }));
    expect(tables.breaks).toEqual(['breaks_kind_record_id_rule_field_key', 'breaks_pkey']);
  });

  it('the n-th latest booking is looked up', async () => {
    const tables = await reached(() =>
      store.bookings.withBookings('office', 'boot', (bookings) => bookings.nthLatest(100)),
    );
    expect(tables).toEqual({ bookings: ['bookings_time'] });
  });
});
