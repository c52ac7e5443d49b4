/** What a price list would have found on a month's records, per currency. */

import { Decimal } from '../../domain/decimal.ts';
import { partsOfRecord } from '../../domain/fee-parts.ts';
import { addTo } from '../../domain/partial-sums.ts';
import { contractPrice, type PriceList, type SimulatedRow } from '../../domain/price-list.ts';
import type { Instant } from '../../domain/record.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../../domain/tolerance.ts';
import type { TrackedStore } from '../../ports/store/store.ts';
import { knownRecords } from '../known-records.ts';

interface Scope {
  from: Instant;
  to: Instant;
  tolerances: Tolerances;
  inForce: PriceList | null;
}

const { ZERO } = Decimal;

/** In order of currencies. */
export async function simulate(
  tracked: Pick<TrackedStore, 'latest'>,
  list: PriceList,
  { from, to, tolerances, inForce }: Scope,
): Promise<readonly SimulatedRow[]> {
  const rows = new Map<string, SimulatedRow>();
  const scope = { createdFrom: from, createdTo: to, quotes: true };
  for await (const { state, linked = null } of knownRecords(tracked, scope)) {
    if (state === null) continue;
    const currency = state.fiatCurrency;
    const quote = linked === null ? null : { ...linked, basis: 'linked' as const };
    const compared = (prices: PriceList) => {
      const price = contractPrice(prices, state, quote);
      if (price === null) return null;
      const allowed = allowance(fiatTolerance(tolerances, currency, 'FEE_DIFFERS_FROM_CONTRACT'), price.fee);
      const isSame = agree(price.charged, price.fee, allowed);
      return { ...price, differing: isSame ? 0 : 1, difference: isSame ? ZERO : price.charged.minus(price.fee) };
    };
    const { differing = 0, difference = ZERO } = (inForce === null ? null : compared(inForce)) ?? {};
    const then = partsOfRecord(state).applied === null ? null : compared(list);
    addTo(rows, currency, {
      currency,
      records: 1,
      priced: then === null ? 0 : 1,
      unpriced: then === null ? 1 : 0,
      differing: then?.differing ?? 0,
      charged: then?.charged ?? ZERO,
      contract: then?.fee ?? ZERO,
      above: then?.difference.isNegative === false ? then.difference : ZERO,
      below: then?.difference.isNegative === true ? then.difference : ZERO,
      inForce: inForce === null ? null : { differing, difference },
    });
  }
  return [...rows.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
