/** What a month-end pack says of a closed month, from its sealed statements alone. */
import type { Verdict } from '../domain/finding.ts';
import type { Instant, Kind, RecordPosition } from '../domain/record.ts';
import type { RunFacts, SettledRecord } from '../ports/settled.ts';
import type { Look, Statement, StatementRecord } from '../ports/store/periods.ts';
import { RunBook } from '../reconcile/run-book.ts';
import type { PeriodEdges } from './edges.ts';
import { periodRange } from './month.ts';
import { type MovementRow, MovementTally } from './movement.ts';
import { periodPage } from './pages.ts';
import type { SealedPeriod } from './sealed-states.ts';

const PAGE = 250;
const STEPS = 5000;

/** A record of the month that the close could not verify, by name. */
export interface UnverifiedRecord {
  kind: Kind;
  recordId: string;
  hostReference: string | null;
  verdict: Verdict;
  /** `never looked at`, or how the last look ended. */
  why: string;
  lastLookRun: string | null;
}

/** Each record of the close, page by page, as reports take it. */
export async function* closedRecords(
  { store }: Pick<PeriodEdges, 'store'>,
  close: Statement,
): AsyncGenerator<readonly SettledRecord[]> {
  const book = new RunBook(store.periods);
  const { last } = periodRange(close.period, close.timezone);
  const facts: RunFacts = { runId: `period-${close.period}`, businessDate: last, timezone: close.timezone };
  for await (const page of pagesOf(store, close.key)) {
    const records = await periodPage(store, book, facts, close.basis, page);
    yield records.map(({ settled }) => settled);
  }
}

async function* pagesOf(
  { periods }: PeriodEdges['store'],
  statementKey: number,
): AsyncGenerator<readonly StatementRecord[]> {
  let after: RecordPosition | null = null;
  for (;;) {
    const page: readonly StatementRecord[] = await periods.records(statementKey, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = { kind: last.kind, recordId: last.recordId };
  }
}

/** Records that are unverified, quarantined or pending, in report order. */
export async function* unverifiedRecords(
  { store }: Pick<PeriodEdges, 'store'>,
  close: Statement,
): AsyncGenerator<UnverifiedRecord> {
  for await (const page of pagesOf(store, close.key)) {
    const open = page.filter(({ verdict }) => isNamed(verdict));
    if (open.length === 0) continue;
    const looks = await store.periods.looksOf(open);
    for (const [i, { kind, recordId, verdict }] of open.entries()) {
      const look = looks[i]?.last ?? null;
      yield {
        kind,
        recordId,
        hostReference: look?.stored.tracked.hostReference ?? null,
        verdict,
        why: whyUnverified(look),
        lastLookRun: look === null ? null : (await store.periods.run(look.runKey)).runId,
      };
    }
  }
}

/** Verdicts whose records a month names: nothing is known of them, or not the end. */
export function isNamed(verdict: Verdict): boolean {
  return verdict === 'unverified' || verdict === 'quarantined' || verdict === 'pending';
}

/** How the last look at a record ended, in words. */
export function whyUnverified(look: Pick<Look, 'stored'> | null): string {
  if (look === null) return 'never looked at';
  const { observation } = look.stored;
  if (observation.outcome === 'verified') {
    const { status } = observation.snapshot.state;
    return status === null ? 'without a status' : `in ${status}`;
  }
  return `${observation.outcome}: ${observation.reason}`;
}

/** The movement of open breaks from the close before to this one. */
export async function movementOf(
  edges: Pick<PeriodEdges, 'store'>,
  { closed }: SealedPeriod,
): Promise<readonly MovementRow[]> {
  const { periods } = edges.store;
  const months = (await periods.list()).filter(({ period }) => period <= closed.period);
  const closes = (await Promise.all(months.map(({ period }) => periods.statements(period))))
    .flat()
    .filter(({ type, state }) => type === 'close' && state === 'sealed');
  const own = closes.find(({ period }) => period === closed.period);
  const earlier = closes.filter((each) => each !== own);
  const before = earlier.reduce((most, { basis }) => Math.max(most, basis.breakEvent), 0);
  const tally = new MovementTally(before);
  if (own === undefined) return tally.rows();
  const scope = { own: own.key, earlier: earlier.map(({ key }) => key), upTo: own.basis.breakEvent };
  for (let after = 0; ; ) {
    const steps = await periods.breakSteps(scope, after, STEPS);
    for (const step of steps) tally.add(step);
    const last = steps.at(-1);
    if (last === undefined || steps.length < STEPS) return tally.rows();
    after = last.eventKey;
  }
}

export interface SignOff {
  what: string;
  by: string | null;
  at: Instant | null;
  /** A reason, a folder. */
  detail: string | null;
  manifestSha256: string | null;
}

/** Who stated, accepted and reviewed what; a review that is missing is a line without a name. */
export function signOffs({ closed, statements }: SealedPeriod): readonly SignOff[] {
  const { closedBy, closedAt, acceptedOpen, reviewedBy, reviewedAt } = closed;
  const sets = statements.map((each) => ({
    what: each.type === 'close' ? 'closed' : `delta ${each.number} stated`,
    by: each.by,
    at: each.at,
    detail: each.folder,
    manifestSha256: each.manifestSha256,
  }));
  const accepted = { what: 'accepted as open', by: closedBy, at: closedAt, detail: acceptedOpen, manifestSha256: null };
  return [
    ...sets.slice(0, 1),
    ...(acceptedOpen === null ? [] : [accepted]),
    {
      what: reviewedBy === null ? 'not reviewed yet' : 'reviewed',
      by: reviewedBy,
      at: reviewedAt,
      detail: null,
      manifestSha256: null,
    },
    ...sets.slice(1),
  ];
}
