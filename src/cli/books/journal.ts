/** `tieout journal`: balanced journal entries of a month, for a ledger. */
import { join } from 'node:path';
import { z } from 'zod';
import { readYaml } from '../../../config/yaml-file.ts';
import type { WantedJournal } from '../../app/period-journal.ts';
import { readTextFile } from '../../app/read-csv.ts';
import { type ChosenAccounts, JOURNAL_FORMATS, type JournalFormat } from '../../books/journal/accounts.ts';
import { ROLES } from '../../books/journal/entries.ts';
import type { JournalFile } from '../../books/journal/files.ts';
import { minorUnitDigits } from '../../domain/currency.ts';
import { UsageError } from '../../domain/errors.ts';
import { KINDS } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import { readRange } from '../runs/run-job.ts';
import type { Session } from '../session.ts';
import { writePrivate } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'journal', {
    details:
      'Writes the accrued host share of released purchases and sales, only from the sealed set of the month, so its\n' +
      'bytes never change. --corrections writes the changes by deltas since, as entries of the month in which they were stated.\n' +
      '--from and --to write a draft of an open month; its entry numbers begin with another prefix. The share is an\n' +
      'accrual that the Service cannot confirm. --statistical adds the fees that users paid to the Service.\n' +
      'Amounts are rounded to minor units; if debits and credits differ in a currency, nothing is written. Accounts are\n' +
      `settings (books.accounts), or --accounts FILE (YAML): ${ROLES.join(', ')}.`,
    examples: [
      'tieout journal --period 2026-10 --format xero --currency EUR > october.csv',
      'tieout journal --period 2026-10 --format datev --dir for-the-accountant',
      'tieout journal --period 2026-10 --corrections --format quickbooks',
      'tieout journal --from 2026-11-01 --to 2026-12-01',
    ],
  })
    .option('--period <month>', 'a closed month, as 2026-10')
    .option('--corrections', 'write the changes by the deltas of that month')
    .option('--from <date>', 'revenue of this date or later (`books.revenueMonth`), for a draft')
    .option('--to <date>', 'revenue before this date')
    .choice('--format <ledger>', 'accounting program that reads the file', JOURNAL_FORMATS, 'generic')
    .option('--statistical', 'add the fees that users paid to the Service')
    .choice('--kind <kind>', 'only purchases or only sales', KINDS)
    .option('--currency <code>', 'only this currency')
    .option('--accounts <file>', 'YAML file with accounts, instead of books.accounts')
    .option('--dir <folder>', 'write files into this folder, instead of one to standard output')
    .runs(async (session, flags) => {
      const wanted = readWanted(flags);
      const app = await session.app();
      const { linesOf, writtenJournal } = await import('../../app/period-journal.ts');
      const accounts = flags.accounts === undefined ? {} : readAccounts(flags.accounts);
      const { entries, chart, files, leftOut } = await writtenJournal(app, { ...flags, wanted, accounts });
      if (session.out.json) return session.out.value(entries.flatMap((entry) => linesOf(entry, chart)));
      await writeFiles(session, files, flags);
      for (const [currency, why] of leftOut)
        session.screen.write(`${currency} is left out: ${why}. Book ${currency} by hand.\n`);
    });
};

interface WantedFlags {
  period?: string;
  corrections?: boolean;
  from?: string;
  to?: string;
  currency?: string;
}

/** @throws UsageError */
function readWanted({ period, corrections, currency, ...days }: WantedFlags): WantedJournal {
  if (currency !== undefined && minorUnitDigits(currency) === undefined)
    throw new UsageError(`--currency ${currency}: no currency of ISO 4217`, { remedy: 'write it as EUR' });
  if (period !== undefined) {
    if (days.from === undefined && days.to === undefined) return { period };
    throw new UsageError(
      '--period and --from, --to contradict each other; give a closed month, or the days of an open one',
    );
  }
  if (corrections) throw new UsageError('--corrections belongs to a closed month: name it with --period 2026-10');
  const { from, to } = readRange(days);
  if (from !== null && to !== null) return { period: null, from, to };
  throw new UsageError('name a closed month with --period 2026-10, or the days of an open one with --from and --to');
}

/** @throws UsageError where several files are needed and there is no folder for them */
async function writeFiles(
  { out }: Session,
  files: readonly JournalFile[],
  { format, dir }: { format: JournalFormat; dir?: string },
): Promise<void> {
  if (dir !== undefined) {
    for (const { name, content } of files) {
      const path = join(dir, name);
      await writePrivate(path, content);
      await out.line(path);
    }
    return;
  }
  const [file, ...more] = files;
  if (more.length > 0) {
    throw new UsageError(`${format} needs ${files.length} files: ${files.map(({ name }) => name).join(', ')}`, {
      remedy: 'name a folder for them with --dir, or one currency with --currency',
    });
  }
  if (file !== undefined) await out.write(file.content);
}

const accountsSchema = z.strictObject(Object.fromEntries(ROLES.map((role) => [role, z.string().min(1).optional()])));

/** @throws UsageError */
function readAccounts(file: string): ChosenAccounts {
  const { tree, problems: faults } = readYaml(readTextFile(file), file);
  if (faults.length > 0)
    throw new UsageError(faults.map(({ where, message }) => `--accounts ${where}: ${message}`).join('\n'));
  const parsed = accountsSchema.safeParse(tree);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `${issue.keys.join(', ')}: no account; allowed: ${ROLES.join(', ')}`
      : `${issue.path.join('.') || 'the file'}: ${issue.path.length === 0 ? 'must be a list of accounts, name: account' : 'must be the text of an account'}`,
  );
  throw new UsageError(`--accounts ${file}: ${problems.join('; ')}`);
}
