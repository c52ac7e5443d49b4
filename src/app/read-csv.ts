/** Reads files that arguments of commands and settings name. */
import { CsvError } from 'csv-parse/sync';
import { type Decimal, readDecimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import { type CsvLine, readCsvText } from '../text/csv-lines.ts';
import { readText, whyUnreadable } from '../text/unreadable.ts';
import { headerText, shortened } from '../text/visible.ts';

/**
 * @param remedy of what the file itself lacks, for one that a setting names
 * @throws UsageError that names the file, and the line where there is one.
 */
export function readCsv(file: string, required: readonly string[], remedy?: string): readonly CsvLine[] {
  return parseCsv(readTextFile(file, file, remedy), file, required, remedy);
}

/**
 * @param name for messages
 * @throws UsageError for a file that is missing, too large, or not UTF-8
 */
export function readTextFile(path: string, name = path, remedy?: string): string {
  try {
    return readText(path);
  } catch (error) {
    throw new UsageError(`${name}: ${whyUnreadable(error)}`, { cause: error, remedy });
  }
}

/** @throws UsageError that names the file, and the line where there is one. */
export function parseCsv(text: string, file: string, required: readonly string[], remedy?: string): readonly CsvLine[] {
  let read: ReturnType<typeof readCsvText>;
  try {
    read = readCsvText(text);
  } catch (error) {
    const reason = `${error instanceof CsvError ? 'not a CSV file: ' : ''}${(error as Error).message}`;
    throw new UsageError(`${file}: ${reason}`, { cause: error, remedy });
  }
  const { header, lines } = read;
  if (header.length === 0) throw new UsageError(`${file}: is empty`, { remedy });
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new UsageError(`${file}:1: the header lacks ${missing.join(', ')}; it has ${headerText(header)}`, {
      remedy,
    });
  return lines;
}

/** @throws UsageError for a text that is no plain decimal. */
export function readAmount(file: string, line: number, name: string, text: string | null): Decimal | null {
  if (text === null) return null;
  const amount = readDecimal(text);
  if (amount === null)
    throw new UsageError(`${file}:${line}: ${shortened(`${name} ${text}: not a plain number; write it as 1234.56`)}`);
  return amount;
}
