/** Exact sums of amounts, per currency and column. */
import { Decimal } from '../domain/decimal.ts';
import type { Totals } from '../ports/report-definition.ts';

/** Sums of one currency: per column, per number of places. Adding at equal places needs no shifting, so each add is one. */
type Sums = (bigint | undefined)[][];

export class TotalsBuilder {
  private readonly columns: readonly string[];
  private readonly byCurrency = new Map<string, Sums>();
  private lastCurrency: string | null = null;
  private lastSums: Sums = [];

  /** @param columns names of the amount columns, in the order of the file. */
  constructor(columns: readonly string[]) {
    this.columns = columns;
  }

  /** @param currency empty where the amount has none. */
  add(column: number, currency: string, amount: Decimal): void {
    const places = this.sumsOf(currency)[column];
    if (places === undefined) throw new RangeError(`no amount column ${column}`);
    const sum = places[amount.scale];
    places[amount.scale] = sum === undefined ? amount.unscaled : sum + amount.unscaled;
  }

  private sumsOf(currency: string): Sums {
    // Rows of one currency come in droves; comparing is cheaper than hashing.
    if (currency === this.lastCurrency) return this.lastSums;
    // A file holds no lone surrogates, so neither may the key that is compared with what is read back.
    const key = currency.toWellFormed();
    let sums = this.byCurrency.get(key);
    if (sums === undefined) {
      sums = this.columns.map(() => []);
      this.byCurrency.set(key, sums);
    }
    this.lastCurrency = currency;
    this.lastSums = sums;
    return sums;
  }

  /** Currencies in order, columns in the file's; a column without any amount in a currency is left out. */
  totals(): Totals {
    const currencies = [...this.byCurrency].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(currencies.map(([currency, sums]) => [currency, this.columnsOf(sums)]));
  }

  private columnsOf(sums: Sums): Record<string, string> {
    return Object.fromEntries(
      this.columns.flatMap((name, column) => {
        const total = totalOf(sums[column] ?? []);
        return total === null ? [] : [[name, total.toString()]];
      }),
    );
  }
}

function totalOf(places: readonly (bigint | undefined)[]): Decimal | null {
  let total: Decimal | null = null;
  for (const [scale, unscaled] of places.entries()) {
    if (unscaled === undefined) continue;
    const part = Decimal.of(unscaled, scale);
    total = total === null ? part : total.plus(part);
  }
  return total;
}
