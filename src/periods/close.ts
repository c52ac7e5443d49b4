/**
 * Closes a month, has it reviewed, and states in a delta what differs later. One process at a time closes or states deltas.
 *
 *     closePeriod(edges, { period: '2026-10', by: 'Ann', acceptOpen?: 'reason' }) → PublishedPeriod
 *     reviewPeriod(edges, { period: '2026-10', by: 'Bob' })                       → ClosedPeriod
 *     publishDelta(edges, { period: '2026-10', by: 'Ann' })                          → PublishedPeriod
 */
import { UsageError } from '../domain/errors.ts';
import type { PeriodFigures } from '../ports/period.ts';
import type { ClosedPeriod, MonthSet } from '../ports/store/periods.ts';
import { runBook } from '../reconcile/run-book.ts';
import { trackOf } from './baseline.ts';
import type { PeriodEdges } from './edges.ts';
import { PeriodBreaksOpenError, PeriodDamagedError, PeriodUnverifiedError } from './errors.ts';
import { earlierOf, figuresDigest, isClean, isVerified, readFigures } from './figures.ts';
import {
  type PeriodRange,
  periodRange,
  requireClosable,
  requireClosed,
  requireReviewable,
  requireText,
  unreviewedDeltas,
} from './month.ts';
import { isInPlace, publishPeriod } from './publish.ts';
import { type ChangeFigures, type StageOptions, stageChanges, stageClose } from './stage.ts';
import { problemsOfSet } from './status.ts';

interface ClosePeriodRequest {
  /** `2026-10` */
  period: string;
  /** Who closes it, or states the delta. Kept forever; the reviewer must be another person. */
  by: string;
  /** Why it is closed although something is unverified, pending or open; null or absent refuses that. */
  acceptOpen?: string | null;
  /** `figuresDigest` of what was shown; absent where nothing was. */
  seen?: string | undefined;
  /** Stops between two pages; nothing of the close is kept then. */
  signal?: AbortSignal;
}

type DeltaRequest = Pick<ClosePeriodRequest, 'period' | 'by' | 'signal'>;

interface ReviewRequest extends Pick<ClosePeriodRequest, 'period' | 'by'> {
  /** Hash of the newest set that the reviewer was shown; absent where nothing was shown. */
  seen?: string | undefined;
}

/** A sealed statement: its set is in place. */
export interface PublishedPeriod {
  period: string;
  /** Relative to the out folder: `periods/2026-10`, `periods/2026-10-delta-001`. */
  folder: string;
  manifestSha256: string;
  /** Who stated it. Of a crashed close or delta that was completed now: who had begun it. */
  by: string;
  /** Whether this completed a statement that an earlier process had staged. */
  resumed: boolean;
  /** Of a close; null of a delta. */
  figures: PeriodFigures | null;
  /** Findings on earlier months that a close carries, by month; of a delta, what it states of its own month. */
  changes: readonly ({ period: string } & ChangeFigures)[];
}

const NO_SIGNAL = new AbortController().signal;

/**
 * Seals a month: `<out>/periods/2026-10/`, its hash in the store, and the later findings of earlier months.
 * @throws UsageError; PeriodUnverifiedError (exit 3) and PeriodBreaksOpenError (1) without `acceptOpen`; LockHeldError (5);
 * PublicationError (4)
 */
export async function closePeriod(edges: PeriodEdges, request: ClosePeriodRequest): Promise<PublishedPeriod> {
  const by = requireText('the name of who closes (--by)', request.by);
  const reason = request.acceptOpen == null ? null : requireText('the reason (--accept-open)', request.acceptOpen);
  const signal = request.signal ?? NO_SIGNAL;
  const { timezone } = edges;
  const range = periodRange(request.period, timezone);
  // Fails before anything is stated if the signing key cannot be used, or the chart library is missing.
  edges.readSigner();
  await edges.documents();
  await using lease = await edges.lock();
  const { periods } = edges.store;
  const closed = await periods.list();
  const finishClose = async (statement: MonthSet, resumed: boolean) => {
    const carried = await carriedSets(edges, range.period, closed, 'staged');
    return finish(edges, { statement, carried, deltaOf: null, resumed, fence: lease.fence, signal });
  };
  const staged = await stagedSet(edges, range.period, 'close');
  if (staged !== null) return await finishClose(staged, true);
  requireClosable(range, closed, edges.now(), timezone);
  const newest = closed.at(-1);
  if (!edges.byRelease && newest !== undefined && earlierOf(newest) !== null) {
    throw new UsageError(
      `${range.period} cannot be closed by the creation of its records: ${newest.period} was by their release`,
      {
        remedy:
          'set books.revenueMonth to released again; what was created before and is released now would be in no month',
      },
    );
  }
  const options = stageOptions(edges, by, timezone, signal);
  const begun: MonthSet[] = [];
  try {
    // The close itself is staged last: once it is staged, so is everything that its set needs.
    for (const each of closed) begun.push(await stageCarried(edges, options, each, range.period));
    const statement = await stageClose(options, range, (figures) =>
      accepted(range.period, figures, reason, request.seen),
    );
    begun.push(statement);
    return await finishClose(statement, false);
  } catch (error) {
    await forgetUnlessInPlace(edges, { period: range.period, number: 0 }, begun);
    throw error;
  }
}

/** The reason to store: null where nothing is open, even if a reason was given. */
function accepted(period: string, figures: PeriodFigures, reason: string | null, seen?: string): string | null {
  if (seen !== undefined && seen !== figuresDigest(figures))
    throw new UsageError(`the figures of ${period} have changed since the page was opened; read them, then close it`);
  if (isClean(figures)) return null;
  if (reason !== null) return reason;
  // Incompleteness is reported before breaks: unverified records may have more breaks.
  throw isVerified(figures) ? new PeriodBreaksOpenError(period, figures) : new PeriodUnverifiedError(period, figures);
}

async function stageCarried(
  edges: PeriodEdges,
  options: StageOptions,
  { period, timezone }: ClosedPeriod,
  carriedIn: string,
) {
  const { periods } = edges.store;
  const statements = await periods.statements(period);
  // Left by a close that crashed before it was staged.
  const stale = statements.filter((each) => each.carriedIn === carriedIn && each.state !== 'sealed');
  for (const { key } of stale) await periods.forget(key);
  const range = periodRange(period, timezone);
  const inItsZone = { ...options, stating: { ...options.stating, timezone } };
  return stageChanges(inItsZone, range, { number: 0, carriedIn }, statements);
}

/** Publishes what is staged, and seals it. */
async function finish(
  edges: PeriodEdges,
  staged: Omit<Parameters<typeof publishPeriod>[0], 'edges'> & { resumed: boolean },
): Promise<PublishedPeriod> {
  const { statement, carried, resumed } = staged;
  const place = await publishPeriod({ ...staged, edges });
  const keys = [...carried, statement].map(({ key }) => key);
  await edges.store.periods.seal(keys, place);
  const { period, type, by, figures } = statement;
  return {
    period,
    ...place,
    by,
    resumed,
    figures: type === 'delta' || figures === null ? null : readFigures(figures),
    changes: (type === 'delta' ? [statement] : carried).map((each) => ({
      period: each.period,
      ...changeFigures(each.figures),
    })),
  };
}

function changeFigures(figures: string | null): ChangeFigures {
  const { records = 0, changes = 0 } = JSON.parse(figures ?? '{}') as Partial<ChangeFigures>;
  return { records, changes };
}

/**
 * Records that a second person has reviewed a closed month, or its later deltas its review. Its sealed sets must be unchanged.
 * @throws UsageError; PeriodDamagedError (exit 1)
 */
export async function reviewPeriod(edges: PeriodEdges, request: ReviewRequest): Promise<ClosedPeriod> {
  const by = requireText('the name of who reviews (--by)', request.by);
  const { timezone } = edges;
  const { period } = periodRange(request.period, timezone);
  const { periods } = edges.store;
  const closed = requireClosed(period, await periods.get(period));
  const statements = await periods.statements(period);
  const deltas = unreviewedDeltas(statements);
  requireReviewable(closed, deltas, by, timezone);
  if (request.seen !== undefined && request.seen !== trackOf(statements, 'delta').at(-1)?.manifestSha256)
    throw new UsageError(`another delta of ${period} was stated since the page was opened; read it, then review it`);
  const problems = await problemsOfSet(edges, statements);
  if (problems[0] !== undefined) throw new PeriodDamagedError(period, problems[0]);
  const now = edges.now();
  // Of two concurrent reviews only one is stored; the other one is refused.
  const isStored = closed.reviewedBy === null && (await periods.review(period, by, now));
  for (const { key } of deltas) await periods.reviewDelta(key, by, now);
  const reviewed = requireClosed(period, await periods.get(period));
  if (closed.reviewedBy === null && !isStored) requireReviewable(reviewed, [], by, timezone);
  return reviewed;
}

/**
 * States what differs in a closed month, in a set beside the sealed one, which never changes.
 * @throws UsageError, also where nothing differs; LockHeldError (exit 5); PublicationError (4)
 */
export async function publishDelta(edges: PeriodEdges, request: DeltaRequest): Promise<PublishedPeriod> {
  const by = requireText('the name of who states it (--by)', request.by);
  const signal = request.signal ?? NO_SIGNAL;
  edges.readSigner();
  await edges.documents();
  await using lease = await edges.lock();
  const { periods } = edges.store;
  const { period } = periodRange(request.period, edges.timezone);
  const closed = requireClosed(period, await periods.get(period));
  // In the time zone that it was closed in, which may differ from the settings of today.
  const range = periodRange(period, closed.timezone);
  const staged = await stagedSet(edges, period, 'delta');
  const statements = await periods.statements(period);
  const before = trackOf(statements, 'delta').at(-1);
  if (before === undefined) throw new Error(`the close of ${period} is not among its statements`);
  const options = stageOptions(edges, by, closed.timezone, signal);
  const statement = staged ?? (await stageDelta(options, range, statements, before, edges));
  const deltaOf = { path: before.folder ?? '', manifestSha256: before.manifestSha256 ?? '' };
  const resumed = staged !== null;
  try {
    return await finish(edges, { statement, carried: [], deltaOf, resumed, fence: lease.fence, signal });
  } catch (error) {
    await forgetUnlessInPlace(edges, statement, [statement]);
    throw error;
  }
}

async function stageDelta(
  options: StageOptions,
  range: PeriodRange,
  statements: readonly MonthSet[],
  before: MonthSet,
  edges: PeriodEdges,
): Promise<MonthSet> {
  const number = before.number + 1;
  const statement = await stageChanges(options, range, { number, carriedIn: null }, statements);
  const { records } = changeFigures(statement.figures);
  if (records > 0 || (await revenueDiffers(edges, before, statement))) return statement;
  await options.store.periods.forget(statement.key);
  const { period } = range;
  throw new UsageError(`nothing in ${period} differs from ${before.folder ?? period}; no delta was written`);
}

/** Whether anything was earned, paid or posted otherwise: that a month became overdue meanwhile is no difference. */
async function revenueDiffers({ revenue }: PeriodEdges, a: MonthSet, b: MonthSet): Promise<boolean> {
  const [before, now] = [await revenue(a), await revenue(b)].map((known) =>
    JSON.stringify([
      known?.months.map((leg) => [leg.currency, leg.accrued, leg.paid, leg.posted, leg.carriedForward]),
      known?.payouts.map(({ payoutId, amount, matched }) => [payoutId, amount, matched]),
    ]),
  );
  return before !== now;
}

/** @param timezone of the month: the one that it was closed in, which may differ from the settings of today */
function stageOptions(edges: PeriodEdges, by: string, timezone: string, signal: AbortSignal): StageOptions {
  const { store } = edges;
  const stating = { timezone, by, at: edges.now(), ...edges.frame() };
  return { store, book: runBook(store.periods), signal, stating, byRelease: edges.byRelease };
}

/**
 * A statement whose set an earlier process put in place before it died: it has to be completed as it is. A staged statement
 * without a set in place is forgotten; the next close states what is known then.
 */
async function stagedSet(edges: PeriodEdges, period: string, type: 'close' | 'delta'): Promise<MonthSet | null> {
  const { periods } = edges.store;
  const staged = (await periods.statements(period)).find((each) => each.type === type && each.state === 'staged');
  if (staged === undefined) return null;
  if (isInPlace(edges, staged)) return staged;
  await periods.forget(staged.key);
  return null;
}

/** What the close of a month carries of the months before it. */
export async function carriedSets(
  { store: { periods } }: PeriodEdges,
  period: string,
  closed: readonly ClosedPeriod[],
  state: MonthSet['state'],
): Promise<readonly MonthSet[]> {
  const all = (await Promise.all(closed.map((each) => periods.statements(each.period)))).flat();
  return all.filter((each) => each.carriedIn === period && each.state === state);
}

/** After a failure: a statement counts only if its set is in place. */
async function forgetUnlessInPlace(
  edges: PeriodEdges,
  name: Pick<MonthSet, 'period' | 'number'>,
  begun: readonly MonthSet[],
): Promise<void> {
  if (isInPlace(edges, name)) return;
  for (const { key } of begun) await edges.store.periods.forget(key);
}
