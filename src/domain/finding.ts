/** One finding of a rule on a case, and the verdict of a run on a record. */
import type { Decimal } from './decimal.ts';

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
/** From `info`, which never opens a break, to `critical`. */
export type Severity = (typeof SEVERITIES)[number];

export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** What a finding measures. Only money is added up as money; a rate is a price per token. */
export type Unit = 'money' | 'rate' | 'crypto' | 'days';

/** What one rule has to say of a record. Its rule and field name the break that it opens. */
export interface Finding {
  /** The rule's stable code: `FEE_APPLIED_DIFFERS`. */
  rule: string;
  severity: Severity;
  /** What it is about, in snake_case; with the rule and the record it makes the identity of a break. */
  field: string;
  /** As a report cell shows them: plain decimals, statuses, identifiers. Null is unknown. */
  expected: string | null;
  actual: string | null;
  /** actual − expected, where both are numbers. */
  difference: Decimal | null;
  /** What `difference` measures; null where nothing that can be measured differs. */
  unit: Unit | null;
  /** What the user paid too much, or got too little, by this finding; minus is the Service's loss. In the record's currency. */
  loss: Decimal | null;
  /** Currency of `difference`, an ISO 4217 code or an asset identifier; null where it has none. */
  currency: string | null;
  /** The largest difference that would have been accepted, in the same unit. */
  tolerance: Decimal | null;
  /** One sentence that a finance analyst can act on, with the numbers in it. */
  explanation: string;
}

/** In the order in which files have them; a later one stands at the end. */
export const VERDICTS = ['matched', 'pending', 'break', 'unverified', 'quarantined', 'waived'] as const;
/** Exactly one a record and run; the counts add up to the population. */
export type Verdict = (typeof VERDICTS)[number];

/** A count of nothing for each verdict. */
export function noVerdicts(): Record<Verdict, number> {
  return { matched: 0, pending: 0, break: 0, unverified: 0, quarantined: 0, waived: 0 };
}
