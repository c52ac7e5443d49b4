/** The months of the host's revenue: what is owed for each, what is carried into the next one, and which is missing or differs. Pure. */
import { addDays, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal, minDecimal, sumOf } from '../domain/decimal.ts';
import { addTo } from '../domain/partial-sums.ts';
import { endsPayingPeriod, isBelowMinimum, type MonthlyAmounts, monthsOf, type RunRevenue } from '../domain/payout.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { RevenueLeg } from '../ports/settled.ts';

/** What a night, or a command, judges the payments by. */
export interface RevenueTerms extends Omit<RunRevenue, 'payoutKey'> {
  tolerances: Tolerances;
  /** The business date that it is judged on, and by which balances are aged. */
  today: string;
}

export const keyOf = (month: string, currency: string) => `${month} ${currency}`;

export function isExact(amount: Decimal, expected: Decimal, currency: string, terms: RevenueTerms): boolean {
  return agree(amount, expected, toleranceOf(expected, currency, terms));
}

/** To the minor unit: a payment of a month is one sum, in which no thousandth is rounding. */
function toleranceOf(expected: Decimal, currency: string, { tolerances }: RevenueTerms): Decimal {
  const { absolute, relative } = fiatTolerance(tolerances, currency, 'PAYOUT_DIFFERS');
  const own = tolerances.rules.get('PAYOUT_DIFFERS')?.relative !== undefined;
  return allowance({ absolute, relative: own ? relative : Decimal.ZERO }, expected);
}

/** Also by all that it earned, where less is owed: what earlier months lost need not come off it. */
export function isSettled({ owed, accrued, clawback, tolerance }: RevenueLeg, paid: Decimal): boolean {
  const own = accrued?.plus(clawback) ?? owed;
  return agree(paid, owed, tolerance) || (own.greaterThan(owed) && agree(paid, own, tolerance));
}

export const openOf = ({ owed, paid }: RevenueLeg) => owed.minus(paid ?? Decimal.ZERO);

/** What a partner took back with one line of a statement. */
export interface Clawback {
  /** Below zero. */
  amount: Decimal;
  /** The month before its payment; a line may name the month that earned what it takes back. */
  paidFor: string;
}

const amountOf = ({ amount }: Clawback) => amount;

interface Settled {
  paid: MonthlyAmounts;
  /** By month and currency. */
  clawbacks: ReadonlyMap<string, readonly Clawback[]>;
  /** Further months and currencies that have a row. */
  more: ReadonlySet<string>;
}

export function legsOf(settled: Settled, terms: RevenueTerms): RevenueLeg[] {
  const { paid, clawbacks, more } = settled;
  const { accrued, takenBack, posted, unknown, today } = terms;
  const keys = new Set([...accrued.keys(), ...paid.keys(), ...posted.keys(), ...unknown.keys(), ...more]);
  const currencies = [...new Set([...keys].map((key) => key.slice(8)))].sort();
  const carried = new Map<string, Decimal>();
  const { netted, stated } = nettedIn(settled, terms);
  const legs = monthsThrough(keys, monthBefore(today)).flatMap((month) => {
    const dueDate = dueDateOf(month, terms);
    const rows = currencies.flatMap((currency) => {
      const key = keyOf(month, currency);
      const earned = (accrued.get(key) ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
      return keys.has(key) || !earned.isZero ? [{ key, currency, owed: earned }] : [];
    });
    return rows.flatMap(({ key, currency, owed: earned }): RevenueLeg[] => {
      const received = paid.get(key) ?? null;
      const clawback = received === null ? Decimal.ZERO : clawbackOf(key, currency, earned, received);
      const owed = earned.plus(clawback);
      const leg: RevenueLeg = {
        month,
        currency,
        accrued: accrued.get(key) ?? null,
        paid: received,
        posted: posted.get(key) ?? null,
        owed,
        clawback,
        dueDate,
        tolerance: toleranceOf(owed, currency, terms),
        carriedForward: null,
        finding: null,
        isUnpaid: false,
      };
      carried.delete(currency);
      // Where more was taken back than earned, nothing is due for the month, and the next payment is less by the rest.
      const mayWait = !endsPayingPeriod(month, terms) && isBelowMinimum(month, currency, rows, terms);
      const isBelow = owed.isNegative || mayWait;
      if (received !== null || !(owed.isZero || isBelow)) return [withFinding(leg, waitingIn(month, key), terms)];
      if (!owed.isZero) carried.set(currency, owed);
      return keys.has(key) ? [{ ...leg, carriedForward: owed.isZero ? null : owed }] : [];
    });
  });
  return withUnpaid(legs.map((leg) => (isTiming(leg, legs, waitingIn, terms) ? { ...leg, finding: null } : leg)));

  /** Records may tell of a refund as well as the partner, in the same month or another: it counts once. */
  function clawbackOf(key: string, currency: string, earned: Decimal, received: Decimal): Decimal {
    const own = sumOf((clawbacks.get(key) ?? []).map(amountOf));
    if (own.isZero && takenBack.get(key)?.isZero !== false) return Decimal.ZERO;
    const both = own.plus(netted.get(key) ?? Decimal.ZERO);
    const readings = stated.has(key) ? [] : [Decimal.ZERO, own];
    return readings.find((each) => isExact(received, earned.plus(each), currency, terms)) ?? both;
  }

  /** What records say was taken back may come off the next payment. */
  function waitingIn(month: string, key: string): Decimal {
    const known = takenBack.get(key);
    if (known === undefined || today > dueDateOf(monthAfter(month), terms)) return Decimal.ZERO;
    return known.minus(netted.get(key) ?? Decimal.ZERO);
  }
}

/** Months are decided with the one that they were carried into: only together do their rows add up to what is open. */
function withUnpaid(legs: readonly RevenueLeg[]): RevenueLeg[] {
  const decided = new Map<string, boolean>();
  const newestFirst = legs.toReversed().map((leg) => {
    const isCompared = leg.paid !== null && leg.accrued !== null;
    if (leg.carriedForward === null) decided.set(leg.currency, leg.finding === 'PAYOUT_MISSING' || isCompared);
    return { ...leg, isUnpaid: leg.paid === null && decided.get(leg.currency) === true };
  });
  return newestFirst.reverse();
}

/** A refund that is netted in one month may be stated in the statements of so many months after it. */
const MOST_MONTHS_OF_CLAWBACK = 6;
/** Of a month; more are not tried one by one with those of the next. */
const MOST_CLAWBACKS = 8;

/**
 * The part of the records' refunds that the partner took back too, by month. `stated`: months whose refunds a clawback states to the cent, so
 * that a payment which leaves them out as well takes them twice; of several such months the one that was paid in full. What other clawbacks
 * are about is not known: the oldest refunds first.
 */
function nettedIn({ paid, clawbacks }: Settled, terms: RevenueTerms) {
  const refunds = [...terms.takenBack].filter(([, refund]) => refund.isPositive).sort(([a], [b]) => (a < b ? -1 : 1));
  const left = [...clawbacks].flatMap(([key, all]) =>
    all.map((each) => ({ ...each, month: key.slice(0, 7), currency: key.slice(8) })),
  );
  const isPaidInFull = ([key, refund]: readonly [string, Decimal]) => {
    const whole = sumOf([terms.accrued.get(key) ?? Decimal.ZERO, refund, ...(clawbacks.get(key) ?? []).map(amountOf)]);
    return isExact(paid.get(key) ?? Decimal.ZERO, whole, key.slice(8), terms);
  };
  /** What clawbacks state of a refund, in cents where it is not. */
  const stated: MonthlyAmounts = new Map();
  for (const [key, refund] of [...refunds.filter(isPaidInFull), ...refunds]) {
    const taken = stated.has(key) ? null : takenBy(key, refund);
    if (taken !== null) stated.set(key, taken);
  }
  // Of their own month before others: by month and currency, then by currency alone.
  const rests = new Map<string, Decimal>();
  for (const { month, currency, amount } of left)
    for (const about of [keyOf(month, currency), currency]) addTo(rests, about, amount.negated());
  const netted: MonthlyAmounts = new Map(stated);
  for (const from of [(key: string) => key, (key: string) => key.slice(8)])
    for (const [key, refund] of refunds) {
      if (stated.has(key)) continue;
      const known = netted.get(key) ?? Decimal.ZERO;
      const part = minDecimal(refund.minus(known), rests.get(from(key)) ?? Decimal.ZERO);
      netted.set(key, known.plus(part));
      addTo(rests, key.slice(8), part.negated());
    }
  return { netted, stated };

  /** By one clawback or by all of a month, or by those of two months in a row; they then state no other. Null where none come to it. */
  function takenBy(key: string, refund: Decimal): Decimal | null {
    const [first, currency] = [key.slice(0, 7), key.slice(8)];
    const months = new Map<string, (typeof left)[number][]>();
    for (let i = 0, month = first; i <= MOST_MONTHS_OF_CLAWBACK; i++, month = monthAfter(month)) months.set(month, []);
    for (const each of left)
      if (each.currency === currency) months.get(each.month < first ? each.paidFor : each.month)?.push(each);
    const all = [...months.values()];
    const one = (own: typeof left) => [...own.map((each) => [each]), ...(own.length > 1 ? [own] : [])];
    const few = all.map((own) => (own.length > MOST_CLAWBACKS ? [own] : one(own)));
    const two = few.flatMap((some, i) => some.flatMap((a) => (few[i + 1] ?? []).map((b) => [...a, ...b])));
    const takenBack = (some: typeof left) => sumOf(some.map(amountOf)).negated();
    const found = [...all.flatMap(one), ...two].find((some) => isExact(takenBack(some), refund, currency, terms));
    for (const each of found ?? []) left.splice(left.indexOf(each), 1);
    return found === undefined ? null : takenBack(found);
  }
}

/**
 * A refund that came off a later payment which is short besides: its month, and those that are short. What was paid for it is then for both,
 * and only what lacks beyond the refund is missing.
 */
export function takenFromShort(settled: Settled, terms: RevenueTerms) {
  const { netted } = nettedIn(settled, terms);
  const differing = legsOf(settled, terms).filter(({ finding }) => finding === 'PAYOUT_DIFFERS');
  return differing.flatMap((leg) => {
    const { month, currency, tolerance } = leg;
    const key = keyOf(month, currency);
    const refund = (terms.takenBack.get(key) ?? Decimal.ZERO).minus(netted.get(key) ?? Decimal.ZERO);
    if (!refund.isPositive || openOf(leg).negated().greaterThan(refund.plus(tolerance))) return [];
    const short = differing.filter((each) => {
      const length = monthsOf(`${month}/${each.month}`).length;
      const isNear = length > 1 && length <= MOST_MONTHS_OF_TIMING;
      return each.currency === currency && isNear && openOf(each).isPositive;
    });
    return [{ months: [month, ...short.map((each) => each.month)], currency }];
  });
}

/** @param waiting what may still be netted */
function withFinding(leg: RevenueLeg, waiting: Decimal, terms: RevenueTerms): RevenueLeg {
  const { accrued, paid, owed } = leg;
  if (accrued === null && !owed.isPositive) return leg;
  const isDue = terms.today > leg.dueDate;
  if (paid === null) return { ...leg, finding: isDue ? 'PAYOUT_MISSING' : null };
  const isWhole = isSettled(leg, paid) || isExact(paid, owed.plus(waiting), leg.currency, terms);
  const differs = !isWhole && (isDue || paid.greaterThan(owed));
  return { ...leg, finding: differs ? 'PAYOUT_DIFFERS' : null };
}

/** By the week of the month after where the partner pays by the calendar, else so many days after the month. */
export function dueDateOf(month: string, { dueDays, payWeek }: Pick<RunRevenue, 'dueDays' | 'payWeek'>): string {
  const next = monthAfter(month);
  return payWeek === null ? addDays(`${next}-01`, dueDays) : `${next}-${String(payWeek * 7).padStart(2, '0')}`;
}

/** Those that are over without a gap: what is carried may be due in a month that earned nothing. Of those ahead only the named ones. */
function monthsThrough(keys: ReadonlySet<string>, over: string): readonly string[] {
  const all = new Set([...keys].map((key) => key.slice(0, 7)).sort());
  for (let [month] = all; month !== undefined && month <= over; month = monthAfter(month)) all.add(month);
  return [...all].sort();
}

/**
 * Months whose differences make up for each other to the cent: the partner counts records of one in another. Counted from the first that
 * differs to the one where nothing is left but a refund that may still come off; a month between them may agree. What was taken back in a month may come off as many after it.
 */
function isTiming(
  leg: RevenueLeg,
  legs: readonly RevenueLeg[],
  waitingIn: (month: string, key: string) => Decimal,
  terms: RevenueTerms,
): boolean {
  if (leg.finding !== 'PAYOUT_DIFFERS') return false;
  const own = legs.filter(({ currency }) => currency === leg.currency);
  for (const [i, start] of own.entries()) {
    if (start.finding !== 'PAYOUT_DIFFERS') continue;
    let sum = Decimal.ZERO;
    let { month } = start;
    let left = MOST_MONTHS_OF_TIMING;
    for (const each of own.slice(i)) {
      if (left === 0 || each.month !== month || each.finding === 'PAYOUT_MISSING') break;
      left = terms.takenBack.get(keyOf(month, leg.currency))?.isPositive === true ? MOST_MONTHS_OF_TIMING : left;
      left--;
      month = monthAfter(month);
      if (each.finding === null) continue;
      sum = sum.plus(each.paid ?? Decimal.ZERO).minus(each.owed);
      const rests = [Decimal.ZERO, waitingIn(each.month, keyOf(each.month, each.currency))];
      if (rests.some((rest) => isExact(sum, rest, leg.currency, terms))) {
        if (start.month <= leg.month && leg.month <= each.month) return true;
        break;
      }
    }
  }
  return false;
}

const MOST_MONTHS_OF_TIMING = 4;
