/** `tieout revenue`: the host's accrued share by month, currency and method. */
import { Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { accrue } from '../../books/accrual.ts';
import { type AccrualRow, accruedIn } from '../../books/revenue.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { KINDS, type Kind } from '../../domain/record.ts';
import { harmless } from '../../domain/visible.ts';
import { command, type Register } from '../context.ts';
import { count, type Output } from '../output.ts';
import { readRange } from '../runs/run-job.ts';

interface AccrualFlags {
  from?: string;
  to?: string;
  kind?: Kind;
  format: 'table' | 'csv';
}

export const register: Register = (program, context) => {
  command(program, 'revenue accrual', {
    summary: 'Print the accrued host share by month, currency and method',
    details:
      'Counts released records by month of creation. Shares stated by records, shares promised only by their linked ' +
      'quotes, and records with neither are listed separately. It is an accrual that the API cannot confirm. ' +
      '`tieout revenue` alone is this command.',
    examples: ['tieout revenue accrual --from 2026-10-01 --to 2026-11-01 --format csv > october.csv', 'tieout revenue'],
    isDefault: true,
  })
    .option('--from <date>', 'records created on or after this date')
    .option('--to <date>', 'records created before this date')
    .addOption(new Option('--kind <kind>', 'only purchases or only sales').choices(KINDS))
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'csv']).default('table'))
    .action((flags: AccrualFlags, self) =>
      context.run(self, async (session) => {
        const { from, to } = readRange(flags);
        const app = await session.app();
        const rows = (await accrue(app, { kind: flags.kind ?? null, from, to })).rows();
        const { out } = session;
        if (out.json) await out.value({ basis: 'accrual, not confirmed by the Service', rows: rows.map(asRecord) });
        else if (flags.format === 'csv') await out.write(asCsv(rows));
        else await print(out, rows);
      }),
    );
};

/** Names as in host_revenue.csv, where it has them. */
function asRecord(row: AccrualRow) {
  return {
    business_month: row.month,
    kind: row.kind,
    fiat_currency: row.currency,
    payment_method: row.method,
    record_count: row.records,
    accrued_total: accruedIn(row),
    host_fee_cut_total: row.fromRecords.amount,
    records_with_host_fee_cut: row.fromRecords.records,
    quoted_host_fee_cut_total: row.fromQuotes.amount,
    records_from_quote: row.fromQuotes.records,
    records_without_host_fee_cut: row.unknown,
  };
}

const NO_ROW: AccrualRow = {
  month: '',
  kind: 'purchase',
  currency: '',
  method: null,
  records: 0,
  fromRecords: { records: 0, amount: null },
  fromQuotes: { records: 0, amount: null },
  unknown: 0,
};

/** The header is written even without rows; unknown is empty, never 0. */
function asCsv(rows: readonly AccrualRow[]): string {
  const cells = rows.map((row) =>
    Object.values(asRecord(row)).map((cell) => (cell === null ? '' : harmless(String(cell)))),
  );
  return stringify([Object.keys(asRecord(NO_ROW)), ...cells]);
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
      { title: 'stated by records', cell: (row) => inMinorUnits(row.fromRecords.amount, row.currency), align: 'right' },
      { title: 'from quotes', cell: (row) => inMinorUnits(row.fromQuotes.amount, row.currency), align: 'right' },
      { title: 'unknown', cell: (row) => (row.unknown === 0 ? '' : count(row.unknown)), align: 'right' },
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
      `for ${count(sum((row) => row.fromQuotes.records))} only the linked quote does, for ${count(sum((row) => row.unknown))} neither does.`,
  );
}
