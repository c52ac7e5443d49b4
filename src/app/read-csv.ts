/** Reads files that arguments of commands and settings name. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { CsvError } from 'csv-parse/sync';
import { type Decimal, readDecimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import { type CsvLine, readCsvText } from '../text/csv-lines.ts';
import { whyUnreadable } from '../text/unreadable.ts';

/**
 * @param remedy of what the file itself lacks, for one that a setting names
 * @throws UsageError that names the file, and the line where there is one.
 */
export function readCsv(file: string, required: readonly string[], remedy?: string): readonly CsvLine[] {
  return parseCsv(readTextFile(file, remedy), file, required, remedy);
}

/**
 * @param name for messages
 * @throws UsageError for a file that is not there
 */
export function readGivenFile(path: string, name = path, remedy?: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${name}: ${whyUnreadable(error)}`, { cause: error, remedy });
  }
}

/** A file that is read as a whole takes some thirty times its size in memory: a statement of 100 MB took 1.2 GB. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * @throws UsageError for a file that is missing, too large, or not UTF-8: replacement characters would be stored permanently.
 */
export function readTextFile(file: string, remedy?: string): string {
  const known = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const bytes = known > MOST_BYTES ? null : readGivenFile(file, file, remedy);
  if (bytes === null || bytes.length > MOST_BYTES)
    throw new UsageError(`${file}: has more than 32 MiB`, { remedy: 'split it, for example by month' });
  if (!isUtf8(bytes))
    throw new UsageError(`${file}: is not UTF-8`, { remedy: 'convert it: iconv -f ISO-8859-1 -t UTF-8' });
  return bytes.toString('utf8');
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
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new UsageError(`${file}:1: the header lacks ${missing.join(', ')}; it has ${header.join(', ')}`, { remedy });
  return lines;
}

/** @throws UsageError for a text that is no plain decimal. */
export function readAmount(file: string, line: number, name: string, text: string | null): Decimal | null {
  if (text === null) return null;
  const amount = readDecimal(text);
  if (amount === null)
    throw new UsageError(`${file}:${line}: ${name} ${text}: not a plain number; write it as 1234.56`);
  return amount;
}
