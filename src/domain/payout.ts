/** A payment of the host's share, as a statement has it. */
import type { Decimal } from './decimal.ts';
import type { Instant } from './record.ts';

export interface Payout {
  /** Made of the line itself: the same line imported again is the same payout. */
  payoutId: string;
  /** `csv`, `camt.053`, `mt940`. */
  source: string;
  paidAt: Instant;
  currency: string;
  amount: Decimal;
  reference: string | null;
  /** `2026-10`: the month that the payment says it is for; null where it says none. */
  period: string | null;
  /** Hash of what the line said. */
  sha256: string;
}
