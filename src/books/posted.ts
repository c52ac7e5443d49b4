/** What the books have of the host's revenue: a CSV with month, currency and amount. */
import { parse } from 'csv-parse/sync';
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, DecimalSyntaxError } from '../domain/decimal.ts';
import { addMonthly, type MonthlyAmounts } from './revenue.ts';

/** Lines of one month and currency are added up. */
export function readPosted(text: string): { posted: MonthlyAmounts } | { line: number; problem: string } {
  const [header = ''] = text.split('\n', 1);
  const delimiter = header.split(';').length > header.split(',').length ? ';' : ',';
  let rows: { record: Record<string, string>; info: { lines: number } }[];
  try {
    rows = parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
      bom: true,
      delimiter,
      info: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    return { line: 1, problem: `is no CSV: ${(error as Error).message}` };
  }
  const posted: MonthlyAmounts = new Map();
  for (const { record, info } of rows) {
    const [month, currency, amount] = ['month', 'currency', 'amount'].map((name) => record[name]?.trim() ?? '');
    const code = currency?.toUpperCase() ?? '';
    const problem = (what: string) => ({ line: info.lines, problem: what });
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month ?? '')) return problem(`month ${month}: write it as 2026-10`);
    if (minorUnitDigits(code) === undefined) return problem(`currency ${currency}: write its ISO 4217 code`);
    try {
      const text = amount ?? '';
      addMonthly(posted, month ?? '', code, Decimal.parse(text.includes('.') ? text : text.replace(',', '.')));
    } catch (error) {
      if (error instanceof DecimalSyntaxError) return problem(`amount ${amount}: write it as 1234.56`);
      throw error;
    }
  }
  return { posted };
}
