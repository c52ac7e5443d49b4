/**
 * The journal of a month: of a closed one from its sealed sets alone, of open days as a draft from the present
 * records.
 */

import { type ChosenAccounts, chartFor, type JournalFormat } from '../books/journal/accounts.ts';
import { correctionEntries, type StatedTotals } from '../books/journal/corrections.ts';
import { entriesOf, type JournalEntry, JournalTotals, unbalanced } from '../books/journal/entries.ts';
import { journalFiles } from '../books/journal/files.ts';
import type { LayoutInput } from '../books/journal/layout.ts';
import { knownShares } from '../books/known-records.ts';
import { addDays, businessDateOf, startOfBusinessDate } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Kind } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { periodRange } from '../periods/month.ts';
import { type PeriodOfSet, periodOfSet } from '../periods/sealed-states.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import type { App } from './app.ts';
import { sealedShares } from './host-share.ts';
import { periodEdges } from './periods.ts';

interface JournalScope {
  kind: Kind | null;
  currency: string | null;
  /** Also the fees that users paid to the Service. */
  statistical: boolean;
}

/** A closed month, or days of an open one for a draft. */
export type WantedJournal = { period: string } | { period: null; from: BusinessDate; to: BusinessDate };

interface JournalWish {
  wanted: WantedJournal;
  format: JournalFormat;
  /** The changes by the deltas of the month, instead of its close. */
  corrections?: boolean | undefined;
  statistical?: boolean | undefined;
  kind?: Kind | undefined;
  currency?: string | undefined;
  /** Instead of those of the settings. */
  accounts?: ChosenAccounts;
}

/** A journal as the files of an accounting program. @throws UsageError for one without a line, or out of balance; as `closedJournal` */
export async function writtenJournal(app: App, wish: JournalWish) {
  const { wanted, format, corrections = false, kind = null, currency = null, statistical = false } = wish;
  const { books } = app.settings;
  const chart = chartFor(format, { ...books.accounts, ...wish.accounts });
  const scope = { kind, currency, statistical };
  const { entries, statedAt, timezone } =
    wanted.period === null
      ? await draftJournal(app, wanted, scope)
      : await (corrections ? correctionJournal : closedJournal)(app, wanted.period, scope);
  requireBookable(entries, wish);
  const stem = wanted.period === null ? `${wanted.from}-draft` : `${wanted.period}${corrections ? '-corrections' : ''}`;
  return { entries, chart, ...journalFiles(format, stem, { entries, chart, settings: books, statedAt, timezone }) };
}

/** The lines of an entry, by the names of a report. */
export function linesOf({ key, date, currency, postings, evidence }: JournalEntry, chart: ReturnType<typeof chartFor>) {
  return postings.map(({ role, debit, credit, memo }) => {
    return { entry: key, date, account: chart[role], currency, debit, credit, memo, evidence_sha256: evidence };
  });
}

/** An empty file would be imported as a month without revenue. @throws UsageError */
function requireBookable(entries: readonly JournalEntry[], { wanted, corrections, currency, kind }: JournalWish): void {
  const off = unbalanced(entries);
  if (off.size > 0) {
    throw new UsageError(
      `the lines do not balance (${[...off].map(([code, by]) => `${by} ${code}`).join(', ')}); nothing was written`,
    );
  }
  if (entries.length > 0) return;
  const month = wanted.period ?? `${wanted.from} to ${wanted.to}`;
  const of = `${kind === undefined ? 'records' : `${kind}s`}${currency === undefined ? '' : ` in ${currency}`}`;
  throw new UsageError(
    corrections
      ? `the deltas to ${month} change no amount of the journal for ${of}; nothing was written`
      : `there is nothing to book for ${month}: no released ${of} with a host share; nothing was written`,
  );
}

export type Journal = Pick<LayoutInput, 'entries' | 'statedAt' | 'timezone'>;

/**
 * @param published the out folder with the sealed set
 * @throws UsageError, also for an unknown currency; PeriodDamagedError (exit 1)
 */
export async function closedJournal(
  app: App,
  period: string,
  scope: JournalScope,
  published: string = app.settings.out,
): Promise<Journal> {
  const sealed = await periodOfSet(periodEdges(app, published), period);
  const { close, closed } = sealed;
  const { timezone } = closed;
  const { groups } = await totalsOf(app, [close], scope);
  const entries = entriesOf(groups, {
    ...common(app, sealed, scope),
    statement: closed.period,
    date: periodRange(period, timezone).last,
    evidence: closed.manifestSha256,
  });
  return { entries, statedAt: close.at, timezone };
}

/**
 * What the deltas since the close change in its journal. Each delta's entries have the date on which it was stated.
 * @throws as `closedJournal`; UsageError where no delta has been stated
 */
export async function correctionJournal(app: App, period: string, scope: JournalScope): Promise<Journal> {
  const sealed = await periodOfSet(periodEdges(app), period);
  const { statements, closed } = sealed;
  const { timezone } = closed;
  if (statements.length < 2) {
    throw new UsageError(`no delta of ${period} has been stated, so there is nothing to correct`, {
      remedy: `\`tieout period delta ${period} --by NAME\` states the differences since the close`,
    });
  }
  const stated: StatedTotals[] = [];
  for (const [i, statement] of statements.entries()) {
    const { groups } = await totalsOf(app, statements.slice(0, i + 1), scope);
    stated.push({
      number: statement.number,
      groups,
      date: businessDateOf(statement.at, timezone),
      evidence: statement.manifestSha256 ?? '',
    });
  }
  const entries = correctionEntries(closed.period, stated, common(app, sealed, scope));
  return { entries, statedAt: statements.at(-1)?.at ?? closed.closedAt, timezone };
}

function common(app: App, { closed: { period } }: PeriodOfSet, { statistical }: JournalScope) {
  const keyStart = `${app.settings.books.entryPrefix}${period.replace('-', '')}`;
  return { keyStart, scope: `in ${period}`, statistical };
}

async function totalsOf(app: App, statements: readonly MonthSet[], scope: JournalScope): Promise<JournalTotals> {
  const totals = new JournalTotals();
  for await (const each of sealedShares(app, statements))
    if (isInScope(each, scope)) for (const sign of each.booked) totals.add(each, each.share, sign);
  return totals;
}

function isInScope(record: Pick<RecordState, 'kind' | 'fiatCurrency'>, { kind, currency }: JournalScope): boolean {
  return (kind === null || record.kind === kind) && (currency === null || record.fiatCurrency === currency);
}

/**
 * What was earned in [from, to), or by `books.revenueMonth` what released records created in it state, as last verified: a draft, whose entry numbers no sealed journal has.
 * @throws UsageError where the stretch touches a closed month
 */
export async function draftJournal(
  app: App,
  { from, to }: { from: BusinessDate; to: BusinessDate },
  scope: JournalScope,
): Promise<Journal> {
  const { timezone } = app.settings;
  const range = { from: startOfBusinessDate(from, timezone), to: startOfBusinessDate(to, timezone) };
  for (const { period, timezone: itsZone } of await app.store.periods.list()) {
    const month = periodRange(period, itsZone);
    if (range.from >= month.to || range.to <= month.from) continue;
    throw new UsageError(`${period} is closed, and a closed month is booked from its sealed set`, {
      remedy: `\`tieout journal --period ${period}\` writes it; give --from and --to for open months only`,
    });
  }
  const totals = new JournalTotals();
  for await (const { state, share, bookings } of knownShares(app, { kind: scope.kind })) {
    if (!isInScope(state, scope)) continue;
    for (const { at, sign } of bookings) if (at >= range.from && at < range.to) totals.add(state, share, sign);
  }
  const date = addDays(to, -1);
  const entries = entriesOf(totals.groups, {
    keyStart: `${app.settings.books.entryPrefix}D${from.replaceAll('-', '')}`,
    statement: `${from}-draft`,
    date,
    scope: `from ${from} to ${date}`,
    evidence: null,
    statistical: scope.statistical,
  });
  return { entries, statedAt: range.to, timezone };
}
