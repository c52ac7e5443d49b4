/** Every report, in the order of the manifest. A new report is one file and one line here. */
import type { Report } from '../src/reconcile/contract.ts';
import { ageing } from './ageing.ts';
import { breaks } from './breaks.ts';
import { coverage } from './coverage.ts';
import { fees } from './fees.ts';
import { hostRevenue } from './host-revenue.ts';
import { records } from './records.ts';
import { statusChanges } from './status-changes.ts';
import { totals } from './totals.ts';

// A report's row type is its own affair; the list only needs that its collector and its columns agree.
export type AnyReport = { [Name in keyof typeof REPORTS]: (typeof REPORTS)[Name] }[number];

export const REPORTS = [
  records,
  breaks,
  fees,
  statusChanges,
  coverage,
  totals,
  hostRevenue,
  ageing,
] as const satisfies readonly Report<never>[];
