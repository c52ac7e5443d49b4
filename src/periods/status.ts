/** The status of a month. Open: what a close would find now. Closed: who did what, and whether its sealed sets are intact. */
import { join } from 'node:path';
import { z } from 'zod';
import { monthAfter } from '../domain/calendar.ts';
import { isoInstant } from '../domain/record.ts';
import type { NamedRecord, PeriodFigures } from '../ports/period.ts';
import type { ClosedPeriod, MonthSet } from '../ports/store/periods.ts';
import { orNull, realFileSystem } from '../publish/file-system.ts';
import { MANIFEST, manifestIn, sha256Of } from '../publish/manifest.ts';
import { verifySets } from '../publish/verify.ts';
import { runBook } from '../reconcile/run-book.ts';
import type { PeriodEdges } from './edges.ts';
import { PeriodTally, readFigures } from './figures.ts';
import { type PeriodRange, periodOf, periodRange } from './month.ts';
import { namedRecords, nameRecord } from './named-records.ts';
import { type ChangeFigures, countChanges } from './stage.ts';
import { periodRecords, revenueBreaks } from './standing.ts';

/** Where a month stands: what keeps it from being closed, or what has changed since. */
export type PeriodStatus = OpenPeriodStatus | ClosedPeriodStatus;

interface MonthStatus {
  period: string;
  range: PeriodRange;
  /** Of an open month as a close would find them now, of a closed one as they were sealed. */
  figures: PeriodFigures;
  /** Records that keep the month from being clean, or kept it when it was sealed; in report order. */
  records: readonly NamedRecord[];
}

export interface OpenPeriodStatus extends MonthStatus {
  state: 'open';
  /** False while the month has not ended. */
  isOver: boolean;
}

interface SealedSet extends Pick<MonthSet, 'number' | 'by' | 'at' | 'review'> {
  type: 'close' | 'delta';
  folder: string;
  /** What is wrong with it, in words; empty if it is intact. */
  problems: readonly string[];
  manifestSha256: string;
}

export interface ClosedPeriodStatus extends MonthStatus {
  state: 'closed' | 'reviewed';
  closed: ClosedPeriod;
  sets: readonly SealedSet[];
  /** What differs from the close or the newest delta, as a delta would state it now. */
  since: ChangeFigures;
  /** What differs and has not been carried by the close of a later month. */
  uncarried: ChangeFigures;
}

/** @throws UsageError for anything but a month */
export async function periodStatus(edges: PeriodEdges, period: string): Promise<PeriodStatus> {
  const { periods } = edges.store;
  const closed = await periods.get(periodRange(period, edges.timezone).period);
  const range = periodRange(period, closed?.timezone ?? edges.timezone);
  const book = runBook(periods);
  const records: NamedRecord[] = [];
  if (closed === null) {
    const tally = new PeriodTally();
    const basis = await periods.basis(range.from);
    tally.addRevenue(await revenueBreaks(edges.store.breaks, period, basis.breakEvent));
    for await (const page of periodRecords(edges.store, book, range, basis)) {
      for (const each of page) {
        tally.add(each);
        const named = await nameRecord(each, book);
        if (named !== null) records.push(named);
      }
    }
    const figures = tally.figures(await periods.retracted(range));
    return { state: 'open', period, range, isOver: edges.now() >= range.to, figures, records };
  }
  const statements = await periods.statements(period);
  const stage = { store: edges.store, book };
  const close = statements.find(({ type, state }) => type === 'close' && state === 'sealed');
  if (close !== undefined) for await (const named of namedRecords(edges, close, book)) records.push(named);
  return {
    state: closed.state,
    period,
    range,
    closed,
    figures: readFigures(closed.figures),
    records,
    sets: await sealedSets(edges, statements),
    since: await countChanges(stage, range, 'delta', statements),
    uncarried: await countChanges(stage, range, 'carried', statements),
  };
}

/** What differs from the newest statement of a closed month, as a delta would state it now. */
export async function changedSince(edges: PeriodEdges, { period, timezone }: ClosedPeriod): Promise<ChangeFigures> {
  const { store } = edges;
  const stage = { store, book: runBook(store.periods) };
  return countChanges(stage, periodRange(period, timezone), 'delta', await store.periods.statements(period));
}

/** What is wrong with the sealed sets of a month, in words. */
export async function problemsOfSet(edges: PeriodEdges, statements: readonly MonthSet[]): Promise<readonly string[]> {
  return (await sealedSets(edges, statements)).flatMap(({ folder, problems }) =>
    problems.map((each) => `${folder}: ${each}`),
  );
}

async function sealedSets(edges: PeriodEdges, statements: readonly MonthSet[]): Promise<readonly SealedSet[]> {
  const sets: SealedSet[] = [];
  for (const statement of statements) {
    const { type, number, state, folder, manifestSha256, by, at, review } = statement;
    if (type === 'carried' || state !== 'sealed' || folder === null || manifestSha256 === null) continue;
    const problems = [...(await problemsOf(edges, folder, manifestSha256)), ...notAsSealed(edges, folder, statement)];
    sets.push({ type, number, folder, manifestSha256, by, at, review, problems });
  }
  return sets;
}

/** Compares with the hash in the store first: a changed folder can be made consistent with its own manifest. */
async function problemsOf(edges: PeriodEdges, folder: string, manifestSha256: string): Promise<readonly string[]> {
  const path = join(edges.publication.out, folder);
  const manifest = orNull(() => realFileSystem.readFile(join(path, MANIFEST)));
  if (manifest === null) return [`${MANIFEST} is gone; restore the set from a backup`];
  const found = sha256Of(manifest);
  const problems: string[] = [];
  if (found !== manifestSha256) {
    problems.push(
      `${MANIFEST} is not the sealed one: its SHA-256 is ${found}, the database holds ${manifestSha256}; restore the set from a backup`,
    );
  }
  const [verified] = await verifySets(path, { keys: edges.verifyKeys() });
  return [...problems, ...(verified?.problems ?? [])];
}

const statedSchema = z.looseObject({
  stated_by: z.string(),
  stated_at: z.string(),
  accepted_open: z.string().nullable(),
});

/** Who closed, when and with what reason is in the sealed manifest: the database's copy of it may have been edited. */
function notAsSealed(edges: PeriodEdges, folder: string, { by, at, acceptedOpen }: MonthSet): readonly string[] {
  const manifest = manifestIn(join(edges.publication.out, folder));
  if (manifest === null) return [];
  const sealed = statedSchema.safeParse(manifest.period);
  // Reported above: it is not the sealed manifest.
  if (!sealed.success) return [];
  const { stated_by, stated_at, accepted_open } = sealed.data;
  if (stated_by === by && stated_at === isoInstant(at) && accepted_open === acceptedOpen) return [];
  return [
    `the database says that ${by} stated it at ${isoInstant(at)}, the sealed manifest that ${stated_by} did at ${stated_at}; the database was edited: restore it from a backup`,
  ];
}

/** A line of the list of months. `before-first-close`: it was over before Tieout closed any, and will not be closed. */
export interface ListedMonth {
  period: string;
  state: 'open' | 'closed' | 'reviewed' | 'before-first-close';
  /** Null for a month that is not closed. */
  closed: ClosedPeriod | null;
}

/** Every month from the first record to the present one, oldest first. */
export async function listMonths(edges: PeriodEdges): Promise<readonly ListedMonth[]> {
  const { timezone } = edges;
  const closed = await edges.store.periods.list();
  const span = await edges.store.periods.span();
  const first = closed[0]?.period ?? null;
  const months: ListedMonth[] = closed.map((each) => ({ period: each.period, state: each.state, closed: each }));
  if (span === null) return months;
  const known = new Set(months.map(({ period }) => period));
  const last = periodOf(edges.now(), timezone);
  for (let period = periodOf(span.first, timezone); period <= last; period = monthAfter(period)) {
    if (known.has(period)) continue;
    months.push({ period, state: first !== null && period < first ? 'before-first-close' : 'open', closed: null });
  }
  return months.sort((a, b) => (a.period < b.period ? -1 : 1));
}
