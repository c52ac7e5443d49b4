/**
 * Reads CSV by RFC 4180, piece by piece, and refuses what a strict parser refuses. Written by hand for speed, because every
 * published file is read back first; a property test holds it equal to csv-parse.
 */
import type { Profile } from './profiles.ts';

/** Thrown for text that is not CSV of the profile; `row` counts from 1, the header being row 1. */
export class CsvSyntaxError extends Error {
  override readonly name = 'CsvSyntaxError';
  constructor(row: number, what: string) {
    super(`row ${row}: ${what}`);
  }
}

/** Bounds the memory that an unclosed quote takes, in characters. */
export const LONGEST_ROW = 4 * 1024 * 1024;

interface ReadRow {
  cells: string[];
  /** Where the next row begins. */
  next: number;
}

export class CsvReader {
  private readonly delimiter: string;
  private readonly lineEnd: string;
  private rest = '';
  private rows = 0;

  constructor({ delimiter, lineEnd }: Pick<Profile, 'delimiter' | 'lineEnd'>) {
    this.delimiter = delimiter;
    this.lineEnd = lineEnd;
  }

  /** The rows that this piece of text completes. @throws CsvSyntaxError */
  push(text: string): string[][] {
    return this.take(this.rest + text, false);
  }

  /** The last row, where no line end follows it. @throws CsvSyntaxError */
  end(): string[][] {
    return this.take(this.rest, true);
  }

  private take(text: string, isEnd: boolean): string[][] {
    const rows: string[][] = [];
    let at = 0;
    let quote = text.indexOf('"');
    while (at < text.length) {
      if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
      const end = text.indexOf(this.lineEnd, at);
      const plainEnd = end === -1 && isEnd ? text.length : end;
      if (plainEnd !== -1 && (quote === -1 || quote > plainEnd)) {
        rows.push(text.slice(at, plainEnd).split(this.delimiter));
        at = plainEnd === end ? end + this.lineEnd.length : plainEnd;
      } else {
        const row = quote === -1 ? null : this.quotedRow(text, at, isEnd, this.rows + rows.length + 1);
        if (row === null) break;
        rows.push(row.cells);
        at = row.next;
      }
    }
    this.rest = text.slice(at);
    this.rows += rows.length;
    if (this.rest.length > LONGEST_ROW) throw new CsvSyntaxError(this.rows + 1, 'a quote is opened and never closed');
    return rows;
  }

  /** A row with at least one quote in it; null where the text ends before the row does. */
  private quotedRow(text: string, from: number, isEnd: boolean, row: number): ReadRow | null {
    const cells: string[] = [];
    for (let at = from; ; at += this.delimiter.length) {
      const cell = text[at] === '"' ? quotedCell(text, at, isEnd, row) : this.plainCell(text, at, isEnd, row);
      if (cell === null) return null;
      cells.push(cell.value);
      at = cell.end;
      if (text.startsWith(this.delimiter, at)) continue;
      if (text.startsWith(this.lineEnd, at)) return { cells, next: at + this.lineEnd.length };
      if (at === text.length) return isEnd ? { cells, next: at } : null;
      // Half of CR LF: the other half comes with the next piece.
      if (!isEnd && this.lineEnd.startsWith(text.slice(at))) return null;
      throw new CsvSyntaxError(row, 'text follows a closing quote');
    }
  }

  private plainCell(text: string, at: number, isEnd: boolean, row: number): { value: string; end: number } | null {
    const delimiter = text.indexOf(this.delimiter, at);
    const lineEnd = text.indexOf(this.lineEnd, at);
    if (delimiter === -1 && lineEnd === -1 && !isEnd) return null;
    const end = Math.min(...[delimiter, lineEnd].filter((found) => found !== -1), text.length);
    const value = text.slice(at, end);
    if (value.includes('"')) throw new CsvSyntaxError(row, 'a quote inside an unquoted cell');
    return { value, end };
  }
}

function quotedCell(text: string, at: number, isEnd: boolean, row: number): { value: string; end: number } | null {
  let value = '';
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) {
      if (isEnd) throw new CsvSyntaxError(row, 'a quote is opened and never closed');
      return null;
    }
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      // At the end of a piece, the next one may begin with the second quote of a pair.
      return quote + 1 === text.length && !isEnd ? null : { value, end: quote + 1 };
    }
    value += '"';
    from = quote + 2;
  }
}
