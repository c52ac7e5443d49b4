import type { History } from '../domain/case.ts';
import { isPlausible } from '../domain/plausible-date.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StatusDefinition } from '../domain/status.ts';
import { NOTHING_FOUND, type Rule, type RuleInput, verifiedState } from './rule.ts';
import { showDuration } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

export const statusStuck: Rule = {
  code: 'STATUS_STUCK',
  severity: 'medium',
  title: 'Longer in a status than the model allows',
  why: "The user's money or crypto is on its way for too long; the Service should be asked before the user asks.",
  action: 'Ask the Service where the money is, before the user does.',
  settledBy: 'A night on which the record has left the status.',
  example: 'In PAYMENT_IN_PROGRESS since 2026-11-10 16:28 UTC (11 days); allowed 5 days.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || state.status === null) return 'not-applicable';
    const definition = input.terms.statuses[state.kind].get(state.status);
    if (definition === undefined) return 'not-applicable';
    if (definition.stuckAfter === null) return NOTHING_FOUND;
    const since = inStatusSince(state, definition, input.history, input.terms.asOf);
    if (since === null) return 'not-applicable';
    const elapsed = input.terms.asOf - since;
    if (elapsed <= definition.stuckAfter) return NOTHING_FOUND;
    return [
      {
        // No difference: it grows every night, and a growing difference would end every waiver.
        field: 'status',
        expected: null,
        actual: state.status,
        unit: 'days',
        explanation:
          `In ${state.status} since ${showInstant(since)} (${showDuration(elapsed)}); ` +
          `allowed ${showDuration(definition.stuckAfter)}.`,
      },
    ];
  },
  working,
};

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

function working(input: RuleInput): Workings | null {
  const state = verifiedState(input);
  const definition = state?.status == null ? undefined : input.terms.statuses[state.kind].get(state.status);
  if (state === null || definition === undefined || definition.stuckAfter === null) return null;
  const since = inStatusSince(state, definition, input.history, input.terms.asOf);
  if (since === null) return null;
  const elapsed = input.terms.asOf - since;
  const isBeyond = elapsed > definition.stuckAfter;
  const [stayed, allowed] = [showDuration(elapsed), showDuration(definition.stuckAfter)];
  return wordsOnly([
    fact('status', definition.value),
    fact('since', showInstant(since)),
    fact('judged at', showInstant(input.terms.asOf)),
    {
      label: 'stayed',
      working: `${showInstant(input.terms.asOf)} − ${showInstant(since)}`,
      result: stayed,
      unit: null,
    },
    fact('allowed', allowed),
    plainOutcome(`${stayed} ${isBeyond ? '>' : '≤'} ${allowed}`, isBeyond),
  ]);
}
