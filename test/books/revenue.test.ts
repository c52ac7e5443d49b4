import { describe, expect, it } from 'vitest';
import { Accrual, accruedIn, type EarnedRecord } from '../../src/books/revenue.ts';
import { accrualOf } from '../../src/domain/host-share.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import { aMatchedQuote, aPurchase, aSale, type MatchOverrides, someTerms } from '../support/builders.ts';

const terms = someTerms();
const linked = (method: MatchOverrides['method'], quote: MatchOverrides['quote'] = {}) => {
  const { basis: _, ...rest } = aMatchedQuote({ method, quote });
  return rest;
};
const told = (accrued: ReturnType<typeof accrualOf>) =>
  accrued === null ? null : `${accrued.source} ${accrued.amount}`;

describe('the share that one record accrues', () => {
  const silent = aPurchase();

  it('is what the record states, not what its quote promised', () => {
    expect(told(accrualOf(aPurchase({ hostFeeCut: '0.80' }), linked({ hostFeeCut: '1.00' }), terms))).toBe(
      'record 0.8',
    );
    expect(told(accrualOf(aPurchase({ hostFeeCut: '0' }), linked({ hostFeeCut: '1.00' }), terms))).toBe('record 0');
  });

  it('is what its linked quote promised, where it states none', () => {
    expect(told(accrualOf(silent, linked({ hostFeeCut: '1.00' }), terms))).toBe('quote 1');
  });

  it.each([
    ['no quote is linked', null],
    ['the quote promised none', linked({})],
    ['the quote has another method', linked(null)],
    ['the quote is in another currency', linked({ hostFeeCut: '1' }, { fiatCurrency: 'USD' })],
    [
      'the quote is for another asset',
      linked({ hostFeeCut: '1' }, { asset: { chain: 'ETH', symbol: 'USDC', decimals: 6 } }),
    ],
    ['the quote is for another amount', linked({ hostFeeCut: '1', fiatValue: '50', cryptoUnits: 1n })],
    ['the quote is for the other direction', linked({ hostFeeCut: '1' }, { direction: 'offramp' })],
  ])('is unknown, and not zero, where %s', (_, quote) => {
    expect(accrualOf(silent, quote, terms)).toBeNull();
  });
});

it('is added up by month, currency, kind and method, records and quotes apart', () => {
  const accrual = new Accrual();
  const promised = linked({ hostFeeCut: '0.25' });
  const add = (month: string, state: RecordState, quote: ReturnType<typeof linked> | null) =>
    accrual.add(month, { state, share: accrualOf(state, quote, terms), at: 0 });
  add('2026-11', aPurchase({ hostFeeCut: '1.10' }), null);
  add('2026-11', aPurchase({ hostFeeCut: '2.20' }), promised);
  add('2026-11', aPurchase(), promised);
  add('2026-11', aPurchase(), null);
  add('2026-11', aSale(), null);
  add('2026-11', aPurchase({ paymentMethod: 'PIX', hostFeeCut: '4' }), null);
  add('2026-11', aPurchase({ paymentMethod: null }), null);
  add('2026-11', aPurchase({ paymentMethod: 'BANK_TRANSFER' }), linked({ method: 'BANK_TRANSFER', hostFeeCut: '0.5' }));
  add('2026-10', aPurchase({ hostFeeCut: '9' }), null);
  const rows = accrual
    .rows()
    .map((row) => [
      `${row.month} ${row.kind} ${row.currency} ${row.method}`,
      row.records,
      `${row.fromRecords.amount} of ${row.fromRecords.records}`,
      `${row.fromQuotes.amount} of ${row.fromQuotes.records}`,
      row.unknown.length,
      String(accruedIn(row)),
    ]);
  expect(rows).toEqual([
    ['2026-10 purchase EUR CARD_PAYMENT', 1, '9 of 1', 'null of 0', 0, '9'],
    ['2026-11 purchase EUR null', 1, 'null of 0', 'null of 0', 1, 'null'],
    ['2026-11 purchase EUR BANK_TRANSFER', 1, 'null of 0', '0.5 of 1', 0, '0.5'],
    ['2026-11 purchase EUR CARD_PAYMENT', 4, '3.3 of 2', '0.25 of 1', 1, '3.55'],
    ['2026-11 purchase EUR PIX', 1, '4 of 1', 'null of 0', 0, '4'],
    ['2026-11 sale EUR null', 1, 'null of 0', 'null of 0', 1, 'null'],
  ]);
});

describe('a share that nobody states', () => {
  const day = (n: number) => n * 86_400_000;
  const record = (recordId: string, at: number, over: Parameters<typeof aPurchase>[0] = {}): EarnedRecord => {
    const state = aPurchase({ recordId, fiatValue: '200', ...over });
    return { state, share: accrualOf(state, null, terms), at };
  };
  const accrued = (estimates: boolean) => {
    const accrual = new Accrual(estimates);
    // 1 of 200 and 3 of 200 within the 90 days: a hundredth. The one of 91 days before does not count.
    accrual.learn(record('old', day(9), { hostFeeCut: '100' }));
    accrual.learn(record('a', day(60), { hostFeeCut: '1' }));
    const known = record('b', day(100), { hostFeeCut: '3' });
    accrual.learn(known);
    accrual.add('1970-04', known);
    accrual.learn(record('other', day(100), { hostFeeCut: '9', paymentMethod: 'PIX' }));
    accrual.add('1970-04', record('silent', day(100), { fiatValue: '50' }));
    return accrual.rows().filter(({ unknown }) => unknown.length > 0);
  };

  it('is counted and named', () => {
    expect(accrued(false)).toMatchObject([{ month: '1970-04', unknown: ['silent'], estimated: null }]);
  });

  it('is estimated where asked for, by the method in the 90 days before, and stands in no total', () => {
    const [row] = accrued(true);
    expect([String(row?.estimated), row && String(accruedIn(row))]).toEqual(['0.5', '3']);
  });
});

it('what was taken back is a negative of the month in which that happened', () => {
  const accrual = new Accrual();
  const state = aPurchase({ hostFeeCut: '15' });
  const record = { state, share: accrualOf(state, null, terms), at: 0 };
  accrual.add('2026-10', record);
  accrual.add('2026-12', record, -1);
  expect(accrual.rows().map((row) => [row.month, row.records, String(accruedIn(row))])).toEqual([
    ['2026-10', 1, '15'],
    ['2026-12', 0, '-15'],
  ]);
});
