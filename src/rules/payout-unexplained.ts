import { payoutRule } from './payout-rule.ts';

export const payoutUnexplained = payoutRule({
  code: 'PAYOUT_UNEXPLAINED',
  severity: 'medium',
  title: 'A payment belongs to no month',
  why: 'Money that came without a reason is either not yours, or pays a month that then looks unpaid. An amount alone proves nothing.',
  action: 'Ask the partner what it pays, and import it again with its month (column `period`).',
  settledBy: 'A night on which its month is known; or a waiver.',
  example:
    'The payment of 12.34 EUR on 2026-09-13, with the reference BONUS, names no month, and is not exactly what months before it have open.',
});
