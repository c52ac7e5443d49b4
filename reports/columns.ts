/** Makers of columns: each takes a name, how a row gives the value, and what the column says. */
import type { Decimal } from '../src/domain/decimal.ts';
import type { Instant } from '../src/domain/record.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts, SettledRecord } from '../src/ports/settled.ts';

type Type = Column<never>['type'];
type Only<Name extends Type> = Column<never> & { type: Name };
type Says<Name extends Type> = Omit<Only<Name>, 'name' | 'type' | 'value' | 'currencyColumn'>;

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
    says: Says<'amount'> & { currencyColumn?: string },
  ) => Column<Row>;
}

/** @param currencyColumn of the report's amounts; one in another currency names its own. */
export function columnsOf<Row>(currencyColumn = 'fiat_currency'): Makers<Row> {
  return {
    text: (name, value, says) => ({ ...says, name, type: 'text', value }),
    id: (name, value, says) => ({ ...says, name, type: 'id', value }),
    date: (name, value, says) => ({ ...says, name, type: 'date', value }),
    units: (name, value, says) => ({ ...says, name, type: 'units', value }),
    instant: (name, value, says) => ({ ...says, name, type: 'instant', value }),
    percent: (name, value, says) => ({ ...says, name, type: 'percent', value }),
    count: (name, value, says) => ({ ...says, name, type: 'count', value }),
    boolean: (name, value, says) => ({ ...says, name, type: 'boolean', value }),
    amount: (name, value, says) => ({ currencyColumn, ...says, name, type: 'amount', value }),
  };
}

/** The first columns of a run's report. @param run what `run_id` says. */
export function runColumns(run = 'id of the run'): readonly Column<{ run: RunFacts }>[] {
  const { id, date } = columnsOf<{ run: RunFacts }>();
  return [
    id('run_id', (row) => row.run.runId, { description: run }),
    date('business_date', (row) => row.run.businessDate, {
      description: 'the business date: the day that the run is for',
    }),
  ];
}

const ofRecord = columnsOf<Pick<SettledRecord, 'kind' | 'recordId'>>();

export const KIND = ofRecord.text('kind', ({ kind }) => kind, { description: '`purchase` or `sale`' });
export const RECORD_ID = ofRecord.id('record_id', ({ recordId }) => recordId, {
  description: 'id of the record at the Service',
});
export const HOST_REFERENCE = columnsOf<Pick<SettledRecord, 'tracked'>>().text(
  'host_reference',
  ({ tracked }) => tracked.hostReference,
  {
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
  },
);
