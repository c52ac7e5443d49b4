/** Cells of a row and their conversion from and to domain values. Reading is the hot path of a replay. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Decimal } from '../domain/decimal.ts';
import { UnavailableError } from '../domain/errors.ts';
import type { BusinessDate } from '../domain/record.ts';

/** One value of a row. Decimals are text, instants integer milliseconds, days integers, booleans 0 and 1. */
export type Cell = string | number | Uint8Array | null;
/** A row as an array, in the order of the selected columns: several times cheaper than an object for wide rows. */
export type Row = readonly Cell[];

/** Columns that a row does not have are null. */
export const cellsIn = (columns: readonly string[], rows: readonly object[]): readonly Row[] =>
  (rows as readonly Readonly<Record<string, Cell>>[]).map((row) => columns.map((column) => row[column] ?? null));

/** Of rows of a table's name and a column of it: the columns by table. */
export function namedColumns(rows: readonly Row[]): ReadonlyMap<string, readonly string[]> {
  const byTable = Map.groupBy(rows, ([table]) => String(table));
  return new Map([...byTable].map(([table, own]) => [table, own.map(([, column]) => String(column))]));
}

/** `BigInt('')` is zero, and unknown is never zero. */
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

const DAY_MS = 86_400_000;
const FORM = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Days from 1970-01-01 to the date.
 * @throws RangeError where the text is not a calendar day `YYYY-MM-DD`.
 */
export function dayOf(date: BusinessDate): number {
  const match = FORM.exec(date);
  if (match !== null) {
    const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
    // Date.UTC turns 2026-02-30 into a day of March; the round trip detects that.
    if (dateOf(ms / DAY_MS) === date) return ms / DAY_MS;
  }
  throw new RangeError(`not a calendar day: ${date.slice(0, 20)}`);
}

export function dateOf(day: number): BusinessDate {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function dateOrNull(day: number | null): BusinessDate | null {
  return day === null ? null : dateOf(day);
}

/**
 * Evidence texts are stored as raw deflate streams (RFC 1951). A body of 640 bytes would shrink by a third only, and that takes 5 %
 * of a night's processor time: up to a kilobyte it is a stored block. A longer text that fits into a small window is
 * compressed with one, which halves the time for nearly the same bytes and avoids an output buffer of 16 KiB.
 */
const LONGEST_STORED = 1024;
const LONGEST_SHORT = 4096;
const SHORT = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 2048 };
const LONG = { level: 1 };

/** @param text lengths are compared in characters, to spare most texts a count of their bytes */
export function deflateText(text: string): Uint8Array {
  if (text.length <= LONGEST_STORED) return storedBlock(text);
  return deflateRawSync(text, text.length <= LONGEST_SHORT ? SHORT : LONG);
}

/** One last block without compression, of at most 65,535 bytes: five bytes of head, then the text. zlib takes 2 µs for it. */
function storedBlock(text: string): Uint8Array {
  const size = Buffer.byteLength(text);
  const block = Buffer.allocUnsafe(5 + size);
  block.writeUInt8(1, 0);
  block.writeUInt16LE(size, 1);
  block.writeUInt16LE(~size & 0xffff, 3);
  block.write(text, 5);
  return block;
}

/** No body and no list that was stored is longer. */
const LONGEST_TEXT = 64 * 1024 * 1024;

/** The text of a block as `storedBlock` writes it; null for any other: it takes zlib longer to set itself up than to read one. */
function readStored(deflated: Uint8Array): string | null {
  const block = Buffer.from(deflated.buffer, deflated.byteOffset, deflated.length);
  if (block.length < 5 || block[0] !== 1) return null;
  const size = block.readUInt16LE(1);
  const isWhole = size === block.length - 5 && block.readUInt16LE(3) === (~size & 0xffff);
  return isWhole ? block.toString('utf8', 5) : null;
}

/** @throws UnavailableError where another hand wrote the bytes */
export function inflateText(deflated: Uint8Array): string {
  const stored = readStored(deflated);
  if (stored !== null) return stored;
  try {
    // Most texts are short: zlib's own buffer of 16 KiB for each would take a fifth of the time.
    const chunkSize = deflated.length < LONGEST_SHORT ? LONGEST_SHORT : undefined;
    return inflateRawSync(deflated, { maxOutputLength: LONGEST_TEXT, chunkSize }).toString('utf8');
  } catch (cause) {
    const remedy = 'restore a backup; `tieout db check` says whether its figures hold';
    throw new UnavailableError('a text in the database is damaged', { remedy, cause });
  }
}
