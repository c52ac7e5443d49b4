/** Payments and refunds in any order of imports: the months come to the same, and no cent is lost between them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeRevenue } from '../../src/books/judge-revenue.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { AddedPayout, LineType } from '../../src/domain/payout.ts';
import type { SettledMonth } from '../../src/ports/settled.ts';
import { someRevenue, someTolerances } from '../support/builders.ts';
import { processorMs } from '../support/processor-time.ts';

const MONTHS = ['2026-05', '2026-06', '2026-07', '2026-08'];
const CURRENCIES = ['EUR', 'GBP', 'USD'];
const EUR_RATES = new Map([
  ['USD', Decimal.parse('0.9')],
  ['GBP', Decimal.parse('1.2')],
]);
const cents = (amount: number) => Decimal.of(BigInt(amount), 2);

const A_SHARE = {
  source: 'csv',
  type: 'share',
  reference: null,
  sha256: 's',
  withheld: null,
  settles: null,
  tx: null,
  statementId: null,
  addedAt: 0,
} as const;

const amounts = fc.array(
  fc.record({
    month: fc.constantFrom(...MONTHS),
    currency: fc.constantFrom(...CURRENCIES),
    cents: fc.integer({ min: 1, max: 90_000 }),
  }),
  { maxLength: 9 },
);
const summed = (all: readonly { month: string; currency: string; cents: number }[], sign = 1) => {
  const sums = new Map<string, Decimal>();
  for (const { month, currency, cents: amount } of all) {
    const key = `${month} ${currency}`;
    sums.set(key, cents(amount * sign).plus(sums.get(key) ?? Decimal.ZERO));
  }
  return sums;
};

/** Some are the sum of what some months have open, the others anything. */
const payments = fc.array(
  fc.record({
    day: fc.integer({ min: 0, max: 150 }),
    currency: fc.constantFrom(...CURRENCIES, 'USDC'),
    type: fc.constantFrom<LineType>('share', 'share', 'share', 'clawback', 'invoice', 'bonus', 'exchange'),
    period: fc.option(fc.constantFrom(...MONTHS, '2026-05/2026-07', '2026-06/2026-08')),
    cents: fc.integer({ min: 1, max: 120_000 }),
    isExact: fc.boolean(),
  }),
  { maxLength: 8 },
);

/** What is too little for a payment waits for the next one. */
const leasts = fc.record({
  default: fc.integer({ min: 0, max: 60_000 }),
  GBP: fc.integer({ min: 0, max: 60_000 }),
  threshold: fc.option(
    fc.record({ cents: fc.integer({ min: 1, max: 100_000 }), scope: fc.constantFrom('all', 'currency') }),
  ),
  quarterly: fc.boolean(),
});

it('the same for any order of imports, and what was earned less what was paid is what is open', () => {
  fc.assert(
    fc.property(
      amounts,
      amounts,
      payments,
      fc.boolean(),
      fc.infiniteStream(fc.nat(1000)),
      leasts,
      (earned, lost, drawn, isLate, order, { threshold, quarterly, ...least }) => {
        const takenBack = summed(lost);
        const accrued = summed(earned);
        for (const [key, amount] of takenBack) accrued.set(key, (accrued.get(key) ?? Decimal.ZERO).minus(amount));
        const added = drawn.map((each, i): AddedPayout => {
          const exact = accrued.get(`${each.period ?? MONTHS[0]} ${each.currency}`);
          const whole = each.isExact && exact?.greaterThan(Decimal.ZERO) === true ? exact : cents(each.cents);
          const isMinus = each.type === 'clawback' || each.type === 'invoice';
          return {
            ...A_SHARE,
            payoutId: `p${i}`,
            paidAt: Date.UTC(2026, 5, 20) + each.day * 86_400_000,
            currency: each.currency,
            type: each.type,
            amount: isMinus ? whole.negated() : whole,
            period: each.period,
          };
        });
        const terms = {
          ...someRevenue({ accrued, takenBack, eurRates: EUR_RATES, quarterly }),
          minimum: new Map(Object.entries(least).map(([currency, amount]) => [currency, cents(amount)])),
          threshold: threshold && { amount: cents(threshold.cents), currency: 'EUR', scope: threshold.scope },
          tolerances: someTolerances(),
          today: isLate ? '2026-12-31' : '2026-08-20',
        };
        const judged = judgeRevenue(added, terms);
        const shuffled = added.map((each) => ({ each, at: order.next().value })).sort((a, b) => a.at - b.at);
        const again = judgeRevenue(
          shuffled.map(({ each }) => each),
          terms,
        );
        expect(again).toEqual(judged);

        const sum = (all: readonly Decimal[]) => all.reduce((total, each) => total.plus(each), Decimal.ZERO);
        for (const currency of CURRENCIES) {
          const own = judged.months.filter((each) => each.currency === currency);
          const left = sum(
            own.map(({ accrued: a, paid, clawback }) => (a ?? Decimal.ZERO).minus(paid ?? Decimal.ZERO).plus(clawback)),
          );
          expect(String(own.at(-1)?.closing ?? Decimal.ZERO)).toBe(String(left));
          const [gained, gone] = [earned, lost].map((all) =>
            all.reduce((n, each) => n + (each.currency === currency ? each.cents : 0), 0),
          );
          const earnedHere = sum(own.map(({ accrued: a }) => a ?? Decimal.ZERO));
          expect(String(earnedHere)).toBe(String(cents((gained ?? 0) - (gone ?? 0))));
          const settled = judged.payouts.flatMap(({ allocations }) =>
            allocations.filter((each) => each.currency === currency),
          );
          expect(String(sum(own.map(({ paid }) => paid ?? Decimal.ZERO)))).toBe(
            String(sum(settled.map(({ amount }) => amount))),
          );
        }
        for (const { amount, currency, allocations, exchange, state } of judged.payouts) {
          if (state === 'unexplained' || state === 'other') continue;
          // In euros, to the cents that the rates of each item leave.
          const rate = (code: string) => EUR_RATES.get(code === 'USDC' ? 'USD' : code) ?? Decimal.ONE;
          const shared = sum(allocations.map((each) => each.amount.times(rate(each.currency))));
          const rest = amount
            .minus(exchange ?? Decimal.ZERO)
            .times(rate(currency))
            .minus(shared)
            .abs();
          expect(Number(rest.toString())).toBeLessThan(0.02 * Math.max(1, allocations.length));
        }
      },
    ),
    { numRuns: 150, seed: 28 },
  );
});

it('judges four years of ten currencies in moments: nothing is worked out again for each payment', () => {
  const codes = ['EUR', 'GBP', 'USD', 'CHF', 'PLN', 'CZK', 'BRL', 'MXN', 'JPY', 'HUF'];
  const months = Array.from({ length: 48 }, (_, i) => new Date(Date.UTC(2022, i, 1)).toISOString().slice(0, 7));
  const accrued = new Map(months.flatMap((month, i) => codes.map((code) => [`${month} ${code}`, cents(10_000 + i)])));
  for (const isNamed of [true, false]) {
    const added = months.flatMap((month, i) =>
      codes.map((currency): AddedPayout => {
        const paid = { ...A_SHARE, payoutId: `${month} ${currency}`, currency, amount: cents(10_000 + i) };
        return { ...paid, paidAt: Date.UTC(2022, i + 1, 20), period: isNamed ? month : null };
      }),
    );
    const known = someRevenue({ accrued });
    let judged: readonly SettledMonth[] = [];
    const took = processorMs(() => {
      judged = judgeRevenue(added, { ...known, tolerances: someTolerances(), today: '2026-03-01' }).months;
    });
    expect([judged.length, judged.filter(({ finding }) => finding !== null).length]).toEqual([480, 0]);
    expect(took).toBeLessThan(10_000);
  }
});

it('judges a payment and a posting of a month far ahead, imported before those were refused, in moments', () => {
  const far = '2999-12';
  const added = (['share', 'clawback', 'exchange'] as const).map((type): AddedPayout => {
    const amount = cents(type === 'clawback' ? -500 : 500);
    return { ...A_SHARE, payoutId: type, paidAt: Date.UTC(2026, 5, 20), currency: 'EUR', type, amount, period: far };
  });
  const accrued = new Map([['2026-05 EUR', cents(500)]]);
  const terms = someRevenue({ accrued, posted: new Map([[`${far} EUR`, cents(1)]]) });
  let months: readonly SettledMonth[] = [];
  const took = processorMs(() => {
    months = judgeRevenue(added, { ...terms, tolerances: someTolerances(), today: '2026-08-20' }).months;
  });
  expect(months.map(({ month }) => month)).toEqual(['2026-05', far]);
  expect(took).toBeLessThan(1_000);
});
