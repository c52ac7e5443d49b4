/**
 * The standing of each record of a month: its last observation by any settled run, its last readable one, its breaks as of
 * the basis, and the verdict that follows. Nothing is judged again: a close seals what the runs have found.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Break, isOpen } from '../domain/break.ts';
import type { Observation } from '../domain/case.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { withStake } from '../domain/stake.ts';
import { pagesOf } from '../ports/store/pages.ts';
import type { Look, Looks, MemberRange, MonthSetRecord, PeriodBasis, PeriodMember } from '../ports/store/periods.ts';
import type { BreakStore } from '../ports/store/store.ts';
import type { RunBook } from '../reconcile/run-book.ts';
import { verdictOf } from '../reconcile/verdict.ts';
import type { MonthStore } from './edges.ts';

/** Records a page. */
const PERIOD_PAGE = 250;

export interface PeriodRecord {
  record: MonthSetRecord;
  datedBy: PeriodMember['datedBy'];
  hostReference: string | null;
  observation: Observation | null;
  /** Business date of the last observation. */
  lookDate: BusinessDate | null;
  /** By the last run that read it; null where none ever did. */
  verified: Look | null;
  /** Its fields then. */
  state: RecordState | null;
  /** Every break ever opened on it. */
  breaks: readonly Break[];
}

/** Pages in report order. */
export async function* periodRecords(
  store: MonthStore,
  book: RunBook,
  range: MemberRange,
  basis: PeriodBasis,
): AsyncGenerator<readonly PeriodRecord[]> {
  for await (const members of pagesOf((after) => store.periods.members(range, after, PERIOD_PAGE))) {
    const looks = await store.periods.looks(basis, members);
    const breaks = await breaksOn(store, members, basis.breakEvent);
    const page: PeriodRecord[] = [];
    for (const [i, member] of members.entries())
      page.push(await standingOf(member, looks[i] ?? NEVER, breaks.get(member.recordKey) ?? [], book));
    yield page;
    // Queries of an embedded database never yield to the event loop: without this, no signal is handled until the last page.
    await nextTurn();
  }
}

const NEVER: Looks = { last: null, verified: null };

async function standingOf(
  { recordKey, kind, recordId, datedBy }: PeriodMember,
  { last, verified }: Looks,
  breaks: readonly Break[],
  book: RunBook,
): Promise<PeriodRecord> {
  const run = last === null ? null : await book.of(last.runKey);
  const read = verified?.stored.observation;
  return {
    record: {
      recordKey,
      kind,
      recordId,
      lookRun: last?.runKey ?? null,
      verifiedRun: verified?.runKey ?? null,
      contentKey: verified?.contentKey ?? null,
      // As the run of the last look judged it, with the breaks as they stand now: decisions of people count.
      verdict:
        last === null || run === null ? 'unverified' : verdictOf(kind, last.stored.observation, breaks, run.statuses),
      present: true,
      changes: [],
    },
    datedBy,
    hostReference: last?.stored.tracked.hostReference ?? null,
    observation: last?.stored.observation ?? null,
    lookDate: run?.run.businessDate ?? null,
    verified,
    state: read?.outcome === 'verified' ? read.snapshot.state : null,
    breaks,
  };
}

/** Every break that was ever opened on these records, as of an event. */
export function breaksOn(
  { breaks }: { breaks: Pick<BreakStore, 'standing'> },
  records: readonly { recordKey: number }[],
  breakEvent: number,
): ReturnType<BreakStore['standing']> {
  return breaks.standing(
    records.map(({ recordKey }) => recordKey),
    breakEvent,
  );
}

/** Breaks that a set lists: open and waived ones. */
export function unresolvedBreaks(breaks: readonly Break[]): readonly Break[] {
  return breaks.filter(({ state }) => isOpen(state) || state === 'waived');
}

/**
 * Unresolved breaks about the payment of a month's host revenue, as of a break event, in report order: they count among the month's own,
 * and stand in the way of its close. A payment that names no month is of none.
 */
export async function revenueBreaks(
  breaks: Pick<BreakStore, 'statusOn'>,
  period: string,
  breakEvent: number,
): Promise<readonly Break[]> {
  const standing = unresolvedBreaks(await breaks.statusOn('payout', breakEvent));
  const ofMonth = standing.filter(({ recordId }) => recordId.startsWith(`${period}-`));
  return [...Map.groupBy(ofMonth, ({ recordId }) => recordId).values()].flatMap(withStake);
}
