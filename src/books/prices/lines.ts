/** Whether two lines of a price list could hold for one record, and gaps between bands of amounts and between dates. */
import { addDays } from '../../domain/calendar.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { PriceLine } from '../../domain/price-list.ts';

export function overlap(a: PriceLine, b: PriceLine): boolean {
  if (a.isDefault || b.isDefault) return a.isDefault && b.isDefault;
  const lists = ['kinds', 'methods', 'currencies', 'countries', 'assets'] as const;
  return (
    lists.every((name) => share(a[name], b[name])) && RANGED.every((name) => meets(rangeOf(a, name), rangeOf(b, name)))
  );
}

function share(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return a === null || b === null || a.some((each) => b.includes(each));
}

/** [from, to); null is open on that side. Of dates in milliseconds. */
interface Range {
  from: Decimal | null;
  to: Decimal | null;
}

const RANGED = ['amount', 'dates'] as const;

function rangeOf({ amount, dates }: PriceLine, field: (typeof RANGED)[number]): Range {
  if (field === 'amount') return amount ?? { from: null, to: null };
  const exact = (at: number | null | undefined) => (at == null ? null : Decimal.of(BigInt(at)));
  return { from: exact(dates?.from), to: exact(dates?.to) };
}

function meets(a: Range, b: Range): boolean {
  const isBefore = ({ to }: Range, { from }: Range) => to !== null && from !== null && to.compare(from) <= 0;
  return !isBefore(a, b) && !isBefore(b, a);
}

/** Lines that differ in their band alone, or in their dates alone, are meant to follow on each other. */
export function bandGaps(lines: readonly PriceLine[]): { line: number; message: string }[] {
  return RANGED.flatMap((field) =>
    gapsIn(lines, field).map(({ line, from, to }) => {
      const [currency = ''] = line.currencies ?? [];
      const what =
        field === 'amount' ? `amounts from ${from} to ${to} ${currency} have` : `${day(from)} to ${day(to, 1)} has`;
      return { line: line.line, message: `${what} no price` };
    }),
  );
}

/** @param before so many days before it */
const day = (at: Decimal, before = 0) => addDays(new Date(Number(at.toString())).toISOString().slice(0, 10), -before);

/** The predicates without the one that the lines are ordered by, and without their prices. */
function predicates({ kinds, methods, currencies, countries, assets, amount, dates }: PriceLine): string {
  const sorted = [kinds, methods, currencies, countries, assets].map((list) =>
    list === null ? null : [...list].sort(),
  );
  return JSON.stringify([...sorted, amount, dates]);
}

function gapsIn(lines: readonly PriceLine[], field: (typeof RANGED)[number]) {
  const gaps: { line: PriceLine; from: Decimal; to: Decimal }[] = [];
  const ranged = lines.filter((line) => line[field] !== null);
  for (const group of Map.groupBy(ranged, (line) => predicates({ ...line, [field]: null })).values()) {
    const sorted = [...group].sort((a, b) => {
      const [x, y] = [rangeOf(a, field).from, rangeOf(b, field).from];
      return x === null || y === null ? (x === null ? -1 : 1) : x.compare(y);
    });
    for (const [index, line] of sorted.entries()) {
      const before = sorted[index - 1];
      const [to, from] = [before === undefined ? null : rangeOf(before, field).to, rangeOf(line, field).from];
      if (to !== null && from?.greaterThan(to) === true) gaps.push({ line, from: to, to: from });
    }
  }
  return gaps;
}
