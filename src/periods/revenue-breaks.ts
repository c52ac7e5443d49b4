/** Breaks about the payment of a month's host revenue: they count among the month's own, and stand in the way of its close. */
import type { Break } from '../domain/break.ts';
import { withStake } from '../domain/stake.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { unresolvedBreaks } from './standing.ts';

/** Unresolved ones as of a break event, in report order. A payment that names no month is of none. */
export async function revenueBreaks(
  breaks: Pick<BreakStore, 'statusOn'>,
  period: string,
  breakEvent: number,
): Promise<readonly Break[]> {
  const standing = unresolvedBreaks(await breaks.statusOn('payout', breakEvent));
  const ofMonth = standing.filter(({ recordId }) => recordId.startsWith(`${period}-`));
  return [...Map.groupBy(ofMonth, ({ recordId }) => recordId).values()].flatMap(withStake);
}
