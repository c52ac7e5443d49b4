/** A statement as a CSV, by its own header or by a mapping. */

import { CsvError } from 'csv-parse/sync';
import { Decimal, readDecimal } from '../../domain/decimal.ts';
import { PEGGED, partId } from '../../domain/payout.ts';
import type { Instant } from '../../domain/record.ts';
import { readCsvText } from '../../text/csv-lines.ts';
import { headerText, shortened } from '../../text/visible.ts';
import { type Line, LONGEST_REFERENCE, StatementError, type WrittenPayout } from './payout.ts';

/** Our field → the header that the file has for it. */
export type Mapping = Readonly<Record<string, string>>;

export interface ReadingTerms {
  /** When the statement came in. */
  asOf: Instant;
  /** The share of a payment that rates may leave (`evidence.payouts.exchange`). */
  exchange: Decimal;
  mapping?: Mapping | undefined;
}

const FIELDS = {
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
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Field = keyof typeof FIELDS;

const NAMES = Object.keys(FIELDS) as readonly Field[];
export const MAPPED_FIELDS: readonly string[] = NAMES;

/** @throws StatementError */
export function fromCsv(text: string, source: 'csv' | 'lines', { exchange, mapping = {} }: ReadingTerms): Line[] {
  let read: ReturnType<typeof readCsvText>;
  try {
    read = readCsvText(text);
  } catch (error) {
    // The parser's own message may quote a cell.
    const reason = error instanceof CsvError ? 'is not a CSV file' : (error as Error).message;
    throw new StatementError(`The statement ${reason}`, { cause: error });
  }
  const { header: names, lines } = read;
  const headerOf = (field: Field) =>
    mapping[field]?.toLowerCase() ?? FIELDS[field].find((name) => names.includes(name)) ?? '';
  const twice = NAMES.map(headerOf).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new StatementError(`The statement has the column ${twice} twice`);
  // Without lines as well: a file of something else would count as a statement without payments.
  const always = ['date', 'amount', 'currency', ...(source === 'lines' ? ['id'] : [])];
  const needed = NAMES.filter((field) => [...always, ...Object.keys(mapping)].includes(field));
  const missing = needed.filter((field) => !names.includes(headerOf(field)));
  if (missing.length > 0) {
    throw new StatementError(`The statement has no column for ${missing.join(', ')}`, {
      remedy: `name it with --map, as --map ${missing[0]}=COLUMN; the header has ${headerText(names)}`,
    });
  }
  return lines.flatMap(({ line, cell: named }): Line[] => {
    const cells = Object.fromEntries(NAMES.map((field) => [field, named(headerOf(field))])) as Record<
      Field,
      string | null
    >;
    const { settles, settled_currency: settledCurrency, tx_hash: txHash, ...others } = cells;
    return inParts({ source, settledCurrency, txHash, ...others }, settles, exchange).map((each) => {
      return typeof each === 'string' ? { line, rejected: shortened(each) } : { line, written: each };
    });
  });
}

/** One payment for several currencies, `600 EUR @ 1.10 + 300 GBP @ 1.338 + 250 USD`: a line for each, and one for what the rates leave. */
const PART = /^([\d.,]+) *([A-Za-z]{3})(?: *(?:@|at) *([\d.,]+))?$/;

/** The line itself where it settles one currency, or where a rate is not given: the rates of the records decide then. */
function inParts(written: WrittenPayout, settles: string | null, most: Decimal): readonly (WrittenPayout | string)[] {
  if (settles === null) return [written];
  // Each part becomes a payment: 24 MB of them took more memory than a process has.
  if (settles.length > LONGEST_REFERENCE) return [`settles: longer than ${LONGEST_REFERENCE} characters`];
  const currency = written.currency?.toUpperCase() ?? '';
  const parts = settles.split(/[+;]/).map((text) => {
    const [, amount = '', code = '', stated = null] = PART.exec(text.trim()) ?? [];
    const own = code.toUpperCase();
    const isSame = own === currency || own === PEGGED[currency];
    const [value, rate] = [readDecimal(amount), stated === null ? null : readDecimal(stated)];
    // A rate that cannot be read is not one that the partner left out.
    const isReadable = value?.isPositive === true && (stated === null || rate?.isPositive === true);
    return { currency: own, amount: value, isReadable, rate: stated === null && isSame ? Decimal.ONE : rate };
  });
  const paid = readDecimal(written.amount ?? '');
  if (paid === null || !parts.every(({ isReadable }) => isReadable))
    return [`settles ${settles}: write it as 600 EUR @ 1.10 + 250 USD`];
  if (parts.some(({ rate }) => rate === null)) return [written];
  const withheld = readDecimal(written.withheld ?? '') ?? Decimal.ZERO;
  const whole = paid.plus(withheld);
  // Each part says what all are, so that those which a correction drops are known; an id of `lines` is that of a record.
  const idOf = (part: number) =>
    written.id === null || written.source === 'lines' ? written.id : partId(written.id, part, `${whole} = ${settles}`);
  const one = { ...written, withheld: null, gross: null };
  const lines = parts.map(({ currency: settledCurrency, amount, rate }, i) => {
    const value = (amount ?? Decimal.ZERO).times(rate ?? Decimal.ONE);
    const own =
      settledCurrency === currency
        ? { rate: null, settledCurrency: null }
        : { rate: rate?.toString() ?? null, settledCurrency };
    return { value, line: { ...one, ...own, id: idOf(i + 1), amount: value.toString() } };
  });
  const rest = lines.reduce((left, { value }) => left.minus(value), whole);
  if (rest.abs().greaterThan(whole.abs().times(most)))
    return [`settles ${settles}: comes to ${whole.minus(rest)} of ${whole} ${currency}, more apart than rates explain`];
  const exchange = { ...one, id: idOf(parts.length + 1), type: 'exchange', amount: rest.toString() };
  return [...lines.map(({ line }) => line), ...(rest.isZero ? [] : [exchange])];
}
