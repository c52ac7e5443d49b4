/** The months of the host's revenue: what is owed for each, what is carried into the next one, and which is missing or differs. Pure. */
import { addDays, monthAfter, monthBefore } from '../domain/calendar.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { endsPayingPeriod, isBelowMinimum, type MonthlyAmounts, type RunRevenue } from '../domain/payout.ts';
import { agree } from '../domain/tolerance.ts';
import type { RevenueLeg } from '../ports/settled.ts';
import { amountOf, type Clawback, nettedIn } from './netted-refunds.ts';
import { isExact, keyOf, type RevenueTerms, toleranceOf } from './revenue-terms.ts';

/** Also by all that it earned, where less is owed: what earlier months lost need not come off it. */
export function isSettled({ owed, accrued, clawback, tolerance }: RevenueLeg, paid: Decimal): boolean {
  const own = accrued?.plus(clawback) ?? owed;
  return agree(paid, owed, tolerance) || (own.greaterThan(owed) && agree(paid, own, tolerance));
}

export const openOf = ({ owed, paid }: RevenueLeg) => owed.minus(paid ?? Decimal.ZERO);

export interface Settled {
  paid: MonthlyAmounts;
  /** By month and currency. */
  clawbacks: ReadonlyMap<string, readonly Clawback[]>;
  /** Further months and currencies that have a row. */
  more: ReadonlySet<string>;
  /** Months and currencies that were paid at once with a later month. */
  together: ReadonlySet<string>;
}

export function legsOf(settled: Settled, terms: RevenueTerms): RevenueLeg[] {
  const { paid, clawbacks, more } = settled;
  const { accrued, takenBack, posted, unknown, today } = terms;
  const keys = new Set([...accrued.keys(), ...paid.keys(), ...posted.keys(), ...unknown.keys(), ...more]);
  const currencies = [...new Set([...keys].map((key) => key.slice(8)))].sort();
  const carried = new Map<string, Decimal>();
  const { netted, stated } = nettedIn(settled, terms);
  const built = monthsThrough(keys, monthBefore(today)).flatMap((month) => {
    const dueDate = dueDateOf(month, terms);
    const rows = currencies.flatMap((currency) => {
      const key = keyOf(month, currency);
      const earned = (accrued.get(key) ?? Decimal.ZERO).plus(carried.get(currency) ?? Decimal.ZERO);
      return keys.has(key) || !earned.isZero ? [{ key, currency, owed: earned }] : [];
    });
    return rows.flatMap(({ key, currency, owed: earned }): RevenueLeg[] => {
      const received = paid.get(key) ?? null;
      const clawback = clawbackOf(key, currency, earned, received);
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
      if (received !== null || !(owed.isZero || isBelow)) return [leg];
      if (!owed.isZero) carried.set(currency, owed);
      return keys.has(key) ? [{ ...leg, carriedForward: owed.isZero ? null : owed }] : [];
    });
  });
  const ofCurrency = Map.groupBy(built, ({ currency }) => currency);
  const legs = built.map((leg) => withFinding(leg, waitingIn, terms));
  return withUnpaid(
    legs.map((leg) => (isTiming(leg, legs, waitingIn, settled, terms) ? { ...leg, finding: null } : leg)),
  );

  /** Records may tell of a refund as well as the partner, in the same month or another: it counts once. */
  function clawbackOf(key: string, currency: string, earned: Decimal, received: Decimal | null): Decimal {
    // A clawback states its refund: unpaid, the month is still owed as much more.
    if (received === null) return stated.has(key) ? (netted.get(key) ?? Decimal.ZERO) : Decimal.ZERO;
    const own = sumOf((clawbacks.get(key) ?? []).map(amountOf));
    if (own.isZero && takenBack.get(key)?.isZero !== false) return Decimal.ZERO;
    const both = own.plus(netted.get(key) ?? Decimal.ZERO);
    const readings = stated.has(key) ? [] : [Decimal.ZERO, own];
    return readings.find((each) => isExact(received, earned.plus(each), currency, terms)) ?? both;
  }

  /** What records say was taken back may come off the next payment. */
  function waitingIn({ month, currency }: RevenueLeg): readonly Decimal[] {
    const own = ofCurrency.get(currency) ?? [];
    const at = own.findIndex((each) => each.month === month);
    const next = own.slice(at + 1).find((each) => !isPart(each, settled))?.month;
    // What is carried forward is in a payment still to come.
    const isAhead = next === undefined && own.at(-1)?.carriedForward !== null;
    const isOver = !isAhead && today > dueDateOf(next ?? paidNext(own.at(-1)?.month ?? month, terms), terms);
    return isOver ? [] : refundsWith(own, at, settled, netted, terms);
  }
}

/** The month whose payment is the next one where nothing was earned since. */
function paidNext(month: string, terms: RevenueTerms): string {
  const next = monthAfter(month);
  return !terms.quarterly || endsPayingPeriod(next, terms) ? next : paidNext(next, terms);
}

/** Paid with a later month, or still to be. */
const isPart = ({ month, currency, carriedForward }: RevenueLeg, { together }: Settled) =>
  carriedForward !== null || together.has(keyOf(month, currency));

/** What records say was taken back, and no clawback states, in a month and in those that are paid with it; and of that the part of the last months. */
function refundsWith(
  own: readonly RevenueLeg[],
  at: number,
  settled: Settled,
  netted: MonthlyAmounts,
  { takenBack }: RevenueTerms,
): readonly Decimal[] {
  const from = own.findLastIndex((each, i) => i < at && !isPart(each, settled)) + 1;
  const keys = own.slice(from, at + 1).map(({ month, currency }) => keyOf(month, currency));
  const refunds = keys.map((key) => (takenBack.get(key) ?? Decimal.ZERO).minus(netted.get(key) ?? Decimal.ZERO));
  return refunds.map((_, i) => sumOf(refunds.slice(i)));
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

/**
 * A refund that came off a later payment which is short besides: its month, and those that are short. What was paid for it is then for both,
 * and only what lacks beyond the refund is missing.
 */
export function takenFromShort(settled: Settled, terms: RevenueTerms) {
  const { netted } = nettedIn(settled, terms);
  const legs = legsOf(settled, terms);
  const differing = legs.filter(({ finding }) => finding === 'PAYOUT_DIFFERS');
  return differing.flatMap((leg) => {
    const { month, currency, tolerance } = leg;
    const own = legs.filter((each) => each.currency === currency);
    const [refund = Decimal.ZERO] = refundsWith(own, own.indexOf(leg), settled, netted, terms);
    if (!refund.isPositive || openOf(leg).negated().greaterThan(refund.plus(tolerance))) return [];
    const later = own.slice(own.indexOf(leg) + 1);
    const paidLater = later.filter((each) => !isPart(each, settled));
    const last = paidLater.slice(0, MOST_MONTHS_OF_TIMING - 1).at(-1)?.month ?? '';
    const short = later.filter(
      (each) => each.month <= last && each.finding === 'PAYOUT_DIFFERS' && openOf(each).isPositive,
    );
    return [{ months: [month, ...short.map((each) => each.month)], currency }];
  });
}

/** @param waitingIn what may still be netted */
function withFinding(
  leg: RevenueLeg,
  waitingIn: (leg: RevenueLeg) => readonly Decimal[],
  terms: RevenueTerms,
): RevenueLeg {
  const { accrued, paid, owed, carriedForward } = leg;
  if (paid === null && (carriedForward !== null || owed.isZero)) return leg;
  if (accrued === null && !owed.isPositive) return leg;
  const isDue = terms.today > leg.dueDate;
  if (paid === null) return { ...leg, finding: isDue ? 'PAYOUT_MISSING' : null };
  const isWhole =
    isSettled(leg, paid) || waitingIn(leg).some((rest) => isExact(paid, owed.plus(rest), leg.currency, terms));
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
  waitingIn: (leg: RevenueLeg) => readonly Decimal[],
  settled: Settled,
  terms: RevenueTerms,
): boolean {
  if (leg.finding !== 'PAYOUT_DIFFERS') return false;
  const own = legs.filter(({ currency }) => currency === leg.currency);
  for (const [i, start] of own.entries()) {
    if (start.finding !== 'PAYOUT_DIFFERS') continue;
    let sum = Decimal.ZERO;
    let left = MOST_MONTHS_OF_TIMING;
    for (const each of own.slice(i)) {
      if (left === 0 || each.finding === 'PAYOUT_MISSING') break;
      left = terms.takenBack.get(keyOf(each.month, leg.currency))?.isPositive === true ? MOST_MONTHS_OF_TIMING : left;
      if (!isPart(each, settled)) left--;
      if (each.finding === null) continue;
      sum = sum.plus(each.paid ?? Decimal.ZERO).minus(each.owed);
      const rests = [Decimal.ZERO, ...waitingIn(each)];
      if (rests.some((rest) => isExact(sum, rest, leg.currency, terms))) {
        if (start.month <= leg.month && leg.month <= each.month) return true;
        break;
      }
    }
  }
  return false;
}

const MOST_MONTHS_OF_TIMING = 4;
