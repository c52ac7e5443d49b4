/** Whether two lines of a price list could hold for one record, and gaps between bands of amounts and between dates. */
import type { Decimal } from '../../domain/decimal.ts';
import type { PriceLine } from '../../domain/price-list.ts';

export function overlap(a: PriceLine, b: PriceLine): boolean {
  if (a.isDefault || b.isDefault) return a.isDefault && b.isDefault;
  const lists = ['kinds', 'methods', 'currencies', 'countries', 'assets'] as const;
  return (
    lists.every((name) => share(a[name], b[name])) &&
    meets(bandOf(a), bandOf(b), (x, y) => x.compare(y)) &&
    meets(datesOf(a), datesOf(b), (x, y) => x - y)
  );
}

function share(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return a === null || b === null || a.some((each) => b.includes(each));
}

/** [from, to); null is open on that side. */
interface Range<T> {
  from: T | null;
  to: T | null;
}

const bandOf = ({ amount }: PriceLine): Range<Decimal> => amount ?? { from: null, to: null };
const datesOf = ({ dates }: PriceLine): Range<number> => dates ?? { from: null, to: null };

function meets<T>(a: Range<T>, b: Range<T>, compare: (x: T, y: T) => number): boolean {
  const isBefore = (x: Range<T>, y: Range<T>) => x.to !== null && y.from !== null && compare(x.to, y.from) <= 0;
  return !isBefore(a, b) && !isBefore(b, a);
}

/** Lines that differ in their band alone, or in their dates alone, are meant to follow on each other. */
export function bandGaps(lines: readonly PriceLine[]): { line: number; message: string }[] {
  const bands = gapsIn(lines, 'amount', bandOf, (x, y) => x.compare(y));
  const days = gapsIn(lines, 'dates', datesOf, (x, y) => x - y);
  return [
    ...bands.map(({ line, from, to }) => ({
      line: line.line,
      message: `amounts from ${from} to ${to} ${bandCurrency(line)} have no price`,
    })),
    ...days.map(({ line, from, to }) => ({
      line: line.line,
      message: `${day(from)} to ${day(to - DAY)} has no price`,
    })),
  ];
}

const DAY = 86_400_000;
const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const bandCurrency = ({ currencies }: PriceLine) => currencies?.[0] ?? '';

/** The predicates without the one that the lines are ordered by, and without their prices. */
function predicates({ kinds, methods, currencies, countries, assets, amount, dates }: PriceLine): string {
  const sorted = [kinds, methods, currencies, countries, assets].map((list) =>
    list === null ? null : [...list].sort(),
  );
  return JSON.stringify([...sorted, amount, dates]);
}

function gapsIn<T>(
  lines: readonly PriceLine[],
  field: 'amount' | 'dates',
  rangeOf: (line: PriceLine) => Range<T>,
  compare: (x: T, y: T) => number,
): { line: PriceLine; from: T; to: T }[] {
  const gaps: { line: PriceLine; from: T; to: T }[] = [];
  const ranged = lines.filter((line) => line[field] !== null);
  for (const group of Map.groupBy(ranged, (line) => predicates({ ...line, [field]: null })).values()) {
    const sorted = [...group].sort((a, b) => {
      const [x, y] = [rangeOf(a).from, rangeOf(b).from];
      return x === null || y === null ? (x === null ? -1 : 1) : compare(x, y);
    });
    for (const [index, line] of sorted.entries()) {
      const before = sorted[index - 1];
      const [to, from] = [before === undefined ? null : rangeOf(before).to, rangeOf(line).from];
      if (to !== null && from !== null && compare(to, from) < 0) gaps.push({ line, from: to, to: from });
    }
  }
  return gaps;
}
