/** The shape of a rule: data and a pure function. */
import type { Case, JudgingTerms } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { FeeComparison } from '../domain/fees.ts';
import type { Severity } from '../domain/finding.ts';

/** A finding before configuration has had its say on severity. */
export interface RuleFinding {
  field: string;
  expected: string | null;
  actual: string | null;
  difference?: Decimal | null;
  currency?: string | null;
  tolerance?: Decimal | null;
  explanation: string;
  /** Set where one rule speaks at two severities: a fee below the published minimum is only worth a remark. */
  severity?: Severity;
}

export interface RuleInput extends Case {
  terms: JudgingTerms;
  /** The fee arithmetic of this case, done once for all rules; null unless the record was verified. */
  fees: FeeComparison | null;
}

/** What a rule answers: findings (none is good), or that it had nothing to compare with. */
export type RuleAnswer = readonly RuleFinding[] | 'not-applicable';

export interface Rule {
  /** Stable: finance filters by it. */
  code: string;
  severity: Severity;
  /** What it says, in a few words. */
  title: string;
  /** Why it matters to whoever must act. */
  why: string;
  /**
   * Pure: no clock, no disk, no network. Sees records that were not verified too; a rule that needs a body answers
   * `not-applicable` for them.
   */
  check: (input: RuleInput) => RuleAnswer;
}
