/**
 * Closing the books of a month: close, review, state what differs later, and tell how a month stands. What a command does,
 * as functions over a wired application:
 *
 *     closePeriod(app, { period: '2026-10', by: 'Ann', acceptOpen?: 'reason' }) → PeriodSealed
 *     reviewPeriod(app, { period: '2026-10', by: 'Bob' })                       → ClosedPeriod
 *     sealDelta(app, { period: '2026-10', by: 'Ann' })                          → PeriodSealed
 *     periodStatus(app, '2026-10')                                              → PeriodStatus
 *     listPeriods(app)                                                          → ClosedPeriod[]
 *
 * One process at a time closes or states deltas, under the lease `periods`.
 */
import type { App } from '../app/app.ts';
import type { PeriodFigures } from '../ports/period.ts';
import type { ClosedPeriod, Statement } from '../ports/store/periods.ts';
import { signerFor } from '../publish/sign.ts';
import { trackOf } from './baseline.ts';
import { NothingDiffersError, PeriodBreaksOpenError, PeriodDamagedError, PeriodUnverifiedError } from './errors.ts';
import { isClean, isVerified, readFigures } from './figures.ts';
import {
  type PeriodRange,
  periodRange,
  requireClosable,
  requireClosed,
  requireReviewable,
  requireText,
} from './month.ts';
import { publishPeriod } from './publish.ts';
import { RunBook } from './runs.ts';
import { type ChangeFigures, type StageOptions, stageChanges, stageClose } from './stage.ts';
import { forgetUnlessInPlace, periodLease, stagedStatement, stageOptions } from './stating.ts';
import { sealedProblems } from './status.ts';

export { type PeriodStatus, periodStatus } from './status.ts';

export interface ClosePeriodRequest {
  /** `2026-10` */
  period: string;
  /** Who closes it; for the record, and never who reviews it. */
  by: string;
  /** Why it is closed although something is unverified, pending or open; null or absent refuses that. */
  acceptOpen?: string | null;
  /** Stops between two pages; nothing of the close is kept then. */
  signal?: AbortSignal;
}

export type DeltaRequest = Pick<ClosePeriodRequest, 'period' | 'by' | 'signal'>;

/** A set in place. */
export interface PeriodSealed {
  period: string;
  /** Relative to the out folder: `periods/2026-10`, `periods/2026-10-delta-001`. */
  folder: string;
  manifestSha256: string;
  /** Who stated it. Where a crashed close or delta was completed, whoever had begun it. */
  by: string;
  /** True where a statement that an earlier process had staged was published now. */
  resumed: boolean;
  /** Of a close; null of a delta. */
  figures: PeriodFigures | null;
  /** Findings on earlier months that a close carries, by month; of a delta, what it states of its own month. */
  changes: readonly ({ period: string } & ChangeFigures)[];
}

const NO_SIGNAL = new AbortController().signal;

/**
 * Seals a month: `<out>/periods/2026-10/`, its hash in the store, and what was found of earlier months with it.
 * @throws PeriodNameError, PeriodNotOverError, PeriodClosedError, PeriodOrderError, NameMissingError (exit 2);
 * PeriodUnverifiedError (3) and PeriodBreaksOpenError (1) without `acceptOpen`; LockHeldError (5); PublicationError (4)
 */
export async function closePeriod(app: App, request: ClosePeriodRequest): Promise<PeriodSealed> {
  const by = requireText('the name of who closes (--by)', request.by);
  const reason = request.acceptOpen == null ? null : requireText('the reason (--accept-open)', request.acceptOpen);
  const signal = request.signal ?? NO_SIGNAL;
  const { timezone } = app.settings;
  const range = periodRange(request.period, timezone);
  // A key that cannot be used is told before anything is stated.
  signerFor(app.settings);
  await using _lease = await periodLease(app);
  const { periods } = app.store;
  const closed = await periods.list();
  const staged = await stagedStatement(app, range.period, 'close');
  if (staged !== null) return finishClose(app, rangeOf(staged), staged, closed, true, signal);
  requireClosable(range, closed, app.clock.wall.now(), timezone);
  const options = stageOptions(app, by, timezone, signal);
  const begun: Statement[] = [];
  try {
    // The close itself is staged last: once it stands, everything that its set needs stands too.
    for (const each of closed) begun.push(await stageCarried(app, options, each, range.period));
    const statement = await stageClose(options, range, (figures) => accepted(range.period, figures, reason));
    begun.push(statement);
    return await finishClose(app, range, statement, closed, false, signal);
  } catch (error) {
    await forgetUnlessInPlace(app, { period: range.period, number: 0 }, begun);
    throw error;
  }
}

/** Null where there is nothing to accept, whatever was given as a reason. */
function accepted(period: string, figures: PeriodFigures, reason: string | null): string | null {
  if (isClean(figures)) return null;
  if (reason !== null) return reason;
  // Incompleteness wins over breaks: whoever did not see everything cannot say how many breaks there are.
  throw isVerified(figures) ? new PeriodBreaksOpenError(period, figures) : new PeriodUnverifiedError(period, figures);
}

async function stageCarried(app: App, options: StageOptions, { period, timezone }: ClosedPeriod, carriedIn: string) {
  const { periods } = app.store;
  const statements = await periods.statements(period);
  // Left by a close that died before it stood.
  const stale = statements.filter((each) => each.carriedIn === carriedIn && each.state !== 'sealed');
  for (const { key } of stale) await periods.forget(key);
  const range = periodRange(period, timezone);
  const inItsZone = { ...options, stating: { ...options.stating, timezone } };
  return (await stageChanges(inItsZone, range, { number: 0, carriedIn }, statements)).statement;
}

async function finishClose(
  app: App,
  range: PeriodRange,
  statement: Statement,
  closed: readonly ClosedPeriod[],
  resumed: boolean,
  signal: AbortSignal,
): Promise<PeriodSealed> {
  const { periods } = app.store;
  const all = (await Promise.all(closed.map(({ period }) => periods.statements(period)))).flat();
  const carried = all.filter(({ carriedIn, state }) => carriedIn === range.period && state === 'staged');
  const book = new RunBook(periods);
  const place = await publishPeriod({ app, book, range, statement, carried, deltaOf: null, signal });
  await periods.seal([...carried.map(({ key }) => key), statement.key], place);
  return {
    period: range.period,
    ...place,
    by: statement.by,
    resumed,
    figures: statement.figures === null ? null : readFigures(statement.figures),
    changes: carried.map(({ period, figures }) => ({ period, ...changeFigures(figures) })),
  };
}

function changeFigures(figures: string | null): ChangeFigures {
  return JSON.parse(figures ?? '{"records":0,"changes":0}') as ChangeFigures;
}

/**
 * Somebody else looks at a closed month and says so. Its sealed set must be what was sealed.
 * @throws PeriodNotClosedError, PeriodReviewedError, SamePersonError, NameMissingError (exit 2); PeriodDamagedError (1)
 */
export async function reviewPeriod(app: App, request: { period: string; by: string }): Promise<ClosedPeriod> {
  const by = requireText('the name of who reviews (--by)', request.by);
  const { timezone } = app.settings;
  const { period } = periodRange(request.period, timezone);
  const { periods } = app.store;
  const closed = requireClosed(period, await periods.get(period));
  requireReviewable(closed, by, timezone);
  const problems = await sealedProblems(app, await periods.statements(period));
  if (problems[0] !== undefined) throw new PeriodDamagedError(period, problems[0]);
  await periods.review(period, by, app.clock.wall.now());
  const reviewed = requireClosed(period, await periods.get(period));
  // Two reviewers at once: only one of them has given the review.
  if (reviewed.reviewedBy !== by) requireReviewable(reviewed, by, timezone);
  return reviewed;
}

/**
 * States what differs in a closed month beside its sealed set, which never changes.
 * @throws PeriodNotClosedError, NothingDiffersError, NameMissingError (exit 2); LockHeldError (5); PublicationError (4)
 */
export async function sealDelta(app: App, request: DeltaRequest): Promise<PeriodSealed> {
  const by = requireText('the name of who states it (--by)', request.by);
  const signal = request.signal ?? NO_SIGNAL;
  signerFor(app.settings);
  await using _lease = await periodLease(app);
  const { periods } = app.store;
  const { period } = periodRange(request.period, app.settings.timezone);
  const closed = requireClosed(period, await periods.get(period));
  // In the zone that it was closed in, whatever the settings say today.
  const range = periodRange(period, closed.timezone);
  const staged = await stagedStatement(app, period, 'delta');
  const statements = await periods.statements(period);
  const before = trackOf(statements, 'delta').at(-1);
  if (before === undefined) throw new Error(`the close of ${period} is not among its statements`);
  const statement =
    staged ?? (await stageDelta(stageOptions(app, by, closed.timezone, signal), range, statements, before));
  const deltaOf = { path: before.folder ?? '', manifestSha256: before.manifestSha256 ?? '' };
  const book = new RunBook(periods);
  try {
    const place = await publishPeriod({ app, book, range, statement, carried: [], deltaOf, signal });
    await periods.seal([statement.key], place);
    const changes = [{ period, ...changeFigures(statement.figures) }];
    return { period, ...place, by: statement.by, resumed: staged !== null, figures: null, changes };
  } catch (error) {
    await forgetUnlessInPlace(app, statement, [statement]);
    throw error;
  }
}

async function stageDelta(
  options: StageOptions,
  range: PeriodRange,
  statements: readonly Statement[],
  before: Statement,
): Promise<Statement> {
  const number = before.number + 1;
  const { statement, figures } = await stageChanges(options, range, { number, carriedIn: null }, statements);
  if (figures.records > 0) return statement;
  await options.store.periods.forget(statement.key);
  throw new NothingDiffersError(range.period, before.folder ?? range.period);
}

/** Closed months, oldest first. */
export function listPeriods(app: App): Promise<readonly ClosedPeriod[]> {
  return app.store.periods.list();
}

function rangeOf({ period, timezone }: Statement): PeriodRange {
  return periodRange(period, timezone);
}
