/** `tieout revenue compare`: the accrued host share against a payout statement. */
import { postedIn } from '../../app/revenue.ts';
import { accrue } from '../../books/accrual.ts';
import { type AccrualRow, accruedIn } from '../../books/revenue.ts';
import { monthAfter } from '../../domain/calendar.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { addMonthly, type MonthlyAmounts } from '../../domain/payout.ts';
import { agree, allowance, fiatTolerance } from '../../domain/tolerance.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';

export const register: Register = (program, context) => {
  command(program, 'revenue compare', {
    summary: 'Check the accrued host share against a payout statement',
    details:
      'Reads a CSV with month (2026-10), currency and amount; lines of one month are added up. `tieout payouts import` and `payouts match` take ' +
      'whole statements. The accrual is the one of `tieout revenue`. The API cannot confirm it. Exits with 1 if a month differs.',
    examples: ['tieout revenue compare payouts-2026.csv'],
  })
    .argument('<file>', 'the payout statement')
    .action((file: string, _flags: unknown, self) =>
      context.run(self, async (session) => {
        const stated = postedIn(file);
        const months = [...stated.keys()].map((key) => key.slice(0, 7)).sort();
        const [from, last] = [months[0], months.at(-1)];
        if (from === undefined || last === undefined) throw new UsageError(`${file}: has no lines`);
        const app = await session.app();
        const { tolerances } = app.settings;
        const accrual = await accrue(app, { kind: null, from: `${from}-01`, to: `${monthAfter(last)}-01` });
        const accrued = monthly(accrual.rows(), accruedIn);
        const fromQuotes = monthly(accrual.rows(), (row) => row.fromQuotes.amount);
        const unknown = accrual.rows().reduce((sum, row) => sum + row.unknown.length, 0);
        const rows = [...new Set([...accrued.keys(), ...stated.keys()])].sort().map((key) => {
          const [month = '', currency = ''] = key.split(' ');
          const [ours, theirs] = [accrued.get(key) ?? Decimal.ZERO, stated.get(key) ?? Decimal.ZERO];
          const tolerance = allowance(fiatTolerance(tolerances, currency, 'HOST_REVENUE'), ours);
          return {
            month,
            currency,
            accrued: accrued.get(key) ?? null,
            stated: stated.get(key) ?? null,
            difference: theirs.minus(ours),
            tolerance,
            agrees: agree(theirs, ours, tolerance),
            from_quotes: fromQuotes.get(key) ?? null,
          };
        });
        const { out } = session;
        const money = (title: string, of: (row: (typeof rows)[number]) => Decimal | null) => {
          return {
            title,
            cell: (row: (typeof rows)[number]) => inMinorUnits(of(row), row.currency),
            align: 'right' as const,
          };
        };
        if (out.json) await out.value({ rows, records_without_host_fee_cut: unknown });
        else {
          await out.table(
            [
              { title: 'month', cell: (row) => row.month },
              { title: 'currency', cell: (row) => row.currency },
              money('accrued', (row) => row.accrued),
              money('of it from quotes', (row) => row.from_quotes),
              money('stated', (row) => row.stated),
              money('stated − accrued', (row) => row.difference),
              { title: '', cell: (row) => (row.agrees ? 'agrees' : 'differs') },
            ],
            rows,
          );
          await out.line(
            `\nOf ${counted(unknown, 'released record')} neither the record nor its quote states a share.`,
          );
        }
        return rows.every(({ agrees }) => agrees) ? EXIT.clean : EXIT.breaks;
      }),
    );
};

function monthly(rows: readonly AccrualRow[], of: (row: AccrualRow) => Decimal | null): MonthlyAmounts {
  const sums: MonthlyAmounts = new Map();
  for (const row of rows) {
    const amount = of(row);
    if (amount !== null) addMonthly(sums, row.month, row.currency, amount);
  }
  return sums;
}
