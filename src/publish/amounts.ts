/** The amounts of a row: rounded where asked for, printed, and added up per currency as printed. */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import type { Column, DecimalsMode, PrintedColumns, ReportDefinition, Totals } from '../ports/report-definition.ts';
import type { AmountSums, ColumnSums } from '../ports/report-set.ts';
import { visible } from '../text/visible.ts';

type AmountColumn<Row> = Extract<Column<Row>, { type: 'amount' }>;

export class Amounts<Row> {
  /** Amount column → its currency column. */
  readonly currencyColumns: Readonly<Record<string, string>>;
  /** Of the row last read, per amount column: plain digits with a point; empty for an unknown amount. */
  readonly texts: string[];
  private readonly columns: readonly AmountColumn<Row>[];
  private readonly indexOf: ReadonlyMap<string, number>;
  private readonly currencyOf: readonly ((row: Row) => string | null)[];
  private readonly sums: TotalsBuilder;
  /** Of the values before they were rounded; null where none is. */
  private readonly exactSums: TotalsBuilder | null;

  /** @throws Error for a definition whose amounts have no currency column. */
  constructor(definition: ReportDefinition<Row>, decimals: DecimalsMode) {
    this.columns = definition.columns.filter((column) => column.type === 'amount');
    this.indexOf = new Map(this.columns.map(({ name }, index) => [name, index]));
    this.currencyColumns = Object.fromEntries(this.columns.map(({ name, currencyColumn }) => [name, currencyColumn]));
    this.currencyOf = this.columns.map((column) => currencyReader(definition, column));
    this.texts = this.columns.map(() => '');
    const names = this.columns.map(({ name }) => name);
    this.sums = new TotalsBuilder(names);
    this.exactSums = decimals === 'minor-units' ? new TotalsBuilder(names) : null;
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
      const digits = this.exactSums === null ? undefined : minorUnitDigits(currency);
      const printed = digits === undefined ? exact : this.rounded(i, row, digits);
      this.texts[i] = digits === undefined ? printed.toString() : printed.toPlaces(digits);
      this.sums.add(i, currency, printed);
      this.exactSums?.add(i, currency, exact);
    }
  }

  totals(): Totals {
    return this.sums.totals();
  }

  /** What rounding took from the sums: exact − printed, where they differ; null where nothing is rounded. */
  rounding(): Totals | null {
    if (this.exactSums === null) return null;
    const printed = this.sums.totals();
    const differing = Object.entries(this.exactSums.totals()).flatMap(([currency, columns]) => {
      const lost = Object.entries(columns).flatMap(([name, exact]) => {
        const difference = Decimal.parse(exact).minus(Decimal.parse(printed[currency]?.[name] ?? '0'));
        return difference.isZero ? [] : [[name, difference.toString()] as const];
      });
      return lost.length === 0 ? [] : [[currency, Object.fromEntries(lost)] as const];
    });
    return Object.fromEntries(differing);
  }

  /** The sums so far, as they cross to another thread. */
  partial(): AmountSums {
    return { printed: this.sums.partial(), exact: this.exactSums?.partial() ?? null };
  }

  absorb({ printed, exact }: AmountSums): void {
    this.sums.absorb(printed);
    if (exact !== null) this.exactSums?.absorb(exact);
  }

  /** Of columns that are a rest, what the columns that they are the rest of leave as printed: the row foots as printed. */
  private rounded(index: number, row: Row, digits: number): Decimal {
    const column = this.columns[index];
    const exact = column?.value(row) ?? null;
    if (column === undefined || exact === null) return Decimal.ZERO;
    const { rest } = column;
    const exactOf = (name: string) => this.columns[this.position(name)]?.value(row) ?? null;
    if (rest === undefined || [rest.of].flat().every((name) => exactOf(name) === null)) return exact.rounded(digits);
    const printed = (of: PrintedColumns) =>
      typeof of === 'string'
        ? this.rounded(this.position(of), row, digits)
        : sumOf(of.map((name) => exactOf(name) ?? Decimal.ZERO)).rounded(digits);
    return rest.without.reduce((left, name) => left.minus(printed(name)), printed(rest.of));
  }
}

/** The manifest's statement of rounding; absent for a file of exact amounts. */
export function roundingOf(amounts: Amounts<never>): { rounding?: Totals } {
  const rounding = amounts.rounding();
  return rounding === null ? {} : { rounding };
}

function currencyReader<Row>(
  { name: report, columns }: ReportDefinition<Row>,
  { name, currencyColumn }: AmountColumn<Row>,
): (row: Row) => string | null {
  const column = columns.find((each) => each.name === currencyColumn);
  if (column?.type !== 'text' && column?.type !== 'id') {
    throw new Error(
      `${report}.csv: the currency column of ${name} must be a text column of the report: ${currencyColumn}`,
    );
  }
  return column.value;
}

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
    // Most rows have the currency of the row before; comparing is cheaper than hashing.
    if (currency === this.lastCurrency) return this.lastSums;
    // A file holds no lone surrogates and no unseen marks, so neither may the key that is compared with what is read back.
    const key = visible(currency.toWellFormed());
    let sums = this.byCurrency.get(key);
    if (sums === undefined) {
      sums = this.columns.map(() => []);
      this.byCurrency.set(key, sums);
    }
    this.lastCurrency = currency;
    this.lastSums = sums;
    return sums;
  }

  partial(): ColumnSums {
    return this.byCurrency;
  }

  absorb(part: ColumnSums): void {
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
