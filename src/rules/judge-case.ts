/** Judges one case by every rule of a set. Pure: the same case, terms and set give the same answer forever. */
import { type Case, type CaseFigures, type JudgingTerms, NO_FIGURES } from '../domain/case.ts';
import type { FeeTerms } from '../domain/compare-promise.ts';
import { maxDecimal } from '../domain/decimal.ts';
import { decompose } from '../domain/decompose.ts';
import { executionOf, isExecuted } from '../domain/execution.ts';
import { compareFees, feeBounds } from '../domain/fees.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { hostShareOf } from '../domain/host-share.ts';
import { judgeDelivery } from '../domain/judge-delivery.ts';
import { seenByAny, unseenOf } from '../domain/market.ts';
import { moneyMoved } from '../domain/money-moved.ts';
import { listedAfter, listedRateEur, withRate } from '../domain/moving-terms.ts';
import { contractPrice } from '../domain/price-list.ts';
import type { ReferenceAsOf } from '../domain/reference.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import { isMeasurable } from '../domain/stake.ts';
import { NOTHING_FOUND, type RuleFinding, type RuleInput } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

/** What all rules of a set say of one record. */
export interface Judgement {
  figures: CaseFigures;
  /** In rule order; no two have the same rule and field, since those name a break. */
  findings: Finding[];
  /** Codes of the rules that had nothing to compare with, in rule order. */
  notApplicable: readonly string[];
  /** Of those, `CODE: reason` where the rule gave one. */
  notJudged: readonly string[];
}

/** Published fees are constants in EUR: elsewhere they move with the rate, and may not be known. */
function movingMinimum(state: RecordState, reference: ReferenceAsOf): FeeTerms['movingMinimum'] {
  const { asset, global } = reference;
  if (state.fiatCurrency === 'EUR') return null;
  if (global === null) return 'unknown';
  const bounds = feeBounds(state, global);
  if (bounds === null) return null;
  const after = listedAfter(reference, state.fiatCurrency, (listed) => listed.global?.minFeeAmount);
  return withRate([{ amount: bounds.amount, fiatRateEur: listedRateEur(asset) }, ...after]);
}

/** To the end of the execution; the figures of a body before it are those of its receipt. */
function sinceQuote({ quote }: Case, { evidence }: Snapshot, executed: CaseFigures['executed']): number {
  const to = typeof executed === 'string' ? evidence.receivedAt : executed.to;
  return to - (quote?.quote.capturedAt ?? to);
}

/** Without another fee than the quoted one, all the time since the quote. */
function unseenFees({ quote, market: { networkFees } }: Case, executed: CaseFigures['executed']): number {
  if (typeof executed === 'string') return 0;
  const { from, to } = executed;
  return seenByAny(networkFees) === null ? to - (quote?.quote.capturedAt ?? to) : unseenOf(networkFees, to - from);
}

/** Worked out once a case, for all its rules. */
export function figuresOf(subject: Case, terms: JudgingTerms): CaseFigures {
  const { observation, quote } = subject;
  const expectation = judgeDelivery(subject, terms);
  const moved = moneyMoved(subject, terms);
  if (observation.outcome !== 'verified') return { ...NO_FIGURES, expectation, moved };
  const { state } = observation.snapshot;
  const { tolerances, binding } = terms;
  const executed = executionOf(subject);
  const fees = compareFees(state, quote, {
    tolerances,
    binding,
    networkFees: subject.market.networkFees,
    unseen: isExecuted(observation.snapshot) ? unseenFees(subject, executed) : null,
    movingMinimum: movingMinimum(state, subject.reference),
    sinceQuote: sinceQuote(subject, observation.snapshot, executed),
  });
  return {
    executed,
    fees,
    decomposed: decompose(state, quote, fees.feesAtAmount),
    expectation,
    moved,
    share: hostShareOf(state, quote, terms),
    price: terms.prices === null ? null : contractPrice(terms.prices, state, quote),
  };
}

export function judgeCase(subject: Case, terms: JudgingTerms, ruleSet: RuleSet): Judgement {
  const figures = figuresOf(subject, terms);
  const input: RuleInput = { ...subject, terms, ...figures };
  const findings: Finding[] = [];
  const notApplicable: string[] = [];
  const notJudged: string[] = [];
  const { rules } = ruleSet;
  // By index: an iterator makes an object a rule, forty a record.
  for (let i = 0; i < rules.length; i++) {
    const { rule, severity } = rules[i] as (typeof rules)[number];
    if (rule.subject !== undefined) continue;
    const answer = rule.check(input);
    if (answer === NOTHING_FOUND) continue;
    if (answer === 'not-applicable') notApplicable.push(rule.code);
    else if ('notJudged' in answer) {
      notApplicable.push(rule.code);
      notJudged.push(`${rule.code}: ${answer.notJudged}`);
    } else for (const found of answer) findings.push(asFinding(rule.code, severity, measured(found, subject)));
  }
  return { figures, findings, notApplicable, notJudged };
}

/** A loss that is many times the total, the quoted one included, is no measure of anything. */
function measured(found: RuleFinding, { kind, observation, quote }: Case): RuleFinding {
  if (found.loss == null || observation.outcome !== 'verified') return found;
  const { fiatValue, fiatCurrency } = observation.snapshot.state;
  const quoted = quote?.quote.fiatCurrency === fiatCurrency ? (quote.method?.fiatValue ?? null) : null;
  const total = quoted === null ? fiatValue : maxDecimal(fiatValue, quoted);
  return isMeasurable(kind, found.loss, total) ? found : { ...found, loss: null };
}

/** A severity that the rule set itself on a finding stays: configuration speaks of the rule's default. */
export function asFinding(rule: string, severity: Severity, found: RuleFinding): Finding {
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
