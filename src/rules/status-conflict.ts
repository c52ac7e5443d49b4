import { showInstant } from '../domain/record.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { type StatusDefinition, transition } from '../domain/status.ts';
import type { Rule, RuleFinding, RuleInput } from './rule.ts';
import { NOTHING_FOUND } from './verified.ts';
import { showDuration } from './wording/time.ts';

const RELEASED = 'RELEASED';
/** A RELEASED event, or the application's word of it, may be ahead of a record that still says this. */
const RELEASING = 'RELEASING';
/** The event types that name a final status; CREATED, RETURNED and ERROR name none. */
const FINAL_EVENTS: ReadonlySet<string> = new Set([RELEASED, 'EXPIRED']);
/** How long a record may lag behind an event that was delivered for it. */
const LAG = 3_600_000;

export const statusConflict: Rule = {
  code: 'STATUS_CONFLICT',
  severity: 'high',
  title: 'Webhook, expectation and record contradict each other',
  why: 'The application acted on a status that the record does not have: it may have shipped, credited or given up wrongly.',
  check(input) {
    if (input.observation.outcome !== 'verified') return 'not-applicable';
    const { snapshot } = input.observation;
    const { status } = snapshot.state;
    const model = input.terms.statuses[input.kind];
    const current = status === null ? undefined : model.get(status);
    if (current === undefined) return 'not-applicable';
    const { expectedStatus, webhookEvents } = input.tracked;
    if (expectedStatus === null && webhookEvents.length === 0) return 'not-applicable';
    const found = [expectationConflict(input, current), eventConflict(input, snapshot, current)];
    return found[0] === null && found[1] === null ? NOTHING_FOUND : found.filter((finding) => finding !== null);
  },
};

/** Records advance, so an expectation may be behind; it contradicts where no way leads from it to the record's status. */
function expectationConflict({ tracked, terms, kind }: RuleInput, current: StatusDefinition): RuleFinding | null {
  const expected = tracked.expectedStatus;
  if (expected === null || transition(terms.statuses, kind, expected, current.value) !== 'forbidden') return null;
  if (expected === RELEASED && current.value === RELEASING) return null;
  const final = terms.statuses[kind].get(expected)?.terminal === true;
  const why = current.terminal ? 'which is final' : final ? `though ${expected} is final` : 'which comes before it';
  return {
    field: 'expected_status',
    expected,
    actual: current.value,
    explanation: `The application expects ${expected}, but the record says ${current.value}, ${why}.`,
  };
}

function eventConflict({ tracked, terms, kind }: RuleInput, seen: Snapshot, current: StatusDefinition) {
  const model = terms.statuses[kind];
  const { receivedAt } = seen.evidence;
  for (const event of tracked.webhookEvents) {
    if (event.type === current.value || !FINAL_EVENTS.has(event.type) || model.get(event.type)?.terminal !== true)
      continue;
    const lag = receivedAt - event.at;
    if (!current.terminal && (lag <= LAG || isReleasing(current, event.type, model.get(RELEASING)))) continue;
    return {
      field: 'webhook_event',
      expected: event.type,
      actual: current.value,
      explanation:
        `The Service reported ${event.type} by webhook on ${showInstant(event.at)}, but the record says ${current.value}` +
        `${current.terminal ? ', which is final too' : ` ${showDuration(lag)} later`}.`,
    };
  }
  return null;
}

function isReleasing(current: StatusDefinition, event: string, releasing: StatusDefinition | undefined): boolean {
  return event === RELEASED && releasing !== undefined && current.stage >= releasing.stage;
}
