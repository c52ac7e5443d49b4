/** Journal entries of a month, and what deltas change in them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctionEntries } from '../../../src/books/journal/corrections.ts';
import {
  type EntryOptions,
  entriesOf,
  type JournalEntry,
  JournalTotals,
  unbalanced,
} from '../../../src/books/journal/entries.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import { accrualOf } from '../../../src/domain/host-share.ts';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import { aMatchedQuote, aPurchase, aSale, dec, someTerms } from '../../support/builders.ts';

const OCTOBER: EntryOptions = {
  keyStart: 'TO-202610',
  statement: '2026-10',
  date: '2026-10-31',
  scope: 'in 2026-10',
  evidence: 'e'.repeat(64),
  statistical: false,
};
const STATISTICAL = { ...OCTOBER, statistical: true };

function totals(...states: readonly RecordState[]): JournalTotals {
  const all = new JournalTotals();
  for (const state of states) all.add(state, accrualOf(state, null, someTerms()));
  return all;
}

const lines = (entries: readonly JournalEntry[]) =>
  entries.flatMap(({ key, currency, postings }) =>
    postings.map(({ role, debit, credit }) => `${key} ${currency} ${role} ${debit ?? '-'} ${credit ?? '-'}`),
  );

describe('the journal of a month', () => {
  const state = aPurchase({
    fiatCurrency: 'EUR',
    appliedFee: '4.33',
    baseFee: '4.10',
    networkFee: '0.43',
    hostFeeCut: '1.005',
  });

  it('books only the accrued host share, the part that belongs to the host', () => {
    expect(lines(entriesOf(totals(state).groups, OCTOBER))).toEqual([
      'TO-202610-EUR-PH EUR hostFeeReceivable 1 -',
      'TO-202610-EUR-PH EUR hostFeeRevenue - 1',
    ]);
  });

  it('books on request the fees that users paid to the Service, against a clearing account', () => {
    expect(lines(entriesOf(totals(state).groups, STATISTICAL))).toEqual([
      'TO-202610-EUR-PF EUR userFees 4.1 -',
      'TO-202610-EUR-PF EUR networkFees 0.43 -',
      'TO-202610-EUR-PF EUR feeAdjustments - 0.2',
      'TO-202610-EUR-PF EUR serviceClearing - 4.33',
      'TO-202610-EUR-PH EUR hostFeeReceivable 1 -',
      'TO-202610-EUR-PH EUR hostFeeRevenue - 1',
    ]);
  });

  it('calls an undivided fee of a sale a fee, and no adjustment', () => {
    const sale = totals(aSale({ fiatCurrency: 'USD', appliedFee: '2.5' }));
    expect(lines(entriesOf(sale.groups, STATISTICAL))).toEqual([
      'TO-202610-USD-SF USD userFees 2.5 -',
      'TO-202610-USD-SF USD serviceClearing - 2.5',
    ]);
  });

  it('has an entry for each currency and kind, in that order, that says how many records are in it and where they were sealed', () => {
    const all = totals(
      aPurchase({ fiatCurrency: 'USD', hostFeeCut: '2' }),
      aSale({ hostFeeCut: '3' }),
      aPurchase({ hostFeeCut: '1' }),
      aPurchase({ hostFeeCut: '0.5' }),
      aPurchase({ appliedFee: '5', baseFee: '4.34' }),
    );
    expect(entriesOf(all.groups, OCTOBER).map(({ key, date, memo }) => `${key} ${date} ${memo}`)).toEqual([
      'TO-202610-EUR-PH 2026-10-31 Accrued host share of 2 purchases in 2026-10, not confirmed by the Service',
      'TO-202610-EUR-SH 2026-10-31 Accrued host share of 1 sale in 2026-10, not confirmed by the Service',
      'TO-202610-USD-PH 2026-10-31 Accrued host share of 1 purchase in 2026-10, not confirmed by the Service',
    ]);
    expect(entriesOf(all.groups, OCTOBER)[0]?.evidence).toBe('e'.repeat(64));
  });

  it.each([
    ['JPY', '1'],
    ['EUR', '1.23'],
    ['KWD', '1.234'],
  ])('rounds to the minor unit of %s', (fiatCurrency, rounded) => {
    const { groups } = totals(aSale({ fiatCurrency, hostFeeCut: '1.2341' }));
    expect(entriesOf(groups, OCTOBER)[0]?.postings.map(({ debit, credit }) => String(debit ?? credit))).toEqual([
      rounded,
      rounded,
    ]);
  });

  it('refuses a currency that is none, whose minor unit would be a guess', () => {
    const { groups } = totals(aSale({ fiatCurrency: 'XQQ', hostFeeCut: '1.23' }));
    expect(() => entriesOf(groups, OCTOBER)).toThrow('records are in XQQ, which is not a currency of ISO 4217');
  });

  it('accrues the share of the linked quote where a record states none, and counts such records', () => {
    const { basis: _, ...linked } = aMatchedQuote({ method: { hostFeeCut: '0.7' } });
    const all = new JournalTotals();
    const add = (state: RecordState, quote: typeof linked | null) =>
      all.add(state, accrualOf(state, quote, someTerms()));
    add(aPurchase({ hostFeeCut: '1' }), linked);
    add(aPurchase({}), linked);
    add(aPurchase({}), null);
    const [entry] = entriesOf(all.groups, OCTOBER);
    expect(entry?.postings[0]?.debit?.toString()).toBe('1.7');
    expect(entry?.memo).toBe('Accrued host share of 2 purchases in 2026-10, 1 as quoted, not confirmed by the Service');
  });

  it('books what was taken back as a negative of its month', () => {
    const all = totals(aPurchase({ hostFeeCut: '1' }));
    all.add(aPurchase({ appliedFee: null }), { source: 'record', amount: dec('15') }, -1);
    expect(lines(entriesOf(all.groups, OCTOBER))).toEqual([
      'TO-202610-EUR-PH EUR hostFeeReceivable - 14',
      'TO-202610-EUR-PH EUR hostFeeRevenue 14 -',
    ]);
  });

  it('has no entry for records without a host share', () => {
    expect(entriesOf(totals(aPurchase({})).groups, OCTOBER)).toEqual([]);
  });

  it('balances per currency for any amounts', () => {
    const cents = fc.bigInt({ min: -1_000_000n, max: 1_000_000n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('EUR', 'JPY', 'KWD'), cents, cents, cents), { maxLength: 20 }),
        (records) => {
          const all = totals(
            ...records.map(([fiatCurrency, a, b, c]) => ({
              ...aPurchase({ fiatCurrency }),
              appliedFee: Decimal.of(a, 5),
              baseFee: Decimal.of(b, 5),
              networkFee: Decimal.of(c, 4),
              hostFeeCut: Decimal.of(b, 6),
            })),
          );
          expect(unbalanced(entriesOf(all.groups, STATISTICAL)).size).toBe(0);
        },
      ),
    );
  });

  it('names the entry whose lines do not balance', () => {
    const entry = { key: 'x', statement: '2026-10', date: '2026-10-31', currency: 'EUR', memo: '', evidence: null };
    const postings = [
      { role: 'hostFeeReceivable' as const, debit: dec('2'), credit: null, memo: '' },
      { role: 'hostFeeRevenue' as const, debit: null, credit: dec('1.5'), memo: '' },
    ];
    const off = unbalanced([{ ...entry, contra: 'hostFeeRevenue', postings }]);
    expect([...off].map(([c, d]) => `${d} ${c}`)).toEqual(['0.5 EUR']);
  });
});

describe('corrections of a closed month', () => {
  const stated = (number: number, date: string, ...states: readonly RecordState[]) => {
    return { number, date, evidence: String(number).repeat(64), groups: totals(...states).groups };
  };
  const eur = aPurchase({ hostFeeCut: '1' });
  const usd = aPurchase({ fiatCurrency: 'USD', hostFeeCut: '7' });

  it('reverse the entry as it was last posted and post the new one, each with a key of its own, on the day of the delta', () => {
    const found = correctionEntries(
      '2026-10',
      [
        stated(0, '2026-11-02', eur, usd),
        stated(1, '2026-11-12', aPurchase({ hostFeeCut: '1.5' }), usd),
        stated(2, '2026-12-03', usd),
      ],
      OCTOBER,
    );
    expect(lines(found)).toEqual([
      'TO-202610-EUR-PH-R1 EUR hostFeeReceivable - 1',
      'TO-202610-EUR-PH-R1 EUR hostFeeRevenue 1 -',
      'TO-202610-EUR-PH-N1 EUR hostFeeReceivable 1.5 -',
      'TO-202610-EUR-PH-N1 EUR hostFeeRevenue - 1.5',
      'TO-202610-EUR-PH-R2 EUR hostFeeReceivable - 1.5',
      'TO-202610-EUR-PH-R2 EUR hostFeeRevenue 1.5 -',
    ]);
    expect(found.map(({ date, statement, evidence }) => `${date} ${statement} ${evidence?.slice(0, 2)}`)).toEqual([
      '2026-11-12 2026-10-D001 11',
      '2026-11-12 2026-10-D001 11',
      '2026-12-03 2026-10-D002 22',
    ]);
  });

  it('post what came in later, with nothing to reverse', () => {
    const found = correctionEntries(
      '2026-10',
      [stated(0, '2026-11-02', eur), stated(1, '2026-11-12', eur, usd)],
      OCTOBER,
    );
    expect(found.map(({ key }) => key)).toEqual(['TO-202610-USD-PH-N1']);
  });

  it('are none where no booked amount changes', () => {
    const renamed = aPurchase({ hostFeeCut: '1', paymentMethod: 'OTHER' });
    expect(
      correctionEntries('2026-10', [stated(0, '2026-11-02', eur), stated(1, '2026-11-12', renamed)], OCTOBER),
    ).toEqual([]);
  });
});
