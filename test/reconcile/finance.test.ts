import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { DEFAULT_CHART, JournalTotals, unbalanced } from '../../src/reconcile/journal.ts';
import { findOrphans, type ListedRecord, type Orphan } from '../../src/reconcile/orphans.ts';
import { addMonthly, compareRevenue, type MonthlyAmounts } from '../../src/reconcile/revenue.ts';
import type { KnownRecord } from '../../src/store/contract.ts';
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

async function orphans(list: readonly ListedRecord[], records: readonly KnownRecord[]): Promise<Orphan[]> {
  async function* stream() {
    yield* records;
  }
  const found: Orphan[] = [];
  const summary = { listed: 0, tracked: 0, agreeing: 0 };
  for await (const each of findOrphans(list, stream(), someTolerances(), summary)) found.push(each);
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

  it('names what nobody stored, and what it lacks itself', async () => {
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

  it('balances per currency, whatever the amounts', () => {
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
  const rows = compareRevenue(accrued, stated, someTolerances());
  expect(
    rows.map(({ month, currency, difference, agrees }) => [month, currency, difference.toString(), agrees]),
  ).toEqual([
    ['2026-10', 'EUR', '-0.004', true],
    ['2026-10', 'USD', '-5', false],
    ['2026-11', 'EUR', '1', false],
  ]);
});
