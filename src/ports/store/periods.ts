/**
 * What the store keeps of closed months. A statement is what was once said of a month and sealed: its close, a delta
 * beside it, or what a later month's close carried of it. Statements are added to and never changed once they are sealed;
 * what they say of a record is kept as keys of rows that no retention forgets.
 */
import type { Verdict } from '../../domain/finding.ts';
import type { BusinessDate, Instant, Kind, RecordPosition } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { PeriodChange } from '../period.ts';
import type { StatusChange, StoredCase } from './items.ts';

/** A calendar month `YYYY-MM` in the business time zone. */
type PeriodName = string;

export const STATEMENT_TYPES = ['close', 'delta', 'carried'] as const;
export type StatementType = (typeof STATEMENT_TYPES)[number];

/** What a statement rests on: later runs and break events are not in it. */
export interface PeriodBasis {
  /** Newest break event that counts. */
  breakEvent: number;
  /** Keys of the settled runs whose looks count. */
  runs: readonly number[];
}

/** What identifies a statement: `number` counts deltas from 1, `carriedIn` is the month whose set tells it. */
export interface StatementName {
  period: PeriodName;
  type: StatementType;
  number: number;
  carriedIn: PeriodName | null;
}

export interface NewStatement extends StatementName {
  timezone: string;
  by: string;
  at: Instant;
  basis: PeriodBasis;
  /** As in a run: what was in force, for the manifest. */
  terms: string;
  rulesHash: string;
  configHash: string;
  codeVersion: string;
}

export interface Statement extends NewStatement {
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
}

export interface ClosedPeriod {
  period: PeriodName;
  timezone: string;
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
export interface PeriodMember {
  recordKey: number;
  kind: Kind;
  recordId: string;
  /** Where the date comes from: the newest readable body, the application, or the moment of tracking. */
  datedBy: 'body' | 'told' | 'tracked';
}

/** What a statement says of a record: keys of the last look at it, of the last readable one, and its verdict. */
export interface StatementRecord {
  recordKey: number;
  kind: Kind;
  recordId: string;
  /** Run of the last look; null where there was none. */
  lookRun: number | null;
  /** Run of the last look that could be read, and the content it found. */
  verifiedRun: number | null;
  contentKey: number | null;
  verdict: Verdict;
  /** False where the record has left the month: its creation date was corrected. */
  present: boolean;
  /** What differs from the statement before; empty in a close, which has none before it. */
  changes: readonly PeriodChange[];
}

/** A look at a record by some run. */
export interface Look {
  runKey: number;
  stored: StoredCase;
  contentKey: number | null;
}

export interface Looks {
  last: Look | null;
  verified: Look | null;
}

export interface PeriodStore {
  /** Closed months, oldest first. */
  list(): Promise<readonly ClosedPeriod[]>;
  get(period: PeriodName): Promise<ClosedPeriod | null>;
  /** closed → reviewed. False where it was not closed, or is reviewed already. */
  review(period: PeriodName, by: string, at: Instant): Promise<boolean>;
  /** Everything ever said of a month, sealed or not, in the order in which it was begun. */
  statements(period: PeriodName): Promise<readonly Statement[]>;
  /** The earliest and the latest date of a tracked record, as `members` dates them; null without any record. */
  span(): Promise<{ first: Instant; last: Instant } | null>;
  /** What counts now: every event, and every settled run that began, or judged, at or after an instant. */
  basis(since: Instant): Promise<PeriodBasis>;
  /** Tracked records whose date lies in [from, to), in report order after a place. */
  members(
    range: { from: Instant; to: Instant },
    after: RecordPosition | null,
    limit: number,
  ): Promise<readonly PeriodMember[]>;
  /** The last looks at the records of one page in report order; one entry per record, in order. */
  looks(basis: PeriodBasis, page: readonly RecordPosition[]): Promise<readonly Looks[]>;
  /** The looks that a statement names, for writing its set. */
  looksOf(page: readonly StatementRecord[]): Promise<readonly Looks[]>;
  /** @throws UnknownRunError */
  run(runKey: number): Promise<Run>;
  /** Changes of status that runs of the basis reported on records in [first, last], in report order. */
  statusChanges(basis: PeriodBasis, first: RecordPosition, last: RecordPosition): Promise<readonly StatusChange[]>;
  /** Fields of contents, by content key. */
  states(wanted: readonly (RecordPosition & { contentKey: number })[]): Promise<ReadonlyMap<number, RecordState>>;
  /** Business dates and contents of the readable looks at one record, oldest first. */
  readings(
    basis: PeriodBasis,
    record: RecordPosition,
  ): Promise<readonly { businessDate: BusinessDate; contentKey: number }[]>;

  /** Begins a statement; one of the same name that was left open is forgotten. @throws PeriodStateError where it is staged or sealed. */
  begin(statement: NewStatement): Promise<Statement>;
  /** In report order, page by page. @throws PeriodStateError where it is not open */
  add(statementKey: number, records: readonly StatementRecord[]): Promise<void>;
  /** open → staged. */
  stage(statementKey: number, figures: string, acceptedOpen: string | null): Promise<Statement>;
  /** Forgets a statement that was not sealed; nothing where it was. */
  forget(statementKey: number): Promise<void>;
  /** staged → sealed, all or none; a sealed close makes its month closed. Again with the same place changes nothing. */
  seal(statementKeys: readonly number[], place: { folder: string; manifestSha256: string }): Promise<void>;
  /** In report order after a place. */
  records(statementKey: number, after: RecordPosition | null, limit: number): Promise<readonly StatementRecord[]>;
  /**
   * Records of closed months on which a run found something that no close has carried yet: other fields than were last
   * stated, a break that opened, came back or ended, or a record that its month did not know.
   * @param months all closed months lie in [from, to).
   */
  touched(runId: string, months: { from: Instant; to: Instant }): Promise<number>;
}
