import { expect, test } from 'vitest';
import { RULES } from '../../src/rules/index.ts';
import { figuresOf } from '../../src/rules/judge-case.ts';
import { NOTHING_FOUND, type Rule } from '../../src/rules/rule.ts';
import { BREAK_CODES } from '../support/break-codes.ts';
import { aCase, aPurchase, aSnapshot, at, someTerms } from '../support/builders.ts';

/** The answer of a rule about a record on which every rule of the contract finds something to look at, and nothing wrong. */
function answerOf(rule: Rule) {
  const first = aSnapshot(aPurchase(), at('2026-11-01 10:21'));
  const state = aPurchase();
  const clean = aCase({
    state,
    tracked: { expectedStatus: 'RELEASED', webhookEvents: [{ type: 'RELEASED', at: at('2026-11-01 10:20') }] },
    history: { first, firstTerminal: first, peak: { status: 'RELEASED', at: at('2026-11-01 10:21') } },
  });
  const terms = someTerms();
  return rule.check({ ...clean, terms, ...figuresOf(clean, terms) });
}

test.each(RULES)(
  '$code answers a clean record with the one shared list, as a run has millions of them, or not at all',
  (rule) => {
    const answer = answerOf(rule);
    if (answer !== 'not-applicable') expect(answer).toBe(NOTHING_FOUND);
  },
);

test('every rule of the contract looks at it', () => {
  const idle = RULES.filter((rule) => answerOf(rule) === 'not-applicable').map(({ code }) => code);
  expect(BREAK_CODES.filter((code) => idle.includes(code))).toEqual([]);
});
