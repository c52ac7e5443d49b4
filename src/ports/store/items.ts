/** Items: the records of one run, from its plan to the observation of each; delivered bodies, and the history of single records. */
import type { Case, Observation } from '../../domain/case.ts';
import type { DueClass, DuePolicy } from '../../domain/due.ts';
import type { QuoteWanted } from '../../domain/match-quote.ts';
import type { Direction, Instant, Kind, Origin, RecordPosition } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { ReusedTx } from '../../domain/survey.ts';
import type { ReceivedBody, RecordRef } from '../service.ts';
import type { Fence } from './runs.ts';
import type { Projection, TrackedRecord } from './tracked.ts';

/** A record that a run is to fetch. */
export interface PlannedItem extends RecordRef, Pick<TrackedRecord, 'recordKey' | 'projection'> {
  /** Position in the order in which the allowance is spent. */
  position: number;
  dueClass: DueClass;
  /**
   * True where an unresolved break of `REFUSED_BEFORE` exists: the token was refused, or another record's body came
   * back.
   */
  refusedBefore: boolean;
}

/** One record's observation, ready to be stored. */
export interface ObservedItem {
  recordKey: number;
  attempts: number;
  observed:
    | ({
        outcome: 'verified';
        state: RecordState;
        at: Instant;
        httpStatus: number;
        /**
         * `lastSnapshot` of the projection that `projection` was computed from. Where the record has a newer snapshot
         * by now (a webhook came in between), the item is not saved but returned as stale; without a basis it is always
         * saved.
         */
        basis?: number | null;
      } & ReceivedBody &
        AdvancedProjection)
    | (Omit<Extract<Observation, { outcome: 'quarantined' }>, 'sha256'> & {
        /** Stored sealed: it may be the body of another record. */
        body: ReceivedBody | null;
      })
    | Extract<Observation, { outcome: 'unreachable' }>;
}

/** What one more readable body makes of a record. */
export interface AdvancedProjection {
  /** Including this snapshot; 'this' stands for the key that the snapshot will get. */
  projection: ProjectionUpdate;
  /** Where the status differs from the last one known. */
  statusChange: { from: string; fromSeenAt: Instant; to: string; legal: boolean } | null;
}

export type ProjectionUpdate = Omit<Projection, 'firstSnapshot' | 'terminalSnapshot' | 'lastSnapshot'> & {
  firstSnapshot: number | 'this' | null;
  terminalSnapshot: number | 'this' | null;
};

/** An item that was not saved because its projection is outdated: compute it again from this one, then save again. */
export interface StaleItem {
  recordKey: number;
  projection: Projection;
}

/** Everything stored about one record of a run, as the judge needs it. */
export interface StoredCase extends QuoteWanted, Pick<Case, 'kind' | 'recordId' | 'tracked' | 'history'> {
  recordKey: number;
  attempts: number;
  /** Why it was due; absent where it could not be read. */
  dueClass?: DueClass;
}

/** A row of `status_changes.csv`. */
export interface StatusChange extends RecordPosition {
  from: string;
  to: string;
  fromSeenAt: Instant;
  toSeenAt: Instant;
  learnedFrom: Origin;
  legal: boolean;
}

/** One delivered body of a tracked record. The record is tracked first: `tracked.add`, then `tracked.find`. */
export interface StoredWebhook {
  recordKey: number;
  origin: Extract<Origin, 'webhook' | 'event'>;
  /** The type in the envelope (`CREATED`); null where it has none. The rules see webhook types as `webhookEvents`. */
  eventType: string | null;
  at: Instant;
  body: { sha256: string; evidence: string };
  /**
   * SHA-256 of the canonical content: another order of keys, white space, or `1.0` for `1` make the same delivery. Left
   * out, the hash of the bytes identifies the delivery.
   */
  identity?: string;
  /** Null where the body could not be read: it is stored sealed and changes nothing else. */
  read: {
    state: RecordState;
    /** Null for a body that is older than the known state: it is stored as a snapshot and changes nothing else. */
    projection: ProjectionUpdate | null;
    /** As in ObservedItem. */
    basis: number | null;
    statusChange: AdvancedProjection['statusChange'];
  } | null;
}

/** `repeated`: the same delivery is stored already. `stale`: not stored; compute it again from this projection. */
export type WebhookOutcome = { outcome: 'stored' | 'repeated' } | { outcome: 'stale'; projection: Projection };

export interface ReadDelivery {
  /** Rises from delivery to delivery. */
  key: number;
  deliveredAt: Instant;
  state: RecordState;
  /** The quote that the application named for the record. */
  quoteId: string | null;
}

/** Deliveries: bodies sent to Tieout (webhooks, SDK events). */
export interface WebhookStore {
  /**
   * One transaction; one outcome per delivery, in order. Durable when it resolves: only then may a webhook be answered.
   */
  save(batch: readonly StoredWebhook[]): Promise<readonly WebhookOutcome[]>;
  /**
   * `updatedAt` of the newest snapshot that moved each record; null where it had none, absent where there is no
   * snapshot.
   */
  lastUpdatedAt(recordKeys: readonly number[]): Promise<ReadonlyMap<number, Instant | null>>;
  /** Number of records with a delivery and no fetch since: the size of a `delivered` selection. */
  waiting(): Promise<number>;
  /**
   * Records with a readable delivery of one of these types ('' is a bare body) since an instant, oldest delivery first.
   * @param after the key of a delivery that was read before: later ones alone.
   */
  readSince(eventTypes: readonly string[], since: Instant, after: number): Promise<readonly ReadDelivery[]>;
  /** Number of status changes, by the origin of each. */
  learnedFrom(): Promise<Readonly<Record<Origin, number>>>;
}

/** One distinct body of a record. */
export interface SeenBody {
  /** SHA-256 of the bytes received. */
  sha256: string;
  /** SHA-256 of the text that is kept, with tokens cut out; null for a body that an older version stored. */
  redactedSha256: string | null;
  at: Instant;
  origin: Origin;
  httpStatus: number | null;
  /** The body's own value; null where it has none or could not be read. */
  status: string | null;
  /** `text`: can be printed. `sealed`: unreadable, kept for auditors only. `forgotten`: deleted after its retention. */
  kept: 'text' | 'sealed' | 'forgotten';
}

/** The full history of one record, which pages of cases and reports never need. */
export interface HistoryStore {
  /** The record's case as a run judged it; null where it was not in the run, or was moved to an archive. Watermarks must be set. */
  caseOf(run: Run, kind: Kind, recordId: string): Promise<StoredCase | 'archived' | null>;
  /** Every status change of the record, oldest first, of all runs. */
  statusChanges(kind: Kind, recordId: string): Promise<readonly StatusChange[]>;
  /** Time at which the payment methods in force at an instant were captured; null for none. */
  methodsCapturedAt(direction: Direction, at: Instant, watermark: number): Promise<Instant | null>;
  /** Every received body of which figures or text are still stored, oldest first. */
  sightings(kind: Kind, recordId: string): Promise<readonly SeenBody[]>;
  /** Records with a body of which either hash begins so. @param prefix at least six hexadecimal digits */
  recordsWith(prefix: string): Promise<readonly { kind: Kind; recordId: string }[]>;
}

/** The selection of a run, with its dates as instants, and the policy that decides which records are due. */
export interface PlanScope extends Pick<Run, 'job' | 'businessDate' | 'selection'> {
  policy: DuePolicy;
  /** For `created` selections: the instants of the half-open range. */
  createdFrom: Instant | null;
  createdTo: Instant | null;
}

/** What fetching writes: each batch with the fencing token of its run. */
export interface FetchedItems {
  /** The next items without an observation, at the positions (after, upTo] (no end where left out), in order. */
  next(runId: string, after: number, limit: number, upTo?: number): Promise<readonly PlannedItem[]>;
  /**
   * One transaction. An item that already has an observation keeps it, so a batch saved twice is saved once. Returns
   * the items that were stale (see `basis`); the others are saved. Batches of several processes may be saved at once.
   * @param requests sent for the run since the last save; added to its count in the same transaction.
   */
  save(runId: string, fence: Fence, batch: readonly ObservedItem[], requests?: number): Promise<readonly StaleItem[]>;
}

/** The records of runs: what was planned, and what became of it. */
export interface ItemStore extends FetchedItems {
  /** How many records are due, per class. Writes nothing. */
  preview(scope: PlanScope): Promise<Readonly<Record<DueClass, number>>>;
  /** Inserts the items of a run in their order; freezes the tracked facts. Idempotent. Returns the population. */
  plan(runId: string, fence: Fence, scope: PlanScope): Promise<number>;
  /** Why records of a run were not verified, with their number; empty for a run whose items were archived. */
  unverified(runId: string): Promise<ReadonlyMap<string, number>>;
  /** Number of items with an observation, for resuming and for stop rules. */
  progress(runId: string): Promise<{ planned: number; observed: number }>;
  /**
   * The bodies that a run verified, in report order, after a key; also before the run is judged. `endedAt`: `updatedAt` of the first body
   * with a terminal status before this run; null without one.
   */
  verified(
    runId: string,
    after: RecordPosition | null,
    limit: number,
  ): Promise<readonly { state: RecordState; receivedAt: Instant; endedAt: Instant | null }[]>;
  /** A page of cases in report order (kind, record id), after a key. Watermarks must be set. */
  cases(run: Run, after: RecordPosition | null, limit: number): Promise<readonly StoredCase[]>;
  /** Transactions that bodies of several records name for one receiver and asset. One pass over all bodies. */
  reusedTx(): Promise<readonly ReusedTx[]>;
  /**
   * The position of the record that is `count` records after a position, in report order: where a range of a run ends. Null
   * where fewer are left.
   */
  positionAfter(runId: string, after: RecordPosition | null, count: number): Promise<RecordPosition | null>;
  /** The status changes claimed by a run for a range of its records (report order, inclusive). */
  statusChanges(runId: string, from: RecordPosition, to: RecordPosition): Promise<readonly StatusChange[]>;
  /** Evidence text by hash, with tokens cut; null where it is not kept (or only sealed). */
  evidence(sha256: string): Promise<string | null>;
  /** A sealed body of a record, unsealed: for an auditor, never for a report. Null where there is none. */
  quarantinedBody(kind: Kind, recordId: string, sha256: string): Promise<string | null>;
}
