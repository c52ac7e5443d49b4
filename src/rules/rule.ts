/** The shape of a rule: data and pure functions. */
import type { Case, JudgingTerms } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { FeeComparison } from '../domain/fees.ts';
import type { Severity, Unit } from '../domain/finding.ts';
import type { ContractPrice } from '../domain/price-list.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Workings } from './working.ts';

/** A finding before configuration has had its say on severity. */
export interface RuleFinding {
  field: string;
  expected: string | null;
  actual: string | null;
  difference?: Decimal | null;
  currency?: string | null;
  /** What the finding measures; absent where nothing that can be measured differs. */
  unit?: Unit;
  /** What the user lost by it against what was promised, in the record's currency; see `domain/stake.ts`. */
  loss?: Decimal | null;
  tolerance?: Decimal | null;
  explanation: string;
  /** Set where one rule speaks at two severities: a fee below the published minimum is only worth a remark. */
  severity?: Severity;
}

export interface RuleInput extends Case {
  terms: JudgingTerms;
  /** The fee arithmetic of this case, done once for all rules; null unless the record was verified. */
  fees: FeeComparison | null;
  /** The delivery that the record promises, compared with its chain; null where none is expected or no chain is configured. */
  expectation: Delivery | null;
  /** What the price list allows; null where none is configured or it has no price for the record. */
  price: ContractPrice | null;
}

/** Two figures of a finding, as a report shows them, and how far they are apart. */
export function apart(actual: Decimal, expected: Decimal): Figures {
  return { expected: expected.toString(), actual: actual.toString(), difference: actual.minus(expected) };
}

type Figures = { expected: string; actual: string; difference: Decimal };

/** What a rule answers: findings (none is good), or that it had nothing to compare with. */
export type RuleAnswer = readonly RuleFinding[] | 'not-applicable';

export interface Rule {
  /** Stable: finance filters by it. */
  code: string;
  severity: Severity;
  /** What it says, in a few words. */
  title: string;
  /** What it looks at, where that is no record: such a rule is asked for no case. */
  subject?: 'revenue';
  /** Why it matters to the person who must act. */
  why: string;
  /** What the person who looks after the break does next. */
  action: string;
  /** What makes the break resolve by itself on a later night. */
  settledBy: string;
  /** An explanation that this rule gives, with its numbers: for the finance guide. */
  example: string;
  /** What else finance should know of such breaks. */
  note?: string;
  /**
   * Pure: no clock, no disk, no network. Sees records that were not verified too; a rule that needs a body answers
   * `not-applicable` for them.
   */
  check: (input: RuleInput) => RuleAnswer;
  /**
   * Writes one finding's arithmetic out, line by line; asked for only when a person looks at the break. Null where this
   * case gives it nothing to work with. A rule without it is explained by its finding alone.
   * @param field which of the rule's findings: with the rule it names the break.
   */
  working?: (input: RuleInput, field: string) => Workings | null;
}

export const VERIFIED_AGAIN = 'A night on which the Service answers with the record again.';
export const RIGHTED =
  'A night on which the record, as the Service has it, agrees again; or a waiver for this very difference.';
export const KEPT =
  'A night on which the Service gives back what was there before; otherwise a waiver, with the reason agreed.';

/** The verified body, or null where tonight's look gave none: a rule that needs it answers `not-applicable` then. */
export function verifiedState(input: RuleInput): RecordState | null {
  return input.observation.outcome === 'verified' ? input.observation.snapshot.state : null;
}

/** The answer of a rule that looked and has nothing to say. Shared, because most answers of a run are this one. */
export const NOTHING_FOUND: readonly RuleFinding[] = Object.freeze([]);
