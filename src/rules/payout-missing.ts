import { payoutRule } from './payout-rule.ts';

export const payoutMissing = payoutRule({
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
});
