/** The lines that the arithmetic of a break is written out in. Every figure is exact: nothing is rounded to be shown. */
import { minorUnitDigits } from '../domain/currency.ts';
import type { Decimal } from '../domain/decimal.ts';
import { allowance, type Tolerance } from '../domain/tolerance.ts';

/** One line: `difference   2.49 − 1.99   +0.50 EUR`. */
export interface WorkingLine {
  label: string;
  /** How the result comes about; null for a figure that was read and not computed. */
  working: string | null;
  result: string;
  /** Currency, asset identifier, `%`; null for what has none. */
  unit: string | null;
}

/** A break worked out anew, line by line, from what the run stored. */
export interface Workings {
  lines: readonly WorkingLine[];
  /** actual − expected and the largest one accepted, as these lines come to them; null where the break has no number. */
  difference: Decimal | null;
  tolerance: Decimal | null;
}

/** Exact, and with the places of its currency at least: `0.50`, `11.171782178217821`. */
export function figure(value: Decimal, unit: string | null): string {
  const exact = value.toString();
  const digits = unit === null ? undefined : minorUnitDigits(unit);
  if (digits === undefined) return exact;
  const places = exact.includes('.') ? exact.length - exact.indexOf('.') - 1 : 0;
  return places < digits ? value.toPlaces(digits) : exact;
}

/** The same with its sign, for differences: `+0.50`. */
export function signed(value: Decimal, unit: string | null): string {
  return value.isNegative || value.isZero ? figure(value, unit) : `+${figure(value, unit)}`;
}

/** A figure inside a working: a negative one in brackets. */
export function term(value: Decimal, unit: string | null = null): string {
  return value.isNegative ? `(${figure(value, unit)})` : figure(value, unit);
}

export function amount(label: string, value: Decimal, unit: string | null): WorkingLine {
  return { label, working: null, result: figure(value, unit), unit };
}

export function fact(label: string, text: string): WorkingLine {
  return { label, working: null, result: text, unit: null };
}

export function worked(label: string, working: string, value: Decimal, unit: string | null): WorkingLine {
  return { label, working, result: figure(value, unit), unit };
}

/** `actual − expected`, and the line that says so. */
export function differenceLine(
  actual: Decimal,
  expected: Decimal,
  unit: string | null,
): { line: WorkingLine; difference: Decimal } {
  const difference = actual.minus(expected);
  const working = `${term(actual, unit)} − ${term(expected, unit)}`;
  return { line: { label: 'difference', working, result: signed(difference, unit), unit }, difference };
}

/** The larger of the absolute and the relative allowance, and the line that says so. */
export function toleranceLine(
  tolerance: Tolerance,
  expected: Decimal,
  unit: string | null,
): { line: WorkingLine; allowed: Decimal } {
  const { absolute, relative } = tolerance;
  const share = relative.times(expected.abs());
  const allowed = allowance(tolerance, expected);
  const working = `the larger of ${figure(absolute, unit)} and ${figure(share, unit)} (${relative} × ${figure(expected.abs(), unit)})`;
  return { line: worked('tolerance', working, allowed, unit), allowed };
}

/** A share of the expected figure alone. */
export function relativeLine(
  relative: Decimal,
  expected: Decimal,
  unit: string | null,
): { line: WorkingLine; allowed: Decimal } {
  const allowed = relative.times(expected.abs());
  return { line: worked('tolerance', `${relative} × ${figure(expected.abs(), unit)}`, allowed, unit), allowed };
}

/** The last line: whether the difference is more than is accepted. */
export function outcomeLine(difference: Decimal, allowed: Decimal, unit: string | null): WorkingLine {
  const size = difference.abs();
  const beyond = size.greaterThan(allowed);
  return {
    label: 'outcome',
    working: `${figure(size, unit)} ${beyond ? '>' : '≤'} ${figure(allowed, unit)}`,
    result: beyond ? 'a break' : 'within tolerance',
    unit: null,
  };
}

/** The outcome of a comparison that has no number in it. */
export function plainOutcome(working: string, isBreak: boolean): WorkingLine {
  return { label: 'outcome', working, result: isBreak ? 'a break' : 'no break', unit: null };
}

/** Two figures compared with each other: difference, tolerance, outcome. */
export function compared(
  before: readonly WorkingLine[],
  sides: { actual: Decimal; expected: Decimal; unit: string | null },
  tolerance: { line: WorkingLine; allowed: Decimal },
): Workings {
  const { line, difference } = differenceLine(sides.actual, sides.expected, sides.unit);
  const { allowed } = tolerance;
  return {
    lines: [...before, line, tolerance.line, outcomeLine(difference, allowed, sides.unit)],
    difference,
    tolerance: allowed,
  };
}

/** Lines without a number to compare. */
export function wordsOnly(lines: readonly WorkingLine[]): Workings {
  return { lines, difference: null, tolerance: null };
}
