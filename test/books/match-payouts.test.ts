/** A payment for several currencies, where the terms carry some of them forward. */
import { expect, it } from 'vitest';
import { matchPayouts } from '../../src/books/match-payouts.ts';
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
