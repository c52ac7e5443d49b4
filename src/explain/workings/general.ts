/** The arithmetic of a rule that nobody wrote a worker for: what its finding itself says. */
import type { Finding } from '../../domain/finding.ts';
import { amount, fact, outcomeLine, signed, type WorkingLine } from './lines.ts';

type Told = Pick<Finding, 'expected' | 'actual' | 'difference' | 'currency' | 'tolerance'>;

export function asFound({ expected, actual, difference, currency, tolerance }: Told): readonly WorkingLine[] {
  const sides = [fact('expected', expected ?? 'nothing in particular'), fact('found', actual ?? 'nothing')];
  if (difference === null) return sides;
  const working = expected === null || actual === null ? null : `${actual} − ${expected}`;
  const apart: WorkingLine = { label: 'difference', working, result: signed(difference, currency), unit: currency };
  if (tolerance === null) return [...sides, apart];
  return [...sides, apart, amount('tolerance', tolerance, currency), outcomeLine(difference, tolerance, currency)];
}
