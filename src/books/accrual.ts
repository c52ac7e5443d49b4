/** The host's accrued share of the stored records, for the commands that print or compare it. */
import { businessDateOf, businessMonths, startOfBusinessDate } from '../domain/calendar.ts';
import type { BusinessDate, Instant, Kind } from '../domain/record.ts';
import { knownShares, type ShareEdges } from './known-records.ts';
import type { EarnedShare } from './partner-lines.ts';
import { Accrual } from './revenue.ts';

/** Records of business dates in [from, to), by what decides their month; null is unbounded. */
interface AccrualScope {
  kind: Kind | null;
  /** Takes each share as well, and what was taken back as one below zero. */
  each?: ((share: EarnedShare) => void) | undefined;
  from: BusinessDate | null;
  to: BusinessDate | null;
}

interface AccrualEdges extends ShareEdges {
  settings: ShareEdges['settings'] & { timezone: string; books: { estimate?: 'off' | 'method-rate' } };
}

/**
 * Released records only: the host earns its share at the release. One that was created in one month may be released in any later one, and
 * be taken back in another.
 */
export async function accrue(edges: AccrualEdges, { kind, each, from, to }: AccrualScope): Promise<Accrual> {
  const { timezone, books } = edges.settings;
  const monthOf = businessMonths(timezone);
  const accrual = new Accrual(books.estimate === 'method-rate');
  const first = from === null ? null : startOfBusinessDate(from, timezone);
  const end = to === null ? null : startOfBusinessDate(to, timezone);
  const isIn = (at: Instant) => (first === null || at >= first) && (end === null || at < end);
  for await (const { state, share, earned, bookings } of knownShares(edges, { kind })) {
    if (earned === null) continue;
    const record = { state, share, at: earned.at };
    accrual.learn(record);
    for (const { at, sign } of bookings) {
      if (!isIn(at)) continue;
      const month = monthOf(at);
      accrual.add(month, record, sign);
      const { recordId, fiatCurrency: currency } = state;
      const signed = sign === 1 ? share?.amount : share?.amount.negated();
      each?.({ recordId, month, date: businessDateOf(at, timezone), currency, share: signed ?? null });
    }
  }
  return accrual;
}
