/** `tieout revenue`: the host's accrued share by month, currency and method. */
import { accrue } from '../../books/known-records.ts';
import { type AccrualRow, accruedIn } from '../../books/revenue.ts';
import { inMinorUnits, minorUnitDigits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import { KINDS } from '../../domain/record.ts';
import { count } from '../../text/counts.ts';
import { type Cells, cellsOf, csvOf } from '../cells.ts';
import { command, type Register } from '../context.ts';
import type { Output } from '../output.ts';
import { readRange } from '../runs/run-job.ts';

export const register: Register = (program) => {
  command(program, 'revenue accrual', {
    summary: 'Print the accrued host share by month, currency and method',
    details:
      'Counts released records by the month of their release (`books.revenueMonth`). Shares stated by records, shares promised only by their linked ' +
      'quotes, and records with neither are listed separately. It is an accrual that the API cannot confirm. ' +
      '`tieout revenue` alone is this command.',
    examples: ['tieout revenue accrual --from 2026-10-01 --to 2026-11-01 --format csv > october.csv', 'tieout revenue'],
    isDefault: true,
  })
    .option('--from <date>', 'records released on or after this date')
    .option('--to <date>', 'records released before this date')
    .choice('--kind <kind>', 'only purchases or only sales', KINDS)
    .choice('--format <format>', 'output format', ['table', 'csv'], 'table')
    .runs(async (session, flags) => {
      const { from, to } = readRange(flags);
      const app = await session.app();
      const rows = (await accrue(app, { kind: flags.kind ?? null, from, to })).rows();
      const { out } = session;
      const printed = rows.map((row) => cellsOf(COLUMNS, row));
      if (out.json) await out.value({ basis: 'accrual, not confirmed by the Service', rows: printed });
      else if (flags.format === 'csv') await out.write(csvOf(COLUMNS, rows));
      else await print(out, rows);
    });
};

/** Names as in host_revenue.csv, where it has them. */
const COLUMNS: Cells<AccrualRow> = {
  business_month: ({ month }) => month,
  kind: ({ kind }) => kind,
  fiat_currency: ({ currency }) => currency,
  payment_method: ({ method }) => method,
  record_count: ({ records }) => records,
  accrued_total: accruedIn,
  host_fee_cut_total: ({ fromRecords }) => fromRecords.amount,
  records_with_host_fee_cut: ({ fromRecords }) => fromRecords.records,
  quoted_host_fee_cut_total: ({ fromQuotes }) => fromQuotes.amount,
  records_from_quote: ({ fromQuotes }) => fromQuotes.records,
  records_without_host_fee_cut: ({ unknown }) => unknown.length,
  taken_back_total: ({ takenBack }) => takenBack.amount,
  estimated_total: ({ estimated }) => estimated,
  unknown_records: ({ unknown }) => (unknown.length === 0 ? null : unknown.join(' ')),
};

/** The CSV has all of them. */
const NAMED = 20;

/** To the minor unit, each as what it changes in the sum before it: the row adds up to `accrued` as it is printed. */
function printedParts({ currency, fromRecords, fromQuotes, takenBack }: AccrualRow) {
  const digits = minorUnitDigits(currency) ?? 2;
  let sum = Decimal.ZERO;
  const change = (amount: Decimal | null) => {
    if (amount === null) return null;
    const before = sum.rounded(digits);
    sum = sum.plus(amount);
    return sum.rounded(digits).minus(before);
  };
  const [stated, quoted] = [change(fromRecords.amount), change(fromQuotes.amount)];
  return [stated, quoted, change(takenBack.amount?.negated() ?? null)?.negated() ?? null] as const;
}

async function print(out: Output, rows: readonly AccrualRow[]): Promise<void> {
  await out.table(
    [
      { title: 'month', cell: (row) => row.month },
      { title: 'kind', cell: (row) => row.kind },
      { title: 'currency', cell: (row) => row.currency },
      { title: 'method', cell: (row) => row.method ?? '' },
      { title: 'records', cell: (row) => count(row.records), align: 'right' },
      { title: 'accrued', cell: (row) => inMinorUnits(accruedIn(row), row.currency), align: 'right' },
      { title: 'stated by records', cell: (row) => inMinorUnits(printedParts(row)[0], row.currency), align: 'right' },
      { title: 'from quotes', cell: (row) => inMinorUnits(printedParts(row)[1], row.currency), align: 'right' },
      { title: 'unknown', cell: (row) => (row.unknown.length === 0 ? '' : count(row.unknown.length)), align: 'right' },
      { title: 'taken back', cell: (row) => inMinorUnits(printedParts(row)[2], row.currency), align: 'right' },
    ],
    rows,
  );
  if (rows.length === 0) {
    await out.line('No record has been released in this period.');
    return;
  }
  const sum = (of: (row: AccrualRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  await out.line(
    `\nAn accrual that the Service cannot confirm: ${count(sum((row) => row.fromRecords.records))} released records state a host fee cut, ` +
      `for ${count(sum((row) => row.fromQuotes.records))} only the linked quote does, for ${count(sum((row) => row.unknown.length))} neither does.`,
  );
  const unknown = rows.flatMap((row) => row.unknown);
  const more = unknown.length > NAMED ? ` and ${count(unknown.length - NAMED)} more (--format csv has all)` : '';
  if (unknown.length > 0) await out.line(`Without a known share: ${unknown.slice(0, NAMED).join(', ')}${more}.`);
  for (const { month, currency, method, estimated } of rows) {
    if (estimated !== null)
      await out.line(
        `  estimated, in no total: ${inMinorUnits(estimated, currency)} ${currency} of ${month} ${method ?? ''}`,
      );
  }
}
