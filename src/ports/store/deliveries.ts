/** Deliveries: bodies sent to Tieout (webhooks, SDK events). */
import type { Instant, Origin } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { AdvancedProjection, ProjectionUpdate } from './items.ts';
import type { Projection } from './tracked.ts';

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
   */
  readSince(eventTypes: readonly string[], since: Instant): Promise<readonly DeliveredState[]>;
  /** Number of status changes, by the origin of each. */
  learnedFrom(): Promise<Readonly<Record<Origin, number>>>;
}

/** The state of a record in one delivery. */
interface DeliveredState {
  state: RecordState;
  /** The quote that the application named for the record, or null. */
  quoteId: string | null;
}
