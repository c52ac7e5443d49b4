import { NOTHING_FOUND, plainFinding, type Rule, type RuleInput } from './rule.ts';
import { asClause } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Judges the data that the application gave, so it needs no answer from the Service and applies to every outcome. */
export const trackingConflict: Rule = {
  code: 'TRACKING_CONFLICT',
  severity: 'high',
  title: 'One id came in with different tokens or kinds',
  why: 'Only one of the two can be right: the application has mixed up records, and the first one stored is the one looked at.',
  action: 'Find out in the application which of the tokens or kinds is right, and how the other one came about.',
  settledBy: 'Only a waiver, as both claims stay on record: waive it once the right one is known.',
  example:
    "The application's data for s182ob7d1c4tivn conflict, and the first that came in is used: it came in with 2 different view tokens (first from import on 2026-11-22, last from import on 2026-11-22).",
  note: 'The first claim is used until then.',
  check({ tracked, recordId }) {
    if (tracked.conflict === null) return NOTHING_FOUND;
    const explanation = `The application's data for ${recordId} conflict, and the first that came in is used: it ${asClause(tracked.conflict)}.`;
    return [plainFinding('tracking', null, explanation)];
  },
  working,
};

function working({ tracked, recordId }: RuleInput): Workings | null {
  if (tracked.conflict === null) return null;
  return wordsOnly([
    fact('id', recordId),
    fact('what came in', tracked.conflict),
    fact('the one in use', 'the first; the others are kept beside it, sealed'),
    plainOutcome('one id, more than one claim', true),
  ]);
}
