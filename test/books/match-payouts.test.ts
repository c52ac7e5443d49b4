/** A payment for several currencies, where the terms carry some of them forward, or where it leaves one out. */
import { expect, it } from 'vitest';
import { judgeRevenue } from '../../src/books/judge-revenue.ts';
import { matchPayouts } from '../../src/books/match-payouts.ts';
import { revenueSubjects } from '../../src/books/revenue-breaks.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

const EUR_RATES = new Map(
  Object.entries({ USD: '0.8', GBP: '1.2', KWD: '2.4' }).map(([c, r]) => [c, Decimal.parse(r)]),
);

it.each([
  // 600 EUR, 300 GBP and 250 USD are 1,450 USD; the dinars are below their own least payout.
  ['12.345', '2026-01', '1450'],
  ['12.345', '', '1450'],
  // A little of what is carried is within what rates may explain, and no difference of exchange all the same.
  ['1.2', '2026-01', '1450'],
])('what is carried forward, %s KWD, is in no payment: %s %s USDC', (dinars, period, amount) => {
  const accrued = new Map(
    Object.entries({ EUR: '600', GBP: '300', KWD: dinars, USD: '250' }).map(([currency, earned]) => [
      `2026-01 ${currency}`,
      Decimal.parse(earned),
    ]),
  );
  const minimum = new Map([['KWD', Decimal.HUNDRED]]);
  const payouts = payoutsIn(
    readStatement(`date,amount,currency,period\n2026-02-22,${amount},USDC,${period}\n`, 'csv', STATEMENT_TERMS),
  );
  const terms = { ...someRevenue({ accrued, minimum, eurRates: EUR_RATES }), tolerances: someTolerances() };
  const { months, payouts: settled } = matchPayouts(payouts, { ...terms, today: '2026-03-10' });
  expect(months.map(({ currency, paid, finding }) => `${currency} ${paid} ${finding}`)).toEqual([
    'EUR 600 null',
    'GBP 300 null',
    'KWD null null',
    'USD 250 null',
  ]);
  expect(settled.map(({ exchange }) => String(exchange))).toEqual(['0']);
});

/** What January has open, what one payment of it pays, and what the subjects of the night say. */
function judged(open: Readonly<Record<string, string>>, rows: string, eurRates = EUR_RATES) {
  const accrued = new Map(Object.entries(open).map(([code, earned]) => [`2026-01 ${code}`, Decimal.parse(earned)]));
  const lines = readStatement(`date,amount,currency,period\n${rows}`, 'csv', STATEMENT_TERMS);
  const added = payoutsIn(lines).map((each) => ({ ...each, addedAt: 0 }));
  const terms = { ...someRevenue({ accrued, eurRates }), tolerances: someTolerances(), today: '2026-03-10' };
  const revenue = judgeRevenue(added, terms);
  return {
    months: revenue.months.map(({ currency, paid, finding }) => `${currency} ${paid} ${finding}`),
    said: revenueSubjects(revenue, () => 'high').flatMap(({ findings }) => findings.map((each) => each.explanation)),
    exchange: String(revenue.payouts[0]?.exchange),
  };
}

it.each(['2026-01', ''])('of a payment for some of the currencies the unpaid one alone is missing: %s', (period) => {
  // 600 EUR and 300 GBP are 1,200 USD.
  const three = { EUR: '600', GBP: '300', KWD: '500' };
  expect(judged(three, `2026-02-22,1200,USDC,${period}\n`).months).toEqual([
    'EUR 600 null',
    'GBP 300 null',
    'KWD null PAYOUT_MISSING',
    'USD null null',
  ]);
});

it('what a payment in its own currency was short of is not in that for the others, where those come to it', () => {
  // 300 GBP and 250 USD are 700 USD; 4 EUR, which rates could explain, are 5 more.
  const open = { EUR: '600', GBP: '300', USD: '250' };
  expect(judged(open, '2026-02-22,596,EUR,2026-01\n2026-02-22,700,USDC,2026-01\n').months).toEqual([
    'EUR 596 PAYOUT_DIFFERS',
    'GBP 300 null',
    'USD 250 null',
  ]);
  // The coin may pay the rest too.
  expect(judged(open, '2026-02-22,596,EUR,2026-01\n2026-02-22,705,USDC,2026-01\n').months[0]).toBe('EUR 600 null');
});

it('a span settles what payments for one of its months leave, and not what they pay', () => {
  const accrued = new Map(['2026-01', '2026-02', '2026-03'].map((month) => [`${month} EUR`, Decimal.HUNDRED]));
  const rows = '2026-02-20,80,EUR,2026-01\n2026-03-20,100,EUR,2026-02\n2026-04-20,120,EUR,2026-01/2026-03\n';
  const payouts = payoutsIn(readStatement(`date,amount,currency,period\n${rows}`, 'csv', STATEMENT_TERMS));
  const terms = { ...someRevenue({ accrued }), tolerances: someTolerances(), today: '2026-09-01' };
  const { months } = matchPayouts(payouts, terms);
  expect(months.map(({ paid, finding }) => `${paid} ${finding}`)).toEqual(['100 null', '100 null', '100 null']);
});

/** The first quarter in EUR by month, null for one that earned nothing; what rows of April pay. */
function quarter(shares: readonly (string | null)[], rows: readonly string[]) {
  const accrued = new Map(
    shares.flatMap((share, i) => (share === null ? [] : [[`2026-0${i + 1} EUR`, Decimal.parse(share)] as const])),
  );
  const text = `date,amount,currency,period\n${rows.map((row) => `2026-04-20,${row}\n`).join('')}`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const terms = { ...someRevenue({ accrued }), tolerances: someTolerances(), today: '2026-09-01' };
  const revenue = judgeRevenue(added, terms);
  const subjects = revenueSubjects(revenue, () => 'high');
  return {
    months: revenue.months.map(({ paid, finding }) => `${paid} ${finding}`),
    rules: subjects.flatMap(({ recordId, findings }) => findings.map(({ rule }) => `${recordId} ${rule}`)),
    payments: revenue.payouts
      .map(({ amount, month, difference, allocations }) => {
        const parts = allocations.map((each) => `${each.month.slice(5)}: ${each.amount}`).join(', ');
        return `${amount} for ${month}, ${difference}; ${parts}`;
      })
      .sort(),
  };
}

it.each([
  ['of its first month', ['100', '300', '200'], ['400,EUR,2026-01', '200,EUR,2026-01/2026-03']],
  ['of its last month', ['100', '300', '200'], ['500,EUR,2026-03', '100,EUR,2026-01/2026-03']],
  ['of a month that earned nothing', ['100', '300', null], ['150,EUR,2026-03', '250,EUR,2026-01/2026-03']],
  ['of a month that lost', ['100', '300', '-50'], ['150,EUR,2026-03', '200,EUR,2026-01/2026-03']],
])('a quarter that is paid in parts lacks nothing: a part %s', (_, shares, rows) => {
  const { months, rules } = quarter(shares, rows);
  expect(rules).toEqual([]);
  expect(months).toEqual(shares.flatMap((share) => (share === null && months.length < 3 ? [] : `${share ?? 0} null`)));
});

it('what a quarter in parts lacks, or was paid too much, is said once', () => {
  const shares = ['100', '300', '200'];
  expect(quarter(shares, ['400,EUR,2026-01', '190,EUR,2026-01/2026-03']).rules).toEqual(['2026-03-EUR PAYOUT_DIFFERS']);
  expect(quarter(shares, ['400,EUR,2026-01', '210,EUR,2026-01/2026-03']).rules).toEqual(['2026-01-EUR PAYOUT_DIFFERS']);
  const silent = quarter(['100', '300', null], ['150,EUR,2026-03', '260,EUR,2026-01/2026-03']);
  expect([silent.rules, silent.months]).toEqual([
    ['2026-02-EUR PAYOUT_DIFFERS'],
    ['100 null', '310 PAYOUT_DIFFERS', '0 null'],
  ]);
  // No payment says that they belong together.
  expect(quarter(shares, ['400,EUR,2026-01', '200,EUR,2026-03']).rules).toEqual([
    '2026-01-EUR PAYOUT_DIFFERS',
    '2026-02-EUR PAYOUT_MISSING',
  ]);
});

it('a payment of several months names them in order, and has the difference of each whose last payment it is', () => {
  expect(quarter(['81', '38.75', '-9.07'], ['110.68,EUR,2026-01/2026-03']).payments).toEqual([
    '110.68 for 2026-01/2026-03, 0; 01: 81, 02: 38.75, 03: -9.07',
  ]);
  const parts = quarter(['100', '300'], ['310,EUR,2026-02', '95,EUR,2026-01/2026-02']);
  expect(parts.payments[0]).toBe('310 for 2026-01/2026-02, 5; 01: 5, 02: 305');
});

it.each([
  // Each of them in cents is more than their sum in cents.
  [['1.0055', '1.0055', '1.0035'], '2026-04-20,3.01,EUR,2026-01/2026-03\n', ['1.01 null', '1 null', '1 null']],
  // What the first payment leaves of February is no cent that the second one pays.
  [
    ['280.5057873', '382.8388578', '484.37', '266.7244776'],
    '2026-03-20,663.34,EUR,\n2026-05-20,751.09,EUR,\n',
    ['280.51 null', '382.83 null', '484.37 null', '266.72 null'],
  ],
])('shares of %s that are summed before they are rounded are paid in full', (shares, rows, expected) => {
  const accrued = new Map(shares.map((share, i) => [`2026-0${i + 1} EUR`, Decimal.parse(share)]));
  const payouts = payoutsIn(readStatement(`date,amount,currency,period\n${rows}`, 'csv', STATEMENT_TERMS));
  const terms = { ...someRevenue({ accrued }), tolerances: someTolerances(), today: '2026-09-01' };
  const { months } = matchPayouts(payouts, terms);
  expect(months.map(({ paid, finding }) => `${paid} ${finding}`)).toEqual(expected);
});

/** A line of a bank's statement, of 2026. */
const movement = (day: string, mark: string, amount: string, text: string) =>
  `:61:26${day}${mark}${amount},NTRFNONREF//${day}\n:86:${text}\n`;
const payoutsOf = (movements: readonly string[]) =>
  payoutsIn(readStatement(`:20:X\n:60F:C260222EUR0,00\n${movements.join('')}`, 'mt940', STATEMENT_TERMS));

it('what a bank takes back in a later month, and says no month of, is the payment of just that amount', () => {
  const [paid, again] = [movement('0222', 'C', '600', 'share 2026-01'), movement('0305', 'C', '600', 'share 2026-01')];
  const takenBack = (amount: string) => movement('0302', 'RC', amount, 'RETURN');
  const told = (...movements: string[]) => {
    const text = `:20:X\n:60F:C260222EUR0,00\n${movements.join('')}`;
    const payouts = payoutsIn(readStatement(text, 'mt940', STATEMENT_TERMS));
    const terms = {
      ...someRevenue({ accrued: new Map([['2026-01 EUR', Decimal.parse('600')]]) }),
      today: '2026-03-10',
    };
    const { months, payouts: settled } = matchPayouts(payouts, { ...terms, tolerances: someTolerances() });
    return [...months.map(({ paid: sum, finding }) => `${sum} ${finding}`), ...settled.map(({ state }) => state)];
  };
  expect(told(paid, takenBack('600'))).toEqual(['0 PAYOUT_DIFFERS', 'differs', 'differs']);
  expect(told(paid, takenBack('600'), again)).toEqual(['600 null', 'matched', 'matched', 'matched']);
  // A line that names the month has taken it back already: nothing is left for the second one.
  const named = movement('0301', 'RC', '600', 'share 2026-01');
  expect(told(paid, named, takenBack('600'))).toEqual(['0 PAYOUT_DIFFERS', 'differs', 'differs', 'unexplained']);
  // Of no payment that is known.
  expect(told(paid, takenBack('599'))).toEqual(['600 null', 'matched', 'unexplained']);
});

it('a payment for a month that earned nothing stays unexplained, also where something was taken back', () => {
  const rows = ['2026-02-10,12.50,GBP,2026-01', '2026-02-11,-3.00,GBP,'];
  const statement = readStatement(`date,amount,currency,period\n${rows.join('\n')}\n`, 'csv', STATEMENT_TERMS);
  const terms = { ...someRevenue({ accrued: new Map() }), today: '2026-03-10', tolerances: someTolerances() };
  const { payouts } = matchPayouts(payoutsIn(statement), terms);
  expect(payouts.map(({ type, state }) => `${type} ${state}`)).toEqual(['share unexplained', 'clawback part']);
});

it('which of two equal payments a bank took back is the same for any order of imports', () => {
  const accrued = new Map(['2026-01', '2026-02'].map((month) => [`${month} EUR`, Decimal.HUNDRED]));
  const lines = [
    movement('0320', 'C', '100', 'share 2026-01'),
    movement('0320', 'C', '100', 'share 2026-02'),
    movement('0402', 'RC', '100', 'RETURN'),
  ];
  const told = (movements: readonly string[]) => {
    const payouts = payoutsOf(movements);
    const terms = { ...someRevenue({ accrued }), tolerances: someTolerances(), today: '2026-09-01' };
    return matchPayouts(payouts, terms).months.map(({ paid }) => String(paid));
  };
  expect(told(lines).sort()).toEqual(['0', '100']);
  expect(told(lines.toReversed())).toEqual(told(lines));
});

it('what rates leave of it is exchange', () => {
  const { months, exchange } = judged({ EUR: '600', GBP: '300', USD: '250' }, '2026-02-22,1003,USDC,2026-01\n');
  expect(months).toEqual(['EUR 600 null', 'GBP null PAYOUT_MISSING', 'USD 250 null']);
  expect(exchange).toBe('3');
});

it('where several choices of currencies come to a payment none is made, and the finding says so', () => {
  // 600 EUR are 750 USD, and so are 500 GBP.
  const { months, said } = judged({ EUR: '600', GBP: '500', USD: '250' }, '2026-02-22,1000,USDC,2026-01\n');
  expect(months).toEqual(['EUR null PAYOUT_MISSING', 'GBP null PAYOUT_MISSING', 'USD 1000 PAYOUT_DIFFERS']);
  expect(said.filter((text) => text.includes('in 2 ways'))).toHaveLength(1);
  const { said: unnamed } = judged({ EUR: '600', GBP: '500', USD: '250' }, '2026-02-22,1000,USDC,\n');
  expect(unnamed.filter((text) => text.includes('in 2 ways'))).toHaveLength(1);
});

it.each(['2026-01', ''])(
  'a coin that is less than its own currency has open may be for another alone: %s',
  (period) => {
    // 80 EUR are 100 USD.
    const { months, exchange } = judged({ EUR: '80', USD: '125' }, `2026-02-22,100,USDC,${period}\n`);
    expect(months).toEqual(['EUR 80 null', 'USD null PAYOUT_MISSING']);
    expect(exchange).toBe('0');
  },
);

it('a coin that is short of its own currency is short, also where a little of another is open', () => {
  const { months } = judged({ EUR: '0.8', USD: '1000' }, '2026-02-22,995,USDC,2026-01\n');
  expect(months).toEqual(['EUR null PAYOUT_MISSING', 'USD 995 PAYOUT_DIFFERS']);
});

it.each([
  ['603.25 GBP', '606.45,GBP', '606.45'],
  ['603.25 USD', '612.45,USDC', '612.45'],
])('rates explain nothing of what is paid in its own currency: of %s and a little in euros, %s', (open, row, paid) => {
  const [amount = '', code = ''] = open.split(' ');
  const { months } = judged({ EUR: '1.60', [code]: amount }, `2026-02-22,${row},2026-01\n`);
  expect(months).toEqual(['EUR null PAYOUT_MISSING', `${code} ${paid} PAYOUT_DIFFERS`]);
});

it('a payment in a currency of its own pays that: no other is chosen for it', () => {
  const { months } = judged({ EUR: '80', USD: '125' }, '2026-02-22,100,EUR,2026-01\n');
  expect(months).toEqual(['EUR 100 PAYOUT_DIFFERS', 'USD null PAYOUT_MISSING']);
});

it('of more currencies than can be tried none is chosen', () => {
  const codes = ['AUD', 'CAD', 'CHF', 'CZK', 'DKK', 'KWD', 'NOK', 'PLN'];
  const open = { EUR: '600', ...Object.fromEntries(codes.map((code) => [code, '6000'])) };
  const rates = new Map([...EUR_RATES, ...codes.map((code): [string, Decimal] => [code, Decimal.ONE])]);
  const few = Object.fromEntries(Object.entries(open).slice(0, 8));
  expect(judged(few, '2026-02-22,750,USDC,2026-01\n', rates).months).toContain('EUR 600 null');
  expect(judged(open, '2026-02-22,750,USDC,2026-01\n', rates).months).toContain('EUR null PAYOUT_MISSING');
});

it.each(['9999-12', '0001-01', '2026-13'])(
  'a payment of %s, which earlier versions took, is one without a month',
  (period) => {
    const [payout] = payoutsIn(readStatement('date,amount,currency\n2026-02-22,600,EUR\n', 'csv', STATEMENT_TERMS));
    if (payout === undefined) throw new Error('no payment');
    const accrued = new Map([['2026-01 EUR', Decimal.parse('600')]]);
    const terms = { ...someRevenue({ accrued }), tolerances: someTolerances(), today: '2026-03-10' };
    const exchange = { ...payout, period, type: 'exchange' as const };
    expect(matchPayouts([{ ...payout, period }, exchange], terms).payouts).toMatchObject([
      { state: 'matched', month: '2026-01' },
      { type: 'exchange' },
    ]);
  },
);

it('a payment before a refund that comes off later is for no other currency that happens to be worth the refund', () => {
  const money = (all: Readonly<Record<string, string>>) =>
    new Map(Object.entries(all).map(([key, amount]) => [key, Decimal.parse(amount)]));
  // 40 USD, which January's payment leaves in, are 32 EUR: what the first payment of January left open.
  const accrued = money({ '2026-01 EUR': '600', '2026-01 USD': '210', '2026-02 USD': '100' });
  const takenBack = money({ '2026-01 USD': '40' });
  const rows = '2026-02-20,568,EUR,2026-01\n2026-02-20,250,USD,2026-01\n2026-03-20,60,USD,2026-02\n';
  const payouts = payoutsIn(readStatement(`date,amount,currency,period\n${rows}`, 'csv', STATEMENT_TERMS));
  const terms = { ...someRevenue({ accrued, takenBack, eurRates: EUR_RATES }), tolerances: someTolerances() };
  const { months } = matchPayouts(payouts, { ...terms, today: '2026-09-01' });
  expect(months.map(({ month, currency, paid, finding }) => `${month} ${currency} ${paid} ${finding}`)).toEqual([
    '2026-01 EUR 568 PAYOUT_DIFFERS',
    '2026-01 USD 250 null',
    '2026-02 USD 60 null',
  ]);
});
