/** What the receiver of webhooks, events and quotes needs of the other rooms, and what it answers. */
import type { Instant, Origin } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { StatusModel } from '../../domain/status.ts';
import type { SentBody } from '../../ports/service.ts';
import type { AdvancedProjection, Projection, TrackedStore, WebhookStore } from '../../ports/store/store.ts';

/** A delivery whose sender has been authenticated. */
export interface Incoming extends Omit<SentBody, 'identity' | 'state'> {
  origin: Extract<Origin, 'webhook' | 'event'>;
  /** The query of the address it came to, as text; null where there was none. */
  hostReference: string | null;
  identity?: string;
  /** Null where the body could not be read: it is kept sealed. */
  state: RecordState | null;
}

/**
 * `stored`: new. `repeated`: the same came before, and nothing happened. `late`: older than what is known; kept as
 * evidence only. `unreadable`: kept sealed, the record is tracked. `untracked`: an unknown record without a token: it
 * could never be fetched, so it was not acknowledged either.
 */
export type AcceptOutcome = 'stored' | 'repeated' | 'late' | 'unreadable' | 'untracked';

/** What one more readable body makes of a record; the status model and the calendar are in it. */
export type Advance = (before: Projection, state: RecordState, at: Instant) => AdvancedProjection;

export interface AcceptEdges {
  tracked: Pick<TrackedStore, 'add' | 'find'>;
  deliveries: Pick<WebhookStore, 'save' | 'lastUpdatedAt'>;
  statuses: StatusModel;
  advance: Advance;
  now: () => Instant;
  pause: (ms: number) => Promise<void>;
}
