/**
 * The host's accrued share (`hostFeeCut`) of released records, by month (`books.revenueMonth`), currency and method. An accrual: no
 * endpoint of the Service states the credited amount (spec §4), so nothing here is a confirmed amount. What a record states is
 * kept apart from what only its linked quote promised.
 */
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { accrualOf } from '../domain/host-share.ts';
import type { MonthlyAmounts } from '../domain/payout.ts';
import type { Kind } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { KnownRecord } from '../ports/store/store.ts';

export interface AccrualRow {
  month: string;
  kind: Kind;
  currency: string;
  /** Null where records name none. */
  method: string | null;
  records: number;
  fromRecords: { records: number; amount: Decimal | null };
  fromQuotes: { records: number; amount: Decimal | null };
  /** Records without a known share, which add nothing. */
  unknown: number;
}

/** Adds up released records; the caller leaves the others out. */
export class Accrual {
  private readonly rowsByKey = new Map<string, AccrualRow>();
  private readonly tolerances: Tolerances;

  constructor(tolerances: Tolerances) {
    this.tolerances = tolerances;
  }

  add(month: string, state: RecordState, linked: KnownRecord['linked']): void {
    const row = this.rowOf(month, state);
    row.records++;
    const accrued = accrualOf(state, linked, this.tolerances);
    if (accrued === null) {
      row.unknown++;
      return;
    }
    const part = accrued.basis === 'record' ? row.fromRecords : row.fromQuotes;
    part.records++;
    part.amount = part.amount?.plus(accrued.amount) ?? accrued.amount;
  }

  private rowOf(month: string, { kind, fiatCurrency: currency, paymentMethod: method }: RecordState): AccrualRow {
    const key = [month, currency, kind, method ?? ''].join('\n');
    const none = () => ({ records: 0, amount: null });
    const counts = () => ({ records: 0, fromRecords: none(), fromQuotes: none(), unknown: 0 });
    return entryOf(this.rowsByKey, key, () => ({ month, kind, currency, method, ...counts() }));
  }

  /** In order of month, currency, kind and method. */
  rows(): readonly AccrualRow[] {
    return [...this.rowsByKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

/** Both parts together; null where neither is known. */
export function accruedIn({ fromRecords, fromQuotes }: Pick<AccrualRow, 'fromRecords' | 'fromQuotes'>): Decimal | null {
  if (fromRecords.amount === null || fromQuotes.amount === null) return fromRecords.amount ?? fromQuotes.amount;
  return fromRecords.amount.plus(fromQuotes.amount);
}

export type { MonthlyAmounts } from '../domain/payout.ts';

export interface RevenueRow {
  month: string;
  currency: string;
  /** Null where records, or the statement, have nothing for that month. */
  accrued: Decimal | null;
  /** The part of `accrued` that only quotes promised; null where there is none. */
  fromQuotes: Decimal | null;
  stated: Decimal | null;
  /** stated − accrued; an unknown side counts as zero. */
  difference: Decimal;
  /** The largest difference that agrees. */
  tolerance: Decimal;
  agrees: boolean;
}

export function addMonthly(amounts: MonthlyAmounts, month: string, currency: string, amount: Decimal): void {
  const key = `${month} ${currency}`;
  amounts.set(key, amounts.get(key)?.plus(amount) ?? amount);
}

/** In order of month and currency. An unknown side counts as zero, and agrees with an amount within the tolerance. */
export function compareRevenue(
  accrued: MonthlyAmounts,
  stated: MonthlyAmounts,
  tolerances: Tolerances,
  fromQuotes: MonthlyAmounts = new Map(),
): readonly RevenueRow[] {
  return [...new Set([...accrued.keys(), ...stated.keys()])].sort().map((key) => {
    const [month = '', currency = ''] = key.split(' ');
    const ours = accrued.get(key) ?? null;
    const theirs = stated.get(key) ?? null;
    const expected = ours ?? Decimal.ZERO;
    const actual = theirs ?? Decimal.ZERO;
    const tolerance = allowance(fiatTolerance(tolerances, currency, 'HOST_REVENUE'), expected);
    return {
      month,
      currency,
      accrued: ours,
      fromQuotes: fromQuotes.get(key) ?? null,
      stated: theirs,
      difference: actual.minus(expected),
      tolerance,
      agrees: agree(actual, expected, tolerance),
    };
  });
}
