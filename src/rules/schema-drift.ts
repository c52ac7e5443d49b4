import type { Observation } from '../domain/case.ts';
import type { Drift } from '../domain/snapshot.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput } from './rule.ts';
import { lastVerified, lastVerifiedLines, requestLines } from './unread.ts';
import { asClause } from './wording.ts';
import { fact, plainOutcome, type WorkingLine, type Workings, wordsOnly } from './working.ts';

type Quarantined = Extract<Observation, { outcome: 'quarantined' }>;

const PROBLEM: Readonly<Record<Drift['problem'], string>> = {
  missing: 'is missing',
  type: 'has another form',
  value: 'has a value that cannot be used',
};

/**
 * Everything quarantined that is not another record's body ends here: a drifted field, and also a body that could not be
 * read at all or a redirection, because a record that could not be judged must never be silently green.
 */
export const schemaDrift: Rule = {
  code: 'SCHEMA_DRIFT',
  severity: 'high',
  title: 'A field the rules need is gone, renamed or of another type',
  why: 'The Service has changed what it sends: until the field is understood again, such records cannot be checked at all.',
  action: 'Hand it to an engineer with the field it names: the Service has changed what it sends.',
  settledBy: 'A night on which the body can be read again, because the Service or Tieout has changed.',
  example:
    'The field cryptoAmount is missing: expected a string of digits, found nothing, so the record was not judged; it was never verified before.',
  note: 'Many at once mean that the Service has changed its interface.',
  check({ observation, history }) {
    if (observation.outcome === 'verified') return NOTHING_FOUND;
    if (observation.outcome !== 'quarantined' || observation.reason === 'RECORD_ID_MISMATCH') return 'not-applicable';
    const last = lastVerified(history);
    if (observation.reason !== 'SCHEMA_DRIFT' || observation.drift.length === 0) return [wholeBody(observation, last)];
    return perField(observation.drift, last);
  },
  working,
};

/** One finding per field; a field that drifted in two ways is reported once, or two breaks would share one identity. */
function perField(drifts: readonly Drift[], last: string): readonly RuleFinding[] {
  const findings = new Map<string, RuleFinding>();
  for (const drift of drifts) {
    const field = snakePath(drift.field);
    if (!findings.has(field)) findings.set(field, driftedField(drift, field, last));
  }
  return [...findings.values()];
}

function driftedField(drift: Drift, field: string, last: string): RuleFinding {
  const found = drift.found === 'null' ? 'an empty value' : drift.found;
  const hint = drift.hint === null ? '' : ` (${asClause(drift.hint)})`;
  return {
    field,
    expected: drift.expected,
    actual: found,
    explanation:
      `The field ${drift.field} ${PROBLEM[drift.problem]}: expected ${drift.expected}, found ${found}${hint}, ` +
      `so the record was not judged; ${last}.`,
  };
}

function wholeBody(observation: Quarantined, last: string): RuleFinding {
  return {
    field: observation.reason === 'REDIRECTED' ? 'response' : 'body',
    expected: null,
    actual: observation.reason,
    explanation: `The Service's answer could not be used (${asClause(observation.detail)}), so the record was not judged; ${last}.`,
  };
}

/** `baseServiceFee` → `base_service_fee`, `asset.decimals` stays, `actions[0].type` → `actions.0.type`. */
function snakePath(path: string): string {
  return path
    .replace(/\[(\w+)\]/g, '.$1')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

function working(input: RuleInput): Workings | null {
  const { observation } = input;
  if (observation.outcome !== 'quarantined') return null;
  const drifted = observation.drift.flatMap(({ field, problem, expected, found, hint }): WorkingLine[] => [
    fact(
      field,
      `${problem === 'missing' ? 'missing' : found}; expected ${expected}${hint === null ? '' : ` (${hint})`}`,
    ),
  ]);
  return wordsOnly([
    ...requestLines(input, observation.at),
    fact('why it was set aside', observation.detail),
    ...drifted,
    ...lastVerifiedLines(input),
    plainOutcome('a body that cannot be read cannot be judged', true),
  ]);
}
