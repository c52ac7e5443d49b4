/**
 * Payments of the host's share settle open items: what was earned in a month, in one currency. A payment settles the months that it names,
 * the oldest first; one that is more than their own currency has open may settle several currencies at once, at the rates of the records,
 * and then what the rates leave is a difference of exchange. One that names no month settles whole items exactly: the oldest ones, else
 * those up to the month before it. Anything else is carried as unexplained, never forced. Pure, and the same for any order of imports.
 */
import { monthBefore } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { isOfRevenue, type MonthlyAmounts, monthsOf, type Payout, settledBy, valueIn } from '../domain/payout.ts';
import { isExact, isSettled, keyOf, legsOf, type MatchOptions, type RevenueLegs, sumOf } from './revenue-legs.ts';

/** `other`: it settles no revenue. */
type PayoutState = 'matched' | 'part' | 'differs' | 'unexplained' | 'other';

/** The part of a payment that settles a month. */
interface Allocation {
  month: string;
  currency: string;
  amount: Decimal;
  /** Units of the payment's currency for one of the item's, with its source; null where both are the same. */
  rate: { value: Decimal; source: 'statement' | 'records' } | null;
}

export interface MatchedPayout extends Payout {
  /** The month that it pays, or `2026-09/2026-11`; null where that is unknown. */
  month: string | null;
  /** By month, oldest first. */
  allocations: readonly Allocation[];
  /** What of the revenue it pays; null where it is unexplained. */
  matched: { currency: string; amount: Decimal } | null;
  /** What the rates of the items leave of it, in the currency of `matched`; null where none was needed. */
  exchange: Decimal | null;
  /** Paid − owed of its last month, on the last payment of that month alone. */
  difference: Decimal | null;
  state: PayoutState;
}

export interface MatchedRevenue {
  payouts: readonly MatchedPayout[];
  legs: readonly RevenueLegs[];
}

export function matchPayouts(payouts: readonly Payout[], options: MatchOptions): MatchedRevenue {
  const items = new OpenItems(options);
  const ofRevenue = payouts.filter(isOfRevenue);
  const before = (payout: Payout) => monthBefore(new Date(payout.paidAt).toISOString());
  // A clawback without a month takes from the month before it, and is no break of its own.
  const named = ofRevenue.filter(({ period, type }) => period !== null || type === 'clawback');
  const [across, direct] = split(named, (payout) => items.exceedsItsCurrency(payout, payout.period ?? before(payout)));
  for (const payout of direct) items.payNamed(payout, payout.period ?? before(payout));
  for (const payout of across) {
    const period = payout.period ?? before(payout);
    if (!items.payAcross(payout, monthsOf(period))) items.payNamed(payout, period);
  }
  const silent = ofRevenue.filter((payout) => !named.includes(payout));
  // Several payments of one month may settle an item together.
  const groups = Map.groupBy(silent, (payout) => keyOf(before(payout), settledBy(payout).currency));
  for (const [key, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [month = '', currency = ''] = key.split(' ');
    if (items.payWhole(group, month, currency)) continue;
    for (const payout of group) if (!items.payWhole([payout], month, currency)) items.payAcross(payout, [month]);
  }
  const legs = items.legs();
  const byKey = new Map(legs.map((leg) => [keyOf(leg.month, leg.currency), leg]));
  const lastOf = new Map<string, Payout>();
  for (const payout of payouts) {
    const last = items.allocationsOf(payout).at(-1);
    if (last !== undefined) lastOf.set(keyOf(last.month, last.currency), payout);
  }
  return {
    legs,
    payouts: payouts.map((payout) => {
      const allocations = items.allocationsOf(payout);
      const none = { allocations, matched: null, exchange: null, difference: null };
      if (!isOfRevenue(payout)) return { ...payout, ...none, month: payout.period, state: 'other' };
      const own = allocations.flatMap(({ month, currency }) => byKey.get(keyOf(month, currency)) ?? []);
      const [first, last] = [own[0], own.at(-1)];
      const span = first === undefined || last === undefined ? null : { from: first.month, to: last.month };
      const month = span === null || span.from === span.to ? (span?.from ?? null) : `${span.from}/${span.to}`;
      if (last === undefined || own.every(({ accrued, owed }) => accrued === null && owed.isZero))
        return { ...payout, ...none, month, state: 'unexplained' };
      const isWhole = own.every((leg) => leg.paid !== null && isSettled(leg, leg.paid, options));
      const state = isWhole ? 'matched' : own.some(({ finding }) => finding === 'PAYOUT_DIFFERS') ? 'differs' : 'part';
      const isLast = lastOf.get(keyOf(last.month, last.currency)) === payout;
      const difference = isLast ? (last.paid?.minus(last.owed) ?? null) : null;
      const exchange = items.exchangeOf(payout);
      const { currency, amount } = settledBy(payout);
      const matched = { currency, amount: exchange === null ? amount : amount.minus(exchange) };
      return { ...payout, month, allocations, matched, exchange, difference, state };
    }),
  };
}

function split<T>(all: readonly T[], test: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  const yes = new Set(all.filter(test));
  return [[...yes], all.filter((each) => !yes.has(each))];
}

class OpenItems {
  private readonly options: MatchOptions;
  private readonly paid: MonthlyAmounts = new Map();
  private readonly clawbacks: MonthlyAmounts = new Map();
  private readonly allocations = new Map<Payout, Allocation[]>();
  private readonly exchanges = new Map<Payout, Decimal>();

  constructor(options: MatchOptions) {
    this.options = options;
  }

  allocationsOf(payout: Payout): readonly Allocation[] {
    return this.allocations.get(payout) ?? [];
  }

  exchangeOf(payout: Payout): Decimal | null {
    return this.exchanges.get(payout) ?? null;
  }

  legs(): RevenueLegs[] {
    return legsOf(this.paid, this.clawbacks, this.options);
  }

  /** More than the named months have open in its own currency: it may be for others too. */
  exceedsItsCurrency(payout: Payout, period: string): boolean {
    const { currency, amount } = settledBy(payout);
    const own = this.legs().filter((leg) => leg.currency === currency && monthsOf(period).includes(leg.month));
    const open = maxDecimal(
      sumOf(own.map(({ owed }) => owed)),
      sumOf(own.map(({ accrued }) => accrued ?? Decimal.ZERO)),
    );
    return amount.greaterThan(open) && !isExact(amount, open, currency, this.options);
  }

  /** Each named month up to what is owed for it; the last one takes the rest, so that too much or too little shows there. */
  payNamed(payout: Payout, period: string): void {
    const months = monthsOf(period);
    const { currency, amount } = settledBy(payout);
    let rest = amount;
    for (const month of months.slice(0, -1)) {
      const leg = this.legs().find((each) => each.month === month && each.currency === currency);
      const open = leg === undefined ? Decimal.ZERO : leg.owed.minus(leg.paid ?? Decimal.ZERO);
      if (!open.greaterThan(Decimal.ZERO) || !rest.greaterThan(Decimal.ZERO)) continue;
      const part = minDecimal(open, rest);
      this.pay(payout, month, part);
      rest = rest.minus(part);
    }
    const last = months.at(-1);
    if (last !== undefined && (!rest.isZero || months.length === 1)) this.pay(payout, last, rest);
  }

  /**
   * True where the payment is about the value of all that the months have open, or of all up to the last of them, in several
   * currencies or another than its own: it settles them whole then, and what is over or short is exchange.
   */
  payAcross(payout: Payout, months: readonly string[]): boolean {
    const { currency, amount } = settledBy(payout);
    const upTo = months.at(-1) ?? '';
    const open = this.legs().flatMap(({ month, currency: own, accrued, paid }) => {
      const rest = (accrued ?? Decimal.ZERO).minus(paid ?? Decimal.ZERO);
      const value = valueIn(rest, own, currency, this.options.eurRates);
      return month <= upTo && rest.greaterThan(Decimal.ZERO) ? [{ month, currency: own, rest, value }] : [];
    });
    for (const items of [open.filter(({ month }) => months.includes(month)), open]) {
      if (items.every((item) => item.currency === currency) || items.some(({ value }) => value === null)) continue;
      const value = sumOf(items.map((item) => item.value ?? Decimal.ZERO));
      if (amount.minus(value).abs().greaterThan(value.times(this.options.exchange))) continue;
      for (const item of items) {
        const isOwn = item.currency === currency;
        const rate = valueIn(Decimal.ONE, item.currency, payout.currency, this.options.eurRates);
        this.settle(
          payout,
          item.month,
          item.currency,
          item.rest,
          isOwn || rate === null ? null : { value: rate, source: 'records' },
        );
      }
      this.exchanges.set(payout, amount.minus(value).rounded(minorUnitDigits(currency) ?? 2));
      return true;
    }
    return false;
  }

  /** True where the payments together are exactly a run of open items, which they then settle. */
  payWhole(payouts: readonly Payout[], upTo: string, currency: string): boolean {
    const open = this.legs().flatMap(({ month, currency: own, accrued, paid }) => {
      const rest = (accrued ?? Decimal.ZERO).minus(paid ?? Decimal.ZERO);
      return own === currency && month <= upTo && accrued !== null && !rest.isZero ? [{ month, rest }] : [];
    });
    const sum = sumOf(payouts.map((payout) => settledBy(payout).amount));
    const run = runsOf(open).find((items) =>
      isExact(sum, sumOf(items.map(({ rest }) => rest)), currency, this.options),
    );
    if (run === undefined) return false;
    const left = payouts.map((payout) => ({ payout, rest: settledBy(payout).amount }));
    for (const [i, { month, rest }] of run.entries()) {
      let due = rest;
      for (const each of left) {
        // The last item takes the cent that may be over.
        const part = i === run.length - 1 ? each.rest : minDecimal(due, maxDecimal(each.rest, Decimal.ZERO));
        if (part.isZero) continue;
        this.pay(each.payout, month, part);
        each.rest = each.rest.minus(part);
        due = due.minus(part);
      }
    }
    return true;
  }

  private pay(payout: Payout, month: string, amount: Decimal): void {
    const stated = payout.settles === null ? null : { value: payout.settles.rate, source: 'statement' as const };
    this.settle(payout, month, settledBy(payout).currency, amount, stated);
  }

  private settle(payout: Payout, month: string, currency: string, amount: Decimal, rate: Allocation['rate']): void {
    const key = keyOf(month, currency);
    for (const sums of payout.type === 'clawback' ? [this.paid, this.clawbacks] : [this.paid])
      sums.set(key, sums.get(key)?.plus(amount) ?? amount);
    entryOf(this.allocations, payout, () => []).push({ month, currency, amount, rate });
  }
}

interface OpenItem {
  month: string;
  rest: Decimal;
}

/** Runs of items that one payment may be for: from the oldest on, then those that end with the newest, the shorter ones first. */
function runsOf(items: readonly OpenItem[]): (readonly OpenItem[])[] {
  return [...items.map((_, i) => items.slice(0, i + 1)), ...items.map((_, i) => items.slice(items.length - 1 - i))];
}
