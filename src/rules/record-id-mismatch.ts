import { NOTHING_FOUND, plainFinding, type Rule, type RuleInput } from './rule.ts';
import { lastVerified, lastVerifiedLines, requestLines } from './unread.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** The body that came back belongs to another record: nothing in it may be believed of this one. */
export const recordIdMismatch: Rule = {
  code: 'RECORD_ID_MISMATCH',
  severity: 'critical',
  title: "The body is another record's",
  why: "One user's figures are shown under another's id: a mix-up in the application's storage or a leak in the Service.",
  action: 'Report it to the Service at once as a possible leak; check the application for swapped ids or tokens.',
  settledBy: 'A night on which the Service answers with the body of the requested id.',
  example:
    'Asked for s0n5d1hn3x8pzms, the Service answered with the body of s098znswf6dc0bv, so nothing in it was used; it was never verified before.',
  note: "Nothing in the body is used; one user may be seeing another's data.",
  check({ observation, history, recordId }) {
    if (observation.outcome === 'verified') return NOTHING_FOUND;
    if (observation.outcome !== 'quarantined' || observation.reason !== 'RECORD_ID_MISMATCH') return 'not-applicable';
    const found = observation.drift.find((drift) => drift.field === 'id')?.found ?? null;
    const explanation =
      `Asked for ${recordId}, the Service answered with ${found === null ? "another record's body" : `the body of ${found}`}, ` +
      `so nothing in it was used; ${lastVerified(history)}.`;
    return [plainFinding('id', found, explanation, recordId)];
  },
  working,
};

function working(input: RuleInput): Workings | null {
  const { observation } = input;
  if (observation.outcome !== 'quarantined') return null;
  const found = observation.drift.find(({ field }) => field === 'id')?.found ?? 'another id';
  return wordsOnly([
    ...requestLines(input, observation.at),
    fact('the body is of', found),
    ...lastVerifiedLines(input),
    plainOutcome(`${input.recordId} ≠ ${found}`, found !== input.recordId),
  ]);
}
