/** What the books have of the host's revenue: a CSV with month, currency and amount. */

import { isMonth } from '../domain/calendar.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { readDecimal } from '../domain/decimal.ts';
import { addMonthly, type MonthlyAmounts } from '../domain/payout.ts';
import { type CsvLine, readCsvText } from '../text/csv-lines.ts';

/** Lines of one month and currency are added up. */
export function readPosted(text: string): { posted: MonthlyAmounts } | { line: number; problem: string } {
  let lines: readonly CsvLine[];
  try {
    ({ lines } = readCsvText(text));
  } catch (error) {
    return { line: 1, problem: `is not CSV: ${(error as Error).message}` };
  }
  const posted: MonthlyAmounts = new Map();
  for (const { line, cell } of lines) {
    const [month = '', currency = '', amount = ''] = ['month', 'currency', 'amount'].map((name) => cell(name) ?? '');
    const code = currency.toUpperCase();
    const problem = (what: string) => ({ line, problem: what });
    if (!isMonth(month)) return problem(`month ${month}: write it as 2026-10`);
    if (minorUnitDigits(code) === undefined) return problem(`currency ${currency}: write its ISO 4217 code`);
    const value = readDecimal(amount);
    if (value === null) return problem(`amount ${amount}: write it as 1234.56`);
    addMonthly(posted, month, code, value);
  }
  return { posted };
}
