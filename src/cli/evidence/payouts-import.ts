/** `tieout payouts import`: payments of the host's share, from statements and from chains. */

import { InvalidArgumentError } from 'commander';
import type { App } from '../../app/app.ts';
import { readTextFile } from '../../app/read-csv.ts';
import { importTransfers } from '../../app/treasury.ts';
import { businessDateOf, monthBefore, startOfBusinessDate } from '../../domain/calendar.ts';
import { entryOf } from '../../domain/entry-of.ts';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import { payoutsIn, type StatementLine } from '../../domain/payout.ts';
import { isoInstant } from '../../domain/record.ts';
import { MAPPED_FIELDS } from '../../evidence/statements/csv.ts';
import { StatementError } from '../../evidence/statements/payout.ts';
import { readStatement, STATEMENT_FORMATS, type StatementFormat } from '../../evidence/statements/read-statement.ts';
import { count } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import type { Output } from '../output.ts';
import { readRange } from '../runs/run-job.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';

interface ImportFlags {
  format: StatementFormat;
  lines?: boolean;
  map?: Record<string, string>;
  chain?: string;
  from?: string;
  to?: string;
  tx?: readonly string[];
}

export const payoutsImport: Register = (program) => {
  command(program, 'payouts import', {
    summary: 'Store payments of the host share from statements (CSV, camt.053, MT940) and from chains',
    details:
      'Reads booked credits and reversals of credits; other entries of a bank statement are left out and reported. ' +
      'The same line imported again is the same payment. A CSV has date, amount and currency, and optionally ' +
      'reference, period (2026-10), id, type, settles (600 EUR @ 1.10 + 250 USD), chain and tx_hash; --map gives the names of its columns. --chain searches ' +
      'transfers to the addresses of evidence.payouts.treasury, from the first of last month on; coins of an EVM ' +
      'chain are found only by --tx. Transactions named in statements are checked too. Exits with 1 if lines are ' +
      'rejected, and with 3 if a chain could not be read in full.',
    examples: [
      'tieout payouts import partner.csv --map date=Paid --map amount=Net',
      'tieout payouts import bank.camt.xml',
      'tieout payouts import --chain ETH --from 2026-11-01',
    ],
  })
    .argument('[files...]', 'statements')
    .choice('--format <format>', 'format of the statements', STATEMENT_FORMATS, 'auto')
    .option('--map <field=column>', `column of a field (${MAPPED_FIELDS.join(', ')}); repeatable`, mapping)
    .option(
      '--lines',
      'the CSV has a line for each transaction (id, share, currency, date, type): it explains differences, and is not a payment',
    )
    .option('--chain <chain>', 'a chain of evidence.chains')
    .option('--from <date>', 'transfers in blocks on or after this date')
    .option('--to <date>', 'transfers in blocks before this date (default: up to the newest final block)')
    .option('--tx <id>', 'only this transaction; repeatable', collect)
    .runs((session, files, flags: ImportFlags) => importAll(session, files, flags));
};

/** @throws InvalidArgumentError */
function mapping(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [field = '', column = ''] = text.split(/=(.*)/s);
  if (!MAPPED_FIELDS.includes(field) || column === '') {
    throw new InvalidArgumentError(
      `It must be a field and a column, as date=Paid; fields: ${MAPPED_FIELDS.join(', ')}.`,
    );
  }
  return { ...before, [field]: column };
}

async function importAll(session: Session, files: readonly string[], flags: ImportFlags): Promise<ExitCode> {
  const scope = scopeOf(files, flags);
  const format = flags.lines ? 'lines' : flags.format;
  // Before a database is made where there is none.
  const { settings } = await session.settings();
  const { exchange } = settings.evidence.payouts;
  const terms = { asOf: session.clock.wall.now(), exchange, mapping: flags.map };
  const statements = files.map((file) => {
    const text = readTextFile(file);
    return withFile(file, () => readStatement(text, format, terms)).map((line) => ({ ...line, file }));
  });
  const imported = await importInto(await session.app(), session.signal, statements, flags, scope);
  if (session.out.json) await session.out.value(imported);
  else await print(session.out, imported);
  if (imported.chains.some(({ problems }) => problems.length > 0)) return EXIT.incomplete;
  return imported.rejected.length === 0 ? EXIT.clean : EXIT.breaks;
}

/** @throws StatementError that names the file */
function withFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof StatementError ? new StatementError(`${file}: ${error.message}`, { cause: error }) : error;
  }
}

/** As `--json` prints it. The statements first: the transactions that they name are looked at with those of the flags. */
async function importInto(
  app: App,
  signal: AbortSignal,
  statements: readonly (readonly (StatementLine & { file: string })[])[],
  { chain: asked, tx = [] }: ImportFlags,
  scope: Range,
) {
  const { store, clock, settings } = app;
  let added = 0;
  // One by one: the same payment may be in two of them.
  for (const lines of statements) added += await store.evidence.addPayouts(payoutsIn(lines), clock.wall.now());
  const lines = statements.flat();
  const payouts = payoutsIn(lines);
  let unchanged = payouts.length - added;
  const named = new Map<string, string[]>(asked === undefined ? [] : [[asked, [...tx]]]);
  // Transactions named by lines are checked on chains with an address of the host.
  for (const { tx: paidBy } of payouts) {
    const [chain = '', txHash = ''] = paidBy?.split(' ') ?? [];
    if (settings.evidence.payouts.treasury.some((each) => each.chain === chain))
      entryOf(named, chain, () => []).push(txHash);
  }
  const chains = [];
  for (const [chain, txs] of named) {
    const span = chain === asked && tx.length === 0 ? spanOf(scope, clock.wall.now(), settings) : null;
    const found = await importTransfers(app, { chain, span, named: txs }, signal);
    added += found.added;
    unchanged += found.unchanged;
    const upTo = found.upTo === null ? null : isoInstant(found.upTo);
    chains.push({ chain, up_to: upTo, sent_by_own_addresses: found.own, problems: found.problems });
  }
  const leftOut = lines.flatMap((each) => ('leftOut' in each ? { ...placeOf(each), reason: each.leftOut } : []));
  const rejected = lines.flatMap((each) => ('rejected' in each ? { ...placeOf(each), reason: each.rejected } : []));
  const notes = lines.flatMap((each) => ('note' in each ? { ...placeOf(each), reason: each.note } : []));
  return { added, unchanged, left_out: leftOut, rejected, notes, chains };
}

const placeOf = ({ file, line }: { file: string; line: number }) => ({ file, line });

async function print(
  out: Output,
  { added, unchanged, rejected, left_out: leftOut, notes, chains }: Awaited<ReturnType<typeof importInto>>,
): Promise<void> {
  const ignored = leftOut.length === 0 ? '' : `, ${count(leftOut.length)} left out`;
  await out.line(`${count(added)} added, ${count(unchanged)} unchanged${ignored}, ${count(rejected.length)} rejected`);
  for (const { file, line, reason } of [...rejected, ...leftOut, ...notes])
    await out.line(`  ${file}:${line}: ${printable(reason)}`);
  for (const { chain, up_to: upTo, problems, sent_by_own_addresses: own } of chains) {
    if (upTo !== null) await out.line(`  ${chain}: looked through up to ${upTo}`);
    if (own > 0) await out.line(`  ${chain}: ${count(own)} sent by the addresses themselves, left out`);
    for (const problem of problems) await out.line(`  ${chain}: unverified: ${printable(problem)}`);
  }
}

type Range = ReturnType<typeof readRange>;

/** @throws UsageError */
function scopeOf(files: readonly string[], { chain, tx = [], ...range }: ImportFlags): Range {
  const scope = readRange(range);
  const isForChain = tx.length > 0 || scope.from !== null || scope.to !== null;
  if (chain === undefined && isForChain)
    throw new UsageError('--from, --to and --tx need a chain', { remedy: 'name it with --chain' });
  if (files.length === 0 && chain === undefined)
    throw new UsageError('Nothing to import', { remedy: 'name statements, or a chain with --chain' });
  if (tx.length > 0 && (scope.from !== null || scope.to !== null))
    throw new UsageError('--tx cannot be combined with --from and --to', { remedy: 'leave out --from and --to' });
  return scope;
}

/** From the first of last month on where no day is named, up to now. */
function spanOf({ from, to }: Range, now: number, { timezone }: { timezone: string }) {
  const first = from ?? `${monthBefore(businessDateOf(now, timezone))}-01`;
  return { from: startOfBusinessDate(first, timezone), to: to === null ? now : startOfBusinessDate(to, timezone) };
}
