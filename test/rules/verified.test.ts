import { expect, test } from 'vitest';
import { compareFees } from '../../src/domain/fees.ts';
import { RULES } from '../../src/rules/index.ts';
import { NOTHING_FOUND } from '../../src/rules/rule.ts';
import { aCase, aPurchase, aSnapshot, at, someTerms } from '../support/builders.ts';

test.each(RULES)('$code answers a clean record with the one shared empty list: a run has millions of them', (rule) => {
  const first = aSnapshot(aPurchase(), at('2026-11-01 10:21'));
  const state = aPurchase();
  const clean = aCase({
    state,
    tracked: { expectedStatus: 'RELEASED', webhookEvents: [{ type: 'RELEASED', at: at('2026-11-01 10:20') }] },
    history: { first, firstTerminal: first, peak: { status: 'RELEASED', at: at('2026-11-01 10:21') } },
  });
  const terms = someTerms();
  const fees = compareFees(state, clean.quote, terms.tolerances);
  expect(rule.check({ ...clean, terms, fees })).toBe(NOTHING_FOUND);
});
