/** Values of the domain as cells of a row, and back. The reading half is the hot path of a replay. */
import { Decimal } from '../domain/decimal.ts';
import type { Cell } from './engine.ts';

/**
 * A decimal that this store wrote: plain digits, at most one point, so no syntax needs checking.
 * @throws SyntaxError where a damaged row holds something else.
 */
export function readDecimal(cell: Cell | undefined): Decimal {
  const text = cell as string;
  const point = text.indexOf('.');
  if (point < 0) return Decimal.of(BigInt(text));
  return Decimal.of(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1);
}

export function readDecimalOrNull(cell: Cell | undefined): Decimal | null {
  return cell === null ? null : readDecimal(cell);
}

export function readUnitsOrNull(cell: Cell | undefined): bigint | null {
  return cell === null ? null : BigInt(cell as string);
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
