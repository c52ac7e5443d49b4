/** Items of the host's share that a payment may be for, and the choices among them that are tried. Pure. */
import type { Decimal } from '../domain/decimal.ts';

/** What a month has open in one currency. */
export interface OpenItem {
  month: string;
  currency: string;
  rest: Decimal;
  /** Of `rest`, in the currency of the payments; absent where that is the item's own. */
  value?: Decimal;
}

/** More are not tried one by one. */
const MOST_ITEMS = 8;

/** Some of the open items; what is paid in a currency, and not in a coin, pays that one in any case. */
export function choicesOf(items: readonly OpenItem[], paidIn: string): (readonly OpenItem[])[] {
  if (items.length > MOST_ITEMS) return [];
  let all: (readonly OpenItem[])[] = [[]];
  for (const item of items) all = all.flatMap((some) => [some, [...some, item]]);
  const own = items.filter(({ currency }) => currency === paidIn);
  return all.filter((some) => own.every((item) => some.includes(item)));
}

/** Runs of items that one payment may be for: from the oldest on, then those that end with the newest, the shorter ones first. */
export function runsOf<T>(items: readonly T[]): (readonly T[])[] {
  return [...items.map((_, i) => items.slice(0, i + 1)), ...items.map((_, i) => items.slice(items.length - 1 - i))];
}
