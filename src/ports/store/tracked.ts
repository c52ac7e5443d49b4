/** Tracked records: ids with their sealed tokens, facts and projections. */
import type { TrackedFacts } from '../../domain/case.ts';
import type { Earned } from '../../domain/earned.ts';
import type { QuoteWanted } from '../../domain/match-quote.ts';
import type { ShownAmounts } from '../../domain/quote.ts';
import type { BusinessDate, Instant, Kind, Origin, RecordPosition } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';

/** One line of an import. */
export interface TrackedInput extends Pick<TrackedFacts, 'createdAt' | 'hostReference' | 'quoteId' | 'expectedStatus'> {
  kind: Kind;
  id: string;
  token: string;
  /** Absent where the application gave none. */
  shown?: ShownAmounts | null;
}

/**
 * `added`: new. `updated`: known, and a fact was filled in or an expectation changed. `unchanged`: nothing new.
 * `conflict`: the id is known with another token or kind; the first one stays and the conflict is recorded.
 */
export type TrackOutcome = { outcome: 'added' | 'updated' | 'unchanged' } | { outcome: 'conflict'; detail: string };

/** A person's decision about a tracked record; all decisions are kept. */
export type CorrectionType = 'set-token' | 'retract' | 'restore';

/** What a person changed of a tracked record, with the reason. */
export interface CorrectionEvent {
  type: CorrectionType;
  /** Who decided. */
  actor: string;
  reason: string;
  at: Instant;
}

export type Correction = Omit<CorrectionEvent, 'type'> &
  ({ type: 'set-token'; token: string } | { type: 'retract' | 'restore' });

/** The ids that the app stored, with their sealed tokens. */
export interface TrackedStore {
  /**
   * One outcome per line, in order. Idempotent. A new UUID is stored in small letters, however the line spells it. Tokens are sealed
   * before they reach a row.
   * @param replacing author and reason for replacing stored tokens; without it, another token is a conflict
   */
  add(
    lines: readonly TrackedInput[],
    origin: Origin,
    at: Instant,
    replacing?: Pick<CorrectionEvent, 'actor' | 'reason'>,
  ): Promise<readonly TrackOutcome[]>;
  /** A person's decision; `unchanged` where it stands already. @throws UnknownRecordError */
  correct(kind: Kind, id: string, correction: Correction): Promise<'changed' | 'unchanged'>;
  /** The decisions on one record, oldest first. */
  corrections(kind: Kind, id: string): Promise<readonly CorrectionEvent[]>;
  count(): Promise<number>;
  /** All tracked records with this id (a purchase and a sale may share one), a UUID in any spelling. */
  find(id: string): Promise<readonly TrackedRecord[]>;
  /** Records with this id or host reference; at most fifty of one reference. */
  named(name: string): Promise<readonly TrackedRecord[]>;
  /**
   * The stored ids of these, in the order given, without repetition; `unknown` are not tracked, or retracted (as that kind, where one
   * is given).
   */
  stored(ids: readonly string[], kind: Kind | null): Promise<{ ids: readonly string[]; unknown: readonly string[] }>;
  /** The view token of one record, unsealed; null where it is not tracked. @throws MissingKeyError, WrongKeyError */
  token(kind: Kind, id: string): Promise<string | null>;
  /**
   * Tracked records of the population with their newest readable body, in report order after a key. A range of creation times leaves out
   * records without a readable body.
   */
  latest(scope: LatestScope, after: RecordPosition | null, limit: number): Promise<readonly KnownRecord[]>;
  /** Fiat currencies seen in snapshots and quotes, for which reference data is captured. */
  currenciesInUse(): Promise<readonly string[]>;
}

/** Null is unbounded; records that are counted in the half-open range [createdFrom, createdTo) of instants. */
export interface LatestScope {
  kind: Kind | null;
  createdFrom: Instant | null;
  createdTo: Instant | null;
  /** Also reads linked quotes, which costs more. */
  quotes?: boolean;
}

/** A tracked record with the newest body that was read of it. */
export interface KnownRecord extends RecordPosition {
  hostReference: string | null;
  lastVerifiedAt: Instant | null;
  /** As given with the id by the application. */
  toldCreatedAt: Instant | null;
  /** Decides its month: the application's date, else that of its newest body, else the time of tracking. */
  countedAt: Instant;
  /** When the host earned its share, and lost it again; null where no body says that it is or was released. */
  earned: Earned | null;
  /** Null where no readable body is stored. */
  state: RecordState | null;
  /** The linked quote with the record's own method, where the scope asks for quotes. */
  linked?: QuoteWanted['linked'];
}

/** A tracked record, and when it was verified. */
export interface TrackedRecord {
  recordKey: number;
  kind: Kind;
  id: string;
  origin: Origin;
  trackedAt: Instant;
  /** Time of its retraction; null while it is in the population. */
  retractedAt: Instant | null;
  facts: TrackedFacts;
  projection: Projection;
}

/**
 * The state of a record computed from all its snapshots, stored with it so that a run needs not read its past. The
 * reconcile room computes it (it has the status model); the store only keeps it.
 */
export interface Projection {
  status: string | null;
  /** When the present status was first seen. */
  statusSince: Instant | null;
  /** The furthest status seen, and when. */
  peakStatus: string | null;
  peakAt: Instant | null;
  /**
   * Business date on which the record was first seen in its present terminal status; null in any other status.
   * Decides when it is verified again.
   */
  terminalDate: BusinessDate | null;
  /** Snapshot keys: the first readable one, and the first terminal one. */
  firstSnapshot: number | null;
  terminalSnapshot: number | null;
  lastSnapshot: number | null;
  lastVerifiedAt: Instant | null;
  lastVerifiedDate: BusinessDate | null;
}
