import { contradicts, EARLIEST, isPlausible } from '../domain/plausible-date.ts';
import { type Instant, isoInstant, showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { bodyRule, plainFinding, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

export const dateImplausible = bodyRule({
  code: 'DATE_IMPLAUSIBLE',
  severity: 'high',
  title: 'A date that the record cannot have',
  why: 'Months are closed and delays are measured by these dates: a wrong one hides a record from its month, or hides that it is stuck.',
  action: 'Ask the Service for the true date; until then the record stands in the month of the application’s own date.',
  settledBy: RIGHTED,
  example:
    'The Service says that the record was created at 9999-01-01 00:00 UTC, more than a day after it was read (2026-11-22 00:00 UTC).',
  check: ({ createdAt, updatedAt }, input) => [
    implausible('created_at', 'was created', createdAt, input),
    implausible('updated_at', 'was updated', updatedAt, input),
  ],
  working,
});

function implausible(field: string, event: string, date: Instant | null, input: RuleInput): RuleFinding | null {
  if (date === null) return null;
  const asOf = readAt(input);
  const { createdAt } = input.tracked;
  // The application's date is a witness of the creation only, and only where it can be true itself.
  const host = field === 'created_at' && createdAt !== null && isPlausible(createdAt, asOf) ? createdAt : null;
  const found = (why: string) => {
    const explanation = `The Service says that the record ${event} at ${showInstant(date)}${why}.`;
    return plainFinding(field, isoInstant(date), explanation, host === null ? null : isoInstant(host));
  };
  if (date < EARLIEST) return found(`, before the Service began (${showInstant(EARLIEST).slice(0, 10)})`);
  if (!isPlausible(date, asOf)) return found(`, more than a day after it was read (${showInstant(asOf)})`);
  if (host === null || !contradicts(date, host)) return null;
  return found(`; the application says ${showInstant(host)}, and the record stands in the month of that date`);
}

export function readAt({ observation, terms }: RuleInput): Instant {
  return observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : terms.asOf;
}

/** Between a figure and the end of the execution; the figures of an order that was never paid move until its body is read. */
export function msUntilExecuted(input: RuleInput, at: Instant): number {
  const { executed } = input;
  return Math.abs((typeof executed === 'string' ? readAt(input) : executed.to) - at);
}

function working({ createdAt, updatedAt }: RecordState, input: RuleInput, field: string): Workings | null {
  const date = field === 'updated_at' ? updatedAt : createdAt;
  if (date === null) return null;
  const host = input.tracked.createdAt;
  const asOf = readAt(input);
  const isFound = implausible(field, '', date, input) !== null;
  return wordsOnly([
    fact(field, showInstant(date)),
    fact('earliest', showInstant(EARLIEST)),
    fact('read at, plus one day', showInstant(asOf + 86_400_000)),
    ...(host === null ? [] : [fact('date of the application', showInstant(host))]),
    plainOutcome(isFound ? 'the date cannot be true' : 'the date can be true', isFound),
  ]);
}
