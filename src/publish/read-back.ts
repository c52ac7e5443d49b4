/** Reads a written file again and measures it: bytes, hash, rows and exact totals. */
import { createHash } from 'node:crypto';
import { setImmediate as others } from 'node:timers/promises';
import { Decimal } from '../domain/decimal.ts';
import { codeOf } from '../domain/errors.ts';
import type { WrittenFile } from '../ports/report-definition.ts';
import { TotalsBuilder } from './amounts.ts';
import { CsvReader, LONGEST_ROW } from './csv-reader.ts';
import type { FileSystem } from './file-system.ts';
import { type Profile, undefuse } from './profiles.ts';

/** Bytes read at a time: enough that the calls do not show, few enough that a piece's rows die in the young generation. */
const PIECE = 64 * 1024;

export interface ReadBack extends Pick<WrittenFile, 'bytes' | 'sha256' | 'rows' | 'totals'> {
  /** Why the text cannot be read as rows of the profile; counting and adding stopped there. Null is good. */
  unreadable: string | null;
}

/** A check across the cells of a row; `row` counts from 1, without the header. */
export type RowLook = (cells: readonly string[], row: number) => void;

interface ReadBackOptions {
  profile: Profile;
  fileSystem: FileSystem;
  /** Gets the header, and returns the check of the rows. */
  look?: (header: readonly string[]) => RowLook;
  /** No more bytes are read: another file in its place may have no end. */
  most?: number;
}

/** Turns text into rows of cells; the first is the header. */
interface RowReader {
  push(text: string): string[][];
  end(): string[][];
}

/**
 * @param file the file's name decides how it is read: `.csv` by the profile, `.ndjson`, anything else as mere bytes.
 * @throws the file system's own errors; never because of the file's content.
 */
export async function readBack(
  path: string,
  file: Pick<WrittenFile, 'name' | 'currency_columns'>,
  { profile, fileSystem, look = () => () => {}, most = Number.POSITIVE_INFINITY }: ReadBackOptions,
): Promise<ReadBack> {
  const hash = createHash('sha256');
  const tally = createTally(file, profile, look);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let bytes = 0;
  let unreadable: string | null = null;
  const read = (take: () => void): void => {
    if (tally === null || unreadable !== null) return;
    try {
      take();
    } catch (error) {
      unreadable =
        codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : (error as Error).message;
    }
  };
  for await (const piece of piecesOf(path, fileSystem)) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes > most) return { bytes, sha256: '', rows: null, totals: {}, unreadable: `has more than ${most} bytes` };
    read(() => tally?.push(decoder.decode(piece, { stream: true })));
  }
  read(() => tally?.end(decoder.decode()));
  const { rows, totals } = tally?.result() ?? { rows: null, totals: {} };
  return { bytes, sha256: hash.digest('hex'), rows, totals, unreadable };
}

/** A file's bytes, a piece at a time; a piece is only good until the next. */
export async function* piecesOf(path: string, fileSystem: FileSystem): AsyncGenerator<Uint8Array> {
  const file = fileSystem.open(path, 'r');
  try {
    const buffer = Buffer.alloc(PIECE);
    for (let read = fileSystem.read(file, buffer); read > 0; read = fileSystem.read(file, buffer)) {
      yield buffer.subarray(0, read);
      // A large file takes seconds: timers and signals are served in between.
      await others();
    }
  } finally {
    fileSystem.close(file);
  }
}

/** Counts and adds the rows of a table; null for files that have none. */
function createTally(
  file: Pick<WrittenFile, 'name' | 'currency_columns'>,
  profile: Profile,
  look: NonNullable<ReadBackOptions['look']>,
) {
  const reader = readerOf(file.name, profile);
  if (reader === null) return null;
  const isCsv = file.name.endsWith('.csv');
  const columns = Object.keys(file.currency_columns);
  const sums = new TotalsBuilder(columns);
  let header: readonly string[] | null = null;
  let places: { amount: number; currency: number }[] = [];
  let onRow: RowLook = () => {};
  let rows = 0;

  const begin = (names: readonly string[]): void => {
    header = names;
    const placeOf = (name: string): number => {
      const place = names.indexOf(name);
      if (place === -1) throw new Error(`the header has no column ${name}`);
      return place;
    };
    places = columns.map((name) => ({
      amount: placeOf(name),
      currency: placeOf(file.currency_columns[name] ?? ''),
    }));
    onRow = look(names);
  };

  const add = (cells: readonly string[]): void => {
    rows++;
    if (cells.length !== header?.length)
      throw new Error(`row ${rows}: has ${cells.length} cells, the header has ${header?.length}`);
    for (const [index, { amount, currency }] of places.entries()) {
      const number = amountOf(cells[amount] ?? '', rows, columns[index] ?? '');
      if (number === null) continue;
      const code = cells[currency] ?? '';
      sums.add(index, isCsv ? undefuse(code, profile) : code, number);
    }
    onRow(cells, rows);
  };

  const amountOf = (cell: string, row: number, column: string): Decimal | null => {
    try {
      return readNumber(cell, isCsv ? profile.decimalPoint : '.');
    } catch (error) {
      throw new Error(`row ${row}: ${column} is not a number: ${cell.slice(0, 40)}`, { cause: error });
    }
  };

  const take = (found: readonly string[][]): void => {
    for (const cells of found) {
      if (header === null) begin(cells);
      else add(cells);
    }
  };

  return {
    push: (text: string) => take(reader.push(text)),
    end: (text: string) => {
      take(reader.push(text));
      take(reader.end());
      // An NDJSON file without rows names no columns either.
      if (header === null && isCsv) throw new Error('has no header');
    },
    result: () => ({ rows, totals: sums.totals() }),
  };
}

/** Reads a table's text as rows of cells, the header first; null for a file that is no table. */
export function readerOf(name: string, profile: Profile): RowReader | null {
  if (name.endsWith('.ndjson')) return new NdjsonReader();
  if (!name.endsWith('.csv')) return null;
  const reader = new CsvReader(profile);
  if (!profile.bom) return reader;
  let isFirst = true;
  return {
    push: (text) => {
      if (!isFirst || text === '') return reader.push(text);
      isFirst = false;
      if (!text.startsWith('\uFEFF')) throw new Error(`begins without the byte order mark of profile ${profile.name}`);
      return reader.push(text.slice(1));
    },
    end: () => reader.end(),
  };
}

/** A number cell; null where it is empty. @throws DecimalSyntaxError */
export function readNumber(cell: string, decimalPoint: Profile['decimalPoint']): Decimal | null {
  if (cell === '') return null;
  return Decimal.fromPrinted(decimalPoint === '.' ? cell : cell.replace(decimalPoint, '.'));
}

/** Reads NDJSON as published: an object per line, all with the same keys; values become cells, unknown an empty one. */
class NdjsonReader {
  private rest = '';
  private header: string | null = null;
  private rows = 0;

  /** The rows that are whole with this piece of text; before the first, the header. @throws Error with the row. */
  push(text: string): string[][] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LONGEST_ROW) throw new Error(`row ${this.rows + lines.length + 1}: is too long`);
    return lines.flatMap((line) => this.read(line));
  }

  end(): string[][] {
    const last = this.rest;
    this.rest = '';
    return last === '' ? [] : this.read(last);
  }

  private read(line: string): string[][] {
    this.rows++;
    const row = objectOf(line);
    if (row === null) throw new Error(`row ${this.rows}: is not a JSON object`);
    const keys = Object.keys(row);
    const cells = Object.values(row).map((value) => (value === null ? '' : String(value)));
    const names = JSON.stringify(keys);
    if (this.header === null) {
      this.header = names;
      return [keys, cells];
    }
    if (this.header !== names) throw new Error(`row ${this.rows}: has other keys than the first row`);
    return [cells];
  }
}

function objectOf(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
