/** The tables of a month-end pack and the sections of its page, in their order. */
import type { View } from '../../src/ports/html-view.ts';
import type { ReportDefinition } from '../../src/ports/report-definition.ts';
import { payoutLines } from '../payout-lines.ts';
import { payouts } from '../payouts.ts';
import { revenueLegs } from '../revenue-legs.ts';
import { revenueReconciliation } from '../revenue-reconciliation.ts';
import { hostBridge, journal, movement, notVerified, signOff } from './tables.ts';
import { packView } from './view.ts';

export { hostBridge, journal, movement, notVerified, signOff } from './tables.ts';

const any = <Row>(definition: ReportDefinition<Row>) => definition as ReportDefinition<never>;

export const PACK_VIEWS: readonly View[] = [
  packView(any(signOff), 'Sign-offs', 'Who closed the month, what was accepted as open, and who reviewed it.'),
  packView(
    any(movement),
    'Movement of open breaks',
    'Opening + new − resolved − waived = closing, by code and currency, in breaks and in money at stake. Opening is what the close before left.',
  ),
  packView(
    any(hostBridge),
    'Host share, step by step',
    'From what all records of the month state to what is expected and booked. An accrual: the payout statement confirms it.',
  ),
  packView(any(journal), 'Journal', 'What is booked for the month, from the sealed set alone.'),
  packView(
    any(notVerified),
    'Records that were not verified',
    'By name: never looked at, not readable, or not at their end when the month was closed.',
  ),
];

/** Where the nights of the month knew of payments. */
export const REVENUE_VIEWS: readonly View[] = [
  packView(
    revenueLegs.definition,
    'Host revenue: accrued, paid, posted',
    'The month in three legs, as the last night before the close knew it. A month is paid after its end: its payment may be in a later pack.',
  ),
  packView(
    revenueReconciliation.definition,
    'Host revenue: the reconciliation',
    'Opening + earned − paid + clawback + exchange = closing, by currency, aged by the month in which it was earned, and held against the books.',
  ),
  packView(payouts.definition, 'Payments of the host revenue', 'Those that pay this month.'),
  packView(
    payoutLines.definition,
    'Lines of the partner',
    'Every difference is in one bucket; the buckets come to it.',
  ),
];
