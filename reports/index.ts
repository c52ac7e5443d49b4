/** Every report, in the order of the manifest. A new report is one file and one line here. */
import type { Report } from '../src/ports/settled.ts';
import { ageing } from './ageing.ts';
import { breaks } from './breaks.ts';
import { coverage } from './coverage.ts';
import { deliveries } from './deliveries.ts';
import { fees } from './fees.ts';
import { hostRevenue } from './host-revenue.ts';
import { payoutLines } from './payout-lines.ts';
import { payouts } from './payouts.ts';
import { records } from './records.ts';
import { revenueLegs } from './revenue-legs.ts';
import { revenueReconciliation } from './revenue-reconciliation.ts';
import { slippage } from './slippage.ts';
import { statusChanges } from './status-changes.ts';
import { totals } from './totals.ts';

export const REPORTS: readonly Report[] = [
  records,
  breaks,
  fees,
  statusChanges,
  coverage,
  // Sums.
  totals,
  hostRevenue,
  ageing,
  slippage,
];

/** Reports of what others than the Service say; a run writes one where its source was configured. */
export const EVIDENCE_REPORTS = {
  deliveries,
  payouts,
  revenueLegs,
  revenueReconciliation,
  payoutLines,
} as const satisfies Readonly<Record<string, Report>>;

/** Those of a run that knew of payments. */
export const REVENUE_REPORTS: readonly Report[] = [payouts, revenueLegs, revenueReconciliation, payoutLines];
