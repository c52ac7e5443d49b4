/** Small CSV files that people keep by hand: with a header, comma or semicolon, with or without a byte order mark. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { Decimal, DecimalSyntaxError } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';

interface CsvLine {
  line: number;
  /** Header names in lower case; null for a cell that is empty or not there. */
  cell: (name: string) => string | null;
}

/** @throws UsageError that names the file, and the line where there is one. */
export function readCsv(file: string, required: readonly string[]): readonly CsvLine[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  return parseCsv(text, file, required);
}

const delimiterOf = (header: string) => (header.split(';').length > header.split(',').length ? ';' : ',');

/** The names in the first line, in lower case. */
export function headerOf(text: string): readonly string[] {
  const header = text.split('\n', 1)[0] ?? '';
  return header.split(delimiterOf(header)).map((name) => name.trim().toLowerCase().replace(/^"|"$/g, ''));
}

/** @throws UsageError that names the file, and the line where there is one. */
export function parseCsv(text: string, file: string, required: readonly string[]): readonly CsvLine[] {
  const names = headerOf(text);
  const delimiter = delimiterOf(text.split('\n', 1)[0] ?? '');
  let parsed: { record: Record<string, string>; info: { lines: number } }[];
  try {
    parsed = parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
      delimiter,
      info: true,
      relax_column_count_less: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new UsageError(`${file}: not a CSV file: ${(error as Error).message}`, { cause: error });
  }
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new UsageError(`${file}:1: the header lacks ${missing.join(', ')}; it has ${names.join(', ')}`);
  return parsed.map(({ record, info }) => ({
    line: info.lines,
    cell: (name) => {
      const value = record[name]?.trim() ?? '';
      return value === '' ? null : value;
    },
  }));
}

/** @throws UsageError for a text that is no plain decimal. A decimal comma is accepted where there is no point. */
export function readAmount(file: string, line: number, name: string, text: string | null): Decimal | null {
  if (text === null) return null;
  try {
    return Decimal.parse(text.includes('.') ? text : text.replace(',', '.'));
  } catch (error) {
    if (!(error instanceof DecimalSyntaxError)) throw error;
    throw new UsageError(`${file}:${line}: ${name} ${text}: not a plain number; write it as 1234.56`, { cause: error });
  }
}
