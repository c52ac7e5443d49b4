/** Makers of columns: each takes a name, how a row gives the value, and what the column says. */
import type { Decimal } from '../domain/decimal.ts';
import type { Instant } from '../domain/record.ts';
import type { Column } from './report-definition.ts';

type Type = Column<never>['type'];
type Only<Name extends Type> = Column<never> & { type: Name };
/** The description alone, or with what else there is to say. */
type Says<Name extends Type, More = unknown> =
  | string
  | (Omit<Only<Name>, 'name' | 'type' | 'value' | 'currencyColumn'> & More);

type Maker<Row, Name extends Type, Value> = (
  name: string,
  value: (row: Row) => Value | null,
  says: Says<Name>,
) => Column<Row>;

interface Makers<Row> {
  text: Maker<Row, 'text', string>;
  id: Maker<Row, 'id', string>;
  date: Maker<Row, 'date', string>;
  units: Maker<Row, 'units', string>;
  instant: Maker<Row, 'instant', Instant>;
  percent: Maker<Row, 'percent', Decimal>;
  count: Maker<Row, 'count', number>;
  boolean: Maker<Row, 'boolean', boolean>;
  amount: (
    name: string,
    value: (row: Row) => Decimal | null,
    says: Says<'amount', { currencyColumn?: string }>,
  ) => Column<Row>;
}

/** @param currencyColumn of the report's amounts; one in another currency names its own. */
export function columnsOf<Row>(currencyColumn = 'fiat_currency'): Makers<Row> {
  const types = ['text', 'id', 'date', 'units', 'instant', 'percent', 'count', 'boolean', 'amount'] as const;
  const makers = types.map((type) => {
    const common = type === 'amount' ? { currencyColumn } : {};
    return [
      type,
      (name: string, value: unknown, said: string | object) => {
        const says = typeof said === 'string' ? { description: said } : said;
        return { ...common, ...says, name, type, value };
      },
    ];
  });
  return Object.fromEntries(makers) as Makers<Row>;
}
