import { FEE_RULES } from '../domain/rule-codes.ts';
import { judgeFeePart, workOutFeePart } from './fee-part-differs.ts';
import { bodyRule, RIGHTED } from './rule.ts';

/** The base fee is the one before any modification (spec §2.7): where it differs, a discount is no excuse. */
export const feeBaseDiffers = bodyRule({
  code: FEE_RULES.base,
  severity: 'medium',
  proof: 'quote',
  title: 'The base fee differs from the quoted one',
  why: "The Service's own price is not the quoted one, even where a discount or a host cut hides it in the total.",
  action: 'Ask the Service which price list it used; claim the difference.',
  settledBy: RIGHTED,
  example:
    'The base fee is 22.77 EUR; quote q-59 (automatic bank transfer, 3 min before) promised 9.04 EUR: 13.73 EUR more (151.9 %).',
  check: (state, input) => judgeFeePart(state, input, 'base', 'The base fee is', () => ''),
  working: (state, input) => workOutFeePart(state, input, 'base'),
});
