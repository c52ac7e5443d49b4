/** Payments with what they settle, once all are matched. Pure. */
import { type Decimal, sumOf } from '../domain/decimal.ts';
import { isOfRevenue, type Payout, settledBy } from '../domain/payout.ts';
import type { RevenueLeg, SettledPayout } from '../ports/settled.ts';
import { isSettled, keyOf, openOf } from './revenue-legs.ts';

export type Allocation = SettledPayout['allocations'][number];

/** What was found out for each payment. */
interface Matched {
  allocated: ReadonlyMap<Payout, readonly Allocation[]>;
  exchangeOf: ReadonlyMap<Payout, Decimal>;
  choicesFor: ReadonlyMap<Payout, number>;
}

/**
 * A month's difference stands on its last payment alone.
 * @param payouts in order of payment
 * @param running the month that still earns
 */
export function settledPayouts(
  payouts: readonly Payout[],
  { allocated, exchangeOf, choicesFor }: Matched,
  legs: ReadonlyMap<string, RevenueLeg>,
  running: string,
): readonly SettledPayout[] {
  const legOf = ({ month, currency }: Allocation) => legs.get(keyOf(month, currency));
  const lastOf = new Map<RevenueLeg | undefined, Payout>();
  for (const payout of payouts) for (const each of allocated.get(payout) ?? []) lastOf.set(legOf(each), payout);
  return payouts.map((payout): SettledPayout => {
    const allocations = allocated.get(payout) ?? [];
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
