/** `tieout journal`: balanced journal lines of a period, for a ledger. */
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { type ChartOfAccounts, DEFAULT_CHART, JournalTotals, unbalanced } from '../../books/journal.ts';
import { JOURNAL_FORMATS, type JournalFormat, journalRows } from '../../books/journal-formats.ts';
import { knownRecords } from '../../books/known-records.ts';
import { addDays, startOfBusinessDate } from '../../domain/calendar.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { KINDS, type Kind } from '../../domain/record.ts';
import { hasReleased } from '../../domain/released.ts';
import { command, type Register } from '../context.ts';
import { readDate } from '../runs/run-job.ts';

interface JournalFlags {
  from: string;
  to: string;
  format: JournalFormat;
  kind?: Kind;
  currency?: string;
  accounts?: string;
}

const chartSchema = z.strictObject(
  Object.fromEntries(Object.keys(DEFAULT_CHART).map((name) => [name, z.string().min(1).optional()])),
);

export const register: Register = (program, context) => {
  command(program, 'journal', {
    summary: 'Write balanced journal lines of a period: fees, host revenue, adjustments',
    details:
      'Of released purchases and sales created in [--from, --to), as last verified. Amounts are rounded to minor units and\n' +
      'debits equal credits per currency, or nothing is written. The host share is an accrual that the Service cannot confirm.\n' +
      `Accounts can be renamed with --accounts FILE (YAML): ${Object.keys(DEFAULT_CHART).join(', ')}.`,
    examples: [
      'tieout journal --from 2026-10-01 --to 2026-11-01 > october.csv',
      'tieout journal --from 2026-10-01 --to 2026-11-01 --format xero --currency EUR',
    ],
  })
    .requiredOption('--from <date>', 'records created from this day …')
    .requiredOption('--to <date>', '… to before this day')
    .addOption(new Option('--format <ledger>', 'layout of the file').choices(JOURNAL_FORMATS).default('generic'))
    .addOption(new Option('--kind <kind>', 'only purchases or only sales').choices(KINDS))
    .option('--currency <code>', 'only this currency')
    .option('--accounts <file>', 'names of accounts')
    .action((flags: JournalFlags, self) =>
      context.run(self, async (session) => {
        const from = readDate('--from', flags.from) ?? '';
        const to = readDate('--to', flags.to) ?? '';
        if (from >= to)
          throw new UsageError(`--from ${from} --to ${to}: the period is empty; --to is the day after the last one`);
        if (flags.format === 'xero' && flags.currency === undefined) {
          throw new UsageError('xero takes one currency a file: name it with --currency');
        }
        const chart = chartOf(flags.accounts);
        const app = await session.app();
        const { timezone } = app.settings;
        const scope = {
          kind: flags.kind ?? null,
          createdFrom: startOfBusinessDate(from, timezone),
          createdTo: startOfBusinessDate(to, timezone),
        };
        const totals = new JournalTotals();
        for await (const { state } of knownRecords(app.store.tracked, scope)) {
          if (state === null || !hasReleased(state)) continue;
          if (flags.currency === undefined || state.fiatCurrency === flags.currency) totals.add(state);
        }
        const lines = totals.lines({ from, date: addDays(to, -1) }, chart);
        const off = unbalanced(lines);
        if (off.size > 0) {
          throw new UsageError(
            `the lines do not balance (${[...off].map(([currency, by]) => `${by} ${currency}`).join(', ')}); nothing was written`,
          );
        }
        if (session.out.json) await session.out.value(lines);
        else await session.out.write(stringify([...journalRows(lines, flags.format)]));
        return EXIT.clean;
      }),
    );
};

/** @throws UsageError */
function chartOf(file: string | undefined): ChartOfAccounts {
  if (file === undefined) return DEFAULT_CHART;
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--accounts ${file}: cannot be read as YAML`, { cause: error });
  }
  const parsed = chartSchema.safeParse(raw);
  if (!parsed.success) throw new UsageError(`--accounts ${file}: ${z.prettifyError(parsed.error)}`);
  return { ...DEFAULT_CHART, ...(parsed.data as Partial<ChartOfAccounts>) };
}
