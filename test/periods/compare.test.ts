/** The current records of a closed month, compared with its last statement. */
import { expect, it } from 'vitest';
import { baselineOf } from '../../src/periods/baseline.ts';
import { type CompareStore, changedRecords } from '../../src/periods/compare.ts';
import type { MonthSet, MonthSetRecord } from '../../src/ports/store/periods.ts';
import { aStatement } from '../support/a-run.ts';
import { aPurchase } from '../support/builders.ts';
import { aStanding } from './support/a-standing.ts';

const BASIS = { breakEvent: 9, runs: [1, 2] };
const state = aPurchase();

const CLOSE: MonthSet = {
  ...aStatement({ basis: { breakEvent: 5, runs: [1] } }),
  key: 1,
  state: 'sealed',
  figures: '{}',
  acceptedOpen: null,
  review: null,
  folder: 'periods/2026-10',
  manifestSha256: 'a'.repeat(64),
};

const aRecord = (overrides: Partial<MonthSetRecord> = {}): MonthSetRecord =>
  aStanding({ lookRun: 2, verifiedRun: 2, contentKey: 7, ...overrides }).record;
const standsNow = (record: MonthSetRecord) => aStanding(record, { lookDate: '2026-11-20' });

/** The store knows one content, 7: the default purchase, first read on 2026-11-12 after a content that is forgotten. */
async function changedSince(stated: readonly MonthSetRecord[], now: readonly MonthSetRecord[]) {
  const store: CompareStore = {
    periods: {
      states: async (wanted) => new Map(wanted.some(({ contentKey }) => contentKey === 7) ? [[7, state]] : []),
      readings: async () => [
        { businessDate: '2026-10-20', contentKey: 6 },
        { businessDate: '2026-11-12', contentKey: 7 },
        { businessDate: '2026-11-20', contentKey: 7 },
      ],
    },
    breaks: { standing: async () => new Map() },
  };
  const baseline = baselineOf({ records: async (_key, after) => (after === null ? stated : []) }, [CLOSE]);
  async function* pages() {
    yield now.map(standsNow);
  }
  const pagesOfChanges = [];
  for await (const page of changedRecords(store, '2026-10', baseline, pages(), BASIS)) pagesOfChanges.push(page);
  return pagesOfChanges.flat();
}

it('an unchanged record is not reported', async () => {
  expect(await changedSince([aRecord()], [aRecord()])).toEqual([]);
});

it('a record that had never been read when it was stated is reported, dated by its first reading that is still kept', async () => {
  const unread = aRecord({ lookRun: null, verifiedRun: null, contentKey: null, verdict: 'unverified' });
  const [changed, ...others] = await changedSince([unread], [aRecord()]);
  expect([changed?.present, others]).toEqual([true, []]);
  const told = changed?.changes.map(({ item, before, after, firstSeenDate }) => [item, before, after, firstSeenDate]);
  expect(told).toContainEqual(['fiat_value', null, '104.76', '2026-11-12']);
  expect(told).toContainEqual(['verdict', 'unverified', 'matched', '2026-11-20']);
});

it('a record that left its month is reported once, as not present', async () => {
  const [left] = await changedSince([aRecord()], []);
  expect([left?.present, left?.changes[0]?.item]).toEqual([false, 'moved']);
  expect(await changedSince([aRecord({ present: false })], [])).toEqual([]);
});

it('records that came and left are reported in report order', async () => {
  const changed = await changedSince(
    [aRecord({ recordId: 'b' })],
    [aRecord({ recordId: 'a' }), aRecord({ recordId: 'c' })],
  );
  expect(changed.map(({ recordId, changes }) => `${recordId} ${changes[0]?.item}`)).toEqual([
    'a added',
    'b moved',
    'c added',
  ]);
});
