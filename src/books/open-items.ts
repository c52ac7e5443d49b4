/** Items of the host's share that a payment may be for, the choices among them that are tried, and what those are worth. Pure. */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { type RunRevenue, valueIn } from '../domain/payout.ts';
import { inPlacesOf } from '../domain/stake.ts';

/** What a month has open in one currency. */
export interface OpenItem {
  month: string;
  currency: string;
  /** Still to be paid, in `currency`. */
  rest: Decimal;
  /** Of `rest`, in the currency of the payments; absent where that is the item's own. */
  value?: Decimal;
}

/** Without those of which more was taken back than is owed. */
export const plusIn = (items: readonly OpenItem[]) => items.filter(({ rest }) => rest.isPositive);

/** The others, by month, to the minor unit. */
export const minusIn = (items: readonly OpenItem[]) =>
  new Map(
    items.filter(({ rest }) => rest.isNegative).map(({ month, rest, currency }) => [month, inPlacesOf(rest, currency)]),
  );

/** What a part of an item's value is of the item itself. */
export function partOf({ rest, value: whole = rest, currency }: OpenItem, value: Decimal): Decimal {
  return rest.equals(whole) ? value : rest.times(value).dividedBy(whole, minorUnitDigits(currency) ?? 2);
}

/** More are not tried one by one. */
const MOST_CURRENCIES = 8;

/** Some of the currencies, each with all that it has open; what is paid in a currency, and not in a coin, pays that one in any case. */
export function choicesOf(items: readonly OpenItem[], paidIn: string): (readonly OpenItem[])[] {
  const each = [...Map.groupBy(items, ({ currency }) => currency).values()];
  const owed = each.filter((own) => sumOf(own.map(({ rest }) => rest)).isPositive);
  if (owed.length > MOST_CURRENCIES) return [];
  let all: (readonly OpenItem[])[] = [[]];
  for (const own of owed) all = all.flatMap((some) => [some, [...some, ...own]]);
  return all.filter((some) => items.every((item) => item.currency !== paidIn || some.includes(item)));
}

/** Null where all are of that currency, or a rate is unknown. @param at the month whose rates count first */
export function valuedIn(currency: string, items: readonly OpenItem[], eurRates: RunRevenue['eurRates'], at: string) {
  const values = items.map((item) => valueIn(item.rest, item.currency, currency, eurRates, [at, item.month]));
  if (items.every((item) => item.currency === currency) || values.includes(null)) return null;
  const sums = values.map((each) => each ?? Decimal.ZERO);
  // Rates explain what was converted, and nothing of what is paid in its own currency.
  const converted = sumOf(sums.filter((_, i) => items[i]?.currency !== currency));
  return { items, values, value: sumOf(sums), converted };
}

/** Each to the minor unit, so that they come to their sum rounded once: none is more than a minor unit off. All of one currency. */
export function roundedTogether(items: readonly OpenItem[]): readonly OpenItem[] {
  let [sum, given] = [Decimal.ZERO, Decimal.ZERO];
  return items.map((item) => {
    sum = sum.plus(item.rest);
    const rest = inPlacesOf(sum, item.currency).minus(given);
    given = given.plus(rest);
    return { ...item, rest };
  });
}
