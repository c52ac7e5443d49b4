/** `tieout revenue compare`: the accrued host share against a payout statement. */
import { businessMonths, startOfBusinessDate } from '../../domain/calendar.ts';
import { minorUnitDigits } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { knownRecords } from '../../reconcile/known-records.ts';
import { addMonthly, compareRevenue, type MonthlyAmounts, type RevenueRow } from '../../reconcile/revenue.ts';
import { command, type Register } from '../context.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { readAmount, readCsv } from '../read-csv.ts';

export const register: Register = (program, context) => {
  command(program, 'revenue compare', {
    summary: 'Hold the accrued host share against a payout statement',
    details:
      'Reads a CSV with month (2026-10), currency and amount. The accrual is the sum of hostFeeCut of released records by month of creation; the API cannot confirm it. Exits with 1 when a month differs.',
    examples: ['tieout revenue compare payouts-2026.csv'],
  })
    .argument('<file>', 'the payout statement')
    .action((file: string, _flags: unknown, self) =>
      context.run(self, async (session) => {
        const stated: MonthlyAmounts = new Map();
        for (const { line, cell } of readCsv(file, ['month', 'currency', 'amount'])) {
          const month = cell('month') ?? '';
          if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))
            throw new UsageError(`${file}:${line}: month ${month}: write it as 2026-10`);
          const amount = readAmount(file, line, 'amount', cell('amount'));
          const currency = cell('currency');
          if (amount === null || currency === null)
            throw new UsageError(`${file}:${line}: currency and amount must be given`);
          addMonthly(stated, month, currency.toUpperCase(), amount);
        }
        const app = await session.app();
        const months = [...stated.keys()].map((key) => key.slice(0, 7)).sort();
        const [first] = months;
        const last = months.at(-1);
        if (first === undefined || last === undefined) throw new UsageError(`${file}: has no lines`);
        const { timezone } = app.settings;
        const monthOf = businessMonths(timezone);
        const accrued: MonthlyAmounts = new Map();
        const scope = {
          kind: null,
          createdFrom: startOfBusinessDate(`${first}-01`, timezone),
          createdTo: startOfBusinessDate(`${nextMonth(last)}-01`, timezone),
        };
        let silent = 0;
        for await (const { state } of knownRecords(app.store.tracked, scope)) {
          if (state === null || state.createdAt === null || !RELEASED.has(state.status ?? '')) continue;
          if (state.hostFeeCut === null) silent++;
          else addMonthly(accrued, monthOf(state.createdAt), state.fiatCurrency, state.hostFeeCut);
        }
        const rows = compareRevenue(accrued, stated, app.settings.tolerances);
        await print(session.out, rows, silent);
        return rows.every(({ agrees }) => agrees) ? EXIT.clean : EXIT.breaks;
      }),
    );
};

const RELEASED: ReadonlySet<string> = new Set(['RELEASED', 'completed']);

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map((part) => Number.parseInt(part, 10));
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}

async function print(out: import('../output.ts').Output, rows: readonly RevenueRow[], silent: number): Promise<void> {
  if (out.json) {
    await out.value({ rows, records_without_host_fee_cut: silent });
    return;
  }
  const money = (amount: Decimal | null, currency: string) =>
    amount === null ? '' : amount.toPlaces(minorUnitDigits(currency) ?? 2);
  await out.table(
    [
      { title: 'month', cell: (row) => row.month },
      { title: 'currency', cell: (row) => row.currency },
      { title: 'accrued', cell: (row) => money(row.accrued, row.currency), align: 'right' },
      { title: 'stated', cell: (row) => money(row.stated, row.currency), align: 'right' },
      { title: 'stated − accrued', cell: (row) => money(row.difference, row.currency), align: 'right' },
      { title: '', cell: (row) => (row.agrees ? 'agrees' : 'differs') },
    ],
    rows,
  );
  await out.line(`\nThe accrual adds up what records state; ${silent} released records state no host fee cut.`);
}
