import { promisingQuote } from '../domain/quote.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Rule, RuleInput } from './rule.ts';
import { judgeShown, NO_ROOM, type ShownPair, workOutShown } from './shown.ts';
import { showQuote } from './wording.ts';

const CODE = 'SHOWN_DIFFERS_FROM_QUOTE';

/** The user's loss is the charge above the shown price, which CHARGED_DIFFERS_FROM_SHOWN reports: none is reported here. */
export const shownDiffersFromQuote: Rule = {
  code: CODE,
  severity: 'medium',
  title: 'The app showed another price than the quote',
  why: 'What the user saw is the promise: an app that shows something else than it was quoted promises on its own account.',
  action: 'Look for the screen that showed it: an old quote, another payment method, or a rounding of the app.',
  settledBy: 'A night on which both agree. The shown amount never changes, so usually a waiver once the app is fixed.',
  example:
    'The app showed a fee of 11.35 EUR; quote q-1581 (automatic bank transfer, 7 min before) was for 14.19 EUR: 2.84 EUR less (20.0 %).',
  check: (input) => judgeShown(CODE, input, pairsOf),
  working: (input, field) => workOutShown(CODE, input, pairsOf, NO_ROOM, field),
};

function pairsOf(input: RuleInput, state: RecordState): readonly ShownPair[] {
  const shown = shownOf(input, state);
  const matched = promisingQuote(input.quote, state);
  if (shown === null || matched === null || matched.method === null) return [];
  const promise = `${showQuote(matched)} was for`;
  const { fiatValue, appliedFee } = matched.method;
  return [
    {
      field: 'shown_total',
      expected: fiatValue,
      actual: shown.total,
      beginning: 'The app showed a total of',
      promise,
      sides: { expected: 'quoted total', actual: 'shown total' },
    },
    {
      field: 'shown_fee',
      expected: appliedFee,
      actual: shown.fee,
      beginning: 'The app showed a fee of',
      promise,
      sides: { expected: 'quoted fee', actual: 'shown fee' },
    },
  ];
}
