/** Statements of banks in ISO 20022 camt.053, of any version. Amounts stay text until they are exact. */
import { createHash } from 'node:crypto';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { Decimal, sumOf } from '../../domain/decimal.ts';
import {
  amountOf,
  type Booking,
  balanceProblem,
  isOfPayment,
  type Line,
  StatementError,
  signed,
  type WrittenPayout,
} from './payout.ts';

type Node = { readonly [name: string]: unknown };

const LISTS = new Set(['Stmt', 'Bal', 'Ntry', 'NtryDtls', 'TxDtls', 'Ustrd']);

/** Of elements and attributes: 32 MiB of short entries have three and a half million, and each takes many times its letters once it is read. */
const MOST_MARKS = 4_000_000;
/** One element with a million attributes is held three times over. */
const MOST_IN_A_TAG = 65_536;

function checkExtent(text: string): void {
  let [marks, tag] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 60 || code === 61) marks++;
    if (code === 60) tag = i;
    else if (code === 62) tag = text.length;
    if (marks > MOST_MARKS || i - tag > MOST_IN_A_TAG)
      throw new StatementError(
        'The statement has more elements or attributes than one of 32 MiB; split it, for example by month',
      );
  }
}

/** Booked credits, and what takes one back. @throws StatementError */
export function fromCamt(text: string): Line[] {
  if (/:Ccy\s*=/.test(text)) throw new StatementError('The statement has a currency of another namespace');
  // A document type could define entities without end, and no bank sends one.
  if (/<!DOCTYPE/i.test(text))
    throw new StatementError('The statement declares a document type (DOCTYPE), which no camt.053 file does');
  checkExtent(text);
  const parser = new XMLParser({
    ignoreAttributes: false,
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    isArray: (name) => LISTS.has(String(name)),
  });
  let document: Node;
  try {
    // The parser bounds the depth of nesting, the validator does not: so it comes second.
    document = parser.parse(text) as Node;
    const valid = XMLValidator.validate(text);
    if (valid !== true) throw new Error(valid.err.msg);
  } catch (error) {
    throw new StatementError('The statement is not well-formed XML', { cause: error });
  }
  const statements = listAt(at(at(document, 'Document'), 'BkToCstmrStmt'), 'Stmt');
  if (statements.length === 0) throw new StatementError('The file has no Document/BkToCstmrStmt/Stmt of camt.053');
  const entries = statements.map((statement) => listAt(statement, 'Ntry'));
  // Behind those of the entries.
  let last = entries.reduce((sum, { length }) => sum + length, 0);
  let line = 0;
  const seen = new Set<string>();
  return statements.flatMap((statement, n) => {
    const key = statements.length === 1 ? '' : createHash('sha256').update(JSON.stringify(statement)).digest('hex');
    const own = entries[n] ?? [];
    const first = line + 1;
    line += own.length;
    last++;
    // Its entries would count as further payments that are just like the first ones.
    if (seen.has(key) && own.length > 0)
      return [{ line: last, leftOut: `statement ${n + 1} is the same as one before it` }];
    seen.add(key);
    const problem = gapIn(statement, own);
    const lines = own.flatMap((entry, index) => entryLines(entry, first + index));
    return problem === null ? lines : [...lines, { line: last, note: `statement ${n + 1}: ${problem}` }];
  });
}

/** Why its entries are not all, by its balances; null where they are, and where it does not have them. */
function gapIn(statement: Node, entries: readonly Node[]): string | null {
  const balances = (...codes: readonly string[]) => {
    const known = listAt(statement, 'Bal').filter((each) =>
      codes.includes(textAt(at(at(each, 'Tp'), 'CdOrPrtry'), 'Cd') ?? ''),
    );
    return known.map((each) => ({ currency: amountIn(each)?.currency, amount: movedBy(each) }));
  };
  const [[before, ...others], [after, ...more]] = [balances('OPBD'), balances('CLBD')];
  const [opening = null, ...further] = before === undefined ? balances('PRCD') : [before];
  const booked = entries.filter((entry) => statusOf(entry) === 'BOOK');
  const isOne = [others, more, further].every(({ length }) => length === 0) && statement.StmtPgntn === undefined;
  const isComparable = [after, ...booked.map(amountIn)].every((each) => each?.currency === opening?.currency);
  if (opening === null || after === undefined || !isOne || !isComparable) return null;
  return balanceProblem(opening.amount, after.amount, booked.map(movedBy));
}

/** What an entry or a balance is, with its sign; null where one of both cannot be read. */
function movedBy(node: Node): Decimal | null {
  const mark = textAt(node, 'CdtDbtInd');
  return mark === 'CRDT' || mark === 'DBIT' ? signed(amountOf(amountIn(node)?.value ?? null), mark === 'DBIT') : null;
}

const statusOf = (entry: Node) => textAt(entry, 'Sts') ?? textAt(at(entry, 'Sts'), 'Cd');

function entryLines(entry: Node, line: number): Line[] {
  const status = statusOf(entry);
  if (status !== 'BOOK') return [{ line, leftOut: `entry ${line} is not booked (${status ?? 'no status'})` }];
  const booking = bookingOf(entry);
  if (booking === null) return [{ line, rejected: `entry ${line} is neither credit nor debit` }];
  // The mark is the sign: with one of its own, a credit would be taken back, and what is taken back be paid.
  if (amountIn(entry)?.value.startsWith('-') === true)
    return [{ line, rejected: `entry ${line} has an amount with a sign, which CdtDbtInd gives` }];
  if (!isOfPayment(booking)) return [{ line, leftOut: `entry ${line} is a ${booking}` }];
  const date =
    textAt(at(entry, 'BookgDt'), 'Dt') ?? textAt(at(entry, 'BookgDt'), 'DtTm') ?? textAt(at(entry, 'ValDt'), 'Dt');
  const reference = (details: readonly Node[]) => {
    const words = [
      ...details.flatMap((detail) => [
        textAt(at(detail, 'Refs'), 'EndToEndId'),
        ...textsAt(at(detail, 'RmtInf'), 'Ustrd'),
      ]),
      textAt(entry, 'AddtlNtryInf'),
    ].filter((each) => each !== null && each !== 'NOTPROVIDED');
    return words.length === 0 ? null : words.join(' ');
  };
  return partsOf(entry).map(({ details, amount }) => ({
    line,
    written: {
      source: 'camt.053',
      date,
      amount: amount?.value ?? null,
      reverses: booking !== 'credit',
      currency: amount?.currency ?? null,
      reference: reference(details),
      period: null,
      id: textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef'),
      ...exchangeIn([...details, entry], amount?.currency ?? null),
    },
  }));
}

/** A reversal is marked as what it is itself: that of a credit as a debit. */
function bookingOf(entry: Node): Booking | null {
  const mark = textAt(entry, 'CdtDbtInd');
  if (mark !== 'CRDT' && mark !== 'DBIT') return null;
  const reversal = textAt(entry, 'RvslInd') ?? '';
  const isReversal = ['true', '1'].includes(reversal);
  // Another text, or two of them.
  if (!(isReversal || ['false', '0', ''].includes(reversal)) || Array.isArray(entry.RvslInd)) return null;
  if (mark === 'CRDT') return isReversal ? 'reversal of a debit' : 'credit';
  return isReversal ? 'reversal of a credit' : 'debit';
}

/** The transactions of a batch, where their sum is the booked amount; else the entry as a whole, which is the amount that arrived. */
function partsOf(entry: Node): { details: readonly Node[]; amount: Amount | null }[] {
  const details = listAt(entry, 'NtryDtls').flatMap((each) => listAt(each, 'TxDtls'));
  const whole = amountIn(entry);
  const parts = details.map((each) => ({
    details: [each],
    amount: amountIn(each) ?? amountIn(at(at(each, 'AmtDtls'), 'TxAmt')),
  }));
  const values = parts.flatMap(({ amount }) => amountOf(amount?.value ?? null) ?? []);
  const isWhole =
    values.length === parts.length &&
    parts.every(({ amount }) => amount?.currency === whole?.currency && amount?.value.startsWith('-') === false) &&
    details.every((each) => [undefined, entry.CdtDbtInd].includes(each.CdtDbtInd)) &&
    sumOf(values).equals(amountOf(whole?.value ?? null) ?? Decimal.ZERO);
  return parts.length > 1 && isWhole ? parts : [{ details, amount: whole }];
}

const RATE_DIGITS = 18;

/**
 * ISO 20022 `CcyXchg` that leads from the revenue's currency to the payment's. The rate is the price of one unit of `UnitCcy`
 * (the source where none is named); the payment states units of its own for one of the revenue.
 */
function exchangeIn(nodes: readonly Node[], currency: string | null): Pick<WrittenPayout, 'settledCurrency' | 'rate'> {
  for (const exchange of nodes.flatMap((node) =>
    ['InstdAmt', 'TxAmt', 'CntrValAmt'].map((name) => at(at(at(node, 'AmtDtls'), name), 'CcyXchg')),
  )) {
    const [source, target, unit, rate] = ['SrcCcy', 'TrgtCcy', 'UnitCcy', 'XchgRate'].map((name) =>
      textAt(exchange, name),
    );
    if (source == null || target !== currency || source === target) continue;
    if (unit === null || unit === source) return { settledCurrency: source, rate };
    const inverse = unit === target ? amountOf(rate ?? null) : null;
    if (inverse === null || inverse.isZero) continue;
    return { settledCurrency: source, rate: Decimal.ONE.dividedBy(inverse, RATE_DIGITS).toString() };
  }
  return {};
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
  return Array.isArray(value) ? value.map(textOf).filter((each) => each !== null) : [];
}

function textAt(node: Node, name: string): string | null {
  return textOf(node[name]);
}

/** Of an element with an attribute too, which the parser gives as a map; not of one with elements between pieces of text. */
function textOf(value: unknown): string | null {
  const isMap = typeof value === 'object' && value !== null;
  if (isMap && !Object.keys(value).every((name) => name === '#text' || name.startsWith('@_'))) return null;
  const text = isMap ? (value as Node)['#text'] : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

interface Amount {
  value: string;
  currency: string;
}

function amountIn(node: Node): Amount | null {
  const amount = at(node, 'Amt');
  const [value, currency] = [textAt(node, 'Amt'), textAt(amount, '@_Ccy')];
  return value === null || currency === null ? null : { value, currency };
}
