/** Values of the domain as cells of a row, and back. The reading half is the hot path of a replay. */
import { Decimal } from '../domain/decimal.ts';
import type { Cell } from './engine.ts';

/** BigInt reads an empty text as zero, and unknown is never zero. */
function digits(cell: Cell | undefined): string {
  if (typeof cell !== 'string' || cell === '' || cell === '.')
    throw new SyntaxError('a number in the database is damaged');
  return cell;
}

/**
 * A decimal that this store wrote: plain digits, at most one point, so no syntax needs checking.
 * @throws SyntaxError where a damaged row holds something else.
 */
export function readDecimal(cell: Cell | undefined): Decimal {
  const text = digits(cell);
  const point = text.indexOf('.');
  if (point < 0) return Decimal.of(BigInt(text));
  return Decimal.of(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1);
}

export function readDecimalOrNull(cell: Cell | undefined): Decimal | null {
  return cell === null ? null : readDecimal(cell);
}

/** @throws SyntaxError as readDecimal. */
export function readUnits(cell: Cell | undefined): bigint {
  return BigInt(digits(cell));
}

export function readUnitsOrNull(cell: Cell | undefined): bigint | null {
  return cell === null ? null : readUnits(cell);
}

export function decimalCell(value: Decimal | null): string | null {
  return value === null ? null : value.toString();
}

export function unitsCell(value: bigint | null): string | null {
  return value === null ? null : value.toString();
}

export function flagCell(value: boolean): number {
  return value ? 1 : 0;
}
