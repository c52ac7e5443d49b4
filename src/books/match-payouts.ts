/**
 * Payments of the host's share settle open items: what was earned in a month, in one currency. Payments settle the months that they name,
 * the oldest first; those that are more than their own currency has open may settle several currencies at once, at the rates of the records,
 * and then what the rates leave is a difference of exchange. Those that name no month settle whole items exactly: the oldest ones, else
 * those up to the month before them. Anything else is carried as unexplained, never forced. Pure, and the same for any order of imports.
 */
import { monthBefore } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal, sumOf } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { addMonthly, isOfRevenue, type MonthlyAmounts, type Payout, PEGGED, settledBy } from '../domain/payout.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { RevenueLeg } from '../ports/settled.ts';
import type { Clawback } from './netted-refunds.ts';
import { choicesOf, minusIn, type OpenItem, partOf, plusIn, roundedTogether, valuedIn } from './open-items.ts';
import { before, type Group, groupsOf, isInCoin, monthOf, paidBy, periodIn, reversedBy } from './payment-groups.ts';
import { withBalances } from './reconciliation.ts';
import { legsOf, openOf, takenFromShort } from './revenue-legs.ts';
import { isExact, keyOf, type RevenueTerms } from './revenue-terms.ts';
import { grossRunsOf, runsOf } from './runs-of-items.ts';
import { type Part, paidTogether, settledPayouts } from './settled-payouts.ts';

export function matchPayouts(payouts: readonly Payout[], terms: RevenueTerms) {
  /** In order of month. */
  const earned = [...terms.accrued.keys()].sort();
  const paid: MonthlyAmounts = new Map();
  const clawbacks = new Map<string, Clawback[]>();
  const exchanges: MonthlyAmounts = new Map();
  const allocated = new Map<Payout, Part[]>();
  const exchangeOf = new Map<Payout, Decimal>();
  const choicesFor = new Map<Payout, number>();
  let standing: ReadonlyMap<string, RevenueLeg> | null = null;

  // A clawback without a month takes from the month before it, and is no break of its own.
  const origins = reversedBy(payouts);
  const periodOf = (payout: Payout) =>
    periodIn(payout) ?? (payout.type === 'clawback' ? before(payout) : periodIn(origins.get(payout) ?? payout));
  const { named = [], unnamed = [] } = Object.groupBy(payouts.filter(isOfRevenue), (payout) =>
    periodOf(payout) === null ? 'unnamed' : 'named',
  );
  const groups = groupsOf(named, (payout) => periodOf(payout) ?? '');
  // Where a statement says what a payment is for, with the rates, nothing is left to find out.
  const isStated = (group: Group) => group.payouts.every(({ settles }) => settles !== null);
  const across = groups.filter((group) => !isStated(group) && mayBeForOthers(group));
  for (const group of groups) if (!across.includes(group)) payNamed(group, across);
  const unsettledOf = (own: readonly Group[] = []) =>
    own
      .filter((group) => !payWhole(group))
      .flatMap((group) => group.payouts.map((payout) => ({ ...group, payouts: [payout] })))
      .filter((alone) => !payWhole(alone));
  // What is exactly a run of open items is surer than what rates explain, but not than a month that is named in its currency.
  const { first, later } = Object.groupBy(groupsOf(unnamed, before), ({ currency }) =>
    across.some((group) => group.currency === currency) ? 'later' : 'first',
  );
  const unsettled = unsettledOf(first);
  for (const group of across) if (!payAcross(group)) payNamed(group, []);
  for (const group of groups) level(group);
  for (const alone of [...unsettled, ...unsettledOf(later)])
    if (!payWhole(alone) && !payWhole(alone, grossRunsOf)) payAcross(alone);
  for (const payout of payouts) if (payout.type === 'exchange') addExchange(payout);
  const settled = { paid, clawbacks, more: new Set(exchanges.keys()), together: paidTogether(allocated) };
  for (const each of takenFromShort(settled, terms)) level(each);
  const ended = legsOf(settled, terms);
  const found = { allocated, exchangeOf, choicesFor };
  return { months: withBalances(ended, exchanges, terms), payouts: settledPayouts(payouts, found, ended, terms) };

  /** Their named months have less open in their own currency, or they are in a coin, and not exactly what is open: they may be for others. */
  function mayBeForOthers({ months, currency, payouts }: Group): boolean {
    const own = legsIn(months, currency);
    const accrued = sumOf(own.map((leg) => leg.accrued ?? Decimal.ZERO));
    const open = maxDecimal(sumOf(own.map(({ owed }) => owed)), accrued);
    // What was taken back may come off a later payment.
    const gross = accrued.plus(sumOf(months.flatMap((month) => terms.takenBack.get(keyOf(month, currency)) ?? [])));
    const amount = paidBy(payouts);
    const isOwn = [open, gross].some((sum) => isExact(amount, sum, currency, terms));
    return (amount.greaterThan(open) || isInCoin(payouts)) && !isOwn;
  }

  /**
   * Each named month up to what is owed for it; the last one takes the rest, so that too much or too little shows there.
   * @param waiting groups that may settle several currencies: they are judged after those of one
   */
  function payNamed(group: Group, waiting: readonly Group[]): void {
    const { months, currency, payouts } = group;
    const last = months.findLast((month) => mayEarn(month, currency)) ?? months.at(-1) ?? '';
    const open = () => openUpTo(last).filter((item) => item.currency === currency && months.includes(item.month));
    if (months.length > 1) {
      if (payExactly([plusIn(open())], group)) return;
      level(group);
      if (payExactly([open()], group)) return;
    }
    const credit = months.length > 1 ? creditOf(group, waiting) : Decimal.ZERO;
    for (const payout of payouts) {
      const { amount } = settledBy(payout);
      // What was taken back in a month of a span comes off the others.
      const taken = minusIn(amount.isPositive && months.length > 1 ? open() : []);
      let rest = amount.minus(sumOf([...taken.values()]));
      for (const month of months.slice(0, months.indexOf(last))) {
        const leg = legs().get(keyOf(month, currency));
        const netted = month === months[0] ? credit : Decimal.ZERO;
        const due = leg === undefined ? Decimal.ZERO : inPlacesOf(openOf(leg).minus(netted), currency);
        const part = minDecimal(maxDecimal(due, Decimal.ZERO), maxDecimal(rest, Decimal.ZERO));
        const own = taken.get(month) ?? part;
        if (!own.isZero) settle(payout, month, currency, own);
        if (!taken.has(month)) rest = rest.minus(part);
      }
      rest = rest.plus(taken.get(last) ?? Decimal.ZERO);
      if (!rest.isZero || months.length === 1) settle(payout, last, currency, rest);
    }
  }

  /** One that is not over may still earn. */
  function mayEarn(month: string, currency: string): boolean {
    return terms.accrued.has(keyOf(month, currency)) || month >= terms.today.slice(0, 7);
  }

  /**
   * What payments for some months of a span leave over pays the others, the oldest first: the span says that all are paid together. What a
   * month that earned nothing has then is too much of the last one that earned.
   */
  function level({ months, currency }: Pick<Group, 'months' | 'currency'>): void {
    if (months.length === 1) return;
    const openIn = (month: string) => inPlacesOf(restOf(keyOf(month, currency)), currency);
    for (const payout of payouts.filter(({ type }) => type === 'share'))
      for (const part of allocated.get(payout)?.slice() ?? []) {
        let left = part.currency === currency && months.includes(part.month) ? part.amount : Decimal.ZERO;
        const last = mayEarn(part.month, currency) ? [] : months.filter((month) => mayEarn(month, currency)).slice(-1);
        for (const [i, month] of left.isPositive ? [...months, ...last].entries() : []) {
          const over = minDecimal(left, openIn(part.month).negated());
          const moved = i < months.length ? minDecimal(over, openIn(month)) : over;
          if (!moved.isPositive) continue;
          settle(payout, part.month, currency, moved.negated());
          settle(payout, month, currency, moved);
          left = left.minus(moved);
        }
      }
  }

  /** What the month before was paid too much, where a span is paid exactly so much less: it comes off the first month. */
  function creditOf({ months, currency, payouts }: Group, waiting: readonly Group[]): Decimal {
    const [start = ''] = months;
    const first = legs().get(keyOf(start, currency));
    const previous = legs().get(keyOf(monthBefore(start), currency));
    if (first === undefined || previous === undefined) return Decimal.ZERO;
    const inNoLeg = waiting.find(({ key }) => key === keyOf(previous.month, currency))?.payouts ?? [];
    const credit = paidBy(inNoLeg).minus(openOf(previous));
    const short = sumOf(legsIn(months, currency).map(openOf)).minus(paidBy(payouts));
    const isIt = credit.isPositive && !credit.greaterThan(openOf(first)) && isExact(short, credit, currency, terms);
    return isIt ? credit : Decimal.ZERO;
  }

  /**
   * True where the payments are about the value of all that the months have open, of all up to the last of them, or of what nothing was
   * paid for, in several currencies or another than their own: they settle it whole then, and what is over or short is exchange. So they do
   * where only one choice of what the months have open comes to them. A coin that is less than its own currency has open leaves that out.
   */
  function payAcross({ months, currency, payouts }: Group): boolean {
    const [first] = payouts;
    if (first === undefined) return false;
    const amount = paidBy(payouts);
    const isUntouched = (item: OpenItem) => !paid.has(keyOf(item.month, item.currency));
    const all = openUpTo(months.at(-1) ?? '').filter((item) => item.rest.isPositive || isUntouched(item));
    // Exactly what its own currency has open is for that alone, also where it is paid late.
    const own = sumOf(all.filter((item) => item.currency === currency).map(({ rest }) => rest));
    if (isExact(amount, own, currency, terms)) return false;
    const named = all.filter(({ month }) => months.includes(month));
    const untouched = named.filter(isUntouched);
    // What the terms carry forward is in no payment yet; of the two readings the nearer one counts.
    const isCarried = (leg: RevenueLeg) => leg.month === months.at(-1) && leg.carriedForward?.isPositive;
    const carried = new Set([...legs().values()].flatMap((leg) => (isCarried(leg) ? leg.currency : [])));
    const due = (items: readonly OpenItem[]) => items.filter((item) => !carried.has(item.currency));
    const ofOwn = sumOf(due(named).flatMap((item) => (item.currency === currency ? item.rest : [])));
    const leavesOut = isInCoin(payouts) && amount.lessThan(ofOwn);
    const near = (choices: readonly (readonly OpenItem[])[]) =>
      choices
        .filter((items) => !leavesOut || items.every((item) => item.currency !== currency))
        .flatMap((items) => valuedIn(currency, items, terms.eurRates, monthOf(first)) ?? [])
        .filter(({ value, converted }) => !amount.minus(value).abs().greaterThan(converted.times(terms.exchange)))
        .sort((a, b) => amount.minus(a.value).abs().compare(amount.minus(b.value).abs()));
    // What was taken back beyond what a month earned comes off, or does so later.
    const readingsOf = (items: readonly OpenItem[]) => [items, due(items), plusIn(items), due(plusIn(items))];
    // What another payment of these months was short of is in it, or is not: the nearer of the two.
    const [whole] = [[named, untouched], [all]].flatMap((each) => near(each.flatMap(readingsOf)).slice(0, 1));
    const chosen = whole ?? onlyOne(near(choicesOf(due(named), first.currency)));
    if (chosen === null) return false;
    const { items, values } = chosen;
    const valued = items.map((item, i) => {
      return { ...item, rest: inPlacesOf(item.rest, item.currency), value: values[i] ?? Decimal.ZERO };
    });
    for (const { payout, amount: rest } of share(payouts, valued, 'payment')) {
      const exchange = rest.rounded(minorUnitDigits(currency) ?? 2);
      if (exchange.isZero && payout !== payouts.at(-1)) continue;
      exchangeOf.set(payout, exchange);
      addMonthly(exchanges, items.at(-1)?.month ?? '', currency, exchange);
    }
    return true;

    /** Where several choices come to the payments, which was meant is not known. */
    function onlyOne<T>(choices: readonly T[]): T | null {
      const [only, ...others] = choices;
      if (others.length > 0) for (const payout of payouts) choicesFor.set(payout, choices.length);
      return others.length > 0 ? null : (only ?? null);
    }
  }

  /** True where the payments together are exactly a run of open items, which they then settle. */
  function payWhole(group: Group, runs: typeof grossRunsOf = runsOf): boolean {
    const open = openUpTo(group.months.at(-1) ?? '').filter(({ currency }) => currency === group.currency);
    return payExactly(runs(open, terms.takenBack), group);
  }

  /** The same of the first choice that comes to them, summed before it is rounded or after. */
  function payExactly(choices: readonly (readonly OpenItem[])[], { currency, payouts }: Group): boolean {
    const amount = paidBy(payouts);
    const rounded = (items: readonly OpenItem[]) =>
      items.map((item) => ({ ...item, rest: inPlacesOf(item.rest, currency) }));
    const comesTo = (items: readonly OpenItem[]) =>
      isExact(amount, sumOf(items.map(({ rest }) => rest)), currency, terms);
    const chosen = choices.find((items) => comesTo(items) || comesTo(rounded(items)));
    if (chosen === undefined || chosen.length === 0) return false;
    const inCents = rounded(chosen);
    const isSum = sumOf(inCents.map(({ rest }) => rest)).equals(amount);
    share(payouts, isSum ? inCents : roundedTogether(chosen), 'item');
    return true;
  }

  function addExchange(payout: Payout): void {
    const month = periodIn(payout)?.slice(-7) ?? before(payout);
    addMonthly(exchanges, month, PEGGED[payout.currency] ?? payout.currency, payout.amount);
  }

  /** As of the payments so far, by month and currency: each of years of them asks for all months. */
  function legs(): ReadonlyMap<string, RevenueLeg> {
    const settled = { paid, clawbacks, more: new Set<string>(), together: new Set<string>() };
    standing ??= new Map(legsOf(settled, terms).map((leg) => [keyOf(leg.month, leg.currency), leg]));
    return standing;
  }

  function legsIn(months: readonly string[], currency: string): readonly RevenueLeg[] {
    return months.flatMap((month) => legs().get(keyOf(month, currency)) ?? []);
  }

  /** Owed less paid: below zero where more was paid, or taken back. Without a clawback no leg has another sum, and legs cost. */
  function restOf(key: string): Decimal {
    const clawback = clawbacks.size === 0 ? undefined : legs().get(key)?.clawback;
    return sumOf([terms.accrued.get(key), clawback].flatMap((each) => each ?? [])).minus(paid.get(key) ?? Decimal.ZERO);
  }

  /** What is not paid yet up to a month, the oldest first: below zero where more was taken back. What rounding left of a paid one is not open. */
  function openUpTo(upTo: string): OpenItem[] {
    return earned.flatMap((key) => {
      const [month = '', currency = ''] = key.split(' ');
      const rest = restOf(key);
      const least = Decimal.of(1n, minorUnitDigits(currency) ?? 2);
      const isOpen = paid.has(key) ? !rest.abs().lessThan(least) : !inPlacesOf(rest, currency).isZero;
      return month > upTo || !isOpen ? [] : [{ month, currency, rest }];
    });
  }

  /**
   * One after the other; what is below zero comes first, as it adds to what is left for the others.
   * @param takes whether the last item or the last payment takes what is over or short
   * @returns what the items leave of each payment
   */
  function share(payouts: readonly Payout[], items: readonly OpenItem[], takes: 'item' | 'payment') {
    const left = payouts.map((payout) => ({ payout, amount: settledBy(payout).amount }));
    const { true: minus = [], false: plus = [] } = Object.groupBy(items, ({ rest }) => `${rest.isNegative}`);
    const ordered = [...minus, ...plus];
    for (const item of ordered) {
      let { rest, value: due = rest } = item;
      for (const each of left) {
        const isRest = takes === 'item' ? item === ordered.at(-1) : each === left.at(-1);
        const least = minDecimal(due, maxDecimal(each.amount, Decimal.ZERO));
        const value = !isRest ? least : takes === 'item' ? each.amount : due;
        if (value.isZero) continue;
        const isAll = takes === 'payment' && value.equals(due);
        const part = isAll ? rest : partOf(item, value);
        settle(each.payout, item.month, item.currency, part);
        each.amount = each.amount.minus(value);
        due = due.minus(value);
        rest = rest.minus(part);
      }
    }
    return left;
  }

  function settle(payout: Payout, month: string, currency: string, amount: Decimal): void {
    standing = null;
    addMonthly(paid, month, currency, amount);
    if (payout.type === 'clawback')
      entryOf(clawbacks, keyOf(month, currency), () => []).push({ amount, paidFor: before(payout) });
    const parts = entryOf(allocated, payout, () => []);
    const at = parts.findIndex((part) => part.month === month && part.currency === currency);
    const [same] = at < 0 ? [] : parts.splice(at, 1);
    const sum = amount.plus(same?.amount ?? Decimal.ZERO);
    if (!sum.isZero) parts.push({ month, currency, amount: sum });
    parts.sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : 0));
  }
}
