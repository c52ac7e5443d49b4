/** Judges one case by every rule of a set. Pure: the same case, terms and set give the same answer forever. */
import type { Case, CaseFigures, JudgingTerms } from '../domain/case.ts';
import { compareFees } from '../domain/fees.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { judgeDelivery } from '../domain/judge-delivery.ts';
import { contractPrice } from '../domain/price-list.ts';
import type { RuleFinding, RuleInput } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

export interface Judgement extends CaseFigures {
  /** In rule order; no two have the same rule and field, since those name a break. */
  findings: Finding[];
  /** Codes of the rules that had nothing to compare with, in rule order. */
  notApplicable: readonly string[];
}

export function judgeCase(subject: Case, terms: JudgingTerms, ruleSet: RuleSet): Judgement {
  const { observation } = subject;
  const state = observation.outcome === 'verified' ? observation.snapshot.state : null;
  const fees = state === null ? null : compareFees(state, subject.quote, terms.tolerances);
  const { prices } = terms;
  const price = state === null || prices === null ? null : contractPrice(prices, state, subject.quote);
  const expectation = judgeDelivery(subject, terms);
  const input: RuleInput = { ...subject, terms, fees, expectation, price };
  const findings: Finding[] = [];
  const notApplicable: string[] = [];
  for (const { rule, severity } of ruleSet.rules) {
    if (rule.subject !== undefined) continue;
    const answer = rule.check(input);
    if (answer === 'not-applicable') notApplicable.push(rule.code);
    else for (const found of answer) findings.push(asFinding(rule.code, severity, found));
  }
  return { findings, notApplicable, fees, expectation, price };
}

/** A severity that the rule set itself on a finding stays: configuration speaks of the rule's default. */
function asFinding(rule: string, severity: Severity, found: RuleFinding): Finding {
  return {
    rule,
    severity: found.severity ?? severity,
    field: found.field,
    expected: found.expected,
    actual: found.actual,
    difference: found.difference ?? null,
    unit: found.unit ?? null,
    loss: found.loss ?? null,
    currency: found.currency ?? null,
    tolerance: found.tolerance ?? null,
    explanation: found.explanation,
  };
}
