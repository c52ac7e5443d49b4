/** What months have open when a payment comes: below zero where more was taken back than earned, and nothing where a rounding is all that is left. */
import { expect, it } from 'vitest';
import { matchPayouts } from '../../src/books/match-payouts.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn, type RunRevenue } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

const amounts = (of: Readonly<Record<string, string>>) =>
  new Map(Object.entries(of).map(([key, amount]) => [key, Decimal.parse(amount)]));
const ALL_TOGETHER = { amount: Decimal.of(100n), currency: 'EUR', scope: 'all' } as const;
const eurRates = amounts({ USD: '0.8', GBP: '1.2', KWD: '2.4' });

function judgedOf(earned: Readonly<Record<string, string>>, rows: readonly string[], terms: Partial<RunRevenue> = {}) {
  const text = `date,amount,currency,period,type\n${rows.join('\n')}\n`;
  const payouts = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS));
  const known = { ...someRevenue({ accrued: amounts(earned), eurRates, ...terms }), tolerances: someTolerances() };
  return matchPayouts(payouts, { ...known, today: '2026-06-01' });
}

/** Each month with what was paid for it, and what is wrong with it; then the state of each payment. */
function settled(...given: Parameters<typeof judgedOf>) {
  const judged = judgedOf(...given);
  return [
    ...judged.months.map(({ month, currency, paid, finding }) => `${month} ${currency} ${paid} ${finding}`),
    ...judged.payouts.map(({ state }) => state),
  ];
}

/** The last month lost more than it earned. */
const QUARTER = { '2026-01 EUR': '81', '2026-02 EUR': '38.75', '2026-03 EUR': '-9.07' };
const PAID = ['2026-01 EUR 81 null', '2026-02 EUR 38.75 null', '2026-03 EUR -9.07 null'];

it.each(['2026-01/2026-03', ''])(
  'what was taken back beyond what its month earned comes off a payment: %s',
  (period) => {
    expect(settled(QUARTER, [`2026-04-20,110.68,EUR,${period},`])).toEqual([...PAID, 'matched']);
  },
);

it('also off one for several currencies', () => {
  // 110.68 EUR are 138.35 USD.
  const earned = { ...QUARTER, '2026-01 USD': '50', '2026-03 USD': '11.65' };
  const paid = [PAID[0], '2026-01 USD 50 null', PAID[1], PAID[2], '2026-03 USD 11.65 null', 'matched'];
  expect(settled(earned, ['2026-04-20,200,USDC,2026-01/2026-03,'])).toEqual(paid);
  // Not yet: then it comes off the next one.
  const whole = [PAID[0], '2026-01 USD 50 null', PAID[1], '2026-03 EUR null null', '2026-03 USD 11.65 null', 'matched'];
  expect(settled(earned, ['2026-04-20,211.34,USDC,2026-01/2026-03,'])).toEqual(whole);
});

it('no payment is missing of a month that lost more than it earned, at the end of a quarter either', () => {
  const earned = { '2026-03 EUR': '-9.07', '2026-03 GBP': '500' };
  const terms = { quarterly: true, threshold: ALL_TOGETHER };
  expect(settled(earned, ['2026-04-20,500,GBP,2026-03,'], terms)).toEqual([
    '2026-03 EUR null null',
    '2026-03 GBP 500 null',
    'matched',
  ]);
});

it('what rounding leaves of a paid month is no open item that another payment may be for', () => {
  const earned = { '2026-01 EUR': '600.004', '2026-01 GBP': '300', '2026-01 KWD': '500' };
  expect(settled(earned, ['2026-02-20,600,EUR,2026-01,', '2026-02-22,450,USDC,2026-01,'])).toEqual([
    '2026-01 EUR 600 null',
    '2026-01 GBP 300 null',
    '2026-01 KWD null PAYOUT_MISSING',
    '2026-01 USD null null',
    'matched',
    'matched',
  ]);
});

it('several months that are paid in cents come to a sum in cents, whatever their shares come to', () => {
  const earned = Object.fromEntries(['1', '2', '3', '4'].map((month) => [`2026-0${month} EUR`, '10.004']));
  const paid = ['1', '2', '3', '4'].map((month) => `2026-0${month} EUR 10 null`);
  expect(settled(earned, ['2026-05-20,40,EUR,,'])).toEqual([...paid, 'matched']);
});

it('a clawback that was accepted leaves nothing open', () => {
  const earned = { '2026-01 EUR': '100', '2026-02 EUR': '50', '2026-03 EUR': '70' };
  const rows = ['2026-02-10,100,EUR,2026-01,', '2026-02-20,-7,EUR,2026-01,clawback', '2026-04-20,50,EUR,,'];
  expect(settled(earned, rows)).toEqual([
    '2026-01 EUR 93 null',
    '2026-02 EUR 50 null',
    '2026-03 EUR null PAYOUT_MISSING',
    ...['matched', 'matched', 'matched'],
  ]);
});

it('a coin for a quarter of some currencies settles those, of which one lost more in a month than it earned', () => {
  const pounds = { '2026-01 GBP': '300', '2026-02 GBP': '100', '2026-03 GBP': '200' };
  const others = { '2026-01 KWD': '500', '2026-02 KWD': '600', '2026-03 KWD': '-50' };
  const rows = ['2026-04-14,1050,KWD,,', '2026-04-20,1038.35,USDC,2026-01/2026-03,'];
  // 110.68 EUR and 600 GBP are 1,038.35 USD.
  const found = settled({ ...QUARTER, ...pounds, ...others }, rows);
  expect(found.filter((each) => !each.endsWith(' null'))).toEqual(['matched', 'matched']);
  expect(found).toContain('2026-03 EUR -9.07 null');
});

it('a payment without a month that is exactly what a currency has open leaves it to no coin', () => {
  // 600 EUR and 300 GBP are 1,200 USD; 4 KWD are 12 more, which rates could explain.
  const earned = { '2026-01 EUR': '600', '2026-01 GBP': '300', '2026-01 KWD': '4' };
  const found = settled(earned, ['2026-02-14,4,KWD,,', '2026-02-20,1203,USDC,2026-01,']);
  expect(found.slice(0, 3)).toEqual(['2026-01 EUR 600 null', '2026-01 GBP 300 null', '2026-01 KWD 4 null']);
  expect(found.slice(-2)).toEqual(['matched', 'matched']);
});

it('of two payments in one currency the one that names its month comes first', () => {
  // 300 GBP are 360 EUR.
  const found = settled({ '2026-01 EUR': '100', '2026-01 GBP': '300' }, [
    '2026-02-14,100,EUR,,',
    '2026-02-20,460,EUR,2026-01,',
  ]);
  expect(found).toEqual(['2026-01 EUR 100 null', '2026-01 GBP 300 null', 'unexplained', 'matched']);
});

it('a clawback is about the refunds of its own month, and not about an older one of a month that differs', () => {
  // January is paid 1.40 less and February 1.40 more; both know what was taken back in them, and that of March is a clawback.
  const earned = { '2026-01 EUR': '172.54', '2026-02 EUR': '100', '2026-03 EUR': '-9.94' };
  const rows = [
    '2026-02-10,171.14,EUR,2026-01,',
    '2026-03-10,101.40,EUR,2026-02,',
    '2026-04-10,-9.94,EUR,2026-03,clawback',
  ];
  const text = `date,amount,currency,period,type\n${rows.join('\n')}\n`;
  const known = someRevenue({
    accrued: amounts(earned),
    takenBack: amounts({ '2026-01 EUR': '1.51', '2026-03 EUR': '14.91' }),
  });
  const payouts = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS));
  const { months } = matchPayouts(payouts, { ...known, tolerances: someTolerances(), today: '2026-06-01' });
  expect(months.map(({ clawback, closing, finding }) => `${clawback} ${closing} ${finding}`)).toEqual([
    '0 1.4 null',
    '0 0 null',
    '0 0 null',
  ]);
});

it('what was carried is decided with the month that it was carried into, and waits until that one is due or paid', () => {
  const terms = { threshold: ALL_TOGETHER };
  const legsOf = (earned: Readonly<Record<string, string>>, paid: readonly string[] = []) =>
    judgedOf(earned, ['2026-05-20,1,USD,2025-11,', ...paid], terms)
      .months.filter(({ currency }) => currency === 'EUR')
      .map(({ month, accrued, owed, finding, isUnpaid }) => `${month} ${accrued} of ${owed} ${finding} ${isUnpaid}`);
  const overMinimum = { '2026-01 EUR': '30', '2026-02 EUR': '40', '2026-03 EUR': '50' };
  expect(legsOf(overMinimum)).toEqual([
    '2026-01 30 of 30 null true',
    '2026-02 40 of 70 null true',
    '2026-03 50 of 120 PAYOUT_MISSING true',
  ]);
  expect(legsOf({ '2026-01 EUR': '30', '2026-02 EUR': '40' })).toEqual([
    '2026-01 30 of 30 null false',
    '2026-02 40 of 70 null false',
  ]);
  // Paid with March, in full and in part: 30 + 40 + (50 − 120) is nothing, and 30 + 40 + (50 − 90) the 30 of the break.
  const paidWithMarch = (paid: string, finding: string | null) => {
    expect(legsOf(overMinimum, [`2026-04-20,${paid},EUR,2026-03,`])).toEqual([
      '2026-01 30 of 30 null true',
      '2026-02 40 of 70 null true',
      `2026-03 50 of 120 ${finding} false`,
    ]);
  };
  paidWithMarch('120', null);
  paidWithMarch('90', 'PAYOUT_DIFFERS');
});
