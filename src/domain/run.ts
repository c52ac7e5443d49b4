/** A run is one execution of a job over a selection; it has a business date and a revision. */

import { count } from '../text/counts.ts';
import type { Verdict } from './finding.ts';
import type { BusinessDate, Instant, Kind } from './record.ts';
import type { Survey } from './survey.ts';

/**
 * `fetching` → `judging` → `settled` → `complete` | `incomplete`; `aborted` where nothing could be judged.
 * Everything before `settled` may be resumed; from `settled` on only the publication is left to do.
 */
export type RunState = 'fetching' | 'judging' | 'settled' | 'complete' | 'incomplete' | 'aborted';

/**
 * The selection of a run. Ranges are half-open. `requote`: every record that is read gets a fresh quote too, to
 * compare with where no other quote belongs to it.
 */
export type Selection =
  | { type: 'due' }
  | { type: 'ids'; ids: readonly string[]; kind: Kind | null; requote?: boolean }
  | { type: 'created'; from: BusinessDate; to: BusinessDate; kind: Kind | null; requote?: boolean }
  | { type: 'all'; kind: Kind | null }
  /** Records for which a webhook was delivered after the last time that the Service was asked. */
  | { type: 'delivered' };

/**
 * The figures of one configured source in a run. `read` lines = `accepted` + `rejected`; a line that contradicts what
 * is tracked is accepted, and is a break.
 */
export interface SourceFigures {
  name: string;
  read: number;
  accepted: number;
  rejected: number;
  /** Files or queries that could not be read; 1 for a path that matched no file, unless the source is optional. */
  failed: number;
  /** In words, one each: what failed, and the first rejected lines. Empty where all was accepted. */
  problems: readonly string[];
}

/** Whether something of a source did not come in, so that records may be missing from the population. */
export function isShort({ rejected, failed }: SourceFigures): boolean {
  return rejected > 0 || failed > 0;
}

/** Records of a run by verdict; their sum is its population. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** `1,990 matched, 3 pending, …` */
export function verdictsInWords(verdicts: VerdictCounts): string {
  const counted = Object.entries(verdicts).map(([name, n]) => `${count(n)} ${name}`);
  return counted.join(', ');
}

/** One run of a job for a business date. A second one is another revision, never an edit. */
export interface Run {
  runId: string;
  job: string;
  businessDate: BusinessDate;
  /** 1, 2, …; a higher one supersedes. */
  revision: number;
  state: RunState;
  selection: Selection;
  timezone: string;
  startedAt: Instant;
  /** Fixed when judging ends, so that a re-publication after a crash gives the same bytes; null before. */
  finishedAt: Instant | null;
  /** The instant judged at. */
  asOf: Instant;
  /** The frozen judging terms, as canonical JSON: what a replay judges by. */
  terms: string;
  rulesHash: string;
  configHash: string;
  codeVersion: string;
  supersedes: string | null;
  requestsSent: number;
  population: number;
  verdicts: VerdictCounts | null;
  /** Rows with a higher key were not there when the run was judged; null before. */
  watermarks: Watermarks | null;
  /** Where the report set was published, relative to the out folder; null before. */
  publishedTo: string | null;
  /** As they were read before the run was planned; empty for a run that reads none. */
  sources: readonly SourceFigures[];
  /** Tracked records that are in the population, due or not; null before the run is planned, and in older ledgers. */
  tracked: number | null;
  /** Tracked records that people took out of the population; null as above. */
  retracted: number | null;
  /** Null before the run is judged, and in older ledgers. */
  survey: Survey | null;
}

/**
 * The reasons why a run is incomplete, each with its remedy; empty for a complete one.
 * @param notReached due records that nothing was learned of
 */
export function whyIncomplete(
  { sources, selection, tracked, population }: Pick<Run, 'sources' | 'selection' | 'tracked' | 'population'>,
  notReached: number,
): string[] {
  const reasons: string[] = [];
  if (notReached > 0)
    reasons.push(`${notReached} due ${notReached === 1 ? 'record was' : 'records were'} not verified`);
  for (const source of sources.filter(isShort)) reasons.push(`source ${source.name}: ${source.problems.join('; ')}`);
  if (tracked === 0) {
    reasons.push('nothing is tracked: import ids and tokens (`tieout import ids.csv`), or configure `sources`');
  } else if (tracked !== null && population === 0 && selection.type !== 'due' && selection.type !== 'delivered') {
    reasons.push('no tracked record is in the selection');
  }
  return reasons;
}

/** A run that has been judged, or is being judged: its watermarks are known. */
export type JudgeableRun = Run & { watermarks: Watermarks };

/** @throws RangeError for a run that is still fetching, or was aborted while it was. */
export function withWatermarks(run: Run): JudgeableRun {
  if (run.watermarks === null) throw new RangeError(`run ${run.runId} has not been judged yet: it is ${run.state}`);
  return { ...run, watermarks: run.watermarks };
}

/** Reports of a night list every break that stands; those of any other selection list breaks on their own records only. */
export function isWholeNight({ selection }: { selection: { type: string } }): boolean {
  return selection.type === 'due' || selection.type === 'all';
}

/** The states of runs that have published their report set, with or without records that could not be verified. */
export const FINISHED: readonly RunState[] = ['complete', 'incomplete'];

export function isFinished({ state }: Pick<Run, 'state'>): boolean {
  return FINISHED.includes(state);
}

/** The newest rows that a run may see, so that a replay sees the same. */
export interface Watermarks {
  quote: number;
  reference: number;
  breakEvent: number;
  /** Null where nothing was known from outside the Service. */
  evidence: WitnessMarks | null;
}

/** The newest keys of what others than the Service say. */
export interface WitnessMarks {
  sighting: number;
  claim: number;
  /** Whether the night knew the host's revenue and its payments; absent where it did not. */
  revenue?: boolean;
}

/** `nightly-2026-11-20-r1`. */
export function runIdOf(job: string, businessDate: BusinessDate, revision: number): string {
  return `${job}-${businessDate}-r${revision}`;
}

/** Whether a run asks for fresh quotes. */
export function wantsRequotes(selection: Selection): boolean {
  return 'requote' in selection && selection.requote === true;
}
