/**
 * What Tieout expects of a store. SQLite implements it here; PostgreSQL is a second engine behind the same contract.
 * All methods are batched: a page in, a page out, so that a population never has to fit in memory. Every method commits
 * before it resolves. Times are wall-clock instants given by the caller; the store reads no clock.
 */
import type { Break, BreakEvent, BreakState } from '../domain/break.ts';
import type { History, Observation, TrackedFacts } from '../domain/case.ts';
import type { Severity } from '../domain/finding.ts';
import type { MatchedQuote, Quote } from '../domain/quote.ts';
import type { BusinessDate, Direction, Instant, Kind, Origin } from '../domain/record.ts';
import type { AssetTerms, GlobalTerms, MethodTerms, ReferenceAsOf } from '../domain/reference.ts';
import type { DueClass, DuePolicy, Run, RunState, Selection, VerdictCounts } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { BookingLog } from '../service/contract.ts';
import type { PeriodStore } from './periods.contract.ts';

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly tracked: TrackedStore;
  readonly quotes: QuoteStore;
  readonly reference: ReferenceStore;
  readonly runs: RunStore;
  readonly items: ItemStore;
  readonly history: HistoryStore;
  readonly deliveries: DeliveryStore;
  readonly breaks: BreakStore;
  readonly periods: PeriodStore;
  readonly bookings: BookingLog;
  readonly leases: LeaseStore;
  close(): Promise<void>;
}

/** Rows forgotten, or that would be. */
export interface Pruned {
  bodies: number;
  sealedBodies: number;
  deliveries: number;
}

/** Opening, migrating and looking at a database; apart from Store, which demands an up-to-date schema. */
export interface Upkeep {
  /** Applies what is missing; several processes may start it at once. Returns the names applied now. */
  migrate(): Promise<readonly string[]>;
  status(): Promise<{
    engine: string;
    location: string;
    applied: readonly string[];
    pending: readonly string[];
    /** `ok`, or what the engine's integrity check said. */
    integrity: string;
    counts: Readonly<Record<string, number>>;
    /** Ids of the keys that tokens and bodies are sealed with at present; more than one while a rotation is under way. */
    sealingKeys: readonly string[];
  }>;
  /**
   * Forgets evidence texts, sealed bodies and looked-at deliveries older than the given instants; null keeps them for
   * ever. What a standing break rests on is kept. Runs stay replayable.
   */
  prune(before: { snapshots: Instant | null; events: Instant | null }, dryRun: boolean): Promise<Pruned>;
  /** A consistent copy while others write (SQLite: VACUUM INTO). */
  backup(path: string): Promise<void>;
  /**
   * Seals everything again that an older key sealed, with the newest key, batch by batch. Resumable: it works on what is
   * left. Returns how many seals were renewed. @throws MissingKeyError, WrongKeyError, BrokenSealError
   */
  reseal(onProgress?: (renewed: number) => void): Promise<number>;
  close(): Promise<void>;
}

// --- tracked records -------------------------------------------------------------------------------------------------

export interface TrackedInput {
  kind: Kind;
  id: string;
  token: string;
  createdAt: Instant | null;
  hostReference: string | null;
  quoteId: string | null;
  expectedStatus: string | null;
}

/**
 * `added`: new. `updated`: known, and a fact was filled in or an expectation changed. `unchanged`: nothing new.
 * `conflict`: the id is known with another token or kind; the first one stays and the conflict is recorded.
 */
export type TrackOutcome = { outcome: 'added' | 'updated' | 'unchanged' } | { outcome: 'conflict'; detail: string };

export interface TrackedStore {
  /** One outcome per line, in order. Idempotent. Tokens are sealed before they reach a row. */
  add(lines: readonly TrackedInput[], origin: Origin, at: Instant): Promise<readonly TrackOutcome[]>;
  count(): Promise<number>;
  /** All tracked records with this id (a purchase and a sale may share one). */
  find(id: string): Promise<readonly TrackedRecord[]>;
  /** Which of these ids are not tracked (as that kind, where one is given); in the order given, without repetition. */
  unknown(ids: readonly string[], kind: Kind | null): Promise<readonly string[]>;
  /** The view token of one record, unsealed; null where it is not tracked. @throws MissingKeyError, WrongKeyError */
  token(kind: Kind, id: string): Promise<string | null>;
  /**
   * Tracked records with their newest readable body, in report order after a key. A range of creation times leaves out
   * records that no body was ever read of.
   */
  latest(
    scope: LatestScope,
    after: { kind: Kind; recordId: string } | null,
    limit: number,
  ): Promise<readonly KnownRecord[]>;
  /** Fiat currencies seen in snapshots and quotes: what reference data is worth having. */
  currenciesInUse(): Promise<readonly string[]>;
}

/** Null is unbounded; instants of the half-open range [createdFrom, createdTo). */
export interface LatestScope {
  kind: Kind | null;
  createdFrom: Instant | null;
  createdTo: Instant | null;
  /** Reads linked quotes too; left out, none are, which is cheaper. */
  quotes?: boolean;
}

export interface KnownRecord {
  kind: Kind;
  recordId: string;
  hostReference: string | null;
  lastVerifiedAt: Instant | null;
  /** As the application told it with the id. */
  toldCreatedAt: Instant | null;
  /** Null where no body was ever read. */
  state: RecordState | null;
  /** The linked quote with the record's own method, where the scope asks for quotes. */
  linked?: StoredCase['linked'];
}

export interface TrackedRecord {
  recordKey: number;
  kind: Kind;
  id: string;
  origin: Origin;
  trackedAt: Instant;
  facts: TrackedFacts;
  projection: Projection;
}

/**
 * What is known of a record from all its snapshots, kept beside it so that a night needs no look at its past.
 * Computed by the reconcile room (it knows the status model), stored as it is.
 */
export interface Projection {
  status: string | null;
  /** When the present status was first seen. */
  statusSince: Instant | null;
  /** The furthest status seen, and when. */
  peakStatus: string | null;
  peakAt: Instant | null;
  /**
   * Business date on which the record was first seen at its present end; null while it is under way, and again once it
   * has left a terminal status. Decides when it is looked at again.
   */
  terminalDate: BusinessDate | null;
  /** Snapshot keys: the first readable one, and the first terminal one. */
  firstSnapshot: number | null;
  terminalSnapshot: number | null;
  lastSnapshot: number | null;
  lastVerifiedAt: Instant | null;
  lastVerifiedDate: BusinessDate | null;
}

// --- quotes and reference data ---------------------------------------------------------------------------------------

export interface QuoteInput {
  quote: Quote;
  /** Request and response exactly as the Service has them, as JSON text. */
  request: string;
  response: string;
}

export interface CapturedWanted {
  direction: Direction;
  chain: string;
  symbol: string;
  fiatCurrency: string;
  method: string | null;
  /** Candidates were captured in [from, to]. */
  from: Instant;
  to: Instant;
}

export interface QuoteStore {
  /** `conflict`: the id is known with other content; the first one stays. */
  add(quotes: readonly QuoteInput[], at: Instant): Promise<readonly ('added' | 'unchanged' | 'conflict')[]>;
  get(quoteId: string): Promise<QuoteInput | null>;
  /**
   * For each wish, the quotes of that direction, asset, currency and time that offer the method (any method where null),
   * latest capture first, with only that method in `methods`; none beyond the watermark.
   */
  captured(wanted: readonly CapturedWanted[], watermark: number): Promise<readonly (readonly Quote[])[]>;
  count(): Promise<number>;
}

export type ReferenceInput =
  | {
      type: 'assets';
      direction: Direction;
      currency: string;
      global: GlobalTerms;
      assets: readonly AssetTerms[];
      body: string;
      sha256: string;
      at: Instant;
    }
  | {
      type: 'methods';
      direction: Direction;
      methods: readonly MethodTerms[];
      body: string;
      sha256: string;
      at: Instant;
    }
  | { type: 'currencies' | 'countries'; body: string; sha256: string; at: Instant };

export interface ReferenceWanted {
  direction: Direction;
  currency: string;
  chain: string;
  symbol: string;
  /** The last capture at or before this counts; null gives nothing. */
  at: Instant | null;
}

export interface ReferenceStore {
  /** Same content as the last capture costs a row of a few bytes. */
  save(input: ReferenceInput): Promise<void>;
  /** One answer per wish, in order. Cheap for many wishes: caches by capture. */
  asOf(wanted: readonly ReferenceWanted[], watermark: number): Promise<readonly ReferenceAsOf[]>;
  latest(): Promise<readonly { type: string; direction: Direction | null; currency: string | null; at: Instant }[]>;
}

// --- runs ------------------------------------------------------------------------------------------------------------

/** A lease in hand; every write of a run carries it and fails with LeaseLostError when it is no longer the holder's. */
export interface Fence {
  name: string;
  token: number;
}

export interface LeaseStore {
  /** Null-safe: either the fence, or who holds it and until when. `ttlMs` from `now`. */
  acquire(
    name: string,
    holder: string,
    now: Instant,
    ttlMs: number,
  ): Promise<{ fence: Fence } | { heldBy: string; until: Instant }>;
  /** @throws LeaseLostError */
  heartbeat(fence: Fence, now: Instant, ttlMs: number): Promise<void>;
  release(fence: Fence): Promise<void>;
  /** Ends the lease of a holder that is known to be dead; no effect where somebody else holds it by now. */
  evict(name: string, holder: string): Promise<void>;
}

export type NewRun = Omit<
  Run,
  | 'runId'
  | 'revision'
  | 'state'
  | 'finishedAt'
  | 'supersedes'
  | 'requestsSent'
  | 'population'
  | 'verdicts'
  | 'watermarks'
  | 'publishedTo'
>;

export interface RunStore {
  /** Takes the next revision of (job, business date); `supersedes` is the newest finished revision before it. */
  create(run: NewRun, fence: Fence): Promise<Run>;
  get(runId: string): Promise<Run | null>;
  /** Newest first. */
  list(filter: { job?: string; limit: number }): Promise<readonly Run[]>;
  /** The newest run of a job that is neither published nor aborted, for `--resume`; null if there is none. */
  unfinished(job: string): Promise<Run | null>;
  addRequests(runId: string, fence: Fence, requests: number): Promise<void>;
  /** fetching → judging: leftover items become `deferred`, the watermarks are taken, unreported status changes are claimed. Idempotent. */
  startJudging(runId: string, fence: Fence, deferredReason: string): Promise<Run>;
  /** judging → settled, in one transaction with the staged break events being applied to the current breaks. */
  settle(runId: string, fence: Fence, result: { verdicts: VerdictCounts; finishedAt: Instant }): Promise<Run>;
  /** settled → complete | incomplete, or any → aborted. */
  finish(
    runId: string,
    fence: Fence,
    state: Extract<RunState, 'complete' | 'incomplete' | 'aborted'>,
    publishedTo: string | null,
  ): Promise<Run>;
}

// --- items: the records of one run -----------------------------------------------------------------------------------

export interface PlannedItem {
  /** Position in the order in which the allowance is spent. */
  position: number;
  recordKey: number;
  kind: Kind;
  id: string;
  token: string;
  dueClass: DueClass;
  projection: Projection;
  /** A break on it says already that its token is refused, or that another record's body comes back. */
  refusedBefore: boolean;
}

/** One record's observation, ready to be stored. */
export interface ObservedItem {
  recordKey: number;
  attempts: number;
  observed:
    | {
        outcome: 'verified';
        state: RecordState;
        sha256: string;
        evidence: string;
        at: Instant;
        httpStatus: number;
        /** The record's projection with this snapshot in it; snapshot keys that are this one's are given as 'this'. */
        projection: ProjectionUpdate;
        /**
         * `lastSnapshot` of the projection that `projection` was computed from. Where the record has a newer snapshot by
         * now (a webhook came in between), the item is not saved but handed back; without a basis it is saved regardless.
         */
        basis?: number | null;
        /** Where the status differs from the last one known. */
        statusChange: { from: string; fromSeenAt: Instant; to: string; legal: boolean } | null;
      }
    | {
        outcome: 'quarantined';
        reason: Extract<Observation, { outcome: 'quarantined' }>['reason'];
        detail: string;
        drift: Extract<Observation, { outcome: 'quarantined' }>['drift'];
        httpStatus: number | null;
        /** Kept sealed: it may be another record's. */
        body: { sha256: string; evidence: string } | null;
        at: Instant;
      }
    | {
        outcome: 'unreachable';
        reason: Extract<Observation, { outcome: 'unreachable' }>['reason'];
        httpStatus: number | null;
        errorCode: string | null;
        at: Instant;
      };
}

export type ProjectionUpdate = Omit<Projection, 'firstSnapshot' | 'terminalSnapshot' | 'lastSnapshot'> & {
  firstSnapshot: number | 'this' | null;
  terminalSnapshot: number | 'this' | null;
};

/** An item that was not saved, because its record's projection has moved on; compute again from this one and save again. */
export interface StaleItem {
  recordKey: number;
  projection: Projection;
}

/** Everything stored about one record of a run, as the judge needs it. */
export interface StoredCase {
  recordKey: number;
  kind: Kind;
  recordId: string;
  tracked: TrackedFacts;
  observation: Observation;
  attempts: number;
  history: History;
  /**
   * The quote named by the tracked record, known at the watermark, with only the record's method; null otherwise. Where
   * the body names no method, `quote.methods` has all of them and `method` is null. Not verified: no methods.
   */
  linked: Omit<MatchedQuote, 'basis'> | null;
}

export interface StatusChange {
  kind: Kind;
  recordId: string;
  from: string;
  to: string;
  fromSeenAt: Instant;
  toSeenAt: Instant;
  learnedFrom: Origin;
  legal: boolean;
}

export interface ItemStore {
  /** How many records are due, per class, without touching anything. */
  preview(scope: PlanScope): Promise<Readonly<Record<DueClass, number>>>;
  /** Inserts the items of a run in their order; freezes the tracked facts. Idempotent. Returns the population. */
  plan(runId: string, fence: Fence, scope: PlanScope): Promise<number>;
  /** The next items without an observation, at the positions (after, upTo] (no end where left out), in order. */
  next(runId: string, after: number, limit: number, upTo?: number): Promise<readonly PlannedItem[]>;
  /**
   * One transaction. An item that already has an observation keeps it, so a batch saved twice is saved once. Returns the
   * items that were stale (see `basis`); the others are saved.
   */
  save(runId: string, fence: Fence, batch: readonly ObservedItem[]): Promise<readonly StaleItem[]>;
  /** Fetched items so far, for resuming and for stop rules. */
  progress(runId: string): Promise<{ planned: number; observed: number }>;
  /** A page of cases in report order (kind, record id), after a key. Watermarks must be set. */
  cases(run: Run, after: { kind: Kind; recordId: string } | null, limit: number): Promise<readonly StoredCase[]>;
  /** The status changes claimed by a run for a range of its records (report order, inclusive). */
  statusChanges(
    runId: string,
    from: { kind: Kind; recordId: string },
    to: { kind: Kind; recordId: string },
  ): Promise<readonly StatusChange[]>;
  /** Evidence text by hash, with tokens cut; null where it is not kept (or only sealed). */
  evidence(sha256: string): Promise<string | null>;
  /** A sealed body of a record, unsealed: for an auditor, never for a report. Null where there is none. */
  quarantinedBody(kind: Kind, recordId: string, sha256: string): Promise<string | null>;
}

// --- history: everything ever seen of one record ----------------------------------------------------------------------

/** One body that came in for a record, however often the same one came. */
export interface Sighting {
  /** SHA-256 of the bytes received. */
  sha256: string;
  at: Instant;
  origin: Origin;
  httpStatus: number | null;
  /** As the body has it; null where it has none or could not be read. */
  status: string | null;
  /** `text`: can be printed. `sealed`: could not be read, so it is kept for auditors only. `forgotten`: past retention. */
  kept: 'text' | 'sealed' | 'forgotten';
}

/** The story of one record: what a page of cases or of reports never needs. */
export interface HistoryStore {
  /** The record's case as a run judged it; null where it was not in the run. Watermarks must be set. */
  caseOf(run: Run, kind: Kind, recordId: string): Promise<StoredCase | null>;
  /** Every change of status ever learned, oldest first, whichever run reported it. */
  statusChanges(kind: Kind, recordId: string): Promise<readonly StatusChange[]>;
  /** When the methods that held at a time were captured: what `reference.asOf` answers has no room for it. Null for none. */
  methodsCapturedAt(direction: Direction, at: Instant, watermark: number): Promise<Instant | null>;
  /** Every body ever received, oldest first. */
  sightings(kind: Kind, recordId: string): Promise<readonly Sighting[]>;
}

export interface PlanScope {
  job: string;
  businessDate: BusinessDate;
  selection: Selection;
  policy: DuePolicy;
  /** For `created` selections: the instants of the half-open range. */
  createdFrom: Instant | null;
  createdTo: Instant | null;
}

// --- deliveries: bodies that come to us (webhooks, SDK events) --------------------------------------------------------

/** One delivered body of a tracked record. The record is tracked first: `tracked.add`, then `tracked.find`. */
export interface Delivery {
  recordKey: number;
  origin: Extract<Origin, 'webhook' | 'event'>;
  /** As the envelope has it (`CREATED`); null where there is none. Webhook types reach the rules as `webhookEvents`. */
  eventType: string | null;
  at: Instant;
  body: { sha256: string; evidence: string };
  /**
   * SHA-256 of what the body says, however it is written: keys in another order, white space or `1.0` for `1` are the same
   * delivery, and a signature covers them all. That of the bytes where it is not given.
   */
  identity?: string;
  /** Null where the body could not be read: it is kept sealed, and nothing is concluded from it. */
  read: {
    state: RecordState;
    /** Null for a body that is older than what is known: it is kept as a snapshot, and moves nothing. */
    projection: ProjectionUpdate | null;
    /** As in ObservedItem. */
    basis: number | null;
    statusChange: { from: string; fromSeenAt: Instant; to: string; legal: boolean } | null;
  } | null;
}

/** `repeated`: the same body with the same type came before. `stale`: not stored; compute again from this projection. */
export type DeliveryOutcome = { outcome: 'stored' | 'repeated' } | { outcome: 'stale'; projection: Projection };

export interface DeliveryStore {
  /** One transaction; one outcome per delivery, in order. Durable when it resolves: only then may a webhook be answered. */
  save(batch: readonly Delivery[]): Promise<readonly DeliveryOutcome[]>;
  /** `updatedAt` of the newest snapshot that moved each record; null where it had none, absent where there is no snapshot. */
  lastUpdatedAt(recordKeys: readonly number[]): Promise<ReadonlyMap<number, Instant | null>>;
  /** How many records had a delivery that nobody has asked the Service about since: what a `delivered` selection holds. */
  waiting(): Promise<number>;
  /** Records with a readable delivery of one of these types ('' is a bare body) since an instant, oldest delivery first. */
  readSince(eventTypes: readonly string[], since: Instant): Promise<readonly DeliveredState[]>;
  /** Status changes ever seen, by where they were first learned from. */
  learnedFrom(): Promise<Readonly<Record<Origin, number>>>;
}

/** What a delivery said of its record. */
export interface DeliveredState {
  state: RecordState;
  /** The quote that the application named for the record, or null. */
  quoteId: string | null;
  deliveredAt: Instant;
}

// --- breaks ----------------------------------------------------------------------------------------------------------

export interface BreakStore {
  /** Breaks of these records as they stood at the watermark (any state), by record key. */
  standing(recordKeys: readonly number[], watermark: number): Promise<ReadonlyMap<number, readonly Break[]>>;
  /**
   * Open, acknowledged, reopened or waived breaks at the watermark of records that are NOT in the run, in report order
   * (kind, record id, rule, field), with keys in (after, upTo]; null is unbounded. For the reports of a nightly run.
   */
  standingOutside(
    runId: string,
    watermark: number,
    after: { kind: Kind; recordId: string } | null,
    upTo: { kind: Kind; recordId: string } | null,
  ): Promise<readonly (Break & { hostReference: string | null })[]>;
  /** Forgets what an earlier, interrupted judging of this run staged. */
  clearStaged(runId: string, fence: Fence): Promise<void>;
  /** Events of a run wait here until `runs.settle` makes them count. */
  stage(runId: string, fence: Fence, events: readonly (BreakEvent & { recordKey: number })[]): Promise<void>;
  /**
   * A person's events: appended and applied at once, all or none. `expectedEvents` is `CurrentBreak.events` as the person
   * saw it. @throws BreakMovedOnError where a break has had other events since, UnknownBreakError
   */
  append(events: readonly (BreakEvent & { expectedEvents: number })[]): Promise<void>;
  list(filter: BreakFilter): Promise<readonly CurrentBreak[]>;
  /** How many are open (open, acknowledged or reopened), by severity; for metrics. */
  openBySeverity(): Promise<Readonly<Record<Severity, number>>>;
  /** By full id or an unambiguous prefix of at least 6 characters. @throws AmbiguousBreakIdError */
  get(idOrPrefix: string): Promise<CurrentBreak | null>;
  events(breakId: string): Promise<readonly BreakEvent[]>;
}

export type CurrentBreak = Break & {
  hostReference: string | null;
  /** How many events it has had: what `append` wants back. */
  events: number;
};

export interface BreakFilter {
  states?: readonly BreakState[];
  rule?: string;
  kind?: Kind;
  recordId?: string;
  assignee?: string;
  limit: number;
  offset: number;
}
