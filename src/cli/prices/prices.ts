/** `tieout prices`: checks the contract's price list, and compares a month with another one. */
import { loadPriceList, PriceListError } from '../../app/prices.ts';
import { simulate } from '../../books/prices/simulate.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import type { SimulatedRow } from '../../domain/price-list.ts';
import { isoInstant } from '../../domain/record.ts';
import { periodRange } from '../../periods/month.ts';
import { count } from '../../text/counts.ts';
import { type Cells, cellsOf, csvOf } from '../cells.ts';
import { command, type Register } from '../context.ts';
import type { Output } from '../output.ts';

export const pricesCheck: Register = (program) => {
  command(program, 'prices check', {
    summary: 'Check a price list for overlaps, gaps and unreadable lines',
    details: 'Prints every problem with its line. Needs no database. Exits with 2 on a problem.',
    examples: ['tieout prices check', 'tieout prices check offered.yaml'],
  })
    .argument('[file]', 'the price list (default: the one in the settings)')
    .runs(async (session, given) => {
      const { out } = session;
      const file = given ?? (await session.settings()).settings.prices.list;
      if (file === null)
        throw new UsageError('no price list to check', { remedy: 'name its file, or set prices.list' });
      try {
        const { name, versions } = loadPriceList(file);
        const rows = versions.map(({ version, from, to, lines: { length: fees } }) => {
          return { version, from: isoInstant(from), to: to === null ? null : isoInstant(to), fees };
        });
        if (out.json) await out.value({ valid: true, name, versions: rows, problems: [] });
        else {
          await out.line(`${file}: ${name}: no problem found`);
          await out.table(
            [
              { title: 'version', cell: (row) => row.version },
              { title: 'from', cell: (row) => row.from },
              { title: 'to', cell: (row) => row.to ?? '' },
              { title: 'fees', cell: (row) => count(row.fees), align: 'right' },
            ],
            rows,
          );
        }
        return EXIT.clean;
      } catch (error) {
        if (!(error instanceof PriceListError)) throw error;
        if (out.json) await out.value({ valid: false, name: null, versions: [], problems: error.problems });
        else for (const problem of error.problems) await out.line(problem);
        return EXIT.usage;
      }
    });
};

export const pricesSimulate: Register = (program) => {
  command(program, 'prices simulate', {
    summary: "Compare the fees of a month's records with another price list, per currency",
    details:
      'Reads only stored records and sends nothing; the list in force (prices.list) is shown beside it. Exits with ' +
      '1 if a fee differs from the list.',
    examples: [
      'tieout prices simulate --period 2026-10 --list offered.yaml',
      'tieout prices simulate --period 2026-10 --list offered.yaml --format csv > offered.csv',
    ],
  })
    .requiredOption('--period <month>', 'month, as 2026-10')
    .requiredOption('--list <file>', 'the price list')
    .choice('--format <format>', 'output format', ['table', 'csv'], 'table')
    .runsOnApp(async ({ store, settings, terms }, { out }, { period, list, format }) => {
      const { from, to } = periodRange(period, settings.timezone);
      const scope = { from, to, tolerances: settings.tolerances, inForce: terms.prices };
      const rows = await simulate(store.tracked, loadPriceList(list), scope);
      const columns = columnsOf(period);
      if (out.json) await out.value(rows.map((row) => cellsOf(columns, row)));
      else if (format === 'csv') await out.write(csvOf(columns, rows));
      else await print(out, rows);
      return rows.some(({ differing }) => differing > 0) ? EXIT.breaks : EXIT.clean;
    });
};

const columnsOf = (period: string): Cells<SimulatedRow> => ({
  business_month: () => period,
  fiat_currency: ({ currency }) => currency,
  record_count: ({ records }) => records,
  priced_count: ({ priced }) => priced,
  unpriced_count: ({ unpriced }) => unpriced,
  differing_count: ({ differing }) => differing,
  charged_fee_total: ({ charged }) => charged,
  contract_fee_total: ({ contract }) => contract,
  above_contract_total: ({ above }) => above,
  below_contract_total: ({ below }) => below,
  difference_total: ({ above, below }) => above.plus(below),
  in_force_differing_count: ({ inForce }) => inForce?.differing ?? null,
  in_force_difference_total: ({ inForce }) => inForce?.difference ?? null,
});

async function print(out: Output, rows: readonly SimulatedRow[]): Promise<void> {
  await out.table(
    [
      { title: 'currency', cell: (row) => row.currency },
      { title: 'records', cell: (row) => count(row.records), align: 'right' },
      { title: 'priced', cell: (row) => count(row.priced), align: 'right' },
      { title: 'differ', cell: (row) => count(row.differing), align: 'right' },
      { title: 'charged', cell: (row) => inMinorUnits(row.charged, row.currency), align: 'right' },
      { title: 'by the list', cell: (row) => inMinorUnits(row.contract, row.currency), align: 'right' },
      { title: 'above', cell: (row) => inMinorUnits(row.above, row.currency), align: 'right' },
      { title: 'below', cell: (row) => inMinorUnits(row.below, row.currency), align: 'right' },
      {
        title: 'differ now',
        cell: (row) => (row.inForce === null ? '' : count(row.inForce.differing)),
        align: 'right',
      },
    ],
    rows,
  );
}
