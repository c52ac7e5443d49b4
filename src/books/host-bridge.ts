/**
 * The steps from the host share of all records of a month to what the month earned and books, per currency:
 *
 *     every record − not released (of them in flight) = stated by released records
 *     + promised by linked quotes of released records that state none = created here
 *     − earned in another month + created before and earned here − taken back here = revenue
 *     + rounding of each entry = journal
 */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { accrualOf } from '../domain/host-share.ts';
import type { Kind } from '../domain/record.ts';
import { counted } from '../text/counts.ts';

export interface BridgePart {
  records: number;
  amount: Decimal;
}

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
  earnedLater: ['less earned later', 'created in the month and released in a later one, which books it'],
  earnedBefore: ['created before', 'created in an earlier month and released in this one'],
  takenBack: ['less taken back', 'no longer released, as of this month; earned in this or an earlier one'],
  revenue: ['revenue', 'what the month earned, as `tieout revenue` shows it'],
  rounding: ['rounding', 'each entry of the journal is rounded to the minor unit'],
  journal: ['journal', 'revenue + rounding, as `tieout journal` books it'],
} as const;
export type BridgeName = keyof typeof STEPS;

const MINUS: ReadonlySet<BridgeName> = new Set(['inFlight', 'notReleased', 'earnedLater', 'takenBack']);

export interface HostBridge extends Record<BridgeName, BridgePart> {
  currency: string;
  /** Ids of those of which neither the body nor the quote states a share; they add nothing. */
  unknown: readonly string[];
}

/** A record of the month, or one that the month earned, or lost. */
export interface BridgeRecord {
  kind: Kind;
  recordId: string;
  currency: string;
  /** Null where neither the record nor its quote states it. */
  share: ReturnType<typeof accrualOf>;
  /** It was created in the month. */
  isOwn: boolean;
  isReleased: boolean;
  isUnderWay: boolean;
  /** As `bookedIn` has it. */
  booked: readonly (1 | -1)[];
}

interface Sums extends Omit<HostBridge, 'unknown' | 'currency' | 'rounding' | 'journal' | 'createdHere' | 'revenue'> {
  /** By kind, as the journal has an entry for each. */
  byKind: Map<string, Decimal>;
  unknown: string[];
}

const none = (): BridgePart => ({ records: 0, amount: Decimal.ZERO });
const noSums = (): Sums => ({
  everyRecord: none(),
  inFlight: none(),
  notReleased: none(),
  released: none(),
  fromQuotes: none(),
  earnedLater: none(),
  earnedBefore: none(),
  takenBack: none(),
  byKind: new Map(),
  unknown: [],
});

export class HostBridgeTally {
  private readonly currencies = new Map<string, Sums>();

  add({ kind, recordId, currency, share, isOwn, isReleased, isUnderWay, booked }: BridgeRecord): void {
    const sums = entryOf(this.currencies, currency, noSums);
    if (share === null) {
      if (isReleased && (isOwn || booked.length > 0)) sums.unknown.push(recordId);
      return;
    }
    const { basis, amount } = share;
    const hasEarned = isReleased || booked.length > 0;
    if (isOwn && basis === 'record') {
      add(sums.everyRecord, amount);
      // What was released and taken back counts as released here, and as taken back in the month of that.
      add(hasEarned ? sums.released : sums.notReleased, amount);
      if (!hasEarned && isUnderWay) add(sums.inFlight, amount);
    } else if (isOwn && hasEarned) add(sums.fromQuotes, amount);
    const earned = booked.includes(1);
    if (isOwn && hasEarned && !earned) add(sums.earnedLater, amount);
    if (!isOwn && earned) add(sums.earnedBefore, amount);
    if (booked.includes(-1)) add(sums.takenBack, amount);
    const sum = booked.reduce((total, sign) => (sign === 1 ? total.plus(amount) : total.minus(amount)), Decimal.ZERO);
    if (booked.length > 0) sums.byKind.set(kind, (sums.byKind.get(kind) ?? Decimal.ZERO).plus(sum));
  }

  /** In order of currency. */
  rows(): readonly HostBridge[] {
    return [...this.currencies]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sums]) => bridgeOf(currency, sums));
  }
}

function add(part: BridgePart, amount: Decimal): void {
  part.records++;
  part.amount = part.amount.plus(amount);
}

function bridgeOf(currency: string, { byKind, ...sums }: Sums): HostBridge {
  // The journal refuses a currency that ISO 4217 does not have; here it is shown to two places.
  const digits = minorUnitDigits(currency) ?? 2;
  const journal = [...byKind.values()].reduce((sum, amount) => sum.plus(amount.rounded(digits)), Decimal.ZERO);
  const { released, fromQuotes, earnedLater, earnedBefore, takenBack } = sums;
  const createdHere = {
    records: released.records + fromQuotes.records,
    amount: released.amount.plus(fromQuotes.amount),
  };
  const records = createdHere.records - earnedLater.records + earnedBefore.records;
  const earned = createdHere.amount.minus(earnedLater.amount).plus(earnedBefore.amount);
  const revenue = { records, amount: earned.minus(takenBack.amount) };
  const rounding = { records: 0, amount: journal.minus(revenue.amount) };
  return { currency, ...sums, createdHere, revenue, rounding, journal: { records, amount: journal } };
}

export type KnownBridge = Record<BridgeName, Decimal | null>;

/** The amounts of a bridge; null where no record states a share, which is unknown and not zero. */
export function knownAmounts(bridge: HostBridge): KnownBridge {
  const isStated = bridge.everyRecord.records > 0;
  const isExpected = bridge.revenue.records > 0 || bridge.takenBack.records > 0 || bridge.unknown.length === 0;
  const isKnown = (name: BridgeName) => (OF_RECORDS.has(name) ? isStated : isExpected);
  const amounts = BRIDGE_NAMES.map((name) => [name, isKnown(name) ? bridge[name].amount : null]);
  return Object.fromEntries(amounts) as KnownBridge;
}

const BRIDGE_NAMES = Object.keys(STEPS) as readonly BridgeName[];
const OF_RECORDS: ReadonlySet<BridgeName> = new Set(['everyRecord', 'inFlight', 'notReleased', 'released']);

interface BridgeStep {
  currency: string;
  step: string;
  records: number | null;
  /** Null where no record states a share. */
  amount: Decimal | null;
  explanation: string;
}

/** The bridge as lines that a person adds up from top to bottom. */
export function bridgeSteps(bridge: HostBridge): readonly BridgeStep[] {
  const known = knownAmounts(bridge);
  return BRIDGE_NAMES.map((name) => {
    const [step, what] = STEPS[name];
    const amount = MINUS.has(name) ? (known[name]?.negated() ?? null) : known[name];
    const explanation = name === 'revenue' ? `${what}; ${unknownOf(bridge)}` : what;
    return {
      currency: bridge.currency,
      step,
      records: name === 'rounding' ? null : bridge[name].records,
      amount,
      explanation,
    };
  });
}

const NAMED = 20;

function unknownOf({ unknown }: HostBridge): string {
  if (unknown.length === 0) return 'every released record has a known share';
  const named = `${unknown.slice(0, NAMED).join(', ')}${unknown.length > NAMED ? ' …' : ''}`;
  return `without ${counted(unknown.length, 'released record')} whose share is unknown: ${named}`;
}
