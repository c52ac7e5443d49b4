/** A payment to the host as a statement has it, and why a line of a statement is not a payment. */
import { createHash } from 'node:crypto';
import { isBusinessDate } from '../../domain/calendar.ts';
import { minorUnitDigits } from '../../domain/currency.ts';
import { type Decimal, readDecimal, sumOf } from '../../domain/decimal.ts';
import { txName } from '../../domain/delivery.ts';
import { UsageError } from '../../domain/errors.ts';
import { LINE_TYPES, type LineType, monthsOf, type Payout, PEGGED } from '../../domain/payout.ts';
import { isNearMonth, isPlausible, latestAnnounced } from '../../domain/plausible-date.ts';
import { type Instant, isoInstant, parseInstant } from '../../domain/record.ts';

/** Thrown for a file that is no statement of its format. Exit code 2. */
export class StatementError extends UsageError {}

/** What a format makes of one line of a file. */
export type Line = { line: number } & (
  | { written: WrittenPayout }
  | { rejected: string }
  | { leftOut: string }
  | { note: string }
);

/** How a bank booked a line. A reversal of a credit is booked as a debit, and takes a payment back. */
export type Booking = 'credit' | 'debit' | 'reversal of a credit' | 'reversal of a debit';

export const isOfPayment = (booking: Booking) => booking === 'credit' || booking === 'reversal of a credit';

/** An amount as its booking moves the balance. @param isMinus of a debit */
export const signed = (amount: Decimal | null, isMinus: boolean) => (isMinus ? (amount?.negated() ?? null) : amount);

/**
 * Whether a statement is whole: its movements lead from the balance before to the one after. Null where they do, and where an amount
 * cannot be read, which is reported by itself. Programs that make such files often write balances of zero: it is a note, and rejects nothing.
 */
export function balanceProblem(
  opening: Decimal | null,
  closing: Decimal | null,
  moved: readonly (Decimal | null)[],
): string | null {
  const known = [opening, ...moved].filter((each) => each !== null);
  const sum = sumOf(known);
  if (known.length <= moved.length || closing === null || sum.equals(closing)) return null;
  return `the balance after is ${closing}, and the balance before with all movements ${sum}: are lines missing?`;
}

/** What a line says, as text. */
export interface WrittenPayout {
  source: string;
  /** `2026-11-05`, or an ISO 8601 date-time. */
  date: string | null;
  amount: string | null;
  /** It takes back a payment made before. */
  reverses?: boolean;
  currency: string | null;
  reference: string | null;
  /** `2026-10` or `2026-09/2026-11`; null where the line names no month. */
  period: string | null;
  /** Identity within its statement: a bank's own reference; null where there is none. */
  id: string | null;
  /** Fees kept back, in the currency of the payment. */
  withheld?: string | null;
  /** Of the revenue that it pays, where that is another currency, with the payment's units for one of it. */
  settledCurrency?: string | null;
  rate?: string | null;
  /** Of the transaction that it was made in, as `evidence.chains` names the chain. */
  chain?: string | null;
  txHash?: string | null;
  /** `amount` and `withheld` together; null where the statement does not say it. */
  gross?: string | null;
  /** One of `LINE_TYPES`; null where the statement does not say it. */
  type?: string | null;
}

/** PostgreSQL holds no NUL. */
const STORABLE = /^(?:[\t\n\r]|\P{Cc})*$/u;
/** A cell of a spreadsheet holds no text without end. */
export const LONGEST_REFERENCE = 2000;

const isStorable = (text: string | null) => text === null || (text.length <= LONGEST_REFERENCE && STORABLE.test(text));

/** No guess: `11/05/2026` is two days, 30 February none. A bank's time without a zone (ISO 20022) counts as UTC. */
function dayOf(date: string): number | undefined {
  if (!date.startsWith('20')) return undefined;
  if (isBusinessDate(date)) return Date.parse(`${date}T00:00:00Z`);
  return parseInstant(date) ?? parseInstant(`${date}Z`);
}

const MONTH = /(?<![0-9])(20\d{2})[-/.]?(0[1-9]|1[0-2])(?![0-9])/g;

/**
 * The months that a reference names: `REV 2026-10`, `Payout 202610`, `2026-09 – 2026-11`. Null where it names months that do not follow
 * each other: which is paid by how much is not said.
 */
function monthsIn(reference: string | null): string | null {
  const found = [...(reference ?? '').matchAll(MONTH)];
  const months = [...new Set(found.map(([, year, month]) => `${year}-${month}`))].sort();
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined || first === last) return first ?? null;
  // `2026-10 paid 2026-11-05` names one month and a day.
  const [one, two] = found;
  const between = (reference ?? '').slice((one?.index ?? 0) + (one?.[0].length ?? 0), two?.index).trim();
  const span = monthsOf(`${first}/${last}`);
  const isSpan = months.length === 2 && /^(?:[-–—]|to|until|bis)$/.test(between);
  const isList = months.length === span.length && /^(?:[,+&]|and|und)$/.test(between);
  return span.length > 0 && (isSpan || isList) ? `${first}/${last}` : null;
}

/**
 * The payment, or why it is rejected.
 * @param seen how often each line was in the file so far: equal lines have ids of their own, the same ones at each import.
 */
export function readPayout(written: WrittenPayout, seen: Map<string, number>, asOf: Instant): Payout | string {
  const { source, date, amount, currency, reference } = written;
  const day = date === null ? undefined : dayOf(date);
  if (day === undefined) return `date ${date ?? '(none)'}: write it as 2026-11-05`;
  const latest = latestAnnounced(asOf);
  if (!isPlausible(day, latest)) return `date ${date}: not between 2017-01-01 and ${isoInstant(latest).slice(0, 10)}`;
  const code = currency?.toUpperCase() ?? '';
  const { chain = null, txHash = null } = written;
  if (chain !== null && txHash !== null && !/^[A-Z][A-Z0-9_-]{0,31}$/.test(chain))
    return `chain ${chain}: write it as in evidence.chains, such as ETH`;
  if (chain !== null && txHash !== null && !/^[0-9A-Za-z]{32,100}$/.test(txHash))
    return `tx ${txHash.slice(0, 100)}: write the id of the transaction`;
  if (!isStorable(written.id)) return `id: longer than ${LONGEST_REFERENCE} characters, or with a control character`;
  const tx = chain === null || txHash === null ? null : txName({ chain, txHash });
  // A payment may be in a coin that stands for a currency, that was sent on a chain, or that says which revenue it pays.
  const mayBeCoin = tx !== null || written.settledCurrency != null || PEGGED[code] !== undefined;
  if (minorUnitDigits(code) === undefined && (!mayBeCoin || !/^[A-Z][A-Z0-9.]{1,15}$/.test(code)))
    return `currency ${currency ?? '(none)'}: write its ISO 4217 code`;
  const plain = amountOf(amount);
  if (plain === null) return `amount ${amount ?? '(none)'}: not a plain number; write it as 1234.56`;
  if (plain.isZero && source !== 'lines') return `amount ${amount}: nothing was paid or taken back`;
  const type = typeOf(written.type ?? null, plain);
  if (type === null) return `type ${written.type}: write one of ${LINE_TYPES.join(', ')}, or leave it out`;
  if (type === 'share' && plain.isNegative)
    return `amount ${amount}: a share is more than nothing; what is taken back is a clawback`;
  // Statements print deductions with and without a sign.
  const isMinus = written.reverses === true || (DEDUCTIONS.has(type) && !plain.isNegative);
  const value = isMinus ? plain.negated() : plain;
  if (!isStorable(reference))
    return `reference: longer than ${LONGEST_REFERENCE} characters, or with a control character`;
  const named = written.period ?? (source === 'lines' ? null : reference);
  const told = monthsOf(written.period ?? '').length > 0 ? written.period : monthsIn(named);
  const period = told !== null && monthsOf(told).every((month) => isNearMonth(month, asOf)) ? told : null;
  if (period === null && written.period !== null)
    return `period ${written.period}: write it as 2026-10, or as 2026-09/2026-11, from 2017 on and not far ahead`;
  const gross = amountOf(written.gross ?? null);
  const withheld =
    amountOf(written.withheld ?? null) ?? (gross === null || gross.equals(value) ? null : gross.minus(value));
  if (written.gross != null && gross === null) return `gross ${written.gross}: not a plain number; write it as 1234.56`;
  if (gross !== null && withheld !== null && !gross.equals(value.plus(withheld)))
    return `gross ${written.gross}: amount and what was withheld come to ${value.plus(withheld)}`;
  if (written.withheld != null && (withheld === null || withheld.isNegative))
    return `withheld ${written.withheld}: not a plain number; write it as 1.50`;
  const settles = settlesOf(written, code);
  if (typeof settles === 'string') return settles;
  const stated: unknown[] = [];
  // Left out where nothing is stated, so that a line keeps the id that it always had.
  if (written.type != null && type !== 'share') stated.push({ type });
  if (tx !== null) stated.push(tx);
  // Of a line with an id, another month is a correction.
  if (written.id !== null && written.period !== null) stated.push({ period: written.period });
  if (withheld !== null || settles !== null) stated.push([withheld, settles?.currency ?? null, settles?.rate ?? null]);
  // By what is read and not by what is written: `7` and `7.00` are the same amount.
  const facts = [source, written.id ?? '', new Date(day).toISOString(), code, value.toString(), reference ?? ''];
  const hashOf = (occurrence: number) =>
    createHash('sha256')
      .update(JSON.stringify([...facts, occurrence, ...stated]))
      .digest('hex');
  const first = hashOf(0);
  const occurrence = seen.get(first) ?? 0;
  seen.set(first, occurrence + 1);
  const sha256 = hashOf(occurrence);
  return {
    payoutId: sha256.slice(0, 24),
    source,
    paidAt: day,
    currency: code,
    type,
    amount: value,
    reference,
    period,
    sha256,
    withheld,
    settles,
    tx,
    statementId: written.id,
  };
}

/** What the host pays back, or owes. */
const DEDUCTIONS: ReadonlySet<LineType> = new Set(['clawback', 'invoice', 'retainer', 'campaign', 'fee']);

/** Null where it is no known type. Without one, a negative amount takes back revenue. */
function typeOf(written: string | null, amount: Decimal): LineType | null {
  if (written === null || written.trim() === '') return amount.isNegative ? 'clawback' : 'share';
  return LINE_TYPES.find((type) => type === written.trim().toLowerCase()) ?? null;
}

/** Null where the payment is in the revenue's own currency; a text says what is wrong. */
function settlesOf({ settledCurrency, rate }: WrittenPayout, currency: string): Payout['settles'] | string {
  const settled = settledCurrency?.toUpperCase() ?? null;
  if (settled === null)
    return rate == null ? null : `rate ${rate}: name the currency of the revenue too (settled_currency)`;
  if (settled === currency) return null;
  if (minorUnitDigits(settled) === undefined) return `settled_currency ${settled}: write its ISO 4217 code`;
  const value = amountOf(rate ?? null);
  if (value === null || value.isZero || value.isNegative)
    return `rate ${rate ?? '(none)'}: write ${currency} for one ${settled}, as 1.0850`;
  return { currency: settled, rate: value };
}

export const amountOf = (text: string | null) => (text === null ? null : readDecimal(text));
