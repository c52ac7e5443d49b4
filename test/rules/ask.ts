/** Asks one rule about one case, and writes its answer plainly: amounts as text, absent optional parts left out. */
import type { Case, JudgingTerms } from '../../src/domain/case.ts';
import { figuresOf } from '../../src/rules/judge-case.ts';
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
  const answer = rule.check({ ...subject, terms, ...figuresOf(subject, terms) });
  return answer === 'not-applicable' || 'notJudged' in answer ? NOT_APPLICABLE : answer.map(plain);
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
  return typeof answer === 'string' ? answer : answer.map((told) => told.field);
}
