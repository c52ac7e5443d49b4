import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CHART, JournalTotals, unbalanced } from '../../src/books/journal.ts';
import { findOrphans, type ListedRecord, type Orphan, type OrphanSummary } from '../../src/books/orphans.ts';
import { addMonthly, compareRevenue, type MonthlyAmounts } from '../../src/books/revenue.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { KnownRecord } from '../../src/ports/store/store.ts';
import { aPurchase, aSale, dec, someTolerances } from '../support/builders.ts';

const known = (recordId: string, over: Parameters<typeof aPurchase>[0] = {}): KnownRecord => ({
  kind: 'purchase',
  recordId,
  hostReference: null,
  lastVerifiedAt: 0,
  toldCreatedAt: null,
  state: aPurchase({ recordId, ...over }),
});

const listed = (id: string, over: Partial<ListedRecord> = {}): ListedRecord => ({
  line: 2,
  kind: null,
  id,
  fiatCurrency: null,
  fiatValue: null,
  status: null,
  ...over,
});

async function orphans(
  list: readonly ListedRecord[],
  records: readonly KnownRecord[],
  tolerances = someTolerances(),
  summary: OrphanSummary = { listed: 0, tracked: 0, agreeing: 0 },
): Promise<Orphan[]> {
  async function* stream() {
    yield* records;
  }
  const found: Orphan[] = [];
  for await (const each of findOrphans(list, stream(), tolerances, summary)) found.push(each);
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
      { finding: 'not-listed', kind: 'purchase', id: 'b', hostReference: null },
      { finding: 'not-tracked', line: 7, kind: null, id: 'lost' },
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
    ).toEqual([{ finding: 'not-tracked', line: 3, kind: 'sale', id: 'a' }]);
  });

  it('that has a sale says nothing of a purchase of the same id', async () => {
    expect(await orphans([listed('a', { kind: 'sale' })], [known('a')])).toEqual([
      { finding: 'not-listed', kind: 'purchase', id: 'a', hostReference: null },
      { finding: 'not-tracked', line: 2, kind: 'sale', id: 'a' },
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

describe('a journal', () => {
  const period = { from: '2026-10-01', date: '2026-10-31' };

  it('books fees, adjustments and the accrued host share, each entry against its counterpart', () => {
    const totals = new JournalTotals();
    totals.add(
      aPurchase({ fiatCurrency: 'EUR', appliedFee: '4.33', baseFee: '4.10', networkFee: '0.43', hostFeeCut: '1.005' }),
    );
    const lines = totals
      .lines(period, DEFAULT_CHART)
      .map(({ account, debit, credit }) => [account, debit?.toString() ?? '', credit?.toString() ?? '']);
    expect(lines).toEqual([
      ['User fees (base)', '4.1', ''],
      ['User fees (network)', '0.43', ''],
      ['User fees (adjustments)', '', '0.2'],
      ['Service clearing', '', '4.33'],
      ['Host fee receivable', '1', ''],
      ['Host fee revenue', '', '1'],
    ]);
  });

  it('calls an undivided fee of a sale a fee, and no adjustment', () => {
    const totals = new JournalTotals();
    totals.add(aSale({ fiatCurrency: 'USD', appliedFee: '2.5' }));
    expect(totals.lines(period, DEFAULT_CHART).map(({ account }) => account)).toEqual([
      'User fees (base)',
      'Service clearing',
    ]);
  });

  it('has an entry for each currency and kind, in that order, that says how many records are in it', () => {
    const totals = new JournalTotals();
    totals.add(aPurchase({ fiatCurrency: 'USD', appliedFee: '2', baseFee: '2', networkFee: '0' }));
    totals.add(aSale({ appliedFee: '3' }));
    totals.add(aPurchase({ appliedFee: '4', baseFee: '3.14', hostFeeCut: '1' }));
    totals.add(aPurchase({ appliedFee: '5', baseFee: '4.34' }));
    const about = 'from 2026-10-01 to 2026-10-31';
    const accrued = `Accrued host share, not confirmed by the Service, 2 purchases ${about}`;
    expect(
      totals
        .lines(period, DEFAULT_CHART)
        .map(({ entry, date, currency, debit, credit, memo }) =>
          [entry, date, currency, debit ?? '-', credit ?? '-', memo].join(' | '),
        ),
    ).toEqual([
      `FEES-2026-10-01-EUR-purchase | 2026-10-31 | EUR | 7.48 | - | Base fees paid by users, 2 purchases ${about}`,
      `FEES-2026-10-01-EUR-purchase | 2026-10-31 | EUR | 1.72 | - | Network fees paid by users, 2 purchases ${about}`,
      `FEES-2026-10-01-EUR-purchase | 2026-10-31 | EUR | - | 0.2 | Discounts and other adjustments, 2 purchases ${about}`,
      `FEES-2026-10-01-EUR-purchase | 2026-10-31 | EUR | - | 9 | Fees kept by the Service, 2 purchases ${about}`,
      `HOST-2026-10-01-EUR-purchase | 2026-10-31 | EUR | 1 | - | ${accrued}`,
      `HOST-2026-10-01-EUR-purchase | 2026-10-31 | EUR | - | 1 | ${accrued}`,
      `FEES-2026-10-01-EUR-sale | 2026-10-31 | EUR | 3 | - | Base fees paid by users, 1 sales ${about}`,
      `FEES-2026-10-01-EUR-sale | 2026-10-31 | EUR | - | 3 | Fees kept by the Service, 1 sales ${about}`,
      `FEES-2026-10-01-USD-purchase | 2026-10-31 | USD | 2 | - | Base fees paid by users, 1 purchases ${about}`,
      `FEES-2026-10-01-USD-purchase | 2026-10-31 | USD | - | 2 | Fees kept by the Service, 1 purchases ${about}`,
    ]);
  });

  it.each([
    ['JPY', '1'],
    ['EUR', '1.23'],
    ['KWD', '1.234'],
    ['XQQ', '1.23'],
  ])('rounds to the minor unit of %s; to two places where the currency is not known', (fiatCurrency, rounded) => {
    const totals = new JournalTotals();
    totals.add(aSale({ fiatCurrency, appliedFee: '1.2341' }));
    expect(totals.lines(period, DEFAULT_CHART).map(({ debit, credit }) => String(debit ?? credit))).toEqual([
      rounded,
      rounded,
    ]);
  });

  it('books the host share of a record whose fee is not known', () => {
    const totals = new JournalTotals();
    totals.add(aSale({ hostFeeCut: '0.75' }));
    expect(totals.lines(period, DEFAULT_CHART).map(({ account }) => account)).toEqual([
      'Host fee receivable',
      'Host fee revenue',
    ]);
  });

  it('balances per currency for any amounts', () => {
    const cents = fc.bigInt({ min: -1_000_000n, max: 1_000_000n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('EUR', 'JPY', 'KWD'), cents, cents, cents), { maxLength: 20 }),
        (records) => {
          const totals = new JournalTotals();
          for (const [fiatCurrency, a, b, c] of records) {
            const state = aPurchase({ fiatCurrency });
            totals.add({
              ...state,
              appliedFee: Decimal.of(a, 5),
              baseFee: Decimal.of(b, 5),
              networkFee: Decimal.of(c, 4),
            });
          }
          expect(unbalanced(totals.lines(period, DEFAULT_CHART)).size).toBe(0);
        },
      ),
    );
  });

  it('tells where lines do not balance', () => {
    const line = { entry: 'x', date: '2026-10-31', account: 'a', memo: '', currency: 'EUR' };
    expect(
      [
        ...unbalanced([
          { ...line, debit: dec('2'), credit: null },
          { ...line, debit: null, credit: dec('1.5') },
        ]),
      ].map(([c, d]) => `${d} ${c}`),
    ).toEqual(['0.5 EUR']);
  });
});

it('holds the accrued host share against a statement, month by month', () => {
  const accrued: MonthlyAmounts = new Map();
  addMonthly(accrued, '2026-10', 'EUR', dec('10.004'));
  addMonthly(accrued, '2026-10', 'USD', dec('5'));
  const stated: MonthlyAmounts = new Map();
  addMonthly(stated, '2026-10', 'EUR', dec('10'));
  addMonthly(stated, '2026-11', 'EUR', dec('1'));
  addMonthly(stated, '2026-09', 'EUR', dec('2'));
  const rows = compareRevenue(accrued, stated, someTolerances());
  expect(
    rows.map(({ month, currency, difference, agrees }) => [month, currency, difference.toString(), agrees]),
  ).toEqual([
    ['2026-09', 'EUR', '2', false],
    ['2026-10', 'EUR', '-0.004', true],
    ['2026-10', 'USD', '-5', false],
    ['2026-11', 'EUR', '1', false],
  ]);
});

it('holds the accrued host share to the tolerance that the settings give this comparison', () => {
  const tolerances = someTolerances({ rules: new Map([['HOST_REVENUE', { absolute: dec('3'), relative: dec('0') }]]) });
  const accrued: MonthlyAmounts = new Map([['2026-10 EUR', dec('10')]]);
  const stated: MonthlyAmounts = new Map([['2026-10 EUR', dec('12.50')]]);
  const [row] = compareRevenue(accrued, stated, tolerances);
  expect([String(row?.difference), String(row?.tolerance), row?.agrees]).toEqual(['2.5', '3', true]);
});
