import { type Instant, showInstant } from '../domain/record.ts';
import { hasReleased, saysReleased, saysReleasing } from '../domain/released.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { type StatusDefinition, transition } from '../domain/status.ts';
import { RETURNED } from '../service/profile.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput } from './rule.ts';
import { place, TRANSITION_WORDS } from './status-lines.ts';
import { showDuration } from './wording.ts';
import { fact, plainOutcome, type WorkingLine, type Workings, wordsOnly } from './working.ts';

/** How long a record may lag behind an event that was delivered for it. */
const LAG = 3_600_000;

export const statusConflict: Rule = {
  code: 'STATUS_CONFLICT',
  severity: 'high',
  title: 'Webhook, expectation and record contradict each other',
  why: 'The application acted on a status that the record does not have: it may have shipped, credited or given up wrongly.',
  action: 'Compare what the application did with what the record says; correct the one that is behind.',
  settledBy: 'The record reaches the status, or the application sends another expectation with the id.',
  example: 'The application expects RELEASED, but the record says EXPIRED, which is final.',
  note: 'The app may have shipped or credited something that was never paid.',
  check(input) {
    if (input.observation.outcome !== 'verified') return 'not-applicable';
    const { snapshot } = input.observation;
    const { status } = snapshot.state;
    const model = input.terms.statuses[input.kind];
    const current = status === null ? undefined : model.get(status);
    if (current === undefined) return 'not-applicable';
    const { expectedStatus, webhookEvents } = input.tracked;
    if (expectedStatus === null && webhookEvents.length === 0) return 'not-applicable';
    const expectation = expectationConflict(input, current);
    const event = eventConflict(input, snapshot, current, model.get('RELEASING'));
    return expectation === null && event === null
      ? NOTHING_FOUND
      : [expectation, event].filter((finding) => finding !== null);
  },
  working,
};

/** Records advance, so an expectation may be behind; it contradicts where no way leads from it to the record's status. */
function expectationConflict({ tracked, terms, kind }: RuleInput, current: StatusDefinition): RuleFinding | null {
  const expected = tracked.expectedStatus;
  if (expected === null || transition(terms.statuses, kind, expected, current.value) !== 'forbidden') return null;
  if (saysReleased(expected) && saysReleasing(current.value)) return null;
  const final = terms.statuses[kind].get(expected)?.terminal === true;
  const why = current.terminal ? 'which is final' : final ? `though ${expected} is final` : 'which comes before it';
  return {
    field: 'expected_status',
    expected,
    actual: current.value,
    explanation: `The application expects ${expected}, but the record says ${current.value}, ${why}.`,
  };
}

/**
 * The first evidence of the release. What was returned before it was another payment (field facts: a failed one may be followed by another), and
 * what expired before it was paid late.
 */
function releasedSince({ tracked, history }: RuleInput, { state, evidence }: Snapshot): Instant {
  const { firstTerminal } = history;
  const seen = firstTerminal !== null && hasReleased(firstTerminal.state) ? firstTerminal : { state, evidence };
  const announced = tracked.webhookEvents.flatMap(({ type, at }) => (saysReleased(type) ? [at] : []));
  return Math.min(state.releasedAt ?? seen.state.updatedAt ?? seen.evidence.receivedAt, ...announced);
}

function eventConflict(
  input: RuleInput,
  seen: Snapshot,
  current: StatusDefinition,
  releasing: StatusDefinition | undefined,
): RuleFinding | null {
  for (const event of input.tracked.webhookEvents) {
    const lag = seen.evidence.receivedAt - event.at;
    const isAfterRelease = saysReleased(current.value) && event.at - releasedSince(input, seen) > LAG;
    if (RETURNED.has(event.type) && isAfterRelease) {
      return {
        field: 'webhook_event',
        expected: event.type,
        actual: current.value,
        explanation:
          `The Service reported ${event.type} by webhook on ${showInstant(event.at)}, after the release, ` +
          `but the record says ${current.value}: it is not known whether the money was given back.`,
      };
    }
    if (event.type === 'EXPIRED' ? !isAfterRelease : !contradicts(event.type, lag, current, releasing)) continue;
    if (isChargedBack(event.type, current, input)) continue;
    const when = current.terminal ? ', which is final too' : ` ${showDuration(lag)} later`;
    return {
      field: 'webhook_event',
      expected: event.type,
      actual: current.value,
      explanation:
        `The Service reported ${event.type} by webhook on ${showInstant(event.at)}, ` +
        `but the record says ${current.value}${when}.`,
    };
  }
  return null;
}

/** The release was announced, and seen; that the money was taken back afterwards is STATUS_REGRESSED's. */
function isChargedBack(eventType: string, { value }: StatusDefinition, { history: { firstTerminal } }: RuleInput) {
  const wasReleased = firstTerminal !== null && hasReleased(firstTerminal.state);
  return wasReleased && saysReleased(eventType) && RETURNED.has(value);
}

/** CREATED and ERROR name no status at all, and RETURNED may be of an earlier payment. */
function contradicts(
  eventType: string,
  lag: number,
  current: StatusDefinition,
  releasing: StatusDefinition | undefined,
): boolean {
  if (eventType !== 'RELEASED' || saysReleased(current.value)) return false;
  if (current.terminal) return true;
  // A deployment may have statuses of its own between RELEASING and RELEASED.
  const hasBegun = saysReleasing(current.value) || (releasing !== undefined && current.stage >= releasing.stage);
  return lag > LAG && !hasBegun;
}

function working(input: RuleInput, field: string): Workings | null {
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
      plainOutcome(`${expectedStatus} → ${state.status} is ${TRANSITION_WORDS[move]}`, move === 'forbidden'),
    ]);
  }
  const delivered = webhookEvents.map(
    ({ type, at }): WorkingLine => fact('webhook', `${type}, delivered ${showInstant(at)}`),
  );
  return wordsOnly([
    ...delivered,
    says,
    fact('allowed to lag', showDuration(LAG)),
    plainOutcome('the webhook and the record cannot both be right', true),
  ]);
}
