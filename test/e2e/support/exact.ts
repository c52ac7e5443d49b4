/** Decimal sums of printed cells by a library that the code under test does not use, so that no code checks itself. */
import Big from 'big.js';

/** The sum as plain text; empty where nothing is known, as a report cell is. */
export function sumOf(cells: readonly (string | undefined)[]): string {
  const known = cells.filter((cell) => cell !== undefined && cell !== '');
  if (known.length === 0) return '';
  return known.reduce((sum, cell) => sum.plus(cell ?? 0), new Big(0)).toFixed();
}

export function add(a: string, b: string): string {
  return sumOf([a, b]);
}

/** Equal as numbers, or both unknown: zero is not the same as unknown. */
export function same(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || a === '' || b === '') return a === b;
  return new Big(a).eq(new Big(b));
}
