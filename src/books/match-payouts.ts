/**
 * Payments of the host's share settle open items: what was earned in a month, in one currency. Payments settle the months that they name,
 * the oldest first; those that are more than their own currency has open may settle several currencies at once, at the rates of the records,
 * and then what the rates leave is a difference of exchange. Those that name no month settle whole items exactly: the oldest ones, else
 * those up to the month before them. Anything else is carried as unexplained, never forced. Pure, and the same for any order of imports.
 */
import { monthBefore } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import {
  addMonthly,
  isOfRevenue,
  type MonthlyAmounts,
  monthsOf,
  type Payout,
  PEGGED,
  settledBy,
  valueIn,
} from '../domain/payout.ts';
import { isoInstant } from '../domain/record.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { SettledMonth, SettledPayout } from '../ports/settled.ts';
import { type BalanceOptions, withBalances } from './reconciliation.ts';
import {
  creditOf,
  isExact,
  isSettled,
  keyOf,
  legsOf,
  type MatchOptions,
  openOf,
  type RevenueLegs,
  runsOf,
  sumOf,
} from './revenue-legs.ts';

type Allocation = SettledPayout['allocations'][number];

export interface MatchedRevenue {
  payouts: readonly SettledPayout[];
  months: readonly SettledMonth[];
}

export function matchPayouts(payouts: readonly Payout[], options: MatchOptions & BalanceOptions): MatchedRevenue {
  const items = new OpenItems(options);
  // A clawback without a month takes from the month before it, and is no break of its own.
  const periodOf = (payout: Payout) => payout.period ?? (payout.type === 'clawback' ? before(payout) : null);
  const groupsBy = (key: (payout: Payout) => string | null) =>
    [...Map.groupBy(payouts.filter(isOfRevenue), key)].sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
  // Several payments may settle the items of one period together.
  const named = groupsBy((payout) => {
    const period = periodOf(payout);
    const key = keyOf(period ?? '', settledBy(payout).currency);
    // What is taken back is no part of a payment for several currencies.
    return period === null ? null : payout.type === 'clawback' ? `${key} ${payout.payoutId}` : key;
  });
  // Where a statement says what a payment is for, with the rates, nothing is left to find out.
  const isStated = (group: readonly Payout[]) => group.every(({ settles }) => settles !== null);
  const across = named.filter(
    ([key, group]) => key !== null && !isStated(group) && items.exceedTheirCurrency(group, key),
  );
  for (const [key, group] of named)
    if (key !== null && !across.some(([other]) => other === key)) items.payNamed(group, key, new Map(across));
  for (const [key, group] of across)
    if (key !== null && !items.payAcross(group, monthsIn(key))) items.payNamed(group, key);
  for (const [key, group] of groupsBy((payout) =>
    periodOf(payout) === null ? keyOf(before(payout), settledBy(payout).currency) : null,
  )) {
    if (key === null || items.payWhole(group, key)) continue;
    for (const payout of group) if (!items.payWhole([payout], key)) items.payAcross([payout], monthsIn(key));
  }
  for (const payout of payouts) if (payout.type === 'exchange') items.addExchange(payout);
  return { months: items.months(), payouts: items.settled(payouts) };
}

const monthOf = ({ paidAt }: Payout) => isoInstant(paidAt).slice(0, 7);

const before = ({ paidAt }: Payout) => monthBefore(new Date(paidAt).toISOString());

/** Of `2026-09/2026-11 EUR`. */
const monthsIn = (key: string) => monthsOf(key.split(' ')[0] ?? '');

const paidBy = (payouts: readonly Payout[]) => sumOf(payouts.map((payout) => settledBy(payout).amount));

/** Payments that may settle several currencies, by period and currency: they are judged after those of one. */
type Waiting = ReadonlyMap<string | null, readonly Payout[]>;

interface OpenItem {
  month: string;
  currency: string;
  rest: Decimal;
  /** Of `rest`, in the currency of the payments. */
  value: Decimal;
}

class OpenItems {
  private readonly options: MatchOptions & BalanceOptions;
  /** In order of month. */
  private readonly earned: readonly (readonly [key: string, accrued: Decimal])[];
  private readonly paid: MonthlyAmounts = new Map();
  private readonly clawbacks: MonthlyAmounts = new Map();
  private readonly exchanges: MonthlyAmounts = new Map();
  private readonly allocations = new Map<Payout, Allocation[]>();
  private readonly exchangeOf = new Map<Payout, Decimal>();
  private standing: readonly RevenueLegs[] | null = null;

  constructor(options: MatchOptions & BalanceOptions) {
    this.options = options;
    this.earned = [...options.accrued].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  months(): readonly SettledMonth[] {
    const settled = { paid: this.paid, clawbacks: this.clawbacks, more: new Set(this.exchanges.keys()) };
    return withBalances(legsOf(settled, this.options), this.exchanges, this.options);
  }

  /** Their named months have less open in their own currency: they may be for others too. */
  exceedTheirCurrency(payouts: readonly Payout[], key: string): boolean {
    const months = monthsIn(key);
    const [, currency = ''] = key.split(' ');
    const own = this.legs().filter((leg) => leg.currency === currency && months.includes(leg.month));
    const accrued = sumOf(own.map((leg) => leg.accrued ?? Decimal.ZERO));
    const open = maxDecimal(sumOf(own.map(({ owed }) => owed)), accrued);
    const amount = paidBy(payouts);
    return amount.greaterThan(open) && !isExact(amount, open, currency, this.options);
  }

  /** Each named month up to what is owed for it; the last one takes the rest, so that too much or too little shows there. */
  payNamed(payouts: readonly Payout[], key: string, waiting: Waiting = new Map()): void {
    const months = monthsIn(key);
    const last = months.at(-1) ?? '';
    const [, own = ''] = key.split(' ');
    const beforeIt = paidBy(waiting.get(keyOf(monthBefore(key), own)) ?? []);
    const span = { months, currency: own, paid: paidBy(payouts), before: beforeIt };
    const credit = months.length === 1 ? Decimal.ZERO : creditOf(this.legs(), span, this.options);
    for (const payout of payouts) {
      const { currency, amount } = settledBy(payout);
      let rest = amount;
      for (const month of months.slice(0, -1)) {
        const leg = this.legs().find((each) => each.month === month && each.currency === currency);
        const netted = month === months[0] ? credit : Decimal.ZERO;
        const open = leg === undefined ? Decimal.ZERO : openOf(leg).minus(netted);
        if (!open.isPositive || !rest.isPositive) continue;
        const part = minDecimal(inPlacesOf(open, currency), rest);
        this.pay(payout, month, part);
        rest = rest.minus(part);
      }
      if (!rest.isZero || months.length === 1) this.pay(payout, last, rest);
    }
  }

  /**
   * True where the payments are about the value of all that the months have open, of all up to the last of them, or of what nothing was
   * paid for, in several currencies or another than their own: they settle it whole then, and what is over or short is exchange.
   */
  payAcross(payouts: readonly Payout[], months: readonly string[]): boolean {
    const [first] = payouts;
    if (first === undefined) return false;
    const { currency } = settledBy(first);
    const amount = paidBy(payouts);
    const all = this.open(months.at(-1) ?? '').filter(({ rest }) => rest.isPositive);
    // Exactly what its own currency has open is for that alone, also where it is paid late.
    const own = sumOf(all.filter((item) => item.currency === currency).map(({ rest }) => rest));
    if (isExact(amount, own, currency, this.options)) return false;
    const named = all.filter(({ month }) => months.includes(month));
    // What another payment was short of must not hide what this one is for.
    const untouched = named.filter(({ month, currency: code }) => !this.paid.has(keyOf(month, code)));
    for (const items of [named, all, untouched]) {
      const values = items.map((item) =>
        valueIn(item.rest, item.currency, currency, this.options.eurRates, [monthOf(first), item.month]),
      );
      if (items.every((item) => item.currency === currency) || values.includes(null)) continue;
      const value = sumOf(values.filter((each) => each !== null));
      if (amount.minus(value).abs().greaterThan(value.times(this.options.exchange))) continue;
      const valued = items.map((item, i) => {
        return { ...item, rest: inPlacesOf(item.rest, item.currency), value: values[i] ?? Decimal.ZERO };
      });
      this.share(payouts, valued, 'payment');
      const exchange = amount.minus(value).rounded(minorUnitDigits(currency) ?? 2);
      this.exchangeOf.set(payouts.at(-1) ?? first, exchange);
      addMonthly(this.exchanges, items.at(-1)?.month ?? '', currency, exchange);
      return true;
    }
    return false;
  }

  /** True where the payments together are exactly a run of open items, which they then settle. */
  payWhole(payouts: readonly Payout[], key: string): boolean {
    const [upTo = '', currency = ''] = key.split(' ');
    const open = this.open(upTo).filter((item) => item.currency === currency && !item.rest.isZero);
    const sum = paidBy(payouts);
    const run = runsOf(open).find((items) =>
      isExact(sum, sumOf(items.map(({ rest }) => rest)), currency, this.options),
    );
    if (run === undefined) return false;
    this.share(
      payouts,
      run.map((item) => {
        const rest = inPlacesOf(item.rest, currency);
        return { ...item, rest, value: rest };
      }),
      'item',
    );
    return true;
  }

  addExchange(payout: Payout): void {
    const month = payout.period?.slice(-7) ?? before(payout);
    addMonthly(this.exchanges, month, PEGGED[payout.currency] ?? payout.currency, payout.amount);
  }

  /** Payments with what they settle. A month's difference stands on its last payment alone. */
  settled(payouts: readonly Payout[]): readonly SettledPayout[] {
    const byKey = new Map(this.legs().map((leg) => [keyOf(leg.month, leg.currency), leg]));
    const lastOf = new Map<string, Payout>();
    for (const payout of payouts) {
      const last = this.allocations.get(payout)?.at(-1);
      if (last !== undefined) lastOf.set(keyOf(last.month, last.currency), payout);
    }
    return payouts.map((payout): SettledPayout => {
      const allocations = this.allocations.get(payout) ?? [];
      const none = { allocations, matched: null, exchange: null, difference: null };
      if (!isOfRevenue(payout)) return { ...payout, ...none, month: payout.period, state: 'other' };
      const own = allocations.flatMap(({ month, currency }) => byKey.get(keyOf(month, currency)) ?? []);
      const [first, last] = [own[0], own.at(-1)];
      const span = first === undefined || last === undefined ? null : { from: first.month, to: last.month };
      const month = span === null || span.from === span.to ? (span?.from ?? null) : `${span.from}/${span.to}`;
      if (last === undefined || own.every(({ accrued, owed }) => accrued === null && owed.isZero))
        return { ...payout, ...none, month, state: 'unexplained' };
      const isWhole = own.every((leg) => leg.paid !== null && isSettled(leg, leg.paid, this.options));
      const state = isWhole ? 'matched' : own.some(({ finding }) => finding === 'PAYOUT_DIFFERS') ? 'differs' : 'part';
      const isLast = lastOf.get(keyOf(last.month, last.currency)) === payout;
      const difference = isLast ? (last.paid?.minus(last.owed) ?? null) : null;
      const exchange = this.exchangeOf.get(payout) ?? null;
      const { currency, amount } = settledBy(payout);
      const matched = { currency, amount: exchange === null ? amount : amount.minus(exchange) };
      return { ...payout, month, allocations, matched, exchange, difference, state };
    });
  }

  /** As of the payments so far: each of years of them asks for all months. */
  private legs(): readonly RevenueLegs[] {
    this.standing ??= legsOf({ paid: this.paid, clawbacks: this.clawbacks, more: new Set() }, this.options);
    return this.standing;
  }

  /** What is not paid yet up to a month, the oldest first. */
  private open(upTo: string): Omit<OpenItem, 'value'>[] {
    return this.earned.flatMap(([key, accrued]) => {
      const [month = '', currency = ''] = key.split(' ');
      return month <= upTo ? [{ month, currency, rest: accrued.minus(this.paid.get(key) ?? Decimal.ZERO) }] : [];
    });
  }

  /** One after the other. @param takes whether the last item or the last payment takes what is over or short */
  private share(payouts: readonly Payout[], items: readonly OpenItem[], takes: 'item' | 'payment'): void {
    const left = payouts.map((payout) => ({ payout, amount: settledBy(payout).amount }));
    for (const item of items) {
      let { rest, value: due } = item;
      for (const each of left) {
        const isRest = takes === 'item' ? item === items.at(-1) : each === left.at(-1);
        const least = minDecimal(due, maxDecimal(each.amount, Decimal.ZERO));
        const value = !isRest ? least : takes === 'item' ? each.amount : due;
        if (value.isZero) continue;
        const isAll = takes === 'payment' && value.equals(due);
        const part = isAll ? rest : this.partOf(item, value);
        const rate = this.rateOf(each.payout, item.currency);
        if (rate === undefined) this.pay(each.payout, item.month, part);
        else this.settle(each.payout, item.month, item.currency, part, rate);
        each.amount = each.amount.minus(value);
        due = due.minus(value);
        rest = rest.minus(part);
      }
    }
  }

  private partOf({ rest, value: whole, currency }: OpenItem, value: Decimal): Decimal {
    return rest.equals(whole) ? value : rest.times(value).dividedBy(whole, minorUnitDigits(currency) ?? 2);
  }

  /** By the records, where a payment settles another currency than its own; undefined where it is its own. */
  private rateOf(payout: Payout, currency: string): Allocation['rate'] | undefined {
    if (settledBy(payout).currency === currency) return undefined;
    const value = valueIn(Decimal.ONE, currency, payout.currency, this.options.eurRates, [monthOf(payout)]);
    return value === null ? null : { value, source: 'records' };
  }

  private pay(payout: Payout, month: string, amount: Decimal): void {
    const stated = payout.settles === null ? null : { value: payout.settles.rate, source: 'statement' };
    this.settle(payout, month, settledBy(payout).currency, amount, stated);
  }

  private settle(payout: Payout, month: string, currency: string, amount: Decimal, rate: Allocation['rate']): void {
    this.standing = null;
    addMonthly(this.paid, month, currency, amount);
    if (payout.type === 'clawback') addMonthly(this.clawbacks, month, currency, amount);
    entryOf(this.allocations, payout, () => []).push({ month, currency, amount, rate });
  }
}
