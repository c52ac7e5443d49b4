/** Asks one rule about one case, and writes its answer plainly: amounts as text, absent optional parts left out. */
import type { Case, JudgingTerms } from '../../src/domain/case.ts';
import { compareFees } from '../../src/domain/fees.ts';
import { judgeDelivery } from '../../src/domain/judge-delivery.ts';
import { contractPrice } from '../../src/domain/price-list.ts';
import type { Rule, RuleFinding } from '../../src/rules/rule.ts';
import { someTerms } from '../support/builders.ts';

export type Told = Omit<RuleFinding, 'difference' | 'tolerance' | 'loss'> & {
  difference?: string;
  tolerance?: string;
  loss?: string;
};
export type Answer = readonly Told[] | 'not-applicable';

export const NOTHING: Answer = [];
export const NOT_APPLICABLE: Answer = 'not-applicable';

export function ask(rule: Rule, subject: Case, terms: JudgingTerms = someTerms()): Answer {
  const { observation } = subject;
  const state = observation.outcome === 'verified' ? observation.snapshot.state : null;
  const fees = state === null ? null : compareFees(state, subject.quote, terms.tolerances);
  const price = state === null || terms.prices === null ? null : contractPrice(terms.prices, state, subject.quote);
  const answer = rule.check({ ...subject, terms, fees, expectation: judgeDelivery(subject, terms), price });
  return answer === 'not-applicable' ? answer : answer.map(plain);
}

function plain({ difference, tolerance, loss, ...rest }: RuleFinding): Told {
  return {
    ...rest,
    ...(difference === undefined || difference === null ? {} : { difference: difference.toString() }),
    ...(tolerance === undefined || tolerance === null ? {} : { tolerance: tolerance.toString() }),
    ...(loss === undefined || loss === null ? {} : { loss: loss.toString() }),
  };
}

/** Only which fields were found wanting, for tables in which the sentence is not the point. */
export function fieldsOf(rule: Rule, subject: Case, terms?: JudgingTerms): readonly string[] | 'not-applicable' {
  const answer = ask(rule, subject, terms);
  return answer === 'not-applicable' ? answer : answer.map((told) => told.field);
}
