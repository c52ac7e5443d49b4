/**
 * Payments of the host's share settle open items: what was earned in a month, in one currency. A payment settles the months that it names,
 * the oldest first. One that names none settles whole items exactly: the oldest ones, else those up to the month before it. Anything else
 * is carried as unexplained, never forced. Clawbacks are payments below zero; what settles no revenue is left out. Pure, and the same for any order of imports.
 */
import { addDays, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import {
  isOfRevenue,
  leastPayout,
  type MonthlyAmounts,
  monthsOf,
  type Payout,
  type RunRevenue,
  settledBy,
} from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';

/** `other`: it settles no revenue. */
type PayoutState = 'matched' | 'part' | 'differs' | 'unexplained' | 'other';

/** The part of a payment that settles a month. */
interface Allocation {
  month: string;
  amount: Decimal;
}

export interface MatchedPayout extends Payout {
  /** The month that it pays, or `2026-09/2026-11`; null where that is unknown. */
  month: string | null;
  /** By month, oldest first; in the currency of `matched`. */
  allocations: readonly Allocation[];
  /** What of the revenue it pays; null where it is unexplained. */
  matched: { currency: string; amount: Decimal } | null;
  /** Paid − owed of its last month, on the last payment of that month alone. */
  difference: Decimal | null;
  state: PayoutState;
}

/** One month and currency: accrued, paid and posted amounts. */
export interface RevenueLegs {
  month: string;
  currency: string;
  accrued: Decimal | null;
  paid: Decimal | null;
  posted: Decimal | null;
  /** What is to be paid for the month: its own revenue and what earlier months carried forward. */
  owed: Decimal;
  /** The last day on which a payment is in time. */
  dueDate: string;
  /** Below the least payout, so that it is paid with a later month; null otherwise. */
  carriedForward: Decimal | null;
  finding: 'PAYOUT_MISSING' | 'PAYOUT_DIFFERS' | null;
  /** The largest difference that agrees. */
  tolerance: Decimal;
}

interface MatchOptions extends Pick<RunRevenue, 'accrued' | 'posted' | 'dueDays' | 'minimum'> {
  tolerances: Tolerances;
  /** The business date that it is judged on. */
  today: string;
}

const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export interface MatchedRevenue {
  payouts: readonly MatchedPayout[];
  legs: readonly RevenueLegs[];
}

export function matchPayouts(payouts: readonly Payout[], options: MatchOptions): MatchedRevenue {
  const items = new OpenItems(options);
  const ofRevenue = payouts.filter(isOfRevenue);
  for (const payout of ofRevenue) if (payout.period !== null) items.payNamed(payout, payout.period);
  const silent = ofRevenue.filter(({ period }) => period === null);
  // Several payments of one month may settle an item together.
  const groups = Map.groupBy(silent, (payout) =>
    keyOf(monthBefore(new Date(payout.paidAt).toISOString()), settledBy(payout).currency),
  );
  for (const [key, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [month = '', currency = ''] = key.split(' ');
    if (!items.payWhole(group, month, currency)) for (const payout of group) items.payWhole([payout], month, currency);
  }
  const legs = items.legs();
  const byKey = new Map(legs.map((leg) => [keyOf(leg.month, leg.currency), leg]));
  const lastOf = new Map<string, Payout>();
  for (const payout of payouts) {
    const last = items.allocationsOf(payout).at(-1);
    if (last !== undefined) lastOf.set(keyOf(last.month, settledBy(payout).currency), payout);
  }
  return {
    legs,
    payouts: payouts.map((payout) => {
      if (!isOfRevenue(payout))
        return { ...payout, month: payout.period, allocations: [], matched: null, difference: null, state: 'other' };
      const allocations = items.allocationsOf(payout);
      const { currency } = settledBy(payout);
      const own = allocations.flatMap(({ month }) => byKey.get(keyOf(month, currency)) ?? []);
      const [first, last] = [own[0], own.at(-1)];
      const span = first === undefined || last === undefined ? null : { from: first.month, to: last.month };
      const month = span === null || span.from === span.to ? (span?.from ?? null) : `${span.from}/${span.to}`;
      if (last === undefined || own.every(({ accrued }) => accrued === null))
        return { ...payout, month, allocations, matched: null, difference: null, state: 'unexplained' };
      const isWhole = own.every((leg) => leg.paid !== null && isSettled(leg, leg.paid, options));
      const state = isWhole ? 'matched' : own.some(({ finding }) => finding === 'PAYOUT_DIFFERS') ? 'differs' : 'part';
      const isLast = lastOf.get(keyOf(last.month, currency)) === payout;
      const difference = isLast ? (last.paid?.minus(last.owed) ?? null) : null;
      return { ...payout, month, allocations, matched: settledBy(payout), difference, state };
    }),
  };
}

class OpenItems {
  private readonly options: MatchOptions;
  private readonly paid: MonthlyAmounts = new Map();
  private readonly allocations = new Map<Payout, Allocation[]>();

  constructor(options: MatchOptions) {
    this.options = options;
  }

  allocationsOf(payout: Payout): readonly Allocation[] {
    return this.allocations.get(payout) ?? [];
  }

  legs(): RevenueLegs[] {
    return legsOf(this.paid, this.options);
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

  /** True where the payments together are exactly a run of open items, which they then settle. */
  payWhole(payouts: readonly Payout[], upTo: string, currency: string): boolean {
    const open = this.legs().flatMap(({ month, currency: own, accrued, paid }) => {
      const rest = (accrued ?? Decimal.ZERO).minus(paid ?? Decimal.ZERO);
      return own === currency && month <= upTo && accrued !== null && !rest.isZero ? [{ month, rest }] : [];
    });
    const sum = payouts.reduce((total, payout) => total.plus(settledBy(payout).amount), Decimal.ZERO);
    const run = runsOf(open).find((items) => isExact(sum, sumOf(items), currency, this.options));
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
    const key = keyOf(month, settledBy(payout).currency);
    this.paid.set(key, this.paid.get(key)?.plus(amount) ?? amount);
    entryOf(this.allocations, payout, () => []).push({ month, amount });
  }
}

interface OpenItem {
  month: string;
  rest: Decimal;
}

const sumOf = (items: readonly OpenItem[]) => items.reduce((sum, { rest }) => sum.plus(rest), Decimal.ZERO);

/** Runs of items that one payment may be for: from the oldest on, then those that end with the newest, the shorter ones first. */
function runsOf(items: readonly OpenItem[]): (readonly OpenItem[])[] {
  return [...items.map((_, i) => items.slice(0, i + 1)), ...items.map((_, i) => items.slice(items.length - 1 - i))];
}

function isExact(amount: Decimal, expected: Decimal, currency: string, options: MatchOptions): boolean {
  return agree(amount, expected, toleranceOf(expected, currency, options));
}

/** To the minor unit: a payment of a month is one sum, in which no thousandth is rounding. */
function toleranceOf(expected: Decimal, currency: string, { tolerances }: MatchOptions): Decimal {
  const { absolute, relative } = fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS');
  const own = tolerances.rules.get('PAYOUT_DIFFERS')?.relative !== undefined;
  return allowance({ absolute, relative: own ? relative : Decimal.ZERO }, expected);
}

function isSettled(
  { owed, accrued, currency }: Pick<RevenueLegs, 'owed' | 'accrued' | 'currency'>,
  paid: Decimal,
  options: MatchOptions,
) {
  return isExact(paid, owed, currency, options) || (accrued !== null && isExact(paid, accrued, currency, options));
}

function legsOf(paid: MonthlyAmounts, options: MatchOptions): RevenueLegs[] {
  const { accrued, posted, today, dueDays } = options;
  const carried = new Map<string, Decimal>();
  const legs = [...new Set([...accrued.keys(), ...paid.keys(), ...posted.keys()])].sort().map((key): RevenueLegs => {
    const [month = '', currency = ''] = key.split(' ');
    const earned = accrued.get(key) ?? null;
    const received = paid.get(key) ?? null;
    const owed = (earned ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
    const dueDate = addDays(`${monthAfter(month)}-01`, dueDays);
    const isDue = today > dueDate;
    const tolerance = toleranceOf(owed, currency, options);
    const base = {
      month,
      currency,
      accrued: earned,
      paid: received,
      posted: posted.get(key) ?? null,
      owed,
      dueDate,
      tolerance,
    };
    carried.delete(currency);
    if (received === null && (owed.isZero || owed.lessThan(leastPayout(options, currency)))) {
      if (!owed.isZero) carried.set(currency, owed);
      return { ...base, carriedForward: owed.isZero ? null : owed, finding: null };
    }
    if (earned === null) return { ...base, carriedForward: null, finding: null };
    const isOver = received?.greaterThan(owed) === true;
    const finding =
      received === null
        ? isDue
          ? 'PAYOUT_MISSING'
          : null
        : !isSettled(base, received, options) && (isDue || isOver)
          ? 'PAYOUT_DIFFERS'
          : null;
    return { ...base, carriedForward: null, finding };
  });
  return legs.map((leg) => (isTiming(leg, legs, options) ? { ...leg, finding: null } : leg));
}

/** A month that is paid too much by exactly what the next one or the one before lacks: the partner counts a record a month apart. */
function isTiming(leg: RevenueLegs, legs: readonly RevenueLegs[], options: MatchOptions): boolean {
  if (leg.finding !== 'PAYOUT_DIFFERS') return false;
  const over = (each: RevenueLegs) => (each.paid ?? Decimal.ZERO).minus(each.owed);
  return legs.some((other) => {
    const isNext = other.month === monthAfter(leg.month) || leg.month === monthAfter(other.month);
    if (!isNext || other.currency !== leg.currency || other.finding !== 'PAYOUT_DIFFERS') return false;
    return isExact(over(leg), over(other).negated(), leg.currency, options);
  });
}
