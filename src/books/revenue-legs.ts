/** The months of the host's revenue: what is owed for each, what is carried into the next one, and which is missing or differs. Pure. */
import { addDays, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal, minDecimal } from '../domain/decimal.ts';
import { endsPayingPeriod, isBelowMinimum, type MonthlyAmounts, type RunRevenue } from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { SettledMonth } from '../ports/settled.ts';

/** Before it is added up with the months before it. */
export type RevenueLegs = Omit<
  SettledMonth,
  | 'partner'
  | 'exchange'
  | 'sheet'
  | 'opening'
  | 'closing'
  | 'aged'
  | 'materiality'
  | 'unknown'
  | 'estimated'
  | 'breaking'
>;

export interface MatchOptions
  extends Omit<RunRevenue, 'payoutKey' | 'lines' | 'estimated' | 'materiality' | 'partner'> {
  tolerances: Tolerances;
  /** The business date that it is judged on. */
  today: string;
}

export const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export const sumOf = (amounts: readonly Decimal[]) => amounts.reduce((sum, each) => sum.plus(each), Decimal.ZERO);

export function isExact(amount: Decimal, expected: Decimal, currency: string, options: MatchOptions): boolean {
  return agree(amount, expected, toleranceOf(expected, currency, options));
}

/** To the minor unit: a payment of a month is one sum, in which no thousandth is rounding. */
function toleranceOf(expected: Decimal, currency: string, { tolerances }: MatchOptions): Decimal {
  const { absolute, relative } = fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS');
  const own = tolerances.rules.get('PAYOUT_DIFFERS')?.relative !== undefined;
  return allowance({ absolute, relative: own ? relative : Decimal.ZERO }, expected);
}

export function isSettled({ owed, accrued, clawback, currency }: RevenueLegs, paid: Decimal, options: MatchOptions) {
  return (
    isExact(paid, owed, currency, options) ||
    (accrued !== null && isExact(paid, accrued.plus(clawback), currency, options))
  );
}

export const openOf = ({ owed, paid }: RevenueLegs) => owed.minus(paid ?? Decimal.ZERO);

interface Span {
  months: readonly string[];
  currency: string;
  paid: Decimal;
  /** What was paid for the month before, and is in no leg yet. */
  before: Decimal;
}

/** What the month before was paid too much, where a span is paid exactly so much less: it comes off the first month. */
export function creditOf(legs: readonly RevenueLegs[], span: Span, options: MatchOptions): Decimal {
  const { months, currency } = span;
  const own = legs.filter((leg) => leg.currency === currency);
  const [start = ''] = months;
  const first = own.find(({ month }) => month === start);
  const before = own.find(({ month }) => month === monthBefore(start));
  if (first === undefined || before === undefined) return Decimal.ZERO;
  const credit = span.before.minus(openOf(before));
  const short = sumOf(own.filter(({ month }) => months.includes(month)).map(openOf)).minus(span.paid);
  const isIt = credit.isPositive && !credit.greaterThan(openOf(first)) && isExact(short, credit, currency, options);
  return isIt ? credit : Decimal.ZERO;
}

interface Settled {
  paid: MonthlyAmounts;
  clawbacks: MonthlyAmounts;
  /** Further months and currencies that have a row. */
  more: ReadonlySet<string>;
}

export function legsOf({ paid, clawbacks, more }: Settled, options: MatchOptions): RevenueLegs[] {
  const { accrued, posted, unknown } = options;
  const keys = new Set([...accrued.keys(), ...paid.keys(), ...posted.keys(), ...unknown.keys(), ...more]);
  const currencies = [...new Set([...keys].map((key) => key.slice(8)))].sort();
  const carried = new Map<string, Decimal>();
  const netted = nettedIn(options.takenBack, clawbacks);
  const legs = monthsThrough(keys, monthBefore(options.today)).flatMap((month) => {
    const rows = currencies.flatMap((currency) => {
      const key = keyOf(month, currency);
      const owed = (accrued.get(key) ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
      return keys.has(key) || !owed.isZero ? [{ key, currency, owed, isOwn: keys.has(key) }] : [];
    });
    const dueDate = dueDateOf(month, options);
    return rows.flatMap(({ key, currency, owed, isOwn }): RevenueLegs[] => {
      const received = paid.get(key) ?? null;
      const isBelow = !endsPayingPeriod(month, options) && isBelowMinimum(month, currency, rows, options);
      carried.delete(currency);
      if (received === null && (owed.isZero || isBelow)) {
        if (!owed.isZero) carried.set(currency, owed);
        if (!isOwn) return [];
        return [{ ...legOf(month, currency, owed, dueDate), carriedForward: owed.isZero ? null : owed }];
      }
      return [withFinding(legOf(month, currency, owed, dueDate), waitingIn(month, key), options)];
    });
  });
  return legs.map((leg) => (isTiming(leg, legs, options) ? { ...leg, finding: null } : leg));

  function legOf(month: string, currency: string, earned: Decimal, dueDate: string): RevenueLegs {
    const key = keyOf(month, currency);
    const received = paid.get(key) ?? null;
    const clawback = clawbackOf(month, currency, earned, received);
    const owed = earned.plus(clawback);
    return {
      month,
      currency,
      accrued: accrued.get(key) ?? null,
      paid: received,
      posted: posted.get(key) ?? null,
      owed,
      clawback,
      dueDate,
      tolerance: toleranceOf(owed, currency, options),
      carriedForward: null,
      finding: null,
    };
  }

  /** Records may tell of a refund as well as the partner, in the same month or another: it counts once. */
  function clawbackOf(month: string, currency: string, earned: Decimal, received: Decimal | null): Decimal {
    const key = keyOf(month, currency);
    const own = clawbacks.get(key) ?? Decimal.ZERO;
    const known = options.takenBack.get(key) ?? Decimal.ZERO;
    if (received === null || (own.isZero && known.isZero)) return Decimal.ZERO;
    const both = own.plus(netted.get(key) ?? Decimal.ZERO);
    return [Decimal.ZERO, own, both].find((each) => isExact(received, earned.plus(each), currency, options)) ?? both;
  }

  /** What records say was taken back may come off the next payment. */
  function waitingIn(month: string, key: string): Decimal {
    const known = options.takenBack.get(key);
    if (known === undefined || options.today > dueDateOf(monthAfter(month), options)) return Decimal.ZERO;
    return known.minus(netted.get(key) ?? Decimal.ZERO);
  }
}

/** The part of the records' refunds that the partner took back too, in any month, oldest first. */
function nettedIn(takenBack: MonthlyAmounts, clawbacks: MonthlyAmounts): MonthlyAmounts {
  const left = new Map<string, Decimal>();
  for (const [key, amount] of clawbacks) left.set(key.slice(8), (left.get(key.slice(8)) ?? Decimal.ZERO).minus(amount));
  const netted: MonthlyAmounts = new Map();
  for (const [key, amount] of [...takenBack].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const rest = left.get(key.slice(8)) ?? Decimal.ZERO;
    const part = minDecimal(amount, rest);
    netted.set(key, part);
    left.set(key.slice(8), rest.minus(part));
  }
  return netted;
}

/** @param waiting what may still be netted */
function withFinding(leg: RevenueLegs, waiting: Decimal, options: MatchOptions): RevenueLegs {
  const { accrued, paid, owed } = leg;
  if (accrued === null && (paid !== null || owed.isZero)) return leg;
  const isDue = options.today > leg.dueDate;
  if (paid === null) return { ...leg, finding: isDue ? 'PAYOUT_MISSING' : null };
  const isWhole = isSettled(leg, paid, options) || isExact(paid, owed.plus(waiting), leg.currency, options);
  const differs = !isWhole && (isDue || paid.greaterThan(owed));
  return { ...leg, finding: differs ? 'PAYOUT_DIFFERS' : null };
}

/** By the week of the month after where the partner pays by the calendar, else so many days after the month. */
export function dueDateOf(month: string, { dueDays, payWeek }: Pick<MatchOptions, 'dueDays' | 'payWeek'>): string {
  const next = monthAfter(month);
  return payWeek === null ? addDays(`${next}-01`, dueDays) : `${next}-${String(payWeek * 7).padStart(2, '0')}`;
}

/** From the first to the last that is over, without a gap: what is carried may be due in a month that earned nothing. */
function monthsThrough(keys: ReadonlySet<string>, over: string): readonly string[] {
  const sorted = [...keys].map((key) => key.slice(0, 7)).sort();
  const last = [over, sorted.at(-1) ?? ''].sort().at(-1) ?? '';
  const all: string[] = [];
  for (let month = sorted[0]; month !== undefined && month <= last; month = monthAfter(month)) all.push(month);
  return all;
}

/**
 * Months whose differences make up for each other to the cent: the partner counts records of one in another. Counted from the first that
 * differs to the one where nothing is left; a month between them may agree.
 */
function isTiming(leg: RevenueLegs, legs: readonly RevenueLegs[], options: MatchOptions): boolean {
  if (leg.finding !== 'PAYOUT_DIFFERS') return false;
  const own = legs.filter(({ currency }) => currency === leg.currency);
  for (const [i, start] of own.entries()) {
    if (start.finding !== 'PAYOUT_DIFFERS') continue;
    let sum = Decimal.ZERO;
    let month = start.month;
    for (const each of own.slice(i, i + MOST_MONTHS_OF_TIMING)) {
      if (each.month !== month || each.finding === 'PAYOUT_MISSING') break;
      month = monthAfter(month);
      if (each.finding === null) continue;
      sum = sum.plus(each.paid ?? Decimal.ZERO).minus(each.owed);
      if (isExact(sum, Decimal.ZERO, leg.currency, options)) {
        if (start.month <= leg.month && leg.month <= each.month) return true;
        break;
      }
    }
  }
  return false;
}

const MOST_MONTHS_OF_TIMING = 4;

/** Runs of items that one payment may be for: from the oldest on, then those that end with the newest, the shorter ones first. */
export function runsOf<T>(items: readonly T[]): (readonly T[])[] {
  return [...items.map((_, i) => items.slice(0, i + 1)), ...items.map((_, i) => items.slice(items.length - 1 - i))];
}
