/** Cells of a report's file as values: empty is unknown. */
import { Decimal } from '../../src/domain/decimal.ts';

export function decimalOf(cell: string | undefined): Decimal | null {
  return cell === undefined || cell === '' ? null : Decimal.parse(cell);
}

/** Counts are whole numbers; empty counts nothing. */
export function countOf(cell: string | undefined): number {
  return cell === undefined || cell === '' ? 0 : Number.parseInt(cell, 10);
}

/** `part / whole` in percent; null where there is no whole to be a part of. */
export function percentOf(part: Decimal | null, whole: Decimal | null, places = 6): Decimal | null {
  if (part === null || whole === null || whole.isZero) return null;
  return part.times(Decimal.HUNDRED).dividedBy(whole, places);
}

/** `12,345` */
export function many(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 record`, `2 records` */
export function counted(count: number, noun: string): string {
  return `${many(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Columns of texts, at the left. */
export const left = (...titles: readonly string[]) => titles.map((title) => ({ title }));

/** Columns of figures, at the right. */
export const right = (...titles: readonly string[]) => titles.map((title) => ({ title, align: 'right' as const }));
