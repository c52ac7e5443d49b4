/** What a rule may judge: the body of tonight's look, where there is one. */
import type { RecordState } from '../domain/snapshot.ts';
import type { RuleFinding, RuleInput } from './rule.ts';

/** The verified body, or null where tonight's look gave none: a rule that needs it answers `not-applicable` then. */
export function verifiedState(input: RuleInput): RecordState | null {
  return input.observation.outcome === 'verified' ? input.observation.snapshot.state : null;
}

/** The answer of a rule that looked and has nothing to say. Shared, because most answers of a run are this one. */
export const NOTHING_FOUND: readonly RuleFinding[] = Object.freeze([]);
