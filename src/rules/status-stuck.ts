import type { History } from '../domain/case.ts';
import { isPlausible } from '../domain/plausible-date.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StatusDefinition, Stay } from '../domain/status.ts';
import { workingDaysAfter } from '../domain/working-days.ts';
import { counted } from '../text/counts.ts';
import { bodyRule, type RuleInput } from './rule.ts';
import { showDuration } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

export const statusStuck = bodyRule({
  code: 'STATUS_STUCK',
  severity: 'medium',
  title: 'Longer in a status than the model allows',
  why: "The user's money or crypto is on its way for too long; the Service should be asked before the user asks.",
  action: 'Ask the Service where the money is, before the user does.',
  settledBy: 'A night on which the record has left the status.',
  example: 'In PAYMENT_IN_PROGRESS since 2026-11-10 16:28 UTC (11 days); allowed 5 days.',
  note: 'A purchase that was never paid is *abandoned*: from a day after its end time on it should have expired, which is `low`, and it is counted apart. A sale whose crypto was never sent is `low` too, and a remark where its body says only how its payout stands.',
  check(state, input) {
    if (state.status === null) return 'not-applicable';
    const definition = input.terms.statuses[state.kind].get(state.status);
    // It has left the status that the model knew, and a break of that one ends; STATUS_UNKNOWN speaks of the new one.
    if (definition === undefined) return null;
    const stay = stayOf(definition, state);
    if (stay === null || hasEndedUnsent(state, input)) return null;
    const { asOf } = input.terms;
    const wait = waitOf(stay, state, definition, input);
    if (wait === null) return 'not-applicable';
    if (asOf <= wait.until) return null;
    const { status } = state;
    // No difference: it grows every night, and a growing difference would end every waiver.
    const found = { field: 'status', expected: null, actual: status, unit: 'days' } as const;
    if (isAfterEnd(stay)) {
      const end = showInstant(wait.since);
      const passed =
        state.endTime === null ? `${end}, the latest end of any (it states none)` : `its end time of ${end}`;
      const explanation =
        `Never paid: still ${status} ${showDuration(asOf - wait.since)} after ${passed}; ` +
        `it should have expired within ${showStay(stay)}.`;
      return { ...found, severity: 'low', explanation };
    }
    const explanation = `In ${status} since ${showInstant(wait.since)} (${showDuration(asOf - wait.since)}); allowed ${showStay(stay)}`;
    if (definition.stage === 0 && tokensNotSent(state)) {
      // A sale that says only how its payout stands has no word for an order that ended unpaid.
      const severity = status === 'not-started' ? 'info' : 'low';
      return { ...found, severity, explanation: `${explanation}. Its crypto was never sent.` };
    }
    return { ...found, explanation: `${explanation}.` };
  },
  working,
});

/** A sale may have no status for its end: nothing is on its way where no tokens came and it failed, or was announced to have expired. */
function hasEndedUnsent(state: RecordState, { tracked, moved }: RuleInput): boolean {
  const { kind, status } = state;
  if (kind === 'purchase') return false;
  if (status === 'failed') return moved === 'no' && tokensNotSent(state);
  return status === 'not-started' && tracked.webhookEvents.at(-1)?.type === 'EXPIRED';
}

function tokensNotSent({ cryptoStatus }: RecordState): boolean {
  return cryptoStatus === 'not-started';
}

interface Wait {
  since: Instant;
  until: Instant;
}

function stayOf(definition: StatusDefinition, { paymentMethod }: RecordState): Stay | null {
  return (paymentMethod === null ? undefined : definition.stuckAfterBy?.[paymentMethod]) ?? definition.stuckAfter;
}

function waitOf(
  stay: Stay,
  state: RecordState,
  definition: StatusDefinition,
  { history, terms: { asOf, timezone } }: RuleInput,
): Wait | null {
  if (isAfterEnd(stay)) {
    const end = expiryOf(state);
    return end === null ? null : { since: end, until: end + stay.afterEndTime };
  }
  const since = inStatusSince(state, definition, history, asOf);
  if (since === null) return null;
  return {
    since,
    until: typeof stay === 'number' ? since + stay : workingDaysAfter(since, stay.workingDays, timezone),
  };
}

/** A body without an end time expires at the latest that was seen: five days after its creation. */
const LONGEST_LIFE = 432_000_000;

function expiryOf({ createdAt, endTime }: RecordState): Instant | null {
  return endTime ?? (createdAt === null ? null : createdAt + LONGEST_LIFE);
}

function showStay(stay: Stay): string {
  if (typeof stay === 'number') return showDuration(stay);
  return isAfterEnd(stay) ? showDuration(stay.afterEndTime) : counted(stay.workingDays, 'working day');
}

function isAfterEnd(stay: Stay): stay is { afterEndTime: number } {
  return typeof stay === 'object' && 'afterEndTime' in stay;
}

/**
 * The earliest moment from which the record is known to be in its status. We may have looked late (then `updatedAt` is
 * earlier), or the record may have been touched without moving (then our own first sight is).
 */
function inStatusSince(
  state: RecordState,
  definition: StatusDefinition,
  history: History,
  asOf: Instant,
): Instant | null {
  const { statusSince } = history;
  // A date that cannot be true must not silence the rule.
  const updatedAt = state.updatedAt !== null && isPlausible(state.updatedAt, asOf) ? state.updatedAt : null;
  if (statusSince !== null && updatedAt !== null) return Math.min(statusSince, updatedAt);
  return statusSince ?? updatedAt ?? (definition.stage === 0 ? state.createdAt : null);
}

function working(state: RecordState, input: RuleInput): Workings | null {
  const definition = state.status === null ? undefined : input.terms.statuses[state.kind].get(state.status);
  const stay = definition === undefined ? null : stayOf(definition, state);
  if (definition === undefined || stay === null) return null;
  const { asOf } = input.terms;
  const wait = waitOf(stay, state, definition, input);
  if (wait === null) return null;
  const isBeyond = asOf > wait.until;
  const [stayed, allowed] = [showDuration(asOf - wait.since), showStay(stay)];
  return wordsOnly([
    fact('status', definition.value),
    fact(isAfterEnd(stay) ? 'end time' : 'since', showInstant(wait.since)),
    fact('judged at', showInstant(asOf)),
    { label: 'stayed', working: `${showInstant(asOf)} − ${showInstant(wait.since)}`, result: stayed, unit: null },
    fact('allowed', allowed),
    plainOutcome(`${stayed} ${isBeyond ? '>' : '≤'} ${allowed}`, isBeyond),
  ]);
}
