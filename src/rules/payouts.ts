/** The payments of the host's revenue: these rules look at months and payments (src/books/revenue-breaks.ts), at no record. */
import type { Rule } from './rule.ts';

const ABOUT: readonly Omit<Rule, 'check' | 'working' | 'subject'>[] = [
  {
    code: 'PAYOUT_MISSING',
    severity: 'high',
    proof: 'accrual',
    title: "A month's host revenue was not paid in time",
    why: 'Accrued revenue is a claim on the partner. Only a bank or payout statement shows that it was paid.',
    action:
      'Look for the payment under another reference; if there is none, ask the partner for it, with the accrual of the month.',
    settledBy: 'A night after a statement with the payment was imported; or a waiver.',
    example: "The host's revenue of 2026-06 is 4.75 EUR; nothing was paid for it, and it was due by 2026-08-15.",
    note: 'A month is overdue after `evidence.payouts.within`, and no break before. What is below `evidence.payouts.minimum` is carried forward.',
  },
  {
    code: 'PAYOUT_DIFFERS',
    severity: 'high',
    proof: 'accrual',
    title: "A month's payments do not equal its host revenue",
    why: 'Accrued, paid and posted must agree to the cent: what is missing is owed, and what was paid too much will be reclaimed.',
    action: 'Check the partner’s own breakdown against the accrual by method, and claim the difference.',
    settledBy: 'A night after a statement with the rest was imported, or a waiver for exactly this difference.',
    example: "For 2026-07 4.28 EUR was paid in 1 payment; the host's revenue is 5.35 EUR: 1.07 EUR less.",
  },
  {
    code: 'PAYOUT_UNEXPLAINED',
    severity: 'medium',
    title: 'A payment belongs to no month',
    why: 'Money that came without a reason is either not yours, or pays a month that then looks unpaid. An amount alone proves nothing.',
    action: 'Ask the partner what it pays, and import it again with its month (column `period`).',
    settledBy: 'A night on which its month is known; or a waiver.',
    example:
      'The payment of 12.34 EUR on 2026-09-13, with the reference BONUS, names no month, and its amount is not what earlier months still have open.',
  },
];

export const PAYOUT_RULES: readonly Rule[] = ABOUT.map((about) => ({
  ...about,
  subject: 'revenue',
  check: () => 'not-applicable',
}));
