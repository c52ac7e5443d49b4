/** The amounts of a row: rounded where asked for, printed, and added up per currency as printed. */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Column, DecimalsMode, ReportDefinition, Totals } from '../ports/report-definition.ts';

type AmountColumn<Row> = Extract<Column<Row>, { type: 'amount' }>;

export class Amounts<Row> {
  /** Amount column → its currency column. */
  readonly currencyColumns: Readonly<Record<string, string>>;
  /** Of the row last read, per amount column: plain digits with a point; empty for an unknown amount. */
  readonly texts: string[];
  private readonly columns: readonly AmountColumn<Row>[];
  private readonly indexOf: ReadonlyMap<string, number>;
  private readonly currencyOf: readonly ((row: Row) => string | null)[];
  private readonly rounds: boolean;
  private readonly sums: TotalsBuilder;

  /** @throws Error for a definition whose amounts have no currency column. */
  constructor(definition: ReportDefinition<Row>, decimals: DecimalsMode) {
    this.columns = definition.columns.filter((column) => column.type === 'amount');
    this.indexOf = new Map(this.columns.map(({ name }, index) => [name, index]));
    this.currencyColumns = Object.fromEntries(this.columns.map(({ name, currencyColumn }) => [name, currencyColumn]));
    this.currencyOf = this.columns.map((column) => currencyReader(definition, column));
    this.texts = this.columns.map(() => '');
    this.rounds = decimals === 'minor-units';
    this.sums = new TotalsBuilder(this.columns.map(({ name }) => name));
  }

  /** Where a column's text is in `texts`. */
  position(name: string): number {
    return this.indexOf.get(name) ?? -1;
  }

  read(row: Row): void {
    for (let i = 0; i < this.columns.length; i++) {
      const exact = this.columns[i]?.value(row) ?? null;
      if (exact === null) {
        this.texts[i] = '';
        continue;
      }
      const currency = this.currencyOf[i]?.(row) ?? '';
      const digits = this.rounds ? minorUnitDigits(currency) : undefined;
      const printed = digits === undefined ? exact : this.rounded(i, row, exact, digits);
      this.texts[i] = digits === undefined ? printed.toString() : printed.toPlaces(digits);
      this.sums.add(i, currency, printed);
    }
  }

  totals(): Totals {
    return this.sums.totals();
  }

  /** The sums so far, as they cross to another thread. */
  partial(): PartialTotals {
    return this.sums.partial();
  }

  absorb(part: PartialTotals): void {
    this.sums.absorb(part);
  }

  private rounded(index: number, row: Row, exact: Decimal, digits: number): Decimal {
    const rest = this.columns[index]?.rest;
    if (rest === undefined) return exact.rounded(digits);
    // The other columns are rounded by themselves, so that what is printed foots as printed.
    const printed = (name: string) => (this.columns[this.position(name)]?.value(row) ?? Decimal.ZERO).rounded(digits);
    return rest.without.reduce((left, name) => left.minus(printed(name)), printed(rest.of));
  }
}

function currencyReader<Row>(
  { file, columns }: ReportDefinition<Row>,
  { name, currencyColumn }: AmountColumn<Row>,
): (row: Row) => string | null {
  const column = columns.find((each) => each.name === currencyColumn);
  if (column?.type !== 'text' && column?.type !== 'id') {
    throw new Error(`${file}: the currency column of ${name} must be a text column of the report: ${currencyColumn}`);
  }
  return column.value;
}

/** Sums of one currency: per column, per number of places. Adding at equal places needs no shifting, so each add is one. */
type Sums = (bigint | undefined)[][];

/** Sums by currency, in a form that crosses between threads. */
export type PartialTotals = ReadonlyMap<string, readonly (readonly (bigint | undefined)[])[]>;

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

  partial(): PartialTotals {
    return this.byCurrency;
  }

  absorb(part: PartialTotals): void {
    for (const [currency, sums] of part) {
      const whole = this.sumsOf(currency);
      sums.forEach((places, column) => {
        places.forEach((amount, scale) => {
          const sum = whole[column]?.[scale];
          if (amount !== undefined && whole[column]) whole[column][scale] = sum === undefined ? amount : sum + amount;
        });
      });
    }
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
