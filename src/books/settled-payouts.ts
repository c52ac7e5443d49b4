/** Payments with what they settle, once all are matched. Pure. */
import { Decimal, sumOf } from '../domain/decimal.ts';
import { isOfRevenue, type Payout, settledBy, valueIn } from '../domain/payout.ts';
import type { RevenueLeg, SettledPayout } from '../ports/settled.ts';
import { monthOf } from './payment-groups.ts';
import { isSettled, openOf } from './revenue-legs.ts';
import { keyOf, type RevenueTerms } from './revenue-terms.ts';

/** What a payment settles of one open item. */
export type Part = Omit<SettledPayout['allocations'][number], 'rate'>;

/** Months and currencies that a payment settles with a later month. */
export function paidTogether(allocated: ReadonlyMap<Payout, readonly Part[]>): ReadonlySet<string> {
  const isPaidWith = (part: Part, later: Part) => later.currency === part.currency && later.month > part.month;
  const earlier = [...allocated.values()].flatMap((parts) =>
    parts.filter((part) => parts.some((each) => isPaidWith(part, each))),
  );
  return new Set(earlier.map(({ month, currency }) => keyOf(month, currency)));
}

/** What was found out for each payment. */
interface Matched {
  allocated: ReadonlyMap<Payout, readonly Part[]>;
  exchangeOf: ReadonlyMap<Payout, Decimal>;
  choicesFor: ReadonlyMap<Payout, number>;
}

/**
 * A month's difference stands on its last payment alone.
 * @param payouts in order of payment
 */
export function settledPayouts(
  payouts: readonly Payout[],
  { allocated, exchangeOf, choicesFor }: Matched,
  ended: readonly RevenueLeg[],
  { today, eurRates }: Pick<RevenueTerms, 'today' | 'eurRates'>,
): readonly SettledPayout[] {
  const legs = new Map(ended.map((leg) => [keyOf(leg.month, leg.currency), leg]));
  const running = today.slice(0, 7);
  const legOf = ({ month, currency }: Part) => legs.get(keyOf(month, currency));
  const lastOf = new Map<RevenueLeg | undefined, Payout>();
  for (const payout of payouts) for (const each of allocated.get(payout) ?? []) lastOf.set(legOf(each), payout);
  return payouts.map((payout): SettledPayout => {
    const parts = allocated.get(payout) ?? [];
    const allocations = parts.map((part) => ({ ...part, rate: rateOf(payout, part.currency, eurRates) }));
    const choices = choicesFor.get(payout);
    const open = { ...payout, ...(choices === undefined ? {} : { choices }) };
    const none = { allocations, matched: null, exchange: null, difference: null };
    if (!isOfRevenue(payout)) return { ...payout, ...none, month: payout.period, state: 'other' };
    const own = allocations.flatMap((each) => legOf(each) ?? []);
    const [from, to] = [own[0]?.month ?? null, own.at(-1)?.month ?? null];
    const month = from === to ? from : `${from}/${to}`;
    // A month that is not over yet may be paid in advance. What was taken back explains no payment.
    const isOpen = ({ owed }: RevenueLeg) => (payout.amount.isNegative ? !owed.isZero : owed.isPositive);
    const isOwed = own.some((leg) => leg.accrued !== null || isOpen(leg) || leg.month === running);
    if (!isOwed) return { ...open, ...none, month, state: 'unexplained' };
    const isWhole = own.every((leg) => leg.paid !== null && isSettled(leg, leg.paid));
    const state = isWhole ? 'matched' : own.some(({ finding }) => finding === 'PAYOUT_DIFFERS') ? 'differs' : 'part';
    const { currency, amount } = settledBy(payout);
    const last = own.filter((leg) => leg.currency === currency && leg.month !== running && lastOf.get(leg) === payout);
    const difference = last.length === 0 ? null : sumOf(last.map(openOf)).negated();
    const exchange = exchangeOf.get(payout) ?? null;
    const matched = { currency, amount: exchange === null ? amount : amount.minus(exchange) };
    return { ...open, month, allocations, matched, exchange, difference, state };
  });
}

/** As the payment states it; by the records where it settles another currency. */
function rateOf(payout: Payout, currency: string, eurRates: RevenueTerms['eurRates']) {
  const { settles } = payout;
  if (settledBy(payout).currency === currency)
    return settles === null ? null : { value: settles.rate, source: 'statement' };
  const value = valueIn(Decimal.ONE, currency, payout.currency, eurRates, [monthOf(payout)]);
  return value === null ? null : { value, source: 'records' };
}
