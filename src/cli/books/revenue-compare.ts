/** `tieout revenue compare`: the accrued host share against a payout statement. */

import { accrue } from '../../books/accrual.ts';
import {
  type Accrual,
  accruedIn,
  addMonthly,
  compareRevenue,
  type MonthlyAmounts,
  type RevenueRow,
} from '../../books/revenue.ts';
import { isMonth, monthAfter } from '../../domain/calendar.ts';
import { inMinorUnits, minorUnitDigits } from '../../domain/currency.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import type { Output } from '../output.ts';
import { readAmount, readCsv } from '../read-csv.ts';

export const register: Register = (program, context) => {
  command(program, 'revenue compare', {
    summary: 'Check the accrued host share against a payout statement',
    details:
      'Reads a CSV with month (2026-10), currency and amount. The accrual is the sum of hostFeeCut of released ' +
      'records by month of release; a record that states none counts with the share that its linked quote ' +
      'promised. The API cannot confirm it. Exits with 1 if a month differs.',
    examples: ['tieout revenue compare payouts-2026.csv'],
  })
    .argument('<file>', 'the payout statement')
    .action((file: string, _flags: unknown, self) =>
      context.run(self, async (session) => {
        const { stated, first, last } = readStatement(file);
        const app = await session.app();
        const accrual = await accrue(app, { kind: null, from: `${first}-01`, to: `${monthAfter(last)}-01` });
        const { accrued, fromQuotes, unknown } = byMonth(accrual);
        const rows = compareRevenue(accrued, stated, app.settings.tolerances, fromQuotes);
        await print(session.out, rows, unknown);
        return rows.every(({ agrees }) => agrees) ? EXIT.clean : EXIT.breaks;
      }),
    );
};

/** Lines for one month and currency are added up: a statement may pay in parts. @throws UsageError */
function readStatement(file: string): { stated: MonthlyAmounts; first: string; last: string } {
  const stated: MonthlyAmounts = new Map();
  for (const { line, cell } of readCsv(file, ['month', 'currency', 'amount'])) {
    const month = cell('month') ?? '';
    if (!isMonth(month)) throw new UsageError(`${file}:${line}: month ${month}: write it as 2026-10`);
    const amount = readAmount(file, line, 'amount', cell('amount'));
    const currency = cell('currency')?.toUpperCase() ?? null;
    if (amount === null || currency === null)
      throw new UsageError(`${file}:${line}: currency and amount must be given`);
    if (minorUnitDigits(currency) === undefined)
      throw new UsageError(`${file}:${line}: currency ${currency}: write it as its ISO 4217 code, EUR`);
    addMonthly(stated, month, currency, amount);
  }
  const months = [...stated.keys()].map((key) => key.slice(0, 7)).sort();
  const [first] = months;
  const last = months.at(-1);
  if (first === undefined || last === undefined) throw new UsageError(`${file}: has no lines`);
  return { stated, first, last };
}

function byMonth(accrual: Accrual): { accrued: MonthlyAmounts; fromQuotes: MonthlyAmounts; unknown: number } {
  const accrued: MonthlyAmounts = new Map();
  const fromQuotes: MonthlyAmounts = new Map();
  let unknown = 0;
  for (const row of accrual.rows()) {
    const total = accruedIn(row);
    if (total !== null) addMonthly(accrued, row.month, row.currency, total);
    if (row.fromQuotes.amount !== null) addMonthly(fromQuotes, row.month, row.currency, row.fromQuotes.amount);
    unknown += row.unknown.length;
  }
  return { accrued, fromQuotes, unknown };
}

async function print(out: Output, rows: readonly RevenueRow[], unknown: number): Promise<void> {
  if (out.json) {
    const printed = rows.map(({ fromQuotes, ...row }) => ({ ...row, from_quotes: fromQuotes }));
    await out.value({ rows: printed, records_without_host_fee_cut: unknown });
    return;
  }
  await out.table(
    [
      { title: 'month', cell: (row) => row.month },
      { title: 'currency', cell: (row) => row.currency },
      { title: 'accrued', cell: (row) => inMinorUnits(row.accrued, row.currency), align: 'right' },
      { title: 'of it from quotes', cell: (row) => inMinorUnits(row.fromQuotes, row.currency), align: 'right' },
      { title: 'stated', cell: (row) => inMinorUnits(row.stated, row.currency), align: 'right' },
      { title: 'stated − accrued', cell: (row) => inMinorUnits(row.difference, row.currency), align: 'right' },
      { title: '', cell: (row) => (row.agrees ? 'agrees' : 'differs') },
    ],
    rows,
  );
  await out.line(
    `\nThe accrual adds up what records state, and what linked quotes promised where a record states nothing; of ${counted(unknown, 'released record')} neither says.`,
  );
}
