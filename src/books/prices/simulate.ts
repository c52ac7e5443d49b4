/** What a price list would have found on a month's records, per currency. */

import { Decimal } from '../../domain/decimal.ts';
import { entryOf } from '../../domain/entry-of.ts';
import { partsOfRecord } from '../../domain/fee-parts.ts';
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
    const row = entryOf(rows, currency, () => emptyRow(currency, inForce !== null));
    row.records++;
    const quote = linked === null ? null : { ...linked, basis: 'linked' as const };
    const differenceBy = (prices: PriceList) => {
      const price = contractPrice(prices, state, quote);
      if (price === null) return null;
      const allowed = allowance(fiatTolerance(tolerances, currency, 'FEE_DIFFERS_FROM_CONTRACT'), price.fee);
      const differs = !agree(price.charged, price.fee, allowed);
      return { price, difference: differs ? price.charged.minus(price.fee) : null };
    };
    const now = inForce === null ? null : differenceBy(inForce);
    if (row.inForce !== null && now !== null && now.difference !== null) {
      row.inForce.differing++;
      row.inForce.difference = row.inForce.difference.plus(now.difference);
    }
    const then = partsOfRecord(state).applied === null ? null : differenceBy(list);
    if (then === null) {
      row.unpriced++;
      continue;
    }
    row.priced++;
    row.charged = row.charged.plus(then.price.charged);
    row.contract = row.contract.plus(then.price.fee);
    if (then.difference === null) continue;
    row.differing++;
    if (then.difference.isNegative) row.below = row.below.plus(then.difference);
    else row.above = row.above.plus(then.difference);
  }
  return [...rows.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function emptyRow(currency: string, hasForce: boolean): SimulatedRow {
  const { ZERO } = Decimal;
  return {
    currency,
    records: 0,
    priced: 0,
    unpriced: 0,
    differing: 0,
    charged: ZERO,
    contract: ZERO,
    above: ZERO,
    below: ZERO,
    inForce: hasForce ? { differing: 0, difference: ZERO } : null,
  };
}
