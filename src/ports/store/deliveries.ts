/** Deliveries: bodies that come to us (webhooks, SDK events). */
import type { Instant, Origin } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { ProjectionUpdate } from './items.ts';
import type { Projection } from './tracked.ts';

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
