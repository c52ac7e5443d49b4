import { judgeFeePart } from './fee-part-differs.ts';
import type { Rule } from './rule.ts';

/** The base fee is the one before any modification (spec §2.7): where it differs, a discount is no excuse. */
export const feeBaseDiffers: Rule = {
  code: 'FEE_BASE_DIFFERS',
  severity: 'medium',
  title: 'The base fee differs from the quoted one',
  why: "The Service's own price is another than quoted, even where a discount or a host cut hides it in the total.",
  check: (input) => judgeFeePart(input, 'base', 'The base fee is', () => ''),
};
