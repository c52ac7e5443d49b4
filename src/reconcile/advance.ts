/** Advances the projection of a record by one more snapshot. Pure: the same for fetches, webhooks and events. */
import { LATE_PAYMENT } from '../domain/due.ts';
import { endOf, paidWithoutRelease, refundDueAt } from '../domain/money-moved.ts';
import type { BusinessDate, Instant, Kind } from '../domain/record.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { isResumed, isTerminal, type StatusModel, transition } from '../domain/status.ts';
import type { AdvancedProjection, Projection } from '../ports/store/store.ts';
import { BANK_TRANSFERS } from '../service/profile.ts';

/** The projection after a readable body that was received at `at`, in a run for `date`. */
export function advance(
  before: Projection,
  state: RecordState,
  model: StatusModel,
  at: Instant,
  date: BusinessDate,
): AdvancedProjection {
  const changed = state.status !== before.status;
  const ended = isFinal(model, state);
  // An end that was not one: a late payment's record is judged and looked at again from its release on.
  const resumed = isResumed(model, state.kind, before.status, state.status);
  const since = changed ? at : (before.statusSince ?? at);
  return {
    projection: {
      status: state.status,
      statusSince: changed ? at : before.statusSince,
      ...peakAfter(before, state.kind, state.status, model, at),
      // A record that left its terminal status is due every night again.
      terminalDate:
        ended &&
        !mayStillBePaid(model, state, at - expiredAt(state, since)) &&
        !mayBeRefunded(model, before, state, { since, at })
          ? ((resumed ? null : before.terminalDate) ?? date)
          : null,
      firstSnapshot: before.firstSnapshot ?? 'this',
      terminalSnapshot: (resumed ? null : before.terminalSnapshot) ?? (ended ? 'this' : null),
      lastVerifiedAt: at,
      lastVerifiedDate:
        before.lastVerifiedDate !== null && before.lastVerifiedDate > date ? before.lastVerifiedDate : date,
    },
    statusChange:
      changed && before.status !== null && state.status !== null && before.statusSince !== null
        ? {
            from: before.status,
            fromSeenAt: before.statusSince,
            to: state.status,
            legal: transition(model, state.kind, before.status, state.status) !== 'forbidden',
          }
        : null,
  };
}

/** A transfer may arrive after the purchase expired, and is then processed by hand: until then it is looked at every night. */
function mayStillBePaid(model: StatusModel, { kind, status, paymentMethod }: RecordState, ended: number): boolean {
  const becomes = status === null ? undefined : model[kind].get(status)?.mayBecome;
  const mayGoOn = becomes?.some((each) => !isTerminal(model, kind, each)) === true;
  return mayGoOn && BANK_TRANSFERS.has(paymentMethod ?? '') && ended < LATE_PAYMENT;
}

/** Not when we came to see it, which may be months later; its last change may come after the expiry, or be that of the creation. */
function expiredAt({ endTime, updatedAt }: RecordState, since: Instant): Instant {
  return endTime === null && updatedAt === null ? since : Math.min(since, Math.max(endTime ?? 0, updatedAt ?? 0));
}

/** Its working days are those of the business time zone, which may end up to a day later. */
const A_NIGHT = 86_400_000;

/** A refund may be on its way: it is looked for every night until it is late, and a break from then on. */
function mayBeRefunded(
  model: StatusModel,
  before: Projection,
  state: RecordState,
  { since, at }: { since: Instant; at: Instant },
): boolean {
  if (hasReleased(state) || at > refundDueAt(endOf(state, since) ?? since, 'UTC') + A_NIGHT) return false;
  // The furthest status is that of the end itself by the second night.
  if (before.status === state.status) return before.terminalDate === null;
  const steps = before.peakStatus === null ? [] : [{ status: before.peakStatus, at: since }];
  return paidWithoutRelease(state, steps, model) !== null;
}

/** The record is at its end: a terminal status, or a sale body that has no status at all (spec §2.8). */
function isFinal(model: StatusModel, state: RecordState): boolean {
  return state.status === null ? state.kind === 'sale' : isTerminal(model, state.kind, state.status);
}

/**
 * The furthest status seen. It never falls: a record that fell back must return to it before the break ends. A legal
 * step down (another attempt after a failed payment) lowers it, as the record is then where it should be.
 */
function peakAfter(before: Projection, kind: Kind, status: string | null, model: StatusModel, at: Instant) {
  const { peakStatus, peakAt } = before;
  if (status === null || !model[kind].has(status)) return { peakStatus, peakAt };
  if (peakStatus === null || transition(model, kind, peakStatus, status) === 'legal')
    return { peakStatus: status, peakAt: at };
  return { peakStatus, peakAt };
}
