/** The shape of a rule: data and pure functions. */
import type { Case, CaseFigures, JudgingTerms } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Workings } from './working.ts';

/** One question of a rule that has several, each of its own field. */
export type Check = (state: RecordState, input: RuleInput) => RuleFinding | null;

type Optional = 'difference' | 'unit' | 'loss' | 'currency' | 'tolerance' | 'severity';

/**
 * A finding before configuration has had its say on severity. Set by the rule, a severity stays: a fee below the published minimum
 * is only worth a remark.
 */
export interface RuleFinding extends Omit<Finding, 'rule' | Optional>, Partial<Pick<Finding, Optional>> {}

/** A case with its figures, worked out once for all rules. */
export interface RuleInput extends Case, CaseFigures {
  terms: JudgingTerms;
}

/** Two figures of a finding, as a report shows them, and how far they are apart. */
export function apart(actual: Decimal, expected: Decimal): Figures {
  return { expected: expected.toString(), actual: actual.toString(), difference: actual.minus(expected) };
}

type Figures = { expected: string; actual: string; difference: Decimal };

/** Two figures of one unit; so far they may be apart. */
interface Sides {
  actual: Decimal;
  expected: Decimal;
  allowed: Decimal;
  /** Of both: a currency, or the identifier of an asset. */
  currency: string;
}

/** All that a finding states of two figures but its field, its sentence and the loss. */
export function figuresIn(unit: 'money' | 'rate' | 'crypto', { actual, expected, allowed, currency }: Sides) {
  return { ...apart(actual, expected), unit, currency, tolerance: allowed };
}

/** A finding without an amount: what the record says, and why that cannot be. */
export function plainFinding(
  field: string,
  actual: string | null,
  explanation: string,
  expected: string | null = null,
): RuleFinding {
  return { field, expected, actual, explanation };
}

/** What a rule answers: findings (none is good), or that it had nothing to compare with. */
export type RuleResult = readonly RuleFinding[] | 'not-applicable' | NotJudged;

/** As `not-applicable`, with a reason that the counts of the run show. */
export interface NotJudged {
  notJudged: string;
}

/** One rule is one file. It reads its input alone: no clock, no store, no setting that the run did not freeze. */
export interface Rule {
  /** Stable: finance filters by it. */
  code: string;
  severity: Severity;
  /** What it says, in a few words. */
  title: string;
  /** What it looks at, where that is no record: such a rule is asked for no case. */
  subject?: 'revenue' | 'run' | 'market';
  /** What proves its amount against the Service, so that it can be claimed; absent where nothing does. */
  proof?: 'quote' | 'bounds' | 'contract' | 'payment' | 'accrual' | 'chain';
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
  check: (input: RuleInput) => RuleResult;
  /** Why it judges nothing by the settings of a run, so that its open breaks resolve; null where it does judge. */
  lapses?: (terms: Pick<JudgingTerms, 'binding'>) => string | null;
  /**
   * Writes one finding's arithmetic out, line by line; asked for only when a person looks at the break. Null where this
   * case gives it nothing to work with. A rule without it is explained by its finding alone.
   * @param field which of the rule's findings: with the rule it names the break.
   */
  working?: (input: RuleInput, field: string) => Workings | null;
}

/** What a rule about a body found: null where a question found nothing. */
export type Found = readonly (RuleFinding | null)[] | RuleFinding | 'not-applicable' | NotJudged | null;

interface BodyRule extends Omit<Rule, 'check' | 'working'> {
  check: (state: RecordState, input: RuleInput) => Found;
  working: (state: RecordState, input: RuleInput, field: string) => Workings | null;
}

/** A rule about a verified body: of a record that was not verified it has nothing to judge, and nothing to work out. */
export function bodyRule({ check, working, ...about }: BodyRule): Rule {
  return {
    ...about,
    check(input) {
      const state = verifiedState(input);
      return state === null ? 'not-applicable' : resultOf(check(state, input));
    },
    working(input, field) {
      const state = verifiedState(input);
      return state === null ? null : working(state, input, field);
    },
  };
}

function resultOf(found: Found): RuleResult {
  if (found === null || found === NOTHING_FOUND) return NOTHING_FOUND;
  if (typeof found === 'string' || 'notJudged' in found) return found;
  if ('field' in found) return [found];
  return found.every((each) => each === null) ? NOTHING_FOUND : found.filter((each) => each !== null);
}

export const VERIFIED_AGAIN = 'A night on which the Service answers with the record again.';
export const RIGHTED =
  'A night on which the record at the Service agrees again, or a waiver for exactly this difference.';
export const KEPT =
  'A night on which the Service returns the earlier value; otherwise a waiver, with the agreed reason.';

/** The verified body, or null where tonight's look gave none: a rule that needs it answers `not-applicable` then. */
export function verifiedState(input: RuleInput): RecordState | null {
  return input.observation.outcome === 'verified' ? input.observation.snapshot.state : null;
}

/** The answer of a rule that looked and has nothing to say. Shared, because most answers of a run are this one. */
export const NOTHING_FOUND: readonly RuleFinding[] = Object.freeze([]);
