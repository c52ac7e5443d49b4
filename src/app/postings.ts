/**
 * What the books have of the host's revenue, by a CSV. A line that cannot be read is rejected by itself; its month and currency then have
 * no total, which is not known, where the line names them.
 */
import { keyOf } from '../books/revenue-terms.ts';
import { isMonth } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { readDecimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import { addMonthly, type MonthlyAmounts } from '../domain/payout.ts';
import { isNearMonth } from '../domain/plausible-date.ts';
import type { Instant } from '../domain/record.ts';
import type { SourceFigures } from '../domain/run.ts';
import { shortened } from '../text/visible.ts';
import { parseCsv, readTextFile } from './read-csv.ts';

const POSTED = ['month', 'currency', 'amount'] as const;

interface Postings {
  posted: MonthlyAmounts;
  read: number;
  /** Each with its file, its line and the reason. */
  rejected: readonly string[];
}

/** Of the file that the settings name; nothing without one. @throws UsageError for a file that cannot be read */
export function postingsOf(file: string | null, asOf: Instant): Postings {
  return file === null
    ? { posted: new Map(), read: 0, rejected: [] }
    : readPostings(readTextFile(file, file, 'evidence.payouts.posted names it'), file, asOf);
}

/** Of a file that a command names. @throws UsageError also for a line of it */
export function wholePostings(file: string, asOf: Instant): MonthlyAmounts {
  const { posted, rejected } = readPostings(readTextFile(file), file, asOf);
  const [first] = rejected;
  if (first !== undefined) throw new UsageError(first);
  return posted;
}

/** Lines of one month and currency are added up. @throws UsageError for a file that is no such CSV */
export function readPostings(text: string, file: string, asOf: Instant): Postings {
  const posted: MonthlyAmounts = new Map();
  const rejected: string[] = [];
  const unknown = new Set<string>();
  const lines = parseCsv(text, file, POSTED);
  const reject = (line: number, problem: string) => rejected.push(`${file}:${line}: ${shortened(problem)}`);
  for (const { line, cell } of lines) {
    const [month = '', written = '', amount = ''] = POSTED.map((name) => cell(name) ?? '');
    const currency = written.toUpperCase();
    const value = readDecimal(amount === '' ? '0' : amount);
    if (!isMonth(month) || !isNearMonth(month, asOf))
      reject(line, `month ${month}: write it as 2026-10, from 2017 on and not far ahead`);
    else if (minorUnitDigits(currency) === undefined) reject(line, `currency ${written}: write its ISO 4217 code`);
    else if (value !== null) addMonthly(posted, month, currency, value);
    else {
      reject(line, `amount ${amount}: not a plain number; write it as 1234.56`);
      unknown.add(keyOf(month, currency));
    }
  }
  for (const key of unknown) posted.delete(key);
  return { posted, read: lines.length, rejected };
}

const NAMED = 5;

/** As a source of the run: one with rejected lines makes it incomplete. A file that cannot be read stops the run where it is needed. */
export function sourceOfPostings(file: string, asOf: Instant): SourceFigures | null {
  let postings: Postings;
  try {
    postings = postingsOf(file, asOf);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
  const { read, rejected } = postings;
  const more = rejected.length > NAMED ? [`and ${rejected.length - NAMED} more`] : [];
  const counts = { read, accepted: read - rejected.length, rejected: rejected.length, failed: 0 };
  return { name: 'evidence.payouts.posted', ...counts, problems: [...rejected.slice(0, NAMED), ...more] };
}
