/** Gathers the story of one break from the store, and judges its case again. Reads only; a handful of rows. */
import { type BreakEvent, type BreakKind, isOnRecord } from '../domain/break.ts';
import type { Case } from '../domain/case.ts';
import { executionOf } from '../domain/execution.ts';
import type { Finding } from '../domain/finding.ts';
import { directionOf, type Instant, type Kind } from '../domain/record.ts';
import { type Run, withWatermarks } from '../domain/run.ts';
import { priceWindow } from '../domain/slippage.ts';
import type { BreakStore, CurrentBreak, HistoryStore, RunStore, TrackedStore } from '../ports/store/store.ts';
import { RULES } from '../rules/index.ts';
import { RIGHTED } from '../rules/rule.ts';
import { freezeTerms, type RunTerms, thawTerms } from '../rules/terms.ts';
import { amount, fact, outcomeLine, signed, type WorkingLine } from '../rules/working.ts';
import { type BuildCases, byTodaysTerms, compareStored, findingOf, workOut } from './recompute.ts';
import type { BreakStory, JudgedIn, RecordStory } from './story.ts';
import { changedTerms } from './terms-changed.ts';

export interface StoryStore {
  breaks: Pick<BreakStore, 'events'>;
  runs: Pick<RunStore, 'get'>;
  history: HistoryStore;
  tracked: Pick<TrackedStore, 'find'>;
}

/** For a break whose rule this version does not have. */
const GENERAL_ACTION =
  'Look at what was expected and what was found, and decide whether to acknowledge, assign or waive it.';

/** @param settings the terms in force today. */
export async function explainBreak(
  standing: CurrentBreak,
  store: StoryStore,
  settings: RunTerms,
  buildCases: BuildCases,
): Promise<BreakStory> {
  const events = await store.breaks.events(standing.breakId);
  const rule = RULES.find(({ code }) => code === standing.rule);
  return {
    standing,
    rule: rule === undefined ? null : { title: rule.title, why: rule.why },
    action: rule?.action ?? GENERAL_ACTION,
    settledBy: rule?.settledBy ?? RIGHTED,
    record: isOnRecord(standing.kind) ? await recordStory(standing.kind, standing.recordId, store) : null,
    events,
    ...(await judgedAgain(standing, lastFound(events), store, settings, buildCases)),
  };
}

/** The event with the rule's last finding: resolving it, and a person's decision, change no figures. */
function lastFound(events: readonly BreakEvent[]): (BreakEvent & { runId: string }) | null {
  const found = events.findLast(
    (event): event is BreakEvent & { runId: string } => event.runId !== null && event.type !== 'resolved',
  );
  return found ?? null;
}

/** Null for a record that is not tracked. */
export async function recordStory(
  kind: Kind,
  recordId: string,
  store: Pick<StoryStore, 'history' | 'tracked'>,
): Promise<RecordStory | null> {
  const tracked = (await store.tracked.find(recordId)).find((each) => each.kind === kind);
  if (tracked === undefined) return null;
  const { id, origin, trackedAt, facts } = tracked;
  const { status, statusSince, lastVerifiedAt } = tracked.projection;
  return {
    ...{ recordId: id, origin, trackedAt, status, statusSince, lastVerifiedAt, facts },
    statusChanges: await store.history.statusChanges(kind, id),
    sightings: await store.history.sightings(kind, id),
  };
}

/** Shown on pages too, whose readers have no command line. */
const NOT_ON_A_RECORD = {
  market: 'it is about all records of one asset, currency and direction: `slippage.csv` has their moves',
  payout:
    'it is about the revenue of a month or a payment: each night matches them again, and the page Revenue shows the result',
  run: 'it is about all records of the run: replaying the run counts them again',
} as const satisfies Record<Exclude<BreakKind, Kind>, string>;

type Judged = Pick<BreakStory, 'judgedIn' | 'state' | 'workings' | 'recomputed' | 'today'>;

function notRecomputed(why: string): Judged {
  return {
    judgedIn: null,
    state: null,
    workings: [],
    recomputed: { outcome: 'not-recomputed', why },
    today: { changed: [], verdict: null, difference: null, tolerance: null },
  };
}

async function judgedAgain(
  standing: CurrentBreak,
  found: (BreakEvent & { runId: string }) | null,
  store: StoryStore,
  settings: RunTerms,
  buildCases: BuildCases,
): Promise<Judged> {
  if (found === null) return notRecomputed('no run that found it is on record');
  const run = await store.runs.get(found.runId);
  if (run === null) return notRecomputed(`run ${found.runId} is not stored any more`);
  const { kind, recordId } = standing;
  if (!isOnRecord(kind)) return { ...notRecomputed(NOT_ON_A_RECORD[kind]), workings: asFound(found.after) };
  const { watermarks } = run;
  if (watermarks === null) return notRecomputed(`run ${found.runId} is being judged`);
  const stored = await store.history.caseOf(run, kind, recordId);
  if (stored === null) return notRecomputed(`run ${found.runId} did not look at the record`);
  if (stored === 'archived')
    return {
      ...notRecomputed(`the records of run ${found.runId} were moved to an archive`),
      workings: asFound(found.after),
    };
  const terms = thawTerms(run.terms);
  const caseBy = async (by: RunTerms) => (await buildCases([stored], withWatermarks(run), by))[0];
  const subject = await caseBy(terms);
  // Quotes are matched by each side's own window and tolerances.
  const subjectToday = await caseBy(settings);
  if (subject === undefined || subjectToday === undefined) return notRecomputed('its case could not be built again');
  const again = findingOf(subject, standing, terms, run.asOf, run.survey);
  const workings = workOut(subject, standing, terms, run.asOf, run.survey);
  const changed = changedTerms(run.terms, freezeTerms(settings));
  const { observation } = subject;
  return {
    judgedIn: judgedIn(run, subject, await methodsFetched(subject, watermarks.reference, store)),
    state: observation.outcome === 'verified' ? observation.snapshot.state : null,
    workings: workings?.lines ?? asFound(found.after),
    recomputed: compareStored(found.after, again, workings),
    today: byTodaysTerms(changed, again, findingOf(subjectToday, standing, settings, run.asOf, run.survey)),
  };
}

export function judgedIn(run: Run, subject: Case, methodsCapturedAt: Instant | null): JudgedIn {
  const { runId, businessDate, asOf, codeVersion, rulesHash } = run;
  const { observation, tracked, quote, reference } = subject;
  return {
    runId,
    businessDate,
    asOf,
    codeVersion,
    rulesHash,
    observation,
    tracked,
    quote,
    reference,
    methodsCapturedAt,
    priceWindow: priceWindow({ ...subject, executed: executionOf(subject) }),
  };
}

export async function methodsFetched(
  subject: Case,
  watermark: number,
  store: Pick<StoryStore, 'history'>,
): Promise<Instant | null> {
  const { kind, observation, reference } = subject;
  const createdAt = observation.outcome === 'verified' ? observation.snapshot.state.createdAt : null;
  if (reference.methods === null || createdAt === null) return null;
  return store.history.methodsCapturedAt(directionOf(kind), createdAt, watermark);
}

/** The lines of a finding whose rule writes none: what the finding itself says. */
export function asFound({
  expected,
  actual,
  difference,
  currency,
  tolerance,
}: Pick<Finding, 'expected' | 'actual' | 'difference' | 'currency' | 'tolerance'>): readonly WorkingLine[] {
  const unit = difference === null ? null : currency;
  const side = (label: string, value: string | null, none: string): WorkingLine =>
    value === null ? fact(label, none) : { ...fact(label, value), unit };
  const sides = [side('expected', expected, 'nothing in particular'), side('found', actual, 'nothing')];
  if (difference === null) return sides;
  const working = expected === null || actual === null ? null : `${actual} − ${expected}`;
  const apart: WorkingLine = { label: 'difference', working, result: signed(difference, currency), unit };
  if (tolerance === null) return [...sides, apart];
  return [...sides, apart, amount('tolerance', tolerance, currency), outcomeLine(difference, tolerance, currency)];
}
