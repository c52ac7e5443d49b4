/** Orders a delivered body among the snapshots of its record. Pure. */
import { isPlausible } from '../../domain/plausible-date.ts';
import type { Instant } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import { type StatusModel, transition } from '../../domain/status.ts';
import type { StoredWebhook, TrackedRecord } from '../../ports/store/store.ts';
import type { AcceptEdges, Incoming } from './contract.ts';

/** A record as it was read, and the update time of its newest snapshot. */
export interface Known extends Pick<TrackedRecord, 'recordKey' | 'projection'> {
  /** As it is stored; a body may have another spelling of it. */
  id: string;
  updatedAt: Instant | null;
}

type Placing = Pick<AcceptEdges, 'statuses' | 'advance'>;

/** The delivery as it is stored. A late body changes no projection, and no delivered body counts as a verification. */
export function place(incoming: Incoming, known: Known, at: Instant, { statuses, advance }: Placing): StoredWebhook {
  const { origin, eventType, body, identity } = incoming;
  const state = incoming.state === null ? null : { ...incoming.state, recordId: known.id };
  const named = identity === undefined ? {} : { identity };
  const head = { recordKey: known.recordKey, origin, eventType, at, body, ...named };
  if (state === null) return { ...head, read: null };
  const basis = known.projection.lastSnapshot;
  if (isLate(state, known, statuses, at))
    return { ...head, read: { state, projection: null, basis, statusChange: null } };
  const { projection, statusChange } = advance(known.projection, state, at);
  // Only asking the Service verifies: a webhook reports a past state, not the present answer of the Service.
  const { lastVerifiedAt, lastVerifiedDate } = known.projection;
  return {
    ...head,
    read: { state, projection: { ...projection, lastVerifiedAt, lastVerifiedDate }, basis, statusChange },
  };
}

/**
 * Deliveries come in any order (field facts "Webhooks"). The body's own time decides; where it has none, or the two are
 * equal, a step that the status model forbids is taken for an older body. If the Service really reverted the status,
 * the next fetch shows it.
 */
function isLate(state: RecordState, known: Known, statuses: StatusModel, at: Instant): boolean {
  if (known.projection.lastSnapshot === null) return false;
  const isTold = (date: Instant | null) => date !== null && isPlausible(date, at);
  // Without this, a body from the year 9999 would make every later one late.
  if (isTold(state.updatedAt) && isTold(known.updatedAt) && state.updatedAt !== known.updatedAt)
    return (state.updatedAt ?? 0) < (known.updatedAt ?? 0);
  const { status } = known.projection;
  if (status === null) return false;
  // A body without a status is older than one with a status, or has less detail: either way it reverts nothing.
  return state.status === null || transition(statuses, state.kind, status, state.status) === 'forbidden';
}
