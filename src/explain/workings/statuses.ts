/** Rules on statuses: what the status model says of where a record is and how it came there. */
import { showInstant } from '../../domain/record.ts';
import { sameStatus } from '../../domain/released.ts';
import { type StatusModel, transition } from '../../domain/status.ts';
import type { RuleInput } from '../../rules/rule.ts';
import { inStatusSince } from '../../rules/status-stuck.ts';
import { verifiedState } from '../../rules/verified.ts';
import { showDuration } from '../../rules/wording/time.ts';
import { fact, plainOutcome, type Worker, type WorkingLine, wordsOnly } from './lines.ts';

export const statusUnknown: Worker = (input) => {
  const state = verifiedState(input);
  if (state === null) return null;
  const known = [...input.terms.statuses[state.kind].keys()];
  const isKnown = state.status !== null && known.includes(state.status);
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact(`statuses of a ${state.kind}`, known.join(', ')),
    plainOutcome(isKnown ? 'among them' : 'not among them', !isKnown),
  ]);
};

export const statusStuck: Worker = (input) => {
  const state = verifiedState(input);
  const definition = state?.status == null ? undefined : input.terms.statuses[state.kind].get(state.status);
  if (state === null || definition === undefined || definition.stuckAfter === null) return null;
  const since = inStatusSince(state, definition, input.history);
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
};

export const statusRegressed: Worker = (input) => {
  const state = verifiedState(input);
  if (state === null || state.status === null) return null;
  const { firstTerminal, peak } = input.history;
  const terminal = firstTerminal?.state.status ?? null;
  // Out of a terminal status counts before falling back from the furthest one.
  const earlier =
    firstTerminal !== null && terminal !== null && !sameStatus(terminal, state.status)
      ? { status: terminal, at: firstTerminal.evidence.receivedAt }
      : peak;
  if (earlier === null) return null;
  const { statuses } = input.terms;
  const move = transition(statuses, state.kind, earlier.status, state.status);
  return wordsOnly([
    fact('furthest status', `${place(statuses, input, earlier.status)}, seen ${showInstant(earlier.at)}`),
    fact('status now', place(statuses, input, state.status)),
    plainOutcome(`${earlier.status} → ${state.status} is ${MOVE[move]}`, move === 'forbidden'),
  ]);
};

const MOVE = {
  same: 'no move',
  legal: 'a move the model allows',
  forbidden: 'a move the model forbids',
  unknown: 'a move the model does not know',
} as const;

/** `RELEASED (stage 7, final)`. */
function place(statuses: StatusModel, { kind }: RuleInput, status: string): string {
  const definition = statuses[kind].get(status);
  if (definition === undefined) return `${status} (not in the model)`;
  return `${status} (stage ${definition.stage}${definition.terminal ? ', final' : ''})`;
}

export const statusConflict: Worker = (input, field) => {
  if (input.observation.outcome !== 'verified') return null;
  const { state, evidence } = input.observation.snapshot;
  if (state.status === null) return null;
  const { statuses } = input.terms;
  const says = fact(
    'the record says',
    `${place(statuses, input, state.status)}, read ${showInstant(evidence.receivedAt)}`,
  );
  const { expectedStatus, webhookEvents } = input.tracked;
  if (field === 'expected_status') {
    if (expectedStatus === null) return null;
    const move = transition(statuses, state.kind, expectedStatus, state.status);
    return wordsOnly([
      fact('the app expects', place(statuses, input, expectedStatus)),
      says,
      plainOutcome(`${expectedStatus} → ${state.status} is ${MOVE[move]}`, move === 'forbidden'),
    ]);
  }
  const delivered = webhookEvents.map(
    ({ type, at }): WorkingLine => fact('webhook', `${type}, delivered ${showInstant(at)}`),
  );
  return wordsOnly([
    ...delivered,
    says,
    fact('allowed to lag', showDuration(3_600_000)),
    plainOutcome('the webhook and the record cannot both be right', true),
  ]);
};
