/** Moments of one body that cannot all be true (RECORD_CONTRADICTS_ITSELF). A date that cannot be true at all is DATE_IMPLAUSIBLE. */
import { CLOCKS_DIFFER_MS, EARLIEST, isPlausible } from '../domain/plausible-date.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import { hasReleased, saysReleasing } from '../domain/released.ts';
import type { OddStep, RecordState } from '../domain/snapshot.ts';
import { transition } from '../domain/status.ts';
import { RETURNED } from '../service/profile.ts';
import { readAt } from './date-implausible.ts';
import { type Check, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';

/** Clocks of two servers may differ by so much, in milliseconds. */
const CLOCKS_DIFFER = 1000;

function updatedBeforeCreated({ kind, createdAt, updatedAt }: RecordState, input: RuleInput): RuleFinding | null {
  if (createdAt === null || updatedAt === null || updatedAt >= createdAt - CLOCKS_DIFFER) return null;
  // A date that cannot be true is DATE_IMPLAUSIBLE, and contradicts every other one.
  if (!isPlausible(createdAt, readAt(input)) || updatedAt < EARLIEST) return null;
  return plainFinding(
    'updated_at',
    isoInstant(updatedAt),
    `The ${kind} was updated at ${showInstant(updatedAt)}, before it was created (${showInstant(createdAt)}).`,
    isoInstant(createdAt),
  );
}

/** Orders expire within days; beyond this no contract or campaign explains it. */
const LONGEST_TERM = 3650 * 86_400_000;

function expiresAtOddTime({ kind, createdAt, endTime }: RecordState, input: RuleInput): RuleFinding | null {
  if (createdAt === null || endTime === null || !isPlausible(createdAt, readAt(input))) return null;
  const isBefore = endTime < createdAt - CLOCKS_DIFFER;
  if (!isBefore && endTime <= createdAt + LONGEST_TERM) return null;
  return plainFinding(
    'end_time',
    isoInstant(endTime),
    `The ${kind} expires at ${showInstant(endTime)}, ${isBefore ? 'before' : 'more than ten years after'} it was created (${showInstant(createdAt)}).`,
    isoInstant(createdAt),
  );
}

/** A remark: no money moved. By when it was first seen so; `updatedAt` need not move with the status. */
function expiredTooEarly({ kind, status, endTime }: RecordState, input: RuleInput): RuleFinding | null {
  if (status !== 'EXPIRED' || endTime === null) return null;
  const { firstTerminal } = input.history;
  const seenAt = firstTerminal?.state.status === status ? firstTerminal.evidence.receivedAt : readAt(input);
  if (seenAt >= endTime - CLOCKS_DIFFER_MS) return null;
  return {
    field: 'status',
    severity: 'info',
    expected: null,
    actual: status,
    explanation: `The ${kind} was ${status} at ${showInstant(seenAt)} already, but it expires at ${showInstant(endTime)}.`,
  };
}

/** `actions[]` (field facts): nothing in it is before the creation or still to come, and a payment arrives before the release. */
function actionsOutOfOrder(state: RecordState, input: RuleInput): RuleFinding | null {
  const { kind, createdAt, paidAt, releasedAt, returnedAt } = state;
  const moments = [paidAt, releasedAt, returnedAt].filter((each) => each !== undefined);
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const says = (explanation: string, actual: number): RuleFinding => ({
    field: 'actions',
    expected: null,
    actual: isoInstant(actual),
    explanation: `${explanation} (${showInstant(actual)}).`,
  });
  if (createdAt !== null && isPlausible(createdAt, readAt(input)) && first < createdAt - CLOCKS_DIFFER)
    return says(`The ${kind} was created at ${showInstant(createdAt)}, but its list of actions begins before`, first);
  if (last > readAt(input) + CLOCKS_DIFFER_MS)
    return says(`The list of actions of the ${kind} has one that is still to come`, last);
  if (paidAt !== undefined && releasedAt !== undefined && paidAt > releasedAt + CLOCKS_DIFFER)
    return says(`The ${kind} was released at ${showInstant(releasedAt)}, before its payment arrived`, paidAt);
  return null;
}

/** What ended does not go on, and nothing leads back to the beginning: as far as the status model says so. */
function stepsOutOfOrder(state: RecordState, input: RuleInput): RuleFinding | null {
  const { kind, createdAt, oddSteps = NO_STEPS } = state;
  const { terms } = input;
  for (const { from, to, at } of oddSteps) {
    if (from === null && at !== null && at > readAt(input) + CLOCKS_DIFFER_MS) {
      const comes = `The list of actions of the ${kind} has one that is still to come`;
      return plainFinding('actions', isoInstant(at), `${comes} (${to}, ${showInstant(at)}).`);
    }
    if (from === null && at !== null && createdAt !== null && at < createdAt) {
      const begins = `The ${kind} was created at ${showInstant(createdAt)}, but its list of actions begins before`;
      return plainFinding('actions', isoInstant(at), `${begins} (${to}, ${showInstant(at)}).`);
    }
    if (from === null || transition(terms.statuses, kind, from, to) !== 'forbidden') continue;
    if (at === null)
      return plainFinding('status', to, `The ${kind} is ${to}, but its own list of actions ends with ${from}.`, from);
    const explanation = `The list of actions of the ${kind} has it ${to} at ${showInstant(at)}, after it was ${from} already.`;
    return plainFinding('actions', to, explanation, from);
  }
  return null;
}

const NO_STEPS: readonly OddStep[] = [];

/** What fell back since an earlier night is STATUS_REGRESSED; this is of one body. */
function releasedByActions({ kind, status, releasedAt }: RecordState, { terms }: RuleInput): RuleFinding | null {
  if (releasedAt === undefined || status === null || hasReleased({ kind, status })) return null;
  if (saysReleasing(status) || RETURNED.has(status) || !terms.statuses[kind].has(status)) return null;
  return plainFinding(
    'status',
    status,
    `The ${kind} is ${status}, but its own list of actions has it released at ${showInstant(releasedAt)}.`,
  );
}

/** Not even a payment that failed leads back to where none was begun. */
function paidByActions({ kind, status, paidAt, returnedAt }: RecordState, { terms }: RuleInput): RuleFinding | null {
  if (kind !== 'purchase' || paidAt === undefined || returnedAt !== undefined || status === null) return null;
  if (transition(terms.statuses, kind, 'PAYMENT_FAILED', status) !== 'forbidden') return null;
  return plainFinding(
    'status',
    status,
    `The purchase is ${status}, but its own list of actions has its payment at ${showInstant(paidAt)}.`,
  );
}

export const MOMENTS: readonly Check[] = [
  updatedBeforeCreated,
  expiresAtOddTime,
  expiredTooEarly,
  actionsOutOfOrder,
  stepsOutOfOrder,
  releasedByActions,
  paidByActions,
];
