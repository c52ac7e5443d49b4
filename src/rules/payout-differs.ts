import { payoutRule } from './payout-rule.ts';

export const payoutDiffers = payoutRule({
  code: 'PAYOUT_DIFFERS',
  severity: 'high',
  proof: 'accrual',
  title: "A month's payments do not equal its host revenue",
  why: 'Accrued, paid and posted must agree to the cent: what is missing is owed, and what was paid too much will be reclaimed.',
  action: 'Check the partner’s own breakdown against the accrual by method, and claim the difference.',
  settledBy: 'A night after a statement with the rest was imported, or a waiver for exactly this difference.',
  example: "For 2026-07 4.28 EUR was paid in 1 payment; the host's revenue is 5.35 EUR: 1.07 EUR less.",
});
