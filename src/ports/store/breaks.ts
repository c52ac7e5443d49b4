/** Breaks and their events. */
import type { Bearer, Break, BreakEvent, BreakKind, BreakState } from '../../domain/break.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { Severity } from '../../domain/finding.ts';
import type { BusinessDate, RecordPosition } from '../../domain/record.ts';
import type { Fence } from './runs.ts';

/** Breaks and their events. */
export interface BreakStore {
  /** Breaks of these records as of the watermark (any state), by record key. */
  standing(recordKeys: readonly number[], watermark: number): Promise<ReadonlyMap<number, readonly Break[]>>;
  /**
   * Open, acknowledged, reopened or waived breaks at the watermark of records that are NOT in the run, in report order
   * (kind, record id, rule, field), with keys in (after, upTo]; null is unbounded. For the reports of a nightly run.
   */
  standingOutside(
    runId: string,
    watermark: number,
    after: RecordPosition | null,
    upTo: RecordPosition | null,
  ): Promise<readonly (Break & { hostReference: string | null })[]>;
  /** Every break of a kind that is about no record, as of the watermark (any state), in report order. */
  statusOn(kind: BreakKind, watermark: number): Promise<readonly Break[]>;
  /** Deletes the events that an interrupted judging of this run staged. */
  clearStaged(runId: string, fence: Fence): Promise<void>;
  /** Stages events of a run; `runs.settle` makes them part of the history, at the time of settling. */
  stage(runId: string, fence: Fence, events: readonly (BreakEvent & { recordKey: number | null })[]): Promise<void>;
  /**
   * Events of people: appended and applied at once, all or none. `expectedEvents` is `CurrentBreak.events` as the
   * person read it. An event is never earlier than the one before it, even after the clock was set back. @throws
   * BreakMovedOnError where a break has had further events since, UnknownBreakError
   */
  append(events: readonly (BreakEvent & { expectedEvents: number })[]): Promise<void>;
  list(filter: BreakFilter): Promise<readonly CurrentBreak[]>;
  /** How many are open (open, acknowledged or reopened), by severity; for metrics. */
  openBySeverity(): Promise<Readonly<Record<Severity, number>>>;
  /** Money at stake of open breaks, by currency and bearer, in their order; losses of different bearers are never netted. For metrics. */
  openStake(): Promise<readonly { currency: string; bearer: Bearer; total: Decimal }[]>;
  /** By full id or an unambiguous prefix of at least 6 characters. @throws AmbiguousBreakIdError */
  get(idOrPrefix: string): Promise<CurrentBreak | null>;
  /** Oldest first; their times never decrease. */
  events(breakId: string): Promise<readonly PastBreakEvent[]>;
}

/** `at` is the time of the event; `businessDate` is that of the run, null for an event of a person. */
export type PastBreakEvent = BreakEvent & { businessDate: BusinessDate | null };

/** A break with what people made of it. */
export type CurrentBreak = Break & {
  hostReference: string | null;
  /** Number of its events: the version that `append` compares. */
  events: number;
};

/** What to list; a part that is left out takes any. */
export interface BreakFilter {
  states?: readonly BreakState[];
  rule?: string;
  kind?: BreakKind;
  recordId?: string;
  assignee?: string;
  limit: number;
  offset: number;
}
