/** Payments of the host's share: as statements have them, and what a night knew of the revenue that they pay. */
import { isMonth, monthAfter } from './calendar.ts';
import { minorUnitDigits } from './currency.ts';
import { Decimal } from './decimal.ts';
import type { Instant } from './record.ts';

/**
 * What a line of a partner's statement is about. `share` and `clawback` pay and take back revenue of the host; with the others the
 * partner settles something else: what the host owes (`invoice`, `retainer`, `campaign`, `fee`), what it adds (`bonus`), and a balance
 * from before (`opening`).
 */
export const LINE_TYPES = ['share', 'clawback', 'invoice', 'retainer', 'campaign', 'fee', 'bonus', 'opening'] as const;
export type LineType = (typeof LINE_TYPES)[number];

export const isOfRevenue = ({ type }: Pick<Payout, 'type'>) => type === 'share' || type === 'clawback';

export interface Payout {
  /** Made of the line itself: the same line imported again is the same payout. */
  payoutId: string;
  /** `csv`, `camt.053`, `mt940`, or the chain of a transfer. */
  source: string;
  paidAt: Instant;
  currency: string;
  type: LineType;
  /** Minus where it was kept back or taken back. */
  amount: Decimal;
  reference: string | null;
  /** `2026-10` or `2026-09/2026-11`: the months that the payment says it is for; null where it says none. */
  period: string | null;
  /** Hash of what the line said, or of the answers of the chain's witnesses. */
  sha256: string;
  /** Tax or charges that the payer kept back, in the payment's currency; null for none. */
  withheld: Decimal | null;
  /** The currency of the revenue that it pays, and the payment's units for one of it; null where it is the payment's own. */
  settles: { currency: string; rate: Decimal } | null;
  /** `txName` of the transaction that it was made in: of a transfer on a chain, and of a line that names one. */
  tx: string | null;
  /** What its statement calls it; null where it does not. */
  statementId: string | null;
}

/** As it was added. */
export interface AddedPayout extends Payout {
  addedAt: Instant;
}

/** The revenue that a payment pays: with the withheld amount, and at the stated rate, to the currency's places. */
export function settledBy({ currency, amount, withheld, settles }: Payout): { currency: string; amount: Decimal } {
  const whole = withheld === null ? amount : amount.plus(withheld);
  if (settles === null) return { currency, amount: whole };
  return { currency: settles.currency, amount: whole.dividedBy(settles.rate, minorUnitDigits(settles.currency) ?? 2) };
}

/** Longer spans are no months of one payment. */
const MOST_MONTHS = 24;

/** The months of a period, oldest first; empty where it is none. */
export function monthsOf(period: string): readonly string[] {
  const [from = '', to = from, ...more] = period.split('/');
  if (!isMonth(from) || !isMonth(to) || more.length > 0) return [];
  const months = [from];
  for (let month = from; month < to && months.length <= MOST_MONTHS; ) {
    month = monthAfter(month);
    months.push(month);
  }
  return to < from || months.length > MOST_MONTHS ? [] : months;
}

/** `2026-10 EUR` → sum. */
export type MonthlyAmounts = Map<string, Decimal>;

/** Fixed when the run is judged, so that a replay says the same. */
export interface RunRevenue {
  /** Of months that are over. */
  accrued: MonthlyAmounts;
  /** What the books have. */
  posted: MonthlyAmounts;
  /** Payments with a higher key were not there. */
  payoutKey: number;
  /** Days after the end of a month within which it is paid. */
  dueDays: number;
  /** By currency, `default` for all others: a month that earned less is paid with the next one. */
  minimum: ReadonlyMap<string, Decimal>;
}

export function leastPayout({ minimum }: Pick<RunRevenue, 'minimum'>, currency: string): Decimal {
  return minimum.get(currency) ?? minimum.get('default') ?? Decimal.ZERO;
}
