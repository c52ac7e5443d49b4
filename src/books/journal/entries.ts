/**
 * Journal entries of a month. The host's accrued share by currency and kind; on request also statistical lines of the fees that
 * users paid to the Service, which are seen but not ours. Balanced by construction: in each entry the contra line is the exact
 * opposite of the other lines, so debits equal credits per currency to the last digit.
 */
import { minorUnitDigits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import { UsageError } from '../../domain/errors.ts';
import type { HostShare } from '../../domain/host-share.ts';
import { addTo } from '../../domain/partial-sums.ts';
import type { BusinessDate, Kind } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';

/** What an account is for; which account of the ledger that is, is a setting. */
export const ROLES = [
  'hostFeeReceivable',
  'hostFeeRevenue',
  'userFees',
  'networkFees',
  'feeAdjustments',
  'serviceClearing',
] as const;
/** What an account is for; the settings give each a name. */
export type Role = (typeof ROLES)[number];

/** One line of an entry, in the entry's currency. */
export interface Posting {
  role: Role;
  /** Never negative: a negative debit is a credit. One of the two is null. */
  debit: Decimal | null;
  credit: Decimal | null;
  memo: string;
}

/** Debits equal credits, to the digit. */
export interface JournalEntry {
  /** Stable and unique: the same statement always gives the same key with the same amounts. */
  key: string;
  /** `2026-10`, or `2026-10-D001` for the corrections that the first delta states. */
  statement: string;
  date: BusinessDate;
  currency: string;
  memo: string;
  /** SHA-256 of the manifest of the sealed set that the amounts are taken from; null for a draft. */
  evidence: string | null;
  /** The account that every other line is booked against. */
  contra: Role;
  postings: readonly Posting[];
}

/** Released records of one currency and kind. Amounts are exact sums. */
export interface Group {
  kind: Kind;
  currency: string;
  /** Records that state a fee. */
  feeRecords: number;
  /** Fees before any modification, in `currency`. */
  base: Decimal;
  /** Inside the applied fees. */
  network: Decimal;
  /** applied − base − network: discounts are below zero. */
  adjustment: Decimal;
  /** Records that accrue a host share, and of those the ones of which only the linked quote says so. */
  hostRecords: number;
  hostFromQuotes: number;
  /** Shares that are known. */
  host: Decimal;
}

/** Currency and kind → group; in the order of entries once it is sorted by key. */
export type Groups = ReadonlyMap<string, Group>;

export type BookedFees = Pick<RecordState, 'kind' | 'fiatCurrency' | 'appliedFee' | 'baseFee' | 'networkFee'>;

/** Adds up what a month books; the caller leaves out the other records. */
export class JournalTotals {
  readonly groups = new Map<string, Group>();

  /** @param sign −1 where the share was taken back */
  add(
    { kind, fiatCurrency: currency, appliedFee, baseFee, networkFee }: BookedFees,
    share: HostShare | null,
    sign: 1 | -1 = 1,
  ): void {
    const signed = (amount: Decimal | null | undefined) =>
      amount == null ? Decimal.ZERO : sign === 1 ? amount : amount.negated();
    // A sale states its fee undivided: then all of it is the fee, and nothing is called an adjustment.
    const network = appliedFee === null ? null : networkFee;
    const base = appliedFee === null ? null : (baseFee ?? appliedFee.minus(network ?? Decimal.ZERO));
    addTo(this.groups, `${currency} ${kind}`, {
      kind,
      currency,
      feeRecords: appliedFee === null ? 0 : 1,
      base: signed(base),
      network: signed(network),
      // What base and network leave of the fee that was paid, so that the three always add up to it.
      adjustment: signed(appliedFee).minus(signed(base)).minus(signed(network)),
      hostRecords: share === null ? 0 : 1,
      hostFromQuotes: share?.source === 'quote' ? 1 : 0,
      host: signed(share?.amount),
    });
  }
}

export interface EntryOptions extends Pick<JournalEntry, 'statement' | 'date' | 'evidence'> {
  /** `TO-202610`: the start of each key. */
  keyStart: string;
  /** What the records are of, for people: `in 2026-10`. */
  scope: string;
  /** Also the fees that users paid. */
  statistical: boolean;
}

/**
 * Rounded to minor units, in order of currency and kind; an entry whose amounts are all zero is left out.
 * @throws UsageError for a currency that ISO 4217 does not have: its minor unit would be a guess
 */
export function entriesOf(groups: Groups, options: EntryOptions): readonly JournalEntry[] {
  return [...groups.keys()].sort().flatMap((key) => {
    const group = groups.get(key);
    if (group === undefined) return [];
    const host = hostEntry(group, options);
    const fees = options.statistical ? feeEntry(group, options) : null;
    return [fees, host].filter((entry) => entry !== null);
  });
}

/** Plain digits: the lines are read by programs too. */
const recordsIn = (n: number, { kind }: Group) => `${n} ${kind}${n === 1 ? '' : 's'}`;

function hostEntry(group: Group, options: EntryOptions): JournalEntry | null {
  const host = group.host.rounded(digitsOf(group.currency));
  const ofQuotes = group.hostFromQuotes === 0 ? '' : `, ${group.hostFromQuotes} as quoted`;
  const memo = `Accrued host share of ${recordsIn(group.hostRecords, group)} ${options.scope}${ofQuotes}, not confirmed by the Service`;
  const lines: Line[] = [['hostFeeReceivable', host, memo]];
  return entry(group, 'H', memo, ['hostFeeRevenue', memo], lines, options);
}

function feeEntry(group: Group, options: EntryOptions): JournalEntry | null {
  const digits = digitsOf(group.currency);
  const about = `${recordsIn(group.feeRecords, group)} ${options.scope}`;
  const lines: Line[] = [
    ['userFees', group.base.rounded(digits), `Base fees of ${about}`],
    ['networkFees', group.network.rounded(digits), `Network fees of ${about}`],
    ['feeAdjustments', group.adjustment.rounded(digits), `Discounts and other adjustments of ${about}`],
  ];
  const memo = `Statistical: fees that users paid to the Service for ${about}`;
  return entry(group, 'F', memo, ['serviceClearing', `Fees kept by the Service of ${about}`], lines, options);
}

type Line = readonly [Role, Decimal, string];

function entry(
  { currency, kind }: Group,
  type: 'H' | 'F',
  memo: string,
  [contra, contraMemo]: readonly [Role, string],
  lines: readonly Line[],
  { keyStart, statement, date, evidence }: EntryOptions,
): JournalEntry | null {
  const sum = lines.reduce((total, [, amount]) => total.plus(amount), Decimal.ZERO);
  const postings = [...lines, [contra, sum.negated(), contraMemo] as const]
    .filter(([, amount]) => !amount.isZero)
    .map(([role, amount, text]) => posting(role, amount, text));
  if (postings.length === 0) return null;
  const key = `${keyStart}-${currency}-${kind === 'purchase' ? 'P' : 'S'}${type}`;
  return { key, statement, date, currency, memo, evidence, contra, postings };
}

function posting(role: Role, amount: Decimal, memo: string): Posting {
  return amount.isNegative
    ? { role, debit: null, credit: amount.negated(), memo }
    : { role, debit: amount, credit: null, memo };
}

function digitsOf(currency: string): number {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) {
    throw new UsageError(`records are in ${currency}, which is not a currency of ISO 4217; nothing was written`, {
      remedy: 'name the currencies to book with --currency, one a file',
    });
  }
  return digits;
}

/** Currencies whose debits and credits differ, with the difference; none is good. */
export function unbalanced(entries: readonly JournalEntry[]): ReadonlyMap<string, Decimal> {
  const balance = new Map<string, Decimal>();
  for (const { currency, postings } of entries) {
    for (const { debit, credit } of postings) {
      const before = balance.get(currency) ?? Decimal.ZERO;
      balance.set(currency, before.plus(debit ?? Decimal.ZERO).minus(credit ?? Decimal.ZERO));
    }
  }
  return new Map([...balance].filter(([, difference]) => !difference.isZero));
}
