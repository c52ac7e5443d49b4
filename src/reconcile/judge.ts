/**
 * Judges and settles the records of a run, page by page in report order. Offline: it reads what the fetch stored and nothing
 * newer, so a run and its replay take the same path. One page is in memory at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Break } from '../domain/break.ts';
import { businessMonths } from '../domain/calendar.ts';
import { evidenceOf } from '../domain/case.ts';
import type { RecordPosition } from '../domain/record.ts';
import { recordMonths } from '../domain/record-months.ts';
import { isWholeNight } from '../domain/run.ts';
import { withStake } from '../domain/stake.ts';
import type { JudgedPage, OutsideBreak, RunFacts } from '../ports/settled.ts';
import type { BreakStore, ItemStore, StatusChange } from '../ports/store/store.ts';
import { aboutRun } from './about-run.ts';
import type { BuiltCase, Lookups } from './build-cases.ts';
import type { ThawedRun } from './run-book.ts';
import { buildEach, judgeOrSetAside, type TryPrinting } from './set-aside.ts';
import { countOpen, settle } from './settle.ts';
import { verdictOf } from './verdict.ts';

/** Records per page: enough to make its statements cheap, few enough to stay in the heap's young generation. */
const PAGE = 100;
const SLICE = 10;

/** What judging reads; it writes nothing. */
export interface JudgeStore extends Lookups {
  items: Pick<ItemStore, 'cases' | 'statusChanges'>;
  breaks: Pick<BreakStore, 'standing' | 'statusOn' | 'standingOutside'>;
}

/** Consecutive records of a run in report order: those after `after`, up to and with `upTo`; null is the end on that side. */
export interface RecordRange {
  after: RecordPosition | null;
  upTo: RecordPosition | null;
}

const EVERY_RECORD: RecordRange = { after: null, upTo: null };

/**
 * The last page of the last range has no records: it holds the breaks that stand after the last record.
 * @param tryPrinting what it throws on is quarantined; costly, so it is given only after a report failed
 */
export async function* judge(
  thawed: ThawedRun,
  store: JudgeStore,
  range: RecordRange = EVERY_RECORD,
  tryPrinting: TryPrinting | null = null,
): AsyncGenerator<JudgedPage> {
  const { run } = thawed;
  const facts: RunFacts = { runId: run.runId, businessDate: run.businessDate, timezone: run.timezone };
  const monthOf = businessMonths(run.timezone);
  let { after } = range;
  const outsideUpTo = async (upTo: RecordPosition | null): Promise<readonly OutsideBreak[]> => {
    if (!isWholeNight(run)) return [];
    const standing = await store.breaks.standingOutside(run.runId, run.watermarks.breakEvent, after, upTo);
    const byRecord = Map.groupBy(standing, recordName);
    return [...byRecord.values()].flatMap(withStake).map((each) => ({ ...each, run: facts }));
  };
  const about = await aboutRun(thawed, store);
  // In report order they come after the last purchase and before the first sale.
  const pageUpTo = async (records: JudgedPage['records'], upTo: RecordPosition | null): Promise<JudgedPage> => {
    const outside = await outsideUpTo(upTo);
    if (about.breaks.length === 0 || after?.kind === 'sale' || upTo?.kind === 'purchase') return { records, outside };
    const named = about.breaks.map((each) => ({ ...each, hostReference: null, run: facts }));
    return { records, outside: [...outside, ...named].sort(byKind), about };
  };
  for (;;) {
    const stored = cutAt(range.upTo, await store.items.cases(run, after, PAGE));
    const [first, last] = [stored[0], stored.at(-1)];
    if (first === undefined || last === undefined) {
      if (range.upTo === null) yield await pageUpTo([], null);
      return;
    }
    const cases = await buildEach(stored, thawed, store);
    const standing = await store.breaks.standing(
      cases.map(({ recordKey }) => recordKey),
      run.watermarks.breakEvent,
    );
    const changes = byRecord(await store.items.statusChanges(run.runId, first, last));
    const rest = await pageUpTo([], last);
    const size = rest.outside.length === 0 ? SLICE : PAGE;
    for (let from = 0; from < cases.length; from += size) {
      const records = cases
        .slice(from, from + size)
        .map((built) =>
          judgeOrSetAside(built, tryPrinting, (each) =>
            settleCase(
              each,
              standing.get(built.recordKey) ?? [],
              changes.get(recordName(built)) ?? [],
              thawed,
              facts,
              monthOf,
            ),
          ),
        );
      yield { ...rest, records };
    }
    // Queries of an embedded database never yield to the event loop: without this, no signal is handled until the last page.
    await nextTurn();
    if (range.upTo !== null && isAt(last, range.upTo)) return;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

/** The order of each kind stays. */
function byKind(a: { kind: string }, b: { kind: string }): number {
  return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
}

/** By equality, not by order: the database compares texts by their bytes and JavaScript by UTF-16 units. */
function isAt(a: RecordPosition, b: RecordPosition): boolean {
  return a.kind === b.kind && a.recordId === b.recordId;
}

function cutAt<T extends RecordPosition>(upTo: RecordPosition | null, stored: readonly T[]): readonly T[] {
  const end = upTo === null ? -1 : stored.findIndex((each) => isAt(each, upTo));
  return end === -1 ? stored : stored.slice(0, end + 1);
}

function settleCase(
  built: BuiltCase,
  standing: readonly Break[],
  statusChanges: readonly StatusChange[],
  { run, statuses, lapsed, judge: judgeBuilt }: ThawedRun,
  facts: RunFacts,
  monthOf: (instant: number) => string,
): JudgedPage['records'][number] {
  const { figures, findings, notApplicable, notJudged } = judgeBuilt(built);
  const { kind, recordId, observation } = built;
  const verified = observation.outcome === 'verified';
  const { events, breaks } = settle({
    kind,
    recordId,
    findings,
    standing,
    verified,
    notApplicable,
    lapsed,
    quoteId: built.quote?.quote.quoteId ?? null,
    evidenceSha256: evidenceOf(observation),
    recordCurrency: verified ? observation.snapshot.state.fiatCurrency : null,
    recordStatus: verified ? observation.snapshot.state.status : null,
    moneyMoved: figures.moved,
    run: { runId: run.runId, businessDate: run.businessDate, at: run.asOf },
  });
  const months = recordMonths(built, run.asOf, monthOf);
  // Property by property: with four spreads a record allocates 0.8 KB more.
  return {
    recordKey: built.recordKey,
    kind,
    recordId,
    tracked: built.tracked,
    observation,
    history: built.history,
    attempts: built.attempts,
    quote: built.quote,
    reference: built.reference,
    market: built.market,
    delivery: built.delivery,
    run: facts,
    state: verified ? observation.snapshot.state : null,
    executed: figures.executed,
    fees: figures.fees,
    decomposed: figures.decomposed,
    expectation: figures.expectation,
    share: figures.share,
    moved: figures.moved,
    price: figures.price,
    businessMonth: months.businessMonth,
    revenue: months.revenue,
    findings,
    notApplicable,
    notJudged,
    verdict: verdictOf(kind, observation, breaks, statuses),
    breaks,
    openBreaks: countOpen(breaks),
    events,
    statusChanges,
  };
}

/** `purchase sqs6a428mqjtzbv`: a key for maps. */
function recordName({ kind, recordId }: { kind: string; recordId: string }): string {
  return `${kind} ${recordId}`;
}

/** Changes of status by `kind recordId`, in the order given. */
export function byRecord(changes: readonly StatusChange[]): ReadonlyMap<string, readonly StatusChange[]> {
  return Map.groupBy(changes, recordName);
}
