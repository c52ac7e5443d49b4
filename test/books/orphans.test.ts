import { describe, expect, it } from 'vitest';
import {
  findOrphans,
  type ListedRecord,
  mostTellingFirst,
  type Orphan,
  type OrphanRange,
  type OrphanSummary,
} from '../../src/books/orphans.ts';
import type { KnownRecord } from '../../src/ports/store/store.ts';
import { aPurchase, at, dec, someTolerances } from '../support/builders.ts';

const known = (recordId: string, over: Parameters<typeof aPurchase>[0] = {}): KnownRecord => ({
  kind: 'purchase',
  recordId,
  hostReference: null,
  lastVerifiedAt: 0,
  toldCreatedAt: null,
  countedAt: 0,
  earned: null,
  state: aPurchase({ recordId, ...over }),
});

const listed = (id: string, over: Partial<ListedRecord> = {}): ListedRecord => ({
  line: 2,
  kind: null,
  id,
  fiatCurrency: null,
  fiatValue: null,
  status: null,
  createdAt: null,
  ...over,
});

/** What `known` is worth. */
const VALUE = { fiatValue: aPurchase({}).fiatValue, currency: 'EUR' };

async function orphans(
  list: readonly ListedRecord[],
  records: readonly KnownRecord[],
  tolerances = someTolerances(),
  summary: OrphanSummary = { listed: 0, tracked: 0, agreeing: 0 },
  range?: OrphanRange,
): Promise<Orphan[]> {
  async function* stream() {
    yield* records;
  }
  const found: Orphan[] = [];
  for await (const each of findOrphans(list, stream(), tolerances, summary, range)) found.push(each);
  return found;
}

describe('another list', () => {
  it('that agrees has no findings', async () => {
    expect(
      await orphans(
        [listed('a', { fiatCurrency: 'EUR', fiatValue: dec('10') })],
        [known('a', { fiatCurrency: 'EUR', fiatValue: '10.001' })],
      ),
    ).toEqual([]);
  });

  it('names records that are not tracked, and records that the list lacks', async () => {
    expect(await orphans([listed('lost', { line: 7 })], [known('b')])).toEqual([
      { finding: 'not-listed', kind: 'purchase', id: 'b', hostReference: null, ...VALUE },
      { finding: 'not-tracked', line: 7, kind: null, id: 'lost', fiatValue: null, currency: null },
    ]);
  });

  it('names amounts that differ, with the difference', async () => {
    const found = await orphans(
      [listed('a', { fiatValue: dec('12.50') })],
      [known('a', { fiatCurrency: 'EUR', fiatValue: '10' })],
    );
    expect(found).toMatchObject([
      { finding: 'differs', field: 'fiat_value', listed: '12.5', known: '10', currency: 'EUR' },
    ]);
    expect(found[0]?.finding === 'differs' && found[0].difference?.toString()).toBe('-2.5');
  });

  it('names an id that it has twice, and keeps a purchase and a sale of one id apart', async () => {
    expect(await orphans([listed('a'), listed('a', { line: 3 })], [known('a')])).toEqual([
      { finding: 'listed-twice', line: 3, id: 'a' },
    ]);
    expect(
      await orphans([listed('a', { kind: 'purchase' }), listed('a', { kind: 'sale', line: 3 })], [known('a')]),
    ).toEqual([{ finding: 'not-tracked', line: 3, kind: 'sale', id: 'a', fiatValue: null, currency: null }]);
  });

  it('that has a UUID in capitals means the record in small letters', async () => {
    const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect(await orphans([listed(id.toUpperCase())], [known(id)])).toEqual([]);
  });

  it('that has a sale says nothing of a purchase of the same id', async () => {
    expect(await orphans([listed('a', { kind: 'sale' })], [known('a')])).toEqual([
      { finding: 'not-listed', kind: 'purchase', id: 'a', hostReference: null, ...VALUE },
      { finding: 'not-tracked', line: 2, kind: 'sale', id: 'a', fiatValue: null, currency: null },
    ]);
  });

  it('names untracked records in the order of lines of the list', async () => {
    const list = [
      listed('x', { line: 4 }),
      listed('y', { line: 3, kind: 'sale' }),
      listed('x', { line: 2, kind: 'sale' }),
    ];
    expect((await orphans(list, [])).map((each) => ('line' in each ? each.line : null))).toEqual([2, 3, 4]);
  });

  it('names a status that differs, where both sides state one', async () => {
    const over = { status: 'EXPIRED' };
    expect(await orphans([listed('a', { line: 5, status: 'RELEASED' })], [known('a', over)])).toEqual([
      {
        finding: 'differs',
        line: 5,
        kind: 'purchase',
        id: 'a',
        field: 'status',
        listed: 'RELEASED',
        known: 'EXPIRED',
        difference: null,
        currency: null,
      },
    ]);
    expect(await orphans([listed('a', { status: 'EXPIRED' })], [known('a', over)])).toEqual([]);
    expect(await orphans([listed('a')], [known('a', over)])).toEqual([]);
    expect(await orphans([listed('a', { status: 'RELEASED' })], [known('a', { status: null })])).toEqual([]);
  });

  it('names another currency, and then no difference of amounts', async () => {
    const list = [listed('a', { fiatCurrency: 'USD', fiatValue: dec('1') })];
    expect(await orphans(list, [known('a', { fiatValue: '10' })])).toEqual([
      {
        finding: 'differs',
        line: 2,
        kind: 'purchase',
        id: 'a',
        field: 'fiat_currency',
        listed: 'USD',
        known: 'EUR',
        difference: null,
        currency: null,
      },
    ]);
  });

  it('is not compared with a record that was never read', async () => {
    const unread: KnownRecord = { ...known('a'), state: null };
    const list = [listed('a', { fiatCurrency: 'USD', fiatValue: dec('1'), status: 'EXPIRED' })];
    expect(await orphans(list, [unread])).toEqual([]);
  });

  it('is held to the tolerance that the settings give differing amounts', async () => {
    const tolerances = someTolerances({
      rules: new Map([['AMOUNT_DIFFERS', { absolute: dec('3'), relative: dec('0') }]]),
    });
    const list = [listed('a', { fiatValue: dec('12.50') })];
    expect(await orphans(list, [known('a', { fiatValue: '10' })], tolerances)).toEqual([]);
  });

  it('is summed up: its lines, the tracked records, and those that agree', async () => {
    const summary = { listed: 0, tracked: 0, agreeing: 0 };
    const list = [
      listed('a'),
      listed('b', { status: 'EXPIRED' }),
      listed('b', { line: 3 }),
      listed('d'),
      listed('lost'),
    ];
    await orphans(list, [known('a'), known('b'), known('c'), known('d')], someTolerances(), summary);
    expect(summary).toEqual({ listed: 5, tracked: 4, agreeing: 2 });
  });
});

describe('a range of dates', () => {
  const october: OrphanRange = { from: at('2026-10-01 00:00'), to: at('2026-11-01 00:00') };
  const created = (date: string) => ({ createdAt: at(`${date} 10:00`) });

  it('leaves out records created outside it, on either side, and keeps those without a date', async () => {
    const list = [
      listed('lost in october', created('2026-10-05')),
      listed('lost in november', created('2026-11-05')),
      listed('lost, no date'),
    ];
    const records = [known('october', created('2026-10-31')), known('november', created('2026-11-01'))];
    const summary = { listed: 0, tracked: 0, agreeing: 0 };
    const found = await orphans(list, records, someTolerances(), summary, october);
    expect(found.map(({ finding, id }) => `${finding} ${id}`)).toEqual([
      'not-listed october',
      'not-tracked lost in october',
      'not-tracked lost, no date',
    ]);
    expect(summary).toEqual({ listed: 2, tracked: 1, agreeing: 0 });
  });

  it('finds no orphan where both sides have a record on different days', async () => {
    const list = [listed('a', created('2026-10-31'))];
    expect(await orphans(list, [known('a', created('2026-11-01'))], someTolerances(), undefined, october)).toEqual([]);
  });
});

it('the most significant findings come first: lost ids, differences, then records that the list lacks; large amounts before small ones', async () => {
  const list = [
    listed('cheap', { line: 2, fiatValue: dec('9') }),
    listed('dear', { line: 3, fiatValue: dec('1000') }),
    listed('off', { line: 4, fiatValue: dec('12') }),
    listed('far off', { line: 5, fiatValue: dec('2') }),
    listed('off', { line: 6 }),
  ];
  const records = [known('far off', { fiatValue: '10' }), known('off', { fiatValue: '10' }), known('unlisted')];
  const found = mostTellingFirst(await orphans(list, records));
  expect(found.map(({ finding, id }) => `${finding} ${id}`)).toEqual([
    'not-tracked dear',
    'not-tracked cheap',
    'differs far off',
    'differs off',
    'not-listed unlisted',
    'listed-twice off',
  ]);
});
