/** What the books have of the host's revenue: a CSV with month, currency and amount. */

import { isMonth } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { readDecimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';
import { addMonthly, type MonthlyAmounts } from '../domain/payout.ts';
import { type CsvLine, readCsvText } from '../text/csv-lines.ts';

/** Lines of one month and currency are added up. @throws UsageError that names the file, and the line */
export function readPosted(text: string, file: string): MonthlyAmounts {
  const refuse = (line: number, problem: string, cause?: unknown) =>
    new UsageError(`${file}:${line}: ${problem}`, { cause });
  let lines: readonly CsvLine[];
  try {
    ({ lines } = readCsvText(text));
  } catch (error) {
    throw refuse(1, `is not CSV: ${(error as Error).message}`, error);
  }
  const posted: MonthlyAmounts = new Map();
  for (const { line, cell } of lines) {
    const [month = '', currency = '', amount = ''] = ['month', 'currency', 'amount'].map((name) => cell(name) ?? '');
    const code = currency.toUpperCase();
    if (!isMonth(month)) throw refuse(line, `month ${month}: write it as 2026-10`);
    if (minorUnitDigits(code) === undefined) throw refuse(line, `currency ${currency}: write its ISO 4217 code`);
    const value = readDecimal(amount);
    if (value === null) throw refuse(line, `amount ${amount}: write it as 1234.56`);
    addMonthly(posted, month, code, value);
  }
  return posted;
}
