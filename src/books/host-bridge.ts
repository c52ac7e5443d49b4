/**
 * The steps from the host share of all records of a month to what the month earned and books, per currency:
 *
 *     every record − not released (of them in flight) = stated by released records
 *     + promised by linked quotes of released records that state none = created here
 *     − earned in another month + created before and earned here − taken back here = revenue
 *     + rounding of each entry = journal
 */
import { inMinorUnits, minorUnitDigits } from '../domain/currency.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { HostShare } from '../domain/host-share.ts';
import { addPartial, addTo } from '../domain/partial-sums.ts';
import type { Sign } from '../domain/record-months.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { BridgeStep } from '../ports/period.ts';
import { counted } from '../text/counts.ts';

/** The steps in their order, each with what it is. */
const STEPS = {
  everyRecord: [
    'every record',
    'host shares that all verified records of the month state (host_revenue.csv, period status)',
  ],
  notReleased: ['less not released', 'pending, expired or cancelled: nothing is earned yet'],
  inFlight: [
    'of these in flight',
    'the part of the line above that is still in progress, and may be earned in a later month',
  ],
  released: ['released records', 'what released records state'],
  fromQuotes: ['from quotes', 'released records that state none, and whose linked quote promised a share'],
  createdHere: ['created here', 'what the records of the month earned, whenever they were released'],
  earnedLater: [
    'less earned later',
    'created in the month and released in another, as a rule a later one, which books it',
  ],
  earnedBefore: ['created before', 'created in another month, as a rule an earlier one, and released in this one'],
  takenBack: ['less taken back', 'no longer released, as of this month; earned in this or an earlier one'],
  revenue: ['revenue', 'what the month earned, as `tieout revenue` shows it'],
  rounding: ['rounding', 'each entry of the journal is rounded to the minor unit'],
  journal: ['journal', 'revenue + rounding, as `tieout journal` books it'],
} as const;
type BridgeName = keyof typeof STEPS;
const NAMES = Object.keys(STEPS) as readonly BridgeName[];

const MINUS: ReadonlySet<BridgeName> = new Set(['inFlight', 'notReleased', 'earnedLater', 'takenBack']);
const SUMS: ReadonlySet<BridgeName> = new Set(['everyRecord', 'released', 'createdHere', 'revenue', 'journal']);
/** Steps that only add up what records state. */
const OF_RECORDS: ReadonlySet<BridgeName> = new Set(['everyRecord', 'inFlight', 'notReleased', 'released']);
/** An amount is null where no share of a step is known, which is not zero. */
export interface HostBridge extends Record<BridgeName, { records: number; amount: Decimal | null }> {
  currency: string;
  /** Ids of what the month earned of which neither the body nor the quote states a share; they add nothing. */
  unknown: readonly string[];
}

/** A record of the month, or one that the month earned, or lost. */
export interface BridgeRecord extends Pick<RecordState, 'kind' | 'recordId' | 'fiatCurrency'> {
  /** Null where neither the record nor its quote states it. */
  share: HostShare | null;
  /** It was created in the month. */
  isOwn: boolean;
  isReleased: boolean;
  isUnderWay: boolean;
  /** As `bookedIn` has it. */
  booked: readonly Sign[];
}

interface Part {
  /** With a known share. */
  records: number;
  /** Of the shares that are known, in the currency of the bridge; null where none is. */
  amount: Decimal | null;
}

interface Sums {
  parts: Map<BridgeName, Part>;
  /** By kind, as the journal has an entry for each. */
  byKind: Map<string, Decimal>;
  unknown: string[];
}

const noSums = (): Sums => ({ parts: new Map(), byKind: new Map(), unknown: [] });

/** Adds up the shares of a month's records, step by step, in one pass; what it gives foots by currency. */
export class HostBridgeTally {
  private readonly currencies = new Map<string, Sums>();

  add({ kind, recordId, fiatCurrency, share, isOwn, isReleased, isUnderWay, booked }: BridgeRecord): void {
    const { parts, byKind, unknown } = entryOf(this.currencies, fiatCurrency, noSums);
    const amount = share?.amount ?? null;
    const records = share === null ? 0 : 1;
    const earned = booked.includes(1);
    if (share === null && isReleased && earned) unknown.push(recordId);
    const add = (name: BridgeName) => addTo(parts, name, { records, amount });
    const hasEarned = isReleased || booked.length > 0;
    if (isOwn && share?.source === 'record') {
      add('everyRecord');
      // What was released and taken back counts as released here, and as taken back in the month of that.
      add(hasEarned ? 'released' : 'notReleased');
      if (!hasEarned && isUnderWay) add('inFlight');
    } else if (isOwn && hasEarned) add('fromQuotes');
    if (isOwn && hasEarned && !earned) add('earnedLater');
    if (!isOwn && earned) add('earnedBefore');
    if (booked.includes(-1)) add('takenBack');
    for (const sign of booked) {
      const change = sign === 1 ? amount : (amount?.negated() ?? null);
      addTo(parts, 'revenue', { records: sign === 1 ? records : 0, amount: change });
      if (change !== null) addTo(byKind, kind, change);
    }
  }

  /** In order of currency. */
  rows(): readonly HostBridge[] {
    return [...this.currencies]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sums]) => bridgeOf(currency, sums));
  }
}

function bridgeOf(currency: string, { parts: sums, byKind, unknown }: Sums): HostBridge {
  const none: Part = { records: 0, amount: Decimal.ZERO };
  const [revenue = none, everyRecord, released] = [sums.get('revenue'), sums.get('everyRecord'), sums.get('released')];
  const ofBooked = (amount: Decimal) => (revenue.amount === null ? null : amount);
  const nothing: Part = { records: 0, amount: ofBooked(Decimal.ZERO) };
  const unstated = everyRecord === undefined ? { ...none, amount: null } : none;
  const parts = Object.fromEntries(
    NAMES.map((name) => [name, sums.get(name) ?? (OF_RECORDS.has(name) ? unstated : nothing)]),
  ) as Record<BridgeName, Part>;
  // The journal refuses a currency that ISO 4217 does not have; here it is shown to two places.
  const digits = minorUnitDigits(currency) ?? 2;
  const journal = sumOf([...byKind.values()].map((amount) => amount.rounded(digits)));
  const createdHere = addPartial(released, sums.get('fromQuotes')) ?? nothing;
  // Beside what released records state, no quote adds anything.
  const fromQuotes = released?.amount == null ? parts.fromQuotes : addPartial(parts.fromQuotes, none);
  const rounding = { records: 0, amount: ofBooked(journal.minus(revenue.amount ?? Decimal.ZERO)) };
  const last = { ...revenue, amount: ofBooked(journal) };
  return { currency, unknown, ...parts, createdHere, fromQuotes, revenue, rounding, journal: last };
}

/** The bridge as lines that a person adds up from top to bottom. */
export function bridgeSteps(bridge: HostBridge): readonly BridgeStep[] {
  const { currency } = bridge;
  let total: Decimal | null = null;
  return NAMES.map((name) => {
    const [step, what] = STEPS[name];
    const { amount: unsigned, ...part } = bridge[name];
    const amount = MINUS.has(name) ? (unsigned?.negated() ?? null) : unsigned;
    const explanation = name === 'revenue' ? `${what}; ${unknownOf(bridge)}` : what;
    const records = name === 'rounding' ? null : part.records;
    const isPart = name === 'inFlight' || amount === null;
    const before: Decimal | null = isPart || SUMS.has(name) ? null : total;
    if (!isPart) total = before === null ? amount : before.plus(amount);
    return { currency, step, records, amount, totals: { before, after: isPart ? null : total }, explanation };
  });
}

/** To the minor unit, each step as what it changes: a row of them adds up as it is printed. Empty for what is not known. */
export function printedBridge(bridge: HostBridge): ReadonlyMap<BridgeName, string> {
  const { currency } = bridge;
  const digits = minorUnitDigits(currency) ?? 2;
  return new Map(
    bridgeSteps(bridge).map(({ amount, totals: { before, after } }, index) => {
      const name = NAMES[index] as BridgeName;
      const change = before === null || after === null ? amount : after.rounded(digits).minus(before.rounded(digits));
      return [name, inMinorUnits(MINUS.has(name) ? (change?.negated() ?? null) : change, currency)];
    }),
  );
}

const NAMED = 20;

function unknownOf({ unknown }: HostBridge): string {
  if (unknown.length === 0) return 'every released record has a known share';
  const named = `${unknown.slice(0, NAMED).join(', ')}${unknown.length > NAMED ? ' …' : ''}`;
  return `without ${counted(unknown.length, 'released record')} whose share is unknown: ${named}`;
}
