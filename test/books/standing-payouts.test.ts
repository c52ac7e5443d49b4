/** Which payments stand among those that were ever added: corrections of statements, and payments that come by two ways. */
import { describe, expect, it } from 'vitest';
import { netPayouts } from '../../src/books/standing-payouts.ts';
import { type AddedPayout, payoutsIn } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { at, dec, STATEMENT_TERMS } from '../support/builders.ts';

const added = (payoutId: string, addedAt: number, more: Partial<AddedPayout> = {}): AddedPayout => ({
  payoutId,
  source: 'csv',
  paidAt: at('2026-11-05 00:00'),
  currency: 'USDC',
  amount: dec('100'),
  reference: null,
  period: null,
  sha256: `said-${payoutId}`,
  withheld: null,
  settles: null,
  statementId: null,
  type: 'share',
  tx: null,
  addedAt,
  ...more,
});
const standing = (...all: AddedPayout[]) => {
  const { payouts, replaced } = netPayouts(all);
  return [
    payouts.map(({ payoutId, amount, currency, period, sha256 }) =>
      [payoutId, amount.toString(), currency, period, sha256].join(' '),
    ),
    replaced,
  ];
};

describe('a corrected line of a partner', () => {
  const line = (payoutId: string, addedAt: number, amount: string, more: Partial<AddedPayout> = {}) =>
    added(payoutId, addedAt, { amount: dec(amount), statementId: 'P-7', period: '2026-10', ...more });

  it('stands instead of the first, under its id; the newest import holds', () => {
    expect(standing(line('a', 1, '100'), line('b', 2, '90'), line('c', 3, '95'))).toEqual([
      ['a 95 USDC 2026-10 said-c'],
      ['b', 'c'],
    ]);
  });

  it('corrects nothing of another day: some partners number the lines of each file', () => {
    const next = line('b', 2, '90', { paidAt: at('2026-12-05 00:00') });
    expect(standing(line('a', 1, '100'), next)[1]).toEqual([]);
    expect(standing(line('a', 1, '100'), line('b', 2, '90', { currency: 'EUR' }))[1]).toEqual([]);
  });

  it('corrects nothing where one import has the id twice, where a bank gave it, or where there is none', () => {
    expect(standing(line('a', 1, '100'), line('b', 1, '90'), line('c', 2, '95'))[1]).toEqual([]);
    expect(standing(line('a', 1, '100', { source: 'mt940' }), line('b', 2, '90', { source: 'mt940' }))[1]).toEqual([]);
    expect(standing(added('a', 1), added('b', 2))[1]).toEqual([]);
  });
});

describe('a corrected payment for several currencies', () => {
  /** Of one payment: its amount, and what it settles. */
  type Import = readonly [amount: string, settles: string];
  const stored = (...imports: readonly Import[]) => {
    const all = new Map<string, AddedPayout>();
    for (const [addedAt, [amount, settles]] of imports.entries()) {
      const text = `date,amount,currency,id,settles\n2026-11-05,${amount},USDC,p1,${settles}\n`;
      // As the store adds them: a payment that is known stays as it is.
      for (const payout of payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)))
        all.set(payout.payoutId, all.get(payout.payoutId) ?? { ...payout, addedAt });
    }
    return [...all.values()];
  };
  const parts = (...imports: readonly Import[]) =>
    netPayouts(stored(...imports)).payouts.map(({ type, amount, settles }) => `${type} ${amount} ${settles?.currency}`);
  const THREE = '600 EUR @ 1.10 + 300 GBP @ 1.338 + 250 USD';

  it('has the parts of the new line alone: those that it drops pay nothing any more', () => {
    const two = '600 EUR @ 1.10 + 651.40 USD';
    expect(parts(['1311.40', THREE], ['1311.40', two]).sort()).toEqual(['share 651.4 USD', 'share 660 EUR']);
    expect(parts(['1309', THREE], ['1311.40', THREE])).toHaveLength(3);
    expect(parts(['1311.40', THREE], ['1311.40', ''])).toEqual(['share 1311.4 undefined']);
    expect(parts(['1311.40', ''], ['1311.40', two])).toHaveLength(2);
    expect(parts(['1311.40', THREE], ['1311.40', THREE])).toHaveLength(3);
  });

  it('keeps the ids of the first, also where it has other parts', () => {
    const added = stored(['1311.40', THREE], ['1311.40', '600 EUR @ 1.10 + 651.40 USD']);
    const { payouts, replaced } = netPayouts(added);
    expect(payouts.map(({ payoutId }) => payoutId).sort()).toEqual(
      added
        .slice(0, 2)
        .map(({ payoutId }) => payoutId)
        .sort(),
    );
    expect(replaced).toEqual(added.slice(2).map(({ payoutId }) => payoutId));
  });

  it('is known where its parts were imported before their ids named the line', () => {
    const older = [
      added('a', -1, { statementId: 'p1 EUR', amount: dec('660'), settles: { currency: 'EUR', rate: dec('1.1') } }),
      added('b', -1, { statementId: 'p1 USDC', amount: dec('650') }),
      added('c', -1, { statementId: 'p1 exchange', amount: dec('1.4'), type: 'exchange' }),
    ];
    expect(netPayouts([...older, ...stored(['1311.40', THREE])]).payouts.map(({ amount }) => `${amount}`)).toEqual(
      netPayouts(stored(['1311.40', THREE])).payouts.map(({ amount }) => `${amount}`),
    );
  });

  it('leaves ids that only end with a currency to their own lines', () => {
    const settles = { currency: 'EUR', rate: dec('1.1') };
    const [eur, gbp] = ['EUR', 'GBP'].map((code, i) => added(`${i}`, 1, { statementId: `2026-10 ${code}`, settles }));
    if (eur === undefined || gbp === undefined) throw new Error('they are two lines');
    expect(netPayouts([eur, gbp, { ...eur, payoutId: 'c', addedAt: 2 }]).payouts).toHaveLength(2);
  });
});

describe('a payment by statement and by chain', () => {
  const tx = 'ETH 0xab';
  const transfer = (payoutId: string, addedAt: number, amount: string, more: Partial<AddedPayout> = {}) =>
    added(payoutId, addedAt, { source: 'ETH', tx, amount: dec(amount), ...more });

  it('is one payment, whichever came first: the chain gives the amount, the line the month', () => {
    const line = added('a', 1, { tx, period: '2026-10' });
    expect(standing(line, transfer('b', 2, '80'))).toEqual([['a 80 USDC 2026-10 said-b'], ['b']]);
    expect(standing(transfer('b', 1, '80'), { ...line, addedAt: 2 })).toEqual([['a 80 USDC 2026-10 said-b'], ['b']]);
  });

  it('keeps the rate and the fees that the line states in its own currency', () => {
    const line = added('a', 1, { tx, withheld: dec('1'), settles: { currency: 'EUR', rate: dec('1.08') } });
    const { payouts } = netPayouts([line, transfer('b', 2, '80')]);
    expect(payouts[0]).toMatchObject({ withheld: dec('1'), settles: { currency: 'EUR', rate: dec('1.08') } });
    const other = added('a', 1, { tx, currency: 'EUR', withheld: dec('1') });
    expect(netPayouts([other, transfer('b', 2, '80')]).payouts[0]).toMatchObject({
      currency: 'USDC',
      withheld: null,
    });
  });

  it('is divided as the lines say where they add up to the amount paid, and otherwise is one payment without a month', () => {
    const first = added('a', 1, { tx, period: '2026-09', amount: dec('60') });
    const second = added('c', 1, { tx, period: '2026-10', amount: dec('40') });
    expect(standing(first, second, transfer('b', 2, '100'))).toEqual([
      ['a 60 USDC 2026-09 said-b', 'c 40 USDC 2026-10 said-b'],
      ['b'],
    ]);
    expect(standing(first, second, transfer('b', 2, '99'))).toEqual([['b 99 USDC  said-b'], ['a', 'c']]);
  });

  it('goes by its coin where one transaction pays in two; a line about another stands for itself', () => {
    const usdt = transfer('u', 2, '5', { currency: 'USDT' });
    const line = added('a', 1, { tx, period: '2026-10' });
    const odd = added('o', 1, { tx, currency: 'DAI' });
    expect(standing(line, odd, transfer('b', 2, '80'), usdt)).toEqual([
      ['a 80 USDC 2026-10 said-b', 'o 100 DAI  said-o', 'u 5 USDT  said-u'],
      ['b'],
    ]);
  });
});
