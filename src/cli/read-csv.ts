/** CSV files that are given to a command by name. */
import { readFileSync } from 'node:fs';
import { type CsvLine, readCsvText, readDecimal } from '../domain/csv-lines.ts';
import { type Decimal, DecimalSyntaxError } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';

/** @throws UsageError that names the file, and the line where there is one. */
export function readCsv(file: string, required: readonly string[]): readonly CsvLine[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  return parseCsv(text, file, required);
}

/** @throws UsageError that names the file, and the line where there is one. */
export function parseCsv(text: string, file: string, required: readonly string[]): readonly CsvLine[] {
  let read: ReturnType<typeof readCsvText>;
  try {
    read = readCsvText(text);
  } catch (error) {
    throw new UsageError(`${file}: not a CSV file: ${(error as Error).message}`, { cause: error });
  }
  const { header, lines } = read;
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new UsageError(`${file}:1: the header lacks ${missing.join(', ')}; it has ${header.join(', ')}`);
  return lines;
}

/** @throws UsageError for a text that is no plain decimal. */
export function readAmount(file: string, line: number, name: string, text: string | null): Decimal | null {
  if (text === null) return null;
  try {
    return readDecimal(text);
  } catch (error) {
    if (!(error instanceof DecimalSyntaxError)) throw error;
    throw new UsageError(`${file}:${line}: ${name} ${text}: not a plain number; write it as 1234.56`, { cause: error });
  }
}
