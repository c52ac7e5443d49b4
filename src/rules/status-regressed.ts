import type { History } from '../domain/case.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import { sameStatus, saysReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { isResumed, isTerminal, transition } from '../domain/status.ts';
import { bodyRule, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';
import { place, TRANSITION_WORDS } from './status-lines.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/**
 * Compares with the furthest status ever seen, not with last night's: a record that fell back stays a finding until it
 * has come forward again, however many nights it rests where it fell.
 */
export const statusRegressed = bodyRule({
  code: 'STATUS_REGRESSED',
  severity: 'high',
  title: 'A transition that the model forbids, or out of a terminal status',
  why: 'A record that was reported as finished or further along no longer is: earlier reports and payouts may rest on it.',
  action: 'Ask the Service why the record fell back; hold payouts and postings that rested on the earlier status.',
  settledBy: 'A night on which the record has reached its furthest status again.',
  example:
    'The purchase was seen as FIAT_RECEIVED on 2026-11-22 00:00 UTC and is PAYMENT_STARTED now; the model allows no way back.',
  check(state, input) {
    // A sale body may leave its status out; that contradicts nothing.
    if (state.status === null) return 'not-applicable';
    const { history } = input;
    if (history.peak === null && history.firstTerminal === null) return 'not-applicable';
    const left = leftTerminal(history, state.status) ?? fellBack(input, state.status);
    if (left === null) return null;
    const { statuses } = input.terms;
    if (isResumed(statuses, state.kind, left.status, state.status))
      return resumed(state, left, isTerminal(statuses, state.kind, state.status) && !saysReleased(state.status));
    const final = isTerminal(statuses, state.kind, left.status);
    const explanation =
      `The ${state.kind} was seen as ${left.status} on ${showInstant(left.at)} and is ${state.status} now; ` +
      `${final ? 'nothing may follow that status' : 'the model allows no way back'}.`;
    return plainFinding('status', state.status, explanation, left.status);
  },
  note: 'A purchase that expired, was paid late and went on is only a remark (`info`), and so is a record that ended and whose money came back.',
  working,
});

type Seen = { status: string; at: Instant };

function resumed({ kind, status }: RecordState, left: Seen, isRefused: boolean): RuleFinding {
  const explanation = `The ${kind} was seen as ${left.status} on ${showInstant(left.at)} and is ${status} now: ${isRefused ? 'what was paid for it was refused or returned' : 'its payment arrived late and was processed'}.`;
  return { ...plainFinding('status', status, explanation, left.status), severity: 'info' };
}

function leftTerminal(history: History, status: string): Seen | null {
  const terminal = history.firstTerminal;
  const before = terminal?.state.status ?? null;
  return terminal === null || before === null || sameStatus(before, status)
    ? null
    : { status: before, at: terminal.evidence.receivedAt };
}

function fellBack({ history, terms, kind }: RuleInput, status: string): Seen | null {
  const { peak } = history;
  if (peak === null) return null;
  return transition(terms.statuses, kind, peak.status, status) === 'forbidden' ? peak : null;
}

function working(state: RecordState, input: RuleInput): Workings | null {
  if (state.status === null) return null;
  // Out of a terminal status counts before falling back from the furthest one.
  const earlier = leftTerminal(input.history, state.status) ?? input.history.peak;
  if (earlier === null) return null;
  const { statuses } = input.terms;
  const move = transition(statuses, state.kind, earlier.status, state.status);
  return wordsOnly([
    fact('furthest status', `${place(statuses, input, earlier.status)}, seen ${showInstant(earlier.at)}`),
    fact('status now', place(statuses, input, state.status)),
    plainOutcome(`${earlier.status} → ${state.status} is ${TRANSITION_WORDS[move]}`, move === 'forbidden'),
  ]);
}
