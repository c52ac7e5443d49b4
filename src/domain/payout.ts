/** Payments of the host's share: as statements have them, and what a night knew of the revenue that they pay. */
import { isMonth, monthAfter } from './calendar.ts';
import { minorUnitDigits } from './currency.ts';
import { Decimal } from './decimal.ts';
import { addTo } from './partial-sums.ts';
import type { Instant } from './record.ts';

/**
 * What a line of a partner's statement is about. `share` and `clawback` pay and take back revenue of the host; with the others the
 * partner settles something else: what the host owes (`invoice`, `retainer`, `campaign`, `fee`), what it adds (`bonus`), and a balance
 * from before (`opening`). `exchange` is what rates leave of a payment for several currencies.
 */
export const LINE_TYPES = [
  'share',
  'clawback',
  'invoice',
  'retainer',
  'campaign',
  'fee',
  'bonus',
  'opening',
  'exchange',
] as const;
/** Of a line in a partner's statement: what the money is for. */
export type LineType = (typeof LINE_TYPES)[number];

export const isOfRevenue = ({ type }: Payout) => type === 'share' || type === 'clawback';

/** One payment of a partner, with the lines that its statement has for it. */
export interface Payout {
  /** Made of the line itself: the same line imported again is the same payout. */
  payoutId: string;
  /** `csv`, `camt.053`, `mt940`, or the chain of a transfer. */
  source: string;
  paidAt: Instant;
  currency: string;
  type: LineType;
  /** Minus where it was kept back or taken back. */
  amount: Decimal;
  reference: string | null;
  /** `2026-10` or `2026-09/2026-11`: the months that the payment says it is for; null where it says none. */
  period: string | null;
  /** Hash of what the line said, or of the answers of the chain's witnesses. */
  sha256: string;
  /** Tax or charges that the payer kept back, in the payment's currency; null for none. */
  withheld: Decimal | null;
  /** The currency of the revenue that it pays, and the payment's units for one of it; null where it is the payment's own. */
  settles: { currency: string; rate: Decimal } | null;
  /** `txName` of the transaction that it was made in: of a transfer on a chain, and of a line that names one. */
  tx: string | null;
  /** What its statement calls it; null where it does not. */
  statementId: string | null;
}

/** The id of one of the payments that a line is: `p1, part 2 of 1311.4 = 600 EUR @ 1.10 + 250 USD`. */
export const partId = (line: string, part: number, whole: string) => `${line}, part ${part} of ${whole}`;

/** The id of its line, and what the whole line is; null where it is no part of one. */
export function lineOf(statementId: string): { line: string; whole: string | null } {
  const [part = '', whole = null] = /, part \d+ of (-?[\d.]+ = .*)$/s.exec(statementId) ?? [];
  return { line: statementId.slice(0, statementId.length - part.length), whole };
}

/** As it was added. */
export interface AddedPayout extends Payout {
  addedAt: Instant;
}

/** `leftOut`: a line that is in order, and is no payment. A note is about the whole statement: its lines are taken all the same. */
export type StatementLine = { line: number } & (
  | { payout: Payout }
  | { rejected: string }
  | { leftOut: string }
  | { note: string }
);

export function payoutsIn(lines: readonly StatementLine[]): readonly Payout[] {
  return lines.flatMap((line) => ('payout' in line ? [line.payout] : []));
}

/** The revenue that a payment pays: with the withheld amount, and at the stated rate, to the currency's places. A pegged coin is its currency. */
export function settledBy({ currency, amount, withheld, settles }: Payout): { currency: string; amount: Decimal } {
  const whole = withheld === null ? amount : amount.plus(withheld);
  if (settles === null) return { currency: PEGGED[currency] ?? currency, amount: whole };
  return { currency: settles.currency, amount: whole.dividedBy(settles.rate, minorUnitDigits(settles.currency) ?? 2) };
}

/** Longer spans are no months of one payment. */
const MOST_MONTHS = 24;

/** The months of a period, oldest first; empty where it is none. */
export function monthsOf(period: string): readonly string[] {
  const [from = '', to = from, ...more] = period.split('/');
  if (!isMonth(from) || !isMonth(to) || more.length > 0) return [];
  const months = [from];
  for (let month = from; month < to && months.length <= MOST_MONTHS; ) {
    month = monthAfter(month);
    months.push(month);
  }
  return to < from || months.length > MOST_MONTHS ? [] : months;
}

/** `2026-10 EUR` → sum. */
export type MonthlyAmounts = Map<string, Decimal>;

export function addMonthly(amounts: MonthlyAmounts, month: string, currency: string, amount: Decimal): void {
  addTo(amounts, `${month} ${currency}`, amount);
}

/** Fixed when the run is judged, so that a replay says the same. */
export interface RunRevenue {
  /** Of months that are over: what was earned in them less what was taken back in them. */
  accrued: MonthlyAmounts;
  /** What records say was taken back, above zero; it is in `accrued` already. */
  takenBack: MonthlyAmounts;
  /** Numbers of released records whose share is unknown, and what it would be at the method's rate. */
  unknown: MonthlyAmounts;
  estimated: MonthlyAmounts;
  /** What the books have. */
  posted: MonthlyAmounts;
  /** Who pays. */
  partner: string;
  /** Payments with a higher key were not there. */
  payoutKey: number;
  /** Days after the end of a month within which it is paid. */
  dueDays: number;
  /** The week of the month after in which the partner pays; null where `dueDays` decides. */
  payWeek: number | null;
  /** By currency, `default` for all others: a month that earned less is paid with the next one. */
  minimum: ReadonlyMap<string, Decimal>;
  /** The same in one currency, for each currency alone or for the sum over all; null where `minimum` decides. */
  threshold: Threshold | null;
  /** What is below the least payout is paid with the last month of the quarter all the same. */
  quarterly: boolean;
  /** By currency and `default`: months that differ by no more are listed and summed, and are low. */
  materiality: ReadonlyMap<string, Decimal>;
  /** The share of a payment that rates may explain. */
  exchange: Decimal;
  /** Euros for one unit, by currency, as records state them. */
  eurRates: ReadonlyMap<string, Decimal>;
  /** Of the partner's statements with a line for each transaction; empty without one. */
  lines: readonly LineDifference[];
}

export const LINE_BUCKETS = [
  'equal',
  'timing',
  'clawback',
  'fee or invoice',
  'exchange',
  'rounding',
  'amount',
  "only the partner's",
  'only ours',
  'unexplained',
] as const;
/** Why two sides differ; the last four are breaks. */
export type LineBucket = (typeof LINE_BUCKETS)[number];

/** The others have a reason. */
export const isBreakingBucket = (bucket: LineBucket) => LINE_BUCKETS.indexOf(bucket) >= LINE_BUCKETS.indexOf('amount');

/** What one line of a partner, or one record, adds to the difference of its month: theirs − ours, where an absent side is zero. */
export interface LineDifference {
  month: string;
  currency: string;
  bucket: LineBucket;
  /** Null for equal lines, which are added up, and for lines without an id. */
  recordId: string | null;
  count: number;
  /** By the records, in `currency`; null where the line is only the partner's. */
  ours: Decimal | null;
  /** By the statement, in `currency`; null where it has no such line. */
  theirs: Decimal | null;
  /** By when a difference of time must have gone. */
  clearBy: string | null;
}

export const differenceOf = ({ ours, theirs }: LineDifference) => (theirs ?? Decimal.ZERO).minus(ours ?? Decimal.ZERO);

/** From when a partner pays; below it, what is open is carried to the next month. */
export interface Threshold {
  /** A payment comes once so much is open. */
  amount: Decimal;
  currency: string;
  scope: 'all' | 'currency';
}

export const byCurrency = (amounts: ReadonlyMap<string, Decimal>, currency: string) =>
  amounts.get(currency) ?? amounts.get('default') ?? Decimal.ZERO;

type Terms = Pick<RunRevenue, 'minimum' | 'threshold' | 'quarterly' | 'eurRates'>;

/** Whether too little is open for a payment. @param open what the month has open, by currency; one without a rate adds nothing */
export function isBelowMinimum(
  month: string,
  currency: string,
  open: readonly { currency: string; owed: Decimal }[],
  { minimum, threshold, eurRates }: Terms,
): boolean {
  const rows = open.filter((row) => threshold?.scope === 'all' || row.currency === currency);
  const unit = threshold?.currency ?? currency;
  const values = rows.map((row) => valueIn(row.owed, row.currency, unit, eurRates, [month]) ?? Decimal.ZERO);
  const sum = values.reduce((total, each) => total.plus(each), Decimal.ZERO);
  return sum.lessThan(threshold?.amount ?? byCurrency(minimum, currency));
}

export const endsPayingPeriod = (month: string, { quarterly }: Terms) => quarterly && Number(month.slice(5)) % 3 === 0;

/** Coins that stand for one unit of a currency. */
export const PEGGED: Readonly<Record<string, string>> = {
  USDC: 'USD',
  USDT: 'USD',
  DAI: 'USD',
  PYUSD: 'USD',
  USDP: 'USD',
  EURC: 'EUR',
  EURT: 'EUR',
};

const PLACES = 12;

/**
 * By way of the euro; null where a rate is unknown.
 * @param months whose rates count, the first that has one; else the newest: what was paid once must not differ when rates have moved
 */
export function valueIn(
  amount: Decimal,
  from: string,
  to: string,
  eurRates: RunRevenue['eurRates'],
  months: readonly string[],
): Decimal | null {
  const [own, other] = [PEGGED[from] ?? from, PEGGED[to] ?? to];
  if (own === other) return amount;
  const rateOf = (code: string) =>
    [...months.map((month) => `${month} ${code}`), code]
      .map((key) => eurRates.get(key))
      .find((rate) => rate !== undefined);
  const [a, b] = [own, other].map((code) => (code === 'EUR' ? Decimal.ONE : rateOf(code)));
  return a === undefined || b === undefined ? null : amount.times(a).dividedBy(b, PLACES);
}
