/**
 * The steps from the host share of all records of a month to the booked and the expected one, per currency:
 *
 *     every record − not released = stated by released records
 *     + promised by linked quotes of released records that state none = revenue
 *     + rounding of each entry = journal
 */
import { minorUnitDigits } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { accrualOf } from '../domain/host-share.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Tolerances } from '../domain/tolerance.ts';
import type { KnownRecord } from '../ports/store/store.ts';

export interface BridgePart {
  records: number;
  amount: Decimal;
}

export interface HostBridge {
  currency: string;
  /** What every record of the month states: the figure of `period status` and of `host_revenue.csv`. */
  everyRecord: BridgePart;
  /** Of those: records that are not released, in which no money has moved for good. */
  notReleased: BridgePart;
  /** What released records state. */
  released: BridgePart;
  /** Of released records that state none: what only their linked quotes promised. */
  fromQuotes: BridgePart;
  /** What `tieout revenue` expects by the month of the creation (`books.revenueMonth`): released and from quotes. */
  revenue: BridgePart;
  /** Journal − revenue: each entry, per kind, is rounded to the minor unit. */
  rounding: Decimal;
  /** What `tieout journal` books. */
  journal: Decimal;
  /** Released records of which neither the body nor the quote states a share; they add nothing. */
  unknown: number;
}

interface Sums {
  all: BridgePart;
  notReleased: BridgePart;
  released: BridgePart;
  /** By kind, as the journal has an entry for each. */
  byKind: Map<string, Decimal>;
  fromQuotes: BridgePart;
  unknown: number;
}

const none = (): BridgePart => ({ records: 0, amount: Decimal.ZERO });
const noSums = (): Sums => ({
  all: none(),
  notReleased: none(),
  released: none(),
  byKind: new Map(),
  fromQuotes: none(),
  unknown: 0,
});

export class HostBridgeTally {
  private readonly tolerances: Tolerances;
  private readonly currencies = new Map<string, Sums>();

  constructor(tolerances: Tolerances) {
    this.tolerances = tolerances;
  }

  /** @param linked the linked quote with the record's own method; null or absent where there is none */
  add(state: RecordState, linked: KnownRecord['linked']): void {
    const sums = entryOf(this.currencies, state.fiatCurrency, noSums);
    const accrued = accrualOf(state, linked, this.tolerances);
    const isReleased = hasReleased(state);
    if (accrued?.basis === 'record') {
      add(sums.all, accrued.amount);
      add(isReleased ? sums.released : sums.notReleased, accrued.amount);
    } else if (isReleased && accrued !== null) add(sums.fromQuotes, accrued.amount);
    else if (isReleased) sums.unknown++;
    if (isReleased && accrued !== null) {
      sums.byKind.set(state.kind, (sums.byKind.get(state.kind) ?? Decimal.ZERO).plus(accrued.amount));
    }
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

function bridgeOf(currency: string, { all, notReleased, released, byKind, fromQuotes, unknown }: Sums): HostBridge {
  // The journal refuses a currency that ISO 4217 does not have; here it is shown to two places.
  const digits = minorUnitDigits(currency) ?? 2;
  const journal = [...byKind.values()].reduce((sum, amount) => sum.plus(amount.rounded(digits)), Decimal.ZERO);
  const revenue = {
    records: released.records + fromQuotes.records,
    amount: released.amount.plus(fromQuotes.amount),
  };
  return {
    currency,
    everyRecord: all,
    notReleased,
    released,
    fromQuotes,
    revenue,
    rounding: journal.minus(revenue.amount),
    journal,
    unknown,
  };
}

export interface KnownBridge {
  everyRecord: Decimal | null;
  notReleased: Decimal | null;
  released: Decimal | null;
  fromQuotes: Decimal | null;
  revenue: Decimal | null;
  rounding: Decimal | null;
  journal: Decimal | null;
}

/** The amounts of a bridge; null where no record states a share, which is unknown and not zero. */
export function knownAmounts(bridge: HostBridge): KnownBridge {
  const { everyRecord, notReleased, released, fromQuotes, revenue, rounding, journal, unknown } = bridge;
  const isStated = everyRecord.records > 0;
  const isExpected = revenue.records > 0 || unknown === 0;
  return {
    everyRecord: isStated ? everyRecord.amount : null,
    notReleased: isStated ? notReleased.amount : null,
    released: isStated ? released.amount : null,
    fromQuotes: isExpected ? fromQuotes.amount : null,
    revenue: isExpected ? revenue.amount : null,
    rounding: isExpected ? rounding : null,
    journal: isExpected ? journal : null,
  };
}

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
  const { currency, everyRecord, notReleased, released, fromQuotes, revenue, unknown } = bridge;
  const known = knownAmounts(bridge);
  const step = (name: string, records: number | null, amount: Decimal | null, explanation: string): BridgeStep => {
    return { currency, step: name, records, amount, explanation };
  };
  return [
    step(
      'every record',
      everyRecord.records,
      known.everyRecord,
      'host shares that all verified records of the month state (host_revenue.csv, period status)',
    ),
    step(
      'less not released',
      notReleased.records,
      known.notReleased?.negated() ?? null,
      'pending, expired or cancelled: no money has moved for good',
    ),
    step('released records', released.records, known.released, 'what released records state'),
    step(
      'from quotes',
      fromQuotes.records,
      known.fromQuotes,
      'released records that state none, and whose linked quote promised a share',
    ),
    step(
      'revenue',
      revenue.records,
      known.revenue,
      `released records and from quotes: what \`tieout revenue\` tells by the month of the creation; ${unknown} released records say nothing either way`,
    ),
    step('rounding', null, known.rounding, 'each entry of the journal is rounded to the minor unit'),
    step('journal', revenue.records, known.journal, 'revenue and rounding: what `tieout journal` books'),
  ];
}
