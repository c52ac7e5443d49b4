/**
 * Closed months and the statements about them. A statement is the close of a month, a delta after it, or the part of a
 * later month's close that carries changes of it. A sealed statement is never changed; it holds its records as keys of
 * rows that no retention deletes.
 */
import type { Verdict } from '../../domain/finding.ts';
import type { BusinessDate, Instant, Kind, RecordPosition } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { PeriodChange } from '../period.ts';
import type { StatusChange, StoredCase } from './items.ts';
import type { RunFrame } from './runs.ts';
import type { BreakMove } from './work-list.ts';

/** A calendar month `YYYY-MM` in the business time zone. */
type PeriodName = string;

/** `close` seals a month; `delta` states what has changed since, and `carried` does so within the set of a later month. */
export type MonthSetType = 'close' | 'delta' | 'carried';

/** The basis of a statement: later runs and break events are not in it. */
export interface PeriodBasis {
  /** Newest break event that counts. */
  breakEvent: number;
  /** Keys of the settled runs whose observations count. */
  runs: readonly number[];
}

/** The identity of a statement: `number` counts deltas from 1, `carriedIn` is the month whose set carries it. */
export interface MonthSetName {
  period: PeriodName;
  type: MonthSetType;
  number: number;
  carriedIn: PeriodName | null;
}

/** With the terms in force, as in a run, for the manifest. */
export interface NewMonthSet extends MonthSetName, RunFrame {
  by: string;
  at: Instant;
  basis: PeriodBasis;
}

/** A published statement about a month. */
export interface MonthSet extends NewMonthSet {
  key: number;
  /** `open`: records are being written. `staged`: all are in. `sealed`: the set is in place. */
  state: 'open' | 'staged' | 'sealed';
  /** Figures as JSON, fixed when it was staged. */
  figures: string | null;
  /** Why open items were accepted; null where there were none. */
  acceptedOpen: string | null;
  /** Relative to the out folder; null until sealed. */
  folder: string | null;
  manifestSha256: string | null;
  /** Of a delta; null until a second person has reviewed it. The review of a close is that of its month. */
  review: { by: string; at: Instant } | null;
}

/** A sealed month; what changes afterwards is stated in a later set. */
export interface ClosedPeriod {
  period: PeriodName;
  timezone: string;
  /** `reviewed`: the close and every delta. */
  state: 'closed' | 'reviewed';
  closedBy: string;
  closedAt: Instant;
  acceptedOpen: string | null;
  reviewedBy: string | null;
  reviewedAt: Instant | null;
  /** Of the close. */
  folder: string;
  manifestSha256: string;
  figures: string;
}

/** One record of a month, by the date that counts for it. */
export interface PeriodMember extends RecordPosition {
  recordKey: number;
  /**
   * Source of the date: the newest readable body (which the application does not contradict as to the month), the
   * application, or the time of tracking.
   */
  datedBy: 'body' | 'told' | 'tracked';
}

/** A record in a statement: its last observation, its last verified one, and its verdict. */
export interface MonthSetRecord extends RecordPosition {
  recordKey: number;
  /** Run of the last observation; null where there was none. */
  lookRun: number | null;
  /** Run and content of the last verified observation. */
  verifiedRun: number | null;
  contentKey: number | null;
  verdict: Verdict;
  /** False where the record left the month: its creation date was corrected, or it was retracted. */
  present: boolean;
  /** What differs from the statement before; empty in a close, which has none before it. */
  changes: readonly PeriodChange[];
}

/** The observation of a record by one run. */
export interface Look {
  runKey: number;
  stored: StoredCase;
  contentKey: number | null;
}

export interface Looks {
  last: Look | null;
  verified: Look | null;
}

type ScopedClose = Pick<MonthSet, 'key' | 'period'>;

/** What one event made of a break of some closes. */
export interface BreakStep extends Omit<BreakMove, 'at'> {
  eventKey: number;
  /** True for a break of the month itself, false for one of an earlier month. */
  isOfMonth: boolean;
}

export interface MemberRange {
  from: Instant;
  to: Instant;
  /** Only those that were verified at or after it. */
  verifiedSince?: Instant;
  /** Only those that their own body dates before it, or not at all. */
  bodyBefore?: Instant;
}

/** Closed months and what was stated about them. */
export interface PeriodStore {
  /** Closed months, oldest first. */
  list(): Promise<readonly ClosedPeriod[]>;
  get(period: PeriodName): Promise<ClosedPeriod | null>;
  /** closed → reviewed. False where it was not closed, or is reviewed already. */
  review(period: PeriodName, by: string, at: Instant): Promise<boolean>;
  /** Of a sealed delta, by its key. False where it is reviewed already. */
  reviewDelta(statementKey: number, by: string, at: Instant): Promise<boolean>;
  /** All statements about a month, sealed or not, in the order in which they were begun. */
  statements(period: PeriodName): Promise<readonly MonthSet[]>;
  /** The earliest and the latest date of a tracked record, as `members` dates them; null without any record. */
  span(): Promise<{ first: Instant; last: Instant } | null>;
  /** The basis at present: every event, and every settled run that began, or judged, at or after an instant. */
  basis(since: Instant): Promise<PeriodBasis>;
  /** Tracked records whose date lies in [from, to), in report order after a place. */
  members(range: MemberRange, after: RecordPosition | null, limit: number): Promise<readonly PeriodMember[]>;
  /** How many records with such a date people have taken out of the population, by kind. */
  retracted(range: { from: Instant; to: Instant }): Promise<Readonly<Record<Kind, number>>>;
  /** The last observations of the records of one page in report order; one entry per record, in order. */
  looks(basis: PeriodBasis, page: readonly RecordPosition[]): Promise<readonly Looks[]>;
  /** The observations that a statement refers to, for writing its set. */
  looksOf(page: readonly MonthSetRecord[]): Promise<readonly Looks[]>;
  /** @throws UnknownRunError */
  run(runKey: number): Promise<Run>;
  /** Changes of status that runs of the basis reported on records in [first, last], in report order. */
  statusChanges(basis: PeriodBasis, first: RecordPosition, last: RecordPosition): Promise<readonly StatusChange[]>;
  /** Fields of contents, by content key. */
  states(wanted: readonly (RecordPosition & { contentKey: number })[]): Promise<ReadonlyMap<number, RecordState>>;
  /**
   * Events of breaks on the records of sealed closes, and about the payment of their months' revenue, in their order, after an
   * event and up to one.
   * @param scope the month's own close and earlier ones
   */
  breakSteps(
    scope: { own: ScopedClose; earlier: readonly ScopedClose[]; upTo: number },
    after: number,
    limit: number,
  ): Promise<readonly BreakStep[]>;
  /** Business dates and contents of the verified observations of one record, oldest first. */
  readings(
    basis: PeriodBasis,
    record: RecordPosition,
  ): Promise<readonly { businessDate: BusinessDate; contentKey: number }[]>;

  /**
   * Begins a statement; deletes one with the same name that was left open. @throws PeriodStateError where it is staged
   * or sealed.
   */
  begin(statement: NewMonthSet): Promise<MonthSet>;
  /** In report order, page by page. @throws PeriodStateError where it is not open */
  add(statementKey: number, records: readonly MonthSetRecord[]): Promise<void>;
  /** open → staged. */
  stage(statementKey: number, figures: string, acceptedOpen: string | null): Promise<MonthSet>;
  /** Deletes a statement unless it is sealed. */
  forget(statementKey: number): Promise<void>;
  /** staged → sealed, all or none; a sealed close makes its month closed. Idempotent for the same place. */
  seal(statementKeys: readonly number[], place: { folder: string; manifestSha256: string }): Promise<void>;
  /** In report order after a place. */
  records(statementKey: number, after: RecordPosition | null, limit: number): Promise<readonly MonthSetRecord[]>;
  /**
   * Number of records of closed months with a change that no close has carried yet: fields that differ from the last
   * statement, a break that opened, came back or was resolved, or a record that its month did not include.
   * @param months all closed months lie in [from, to).
   */
  touched(runId: string, months: { from: Instant; to: Instant }): Promise<number>;
}
