/**
 * The host's accrued share (`hostFeeCut`) of released records, by month (`books.revenueMonth`), currency and method. An accrual: no
 * endpoint of the Service states the credited amount (spec §4), so nothing here is a confirmed amount. What a record states is
 * kept apart from what only its linked quote promised.
 */
import { minorUnitDigits } from '../domain/currency.ts';
import { addKnown, Decimal, sumOf } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { HostShare } from '../domain/host-share.ts';
import { addTo } from '../domain/partial-sums.ts';
import { type Instant, isoInstant, type Kind } from '../domain/record.ts';
import type { Sign } from '../domain/record-months.ts';
import type { RecordState } from '../domain/snapshot.ts';

/** What released records of one month, kind, currency and method earned the host. */
export interface AccrualRow {
  month: string;
  kind: Kind;
  currency: string;
  /** Null where records name none. */
  method: string | null;
  records: number;
  fromRecords: { records: number; amount: Decimal | null };
  fromQuotes: { records: number; amount: Decimal | null };
  /** Shares of records that are released no more, whenever they were earned; above zero. */
  takenBack: { records: number; amount: Decimal | null };
  /** Records without a known share, which add nothing. */
  unknown: readonly string[];
  /** What the unknown shares would be at the method's own rate; in no total. Null where that is not asked for, or no rate is known. */
  estimated: Decimal | null;
}

/** A record that was released. */
export interface EarnedRecord {
  state: Pick<RecordState, 'recordId' | 'kind' | 'fiatCurrency' | 'paymentMethod' | 'fiatValue' | 'fiatRateEur'>;
  /** Null where neither the record nor its quote states one. */
  share: HostShare | null;
  /** When it was released. */
  at: Instant;
}

interface Sums extends Omit<AccrualRow, 'unknown' | 'estimated'> {
  unknown: { recordId: string; day: number; fiatValue: Decimal }[];
}

interface KnownShares {
  /** Sum of the shares that records of a method state. */
  share: Decimal;
  /** Sum of the totals of the same records: their quotient is the rate of an estimate. */
  value: Decimal;
}

const DAY = 86_400_000;
/** So many days of a method's known shares make its rate. */
const RATE_DAYS = 90;

/** Adds up released records; the caller leaves the others out. */
export class Accrual {
  private readonly rowsByKey = new Map<string, Sums>();
  /** Known shares and the values that they are of, by kind, currency, method and day. */
  private readonly known = new Map<string, Map<number, KnownShares>>();
  private readonly newest = new Map<string, { at: Instant; rate: Decimal }>();
  private readonly estimates: boolean;

  constructor(estimates = false) {
    this.estimates = estimates;
  }

  /** @param sign −1 where the share was taken back in that month */
  add(month: string, { state, share, at }: EarnedRecord, sign: Sign = 1): void {
    if (sign === -1) {
      if (share !== null) add(this.rowOf(month, state).takenBack, share.amount);
      return;
    }
    const row = this.rowOf(month, state);
    row.records++;
    const { recordId, fiatValue } = state;
    if (share === null) row.unknown.push({ recordId, day: Math.floor(at / DAY), fiatValue });
    else add(share.source === 'record' ? row.fromRecords : row.fromQuotes, share.amount);
  }

  /** Notes what a record of any month says of rates. */
  learn({ state, share, at }: EarnedRecord): void {
    const { kind, fiatCurrency, fiatRateEur, fiatValue, paymentMethod } = state;
    if (fiatRateEur?.isPositive === true)
      for (const key of [fiatCurrency, `${isoInstant(at).slice(0, 7)} ${fiatCurrency}`])
        if (at >= (this.newest.get(key)?.at ?? 0)) this.newest.set(key, { at, rate: fiatRateEur });
    if (share === null || !this.estimates) return;
    const days = entryOf(this.known, methodOf(kind, fiatCurrency, paymentMethod), () => new Map<number, KnownShares>());
    addTo(days, Math.floor(at / DAY), { share: share.amount, value: fiatValue });
  }

  /** Euros for one unit, as the newest record of the currency states them, and the newest of a month (`2026-10 GBP`). */
  get eurRates(): ReadonlyMap<string, Decimal> {
    return new Map([...this.newest].map(([currency, { rate }]) => [currency, rate]));
  }

  /** In order of month, currency, kind and method. */
  rows(): readonly AccrualRow[] {
    return [...this.rowsByKey]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => ({
        ...row,
        unknown: row.unknown.map(({ recordId }) => recordId).sort(),
        estimated: this.estimateOf(row),
      }));
  }

  private estimateOf({ kind, currency, method, unknown }: Sums): Decimal | null {
    const days = this.known.get(methodOf(kind, currency, method));
    if (days === undefined || unknown.length === 0) return null;
    let sum: Decimal | null = null;
    for (const { day, fiatValue } of unknown) {
      const within = [...days].filter(([each]) => each <= day && each > day - RATE_DAYS).map(([, sums]) => sums);
      const value = sumOf(within.map((each) => each.value));
      if (value.isZero) continue;
      const share = sumOf(within.map((each) => each.share));
      const own = share.times(fiatValue).dividedBy(value, minorUnitDigits(currency) ?? 2);
      sum = (sum ?? Decimal.ZERO).plus(own);
    }
    return sum;
  }

  private rowOf(month: string, { kind, fiatCurrency: currency, paymentMethod: method }: EarnedRecord['state']): Sums {
    const key = [month, currency, kind, method ?? ''].join('\n');
    const none = () => ({ records: 0, amount: null });
    const parts = () => ({ fromRecords: none(), fromQuotes: none(), takenBack: none(), unknown: [] });
    return entryOf(this.rowsByKey, key, () => ({ month, kind, currency, method, records: 0, ...parts() }));
  }
}

const methodOf = (kind: Kind, currency: string, method: string | null) => `${kind} ${currency} ${method ?? ''}`;

function add(part: { records: number; amount: Decimal | null }, amount: Decimal): void {
  part.records++;
  part.amount = addKnown(part.amount, amount);
}

/** What was earned less what was taken back; null where nothing is known. */
export function accruedIn({ fromRecords, fromQuotes, takenBack }: AccrualRow): Decimal | null {
  return [fromRecords.amount, fromQuotes.amount, takenBack.amount?.negated() ?? null].reduce(addKnown, null);
}
