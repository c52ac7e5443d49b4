/** The most that the Service takes by a payment method in a currency, where that is more than the maximum it publishes. Pure. */
import { Decimal } from './decimal.ts';
import type { Instant } from './record.ts';
import type { RecordState } from './snapshot.ts';

/** Sales cost at most so much of their value, and small ones at most so much in EUR (field facts, ceilings). */
export const SALE_FEE = Decimal.of(5n, 2);
export const SALE_FEE_EUR = Decimal.of(3n, 0);

/** Holds for purchases created in [from, to); null has no end, and takes any method or currency. */
export interface FeeCeiling {
  methods: readonly string[] | null;
  currencies: readonly string[] | null;
  /** Of the value of the crypto. */
  percent: Decimal;
  from: Instant;
  to: Instant | null;
}

/** The percentage of the first ceiling that fits; null where none does. */
export function ceilingOf(ceilings: readonly FeeCeiling[], state: RecordState): Decimal | null {
  const { createdAt, paymentMethod, fiatCurrency } = state;
  if (createdAt === null || paymentMethod === null) return null;
  const fits = ({ methods, currencies, from, to }: FeeCeiling) =>
    (methods === null || methods.includes(paymentMethod)) &&
    (currencies === null || currencies.includes(fiatCurrency)) &&
    createdAt >= from &&
    (to === null || createdAt < to);
  return ceilings.find(fits)?.percent ?? null;
}
