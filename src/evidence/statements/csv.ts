/** A statement as a CSV, by its own header or by a mapping. */
import { readCsvText } from '../../text/csv-lines.ts';
import { inParts } from './parts.ts';
import { type Line, StatementError } from './payout.ts';

/** Our field → the header that the file has for it. */
export type Mapping = Readonly<Record<string, string>>;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  date: ['date', 'paid_at', 'booking_date', 'value_date'],
  amount: ['amount', 'share'],
  currency: ['currency'],
  reference: ['reference'],
  period: ['period', 'month'],
  id: ['id', 'payout_id', 'record_id'],
  withheld: ['withheld', 'withheld_amount', 'fees_withheld'],
  settled_currency: ['settled_currency', 'revenue_currency'],
  rate: ['rate', 'exchange_rate'],
  chain: ['chain'],
  tx_hash: ['tx_hash'],
  type: ['type', 'line_type'],
  settles: ['settles', 'pays'],
  gross: ['gross', 'gross_amount'],
};

export const MAPPED_FIELDS = Object.keys(FIELDS);

/** @throws StatementError */
export function fromCsv(text: string, mapping: Mapping, source: 'csv' | 'lines' = 'csv'): Line[] {
  let read: ReturnType<typeof readCsvText>;
  try {
    read = readCsvText(text);
  } catch (error) {
    throw new StatementError('The statement is not a CSV file', { cause: error });
  }
  const { header: names, lines } = read;
  const headerOf = (field: string) =>
    mapping[field]?.toLowerCase() ?? FIELDS[field]?.find((name) => names.includes(name)) ?? '';
  const twice = MAPPED_FIELDS.map(headerOf).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new StatementError(`The statement has the column ${twice} twice`);
  // Without lines as well: a file of something else would count as a statement without payments.
  const needed = ['date', 'amount', 'currency', ...Object.keys(mapping)];
  const missing = needed.filter((field) => !names.includes(headerOf(field)));
  if (missing.length > 0) {
    throw new StatementError(`The statement has no column for ${missing.join(', ')}`, {
      remedy: `name it with --map, as --map ${missing[0]}=COLUMN; the header has ${names.join(', ')}`,
    });
  }
  return lines.flatMap(({ line, cell: named }): Line[] => {
    const cell = (field: string) => named(headerOf(field));
    const written = {
      source,
      date: cell('date'),
      amount: cell('amount'),
      currency: cell('currency'),
      reference: cell('reference'),
      period: cell('period'),
      id: cell('id'),
      withheld: cell('withheld'),
      settledCurrency: cell('settled_currency'),
      rate: cell('rate'),
      chain: cell('chain'),
      txHash: cell('tx_hash'),
      type: cell('type'),
      gross: cell('gross'),
    };
    return inParts(written, cell('settles')).map((each) => {
      return { line, written: typeof each === 'string' ? { line, rejected: each } : each };
    });
  });
}
