/** Cells as text. Column by column, because a defused amount would be no number and a live text could be a formula. */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Column, DecimalsMode } from './contract.ts';
import type { Profile } from './profiles.ts';

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
/**
 * What a spreadsheet would run: a formula sign, plain or full-width, at the start or behind blanks, control characters
 * and invisible marks that programs skip.
 */
const LIVE = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\u2212]|^[\t\r\n\0]/u;

/** A leading apostrophe makes a text of it, in every spreadsheet. A plain number is no formula and stays one. */
export function defuse(text: string): string {
  return LIVE.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** A row's cells as text, and the amounts among them as they are printed. */
export interface EncodedRow {
  cells: string[];
  /** By column index; null for other columns and unknown amounts. */
  amounts: (Decimal | null)[];
}

export class RowEncoder<Row> {
  private readonly columns: readonly Column<Row>[];
  private readonly profile: Profile;
  private readonly rounds: boolean;
  private readonly indexOf: ReadonlyMap<string, number>;

  constructor(columns: readonly Column<Row>[], profile: Profile, decimals: DecimalsMode) {
    this.columns = columns;
    this.profile = profile;
    this.rounds = decimals === 'minor-units';
    this.indexOf = new Map(columns.map(({ name }, index) => [name, index]));
  }

  encode(row: Row): EncodedRow {
    const cells: string[] = new Array(this.columns.length);
    const amounts: (Decimal | null)[] = new Array(this.columns.length).fill(null);
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i] as Column<Row>;
      if (column.type === 'amount') amounts[i] = column.value(row);
      else cells[i] = this.cell(column, row);
    }
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i] as Column<Row>;
      if (column.type === 'amount') cells[i] = this.amount(column, i, cells, amounts);
    }
    return { cells, amounts };
  }

  private cell(column: Exclude<Column<Row>, { type: 'amount' }>, row: Row): string {
    switch (column.type) {
      case 'text':
      case 'id': {
        const text = column.value(row);
        if (text === null) return '';
        // A number in a text column (what was expected, what was found) follows the profile like any other number.
        if (PLAIN_NUMBER.test(text)) return column.type === 'text' ? this.point(text) : text;
        return defuse(text);
      }
      case 'date':
      case 'units':
        return column.value(row) ?? '';
      case 'instant': {
        const instant = column.value(row);
        return instant === null ? '' : new Date(instant).toISOString();
      }
      case 'percent': {
        const number = column.value(row);
        return number === null ? '' : this.point(number.toString());
      }
      case 'count':
      case 'boolean': {
        const value = column.value(row);
        return value === null ? '' : String(value);
      }
    }
  }

  private amount(
    column: Extract<Column<Row>, { type: 'amount' }>,
    index: number,
    cells: readonly string[],
    amounts: (Decimal | null)[],
  ): string {
    const exact = amounts[index] ?? null;
    if (exact === null) return '';
    if (!this.rounds) return this.point(exact.toString());
    const digits = minorUnitDigits(cells[this.indexOf.get(column.currencyColumn) ?? -1] ?? '');
    if (digits === undefined) return this.point(exact.toString());
    const rounded = column.rest === undefined ? exact.rounded(digits) : this.rest(column.rest, amounts, digits);
    amounts[index] = rounded;
    return this.point(rounded.toPlaces(digits));
  }

  /** Works on exact or already rounded amounts alike: rounding twice to the same places changes nothing. */
  private rest(
    rest: { of: string; without: readonly string[] },
    amounts: readonly (Decimal | null)[],
    digits: number,
  ): Decimal {
    const printed = (name: string) => (amounts[this.indexOf.get(name) ?? -1] ?? Decimal.ZERO).rounded(digits);
    return rest.without.reduce((left, name) => left.minus(printed(name)), printed(rest.of));
  }

  private point(number: string): string {
    return this.profile.decimalPoint === '.' ? number : number.replace('.', this.profile.decimalPoint);
  }
}
