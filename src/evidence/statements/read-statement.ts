/** Statements of payments in three formats: a CSV with a mapping, camt.053 and MT940. Amounts stay text until they are exact. */
import { XMLParser } from 'fast-xml-parser';
import { readCsvText } from '../../domain/csv-lines.ts';
import { UsageError } from '../../domain/errors.ts';
import { readPayout, type StatementLine, type WrittenPayout } from './payout.ts';

export const STATEMENT_FORMATS = ['auto', 'csv', 'camt.053', 'mt940'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Thrown for a file that is no statement of its format. Exit code 2. */
class StatementError extends UsageError {}

/** Our field → the header that the file has for it. */
type Mapping = Readonly<Record<string, string>>;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  date: ['date', 'paid_at', 'booking_date', 'value_date'],
  amount: ['amount'],
  currency: ['currency'],
  reference: ['reference'],
  period: ['period', 'month'],
  id: ['id', 'payout_id'],
  withheld: ['withheld', 'withheld_amount', 'fees_withheld'],
  settled_currency: ['settled_currency', 'revenue_currency'],
  rate: ['rate', 'exchange_rate'],
};

export const MAPPED_FIELDS = Object.keys(FIELDS);

/** @throws StatementError */
export function readStatement(text: string, format: StatementFormat, mapping: Mapping = {}): readonly StatementLine[] {
  const plain = text.replace(/^\uFEFF/, '');
  switch (format === 'auto' ? formatOf(plain) : format) {
    case 'csv':
      return numbered(fromCsv(plain, mapping));
    case 'camt.053':
      return numbered(fromCamt(plain));
    case 'mt940':
      return numbered(fromMt940(plain));
  }
}

function formatOf(text: string): 'csv' | 'camt.053' | 'mt940' {
  if (/^\s*</.test(text)) return 'camt.053';
  return /^:(?:20|25|60[FM]):/m.test(text) ? 'mt940' : 'csv';
}

function numbered(lines: readonly { line: number; written: WrittenPayout | string }[]): StatementLine[] {
  const seen = new Map<string, number>();
  return lines.map(({ line, written }) => {
    if (typeof written === 'string') return { line, rejected: written };
    const name = JSON.stringify(written);
    const occurrence = seen.get(name) ?? 0;
    seen.set(name, occurrence + 1);
    return readPayout(written, line, occurrence);
  });
}

type Line = { line: number; written: WrittenPayout | string };

function fromCsv(text: string, mapping: Mapping): Line[] {
  let read: ReturnType<typeof readCsvText>;
  try {
    read = readCsvText(text);
  } catch (error) {
    throw new StatementError('The statement is not a CSV file', { cause: error });
  }
  const { header: names, lines } = read;
  const headerOf = (field: string) =>
    mapping[field]?.toLowerCase() ?? FIELDS[field]?.find((name) => names.includes(name)) ?? '';
  const missing = ['date', 'amount', 'currency'].filter(
    (field) => lines.length > 0 && !names.includes(headerOf(field)),
  );
  if (missing.length > 0) {
    throw new StatementError(`The statement has no column for ${missing.join(', ')}`, {
      remedy: `name it with --map, as --map ${missing[0]}=COLUMN; the header has ${names.join(', ')}`,
    });
  }
  return lines.map(({ line, cell: named }) => {
    const cell = (field: string) => named(headerOf(field));
    const written = {
      source: 'csv',
      date: cell('date'),
      amount: cell('amount'),
      currency: cell('currency'),
      reference: cell('reference'),
      period: cell('period'),
      id: cell('id'),
      withheld: cell('withheld'),
      settledCurrency: cell('settled_currency'),
      rate: cell('rate'),
    };
    return { line, written };
  });
}

type Node = { readonly [name: string]: unknown };

const LISTS = new Set(['Stmt', 'Ntry', 'NtryDtls', 'TxDtls', 'Ustrd']);

/** ISO 20022 camt.053 of any version: booked credits; a batch with amounts of its own gives a payout for each. */
function fromCamt(text: string): Line[] {
  // A document type could define entities without end, and no bank sends one.
  if (/<!DOCTYPE/i.test(text)) throw new StatementError('The statement has a document type, which camt.053 has not');
  const parser = new XMLParser({
    ignoreAttributes: false,
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    isArray: (name) => LISTS.has(String(name)),
  });
  let document: Node;
  try {
    document = parser.parse(text, true) as Node;
  } catch (error) {
    throw new StatementError('The statement is not well-formed XML', { cause: error });
  }
  const statements = listAt(at(at(document, 'Document'), 'BkToCstmrStmt'), 'Stmt');
  if (statements.length === 0) throw new StatementError('The file has no Document/BkToCstmrStmt/Stmt of camt.053');
  const entries = statements.flatMap((statement) => listAt(statement, 'Ntry'));
  return entries.flatMap((entry, index) => entryLines(entry, index + 1));
}

function entryLines(entry: Node, line: number): Line[] {
  const status = textAt(entry, 'Sts') ?? textAt(at(entry, 'Sts'), 'Cd');
  if (status !== 'BOOK') return [{ line, written: `entry ${line} is not booked (${status ?? 'no status'})` }];
  const reversed = textAt(entry, 'RvslInd') === 'true';
  if (textAt(entry, 'CdtDbtInd') !== 'CRDT' || reversed) return [{ line, written: `entry ${line} is no credit` }];
  const date =
    textAt(at(entry, 'BookgDt'), 'Dt') ?? textAt(at(entry, 'BookgDt'), 'DtTm') ?? textAt(at(entry, 'ValDt'), 'Dt');
  const details = listAt(entry, 'NtryDtls').flatMap((each) => listAt(each, 'TxDtls'));
  const own = details.map((each) => amountIn(each) ?? amountIn(at(at(each, 'AmtDtls'), 'TxAmt')));
  const whole = amountIn(entry);
  const parts =
    details.length > 1 && own.every((amount) => amount !== null)
      ? details.map((detail, i) => ({ detail, amount: own[i] ?? null }))
      : [{ detail: details[0] ?? {}, amount: whole }];
  return parts.map(({ detail, amount }) => {
    const reference = [
      textAt(at(detail, 'Refs'), 'EndToEndId'),
      ...textsAt(at(detail, 'RmtInf'), 'Ustrd'),
      textAt(entry, 'AddtlNtryInf'),
    ].filter((each) => each !== null && each !== 'NOTPROVIDED');
    return {
      line,
      written: {
        source: 'camt.053',
        date,
        amount: amount?.value ?? null,
        currency: amount?.currency ?? null,
        reference: reference.length === 0 ? null : reference.join(' '),
        period: null,
        id: textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef'),
        ...exchangeIn(detail, amount?.currency ?? null),
      },
    };
  });
}

/** ISO 20022 `CcyXchg`: the rate is in units of the target for one of the unit currency, which the revenue must be in. */
function exchangeIn(detail: Node, currency: string | null): Pick<WrittenPayout, 'settledCurrency' | 'rate'> {
  const exchange = at(at(at(detail, 'AmtDtls'), 'InstdAmt'), 'CcyXchg');
  const [source, target, unit] = ['SrcCcy', 'TrgtCcy', 'UnitCcy'].map((name) => textAt(exchange, name));
  const isForThis = target === currency && source !== null && (unit === null || unit === source);
  return isForThis ? { settledCurrency: source ?? null, rate: textAt(exchange, 'XchgRate') } : {};
}

function at(node: unknown, name: string): Node {
  const value = typeof node === 'object' && node !== null ? (node as Node)[name] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

function listAt(node: Node, name: string): readonly Node[] {
  const value = node[name];
  return Array.isArray(value) ? value.filter((each): each is Node => typeof each === 'object' && each !== null) : [];
}

function textsAt(node: Node, name: string): string[] {
  const value = node[name];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

function textAt(node: Node, name: string): string | null {
  const value = node[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function amountIn(node: Node): { value: string; currency: string } | null {
  const amount = at(node, 'Amt');
  const [value, currency] = [textAt(amount, '#text'), textAt(amount, '@_Ccy')];
  return value === null || currency === null ? null : { value, currency };
}

const BALANCE = /^:60[FM]:[CD]\d{6}([A-Z]{3})/;
/** Value date, entry date, mark, funds code, amount, type, reference of the owner, reference of the bank (SWIFT MT940, field 61). */
const MOVEMENT =
  /^:61:(\d{6})(?:\d{4})?(R?[CD])[A-Z]?(\d{1,15},\d{0,2})N[A-Z0-9]{3}([^/\r\n]{0,16})(?:\/\/([^\r\n]{0,16}))?/;

function fromMt940(text: string): Line[] {
  const found: Line[] = [];
  let currency: string | null = null;
  let open: WrittenPayout | null = null;
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    currency = BALANCE.exec(row)?.[1] ?? currency;
    const [, day = '', mark, amount = '', owner, bank] = MOVEMENT.exec(row) ?? [];
    if (row.startsWith(':61:')) {
      open = null;
      if (mark === undefined) found.push({ line, written: 'field 61 cannot be read' });
      else if (mark !== 'C') found.push({ line, written: 'no credit' });
      else {
        open = {
          source: 'mt940',
          date: `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4, 6)}`,
          amount: amount.endsWith(',') ? amount.slice(0, -1) : amount,
          currency,
          reference: owner === undefined || owner === 'NONREF' || owner === '' ? null : owner,
          period: null,
          id: bank ?? null,
        };
        found.push({ line, written: open });
      }
    } else if (
      open !== null &&
      (row.startsWith(':86:') || (!row.startsWith(':') && !row.startsWith('-') && row !== ''))
    ) {
      const words = row.startsWith(':86:') ? row.slice(4) : row;
      open.reference = open.reference === null ? words : `${open.reference} ${words}`;
    } else if (row.startsWith(':')) open = null;
  }
  return found;
}
