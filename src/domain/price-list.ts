/** The fees that a contract allows, by predicates. A record has one price at most: overlaps are refused when a list is read. Pure. */
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import { partsOfRecord } from './fee-parts.ts';
import type { MatchedQuote } from './quote.ts';
import type { Instant, Kind } from './record.ts';
import type { RecordState } from './snapshot.ts';

/** One line of a list; a predicate that is null takes any. */
export interface PriceLine {
  /** Line of the file, counted from 1: what a finding names. */
  line: number;
  /** Holds where no other line of the version does; it has no predicates. */
  isDefault: boolean;
  kinds: readonly string[] | null;
  methods: readonly string[] | null;
  currencies: readonly string[] | null;
  /** Lower-case ISO 3166-1 alpha-2. */
  countries: readonly string[] | null;
  /** Identifiers with their chain: `ETH_USDC`. */
  assets: readonly string[] | null;
  /** The total in fiat: [from, to), in the line's one currency. */
  amount: { from: Decimal; to: Decimal | null } | null;
  /** Creation of the record: [from, to). */
  dates: { from: Instant | null; to: Instant | null } | null;
  /** Of the crypto's value. */
  percent: Decimal;
  /** In the line's currency; comes on top of the percentage. */
  fixed: Decimal;
  /** Of percentage and fixed part together, without a network fee on top. */
  minimum: Decimal | null;
  /** As `minimum`; null for none. */
  maximum: Decimal | null;
  /** `on-top`: the record's own network fee is added. `included`: it is inside the price. */
  networkFee: 'on-top' | 'included';
  /** As `networkFee`, of the fee that the host adds for itself. */
  hostFee: 'on-top' | 'included';
}

/** The prices of one time; a record goes by the one in force at its creation. */
export interface PriceVersion {
  version: string;
  /** [from, to); null has no end. */
  from: Instant;
  to: Instant | null;
  lines: readonly PriceLine[];
}

/** What a contract with the Service says of fees. */
export interface PriceList {
  name: string;
  /** In order of time, without gaps and overlaps. */
  versions: readonly PriceVersion[];
}

/** The fee of one record by its contract, in the record's currency. */
export interface ContractPrice {
  version: string;
  line: PriceLine;
  /** Value of the crypto, which the percentage is taken of. */
  cv: Decimal;
  /** The network fee that the record states; null where it states none. */
  network: Decimal | null;
  /** The host's own fee beside the Service's, which the contract does not price; null for none. */
  host: Decimal | null;
  /** The fee that the contract allows, the fees of network and host inside. */
  fee: Decimal;
  /** The fee that the record was charged, the same fees inside. */
  charged: Decimal;
}

/** Null where the list has no price for the record, or the record lacks a fact that a predicate needs. */
export function contractPrice(list: PriceList, state: RecordState, quote: MatchedQuote | null): ContractPrice | null {
  const { createdAt } = state;
  const { applied, cv, network, adjustment } = partsOfRecord(state);
  if (createdAt === null || applied === null || cv === null || !cv.isPositive) return null;
  const version = list.versions.find(({ from, to }) => createdAt >= from && (to === null || createdAt < to));
  if (version === undefined) return null;
  const facts: Facts = {
    kind: state.kind,
    method: state.paymentMethod,
    currency: state.fiatCurrency,
    country: quote?.basis === 'requoted' ? null : (quote?.quote.country ?? null),
    asset: state.asset.chain === '' ? null : `${state.asset.chain}_${state.asset.symbol}`,
    amount: state.fiatValue,
    createdAt,
  };
  const line = lineFor(version.lines, facts);
  if (line === null) return null;
  // Sellers pay the chain from their own wallets, outside of the sale.
  const fee = feeBy(line, cv, state.kind === 'sale' ? Decimal.ZERO : network);
  if (fee === null) return null;
  const host = line.hostFee === 'included' ? null : hostOnTop(state.hostFeeCut, adjustment);
  return {
    version: version.version,
    line,
    cv,
    network,
    host,
    fee: host === null ? fee : fee.plus(host),
    charged: applied,
  };
}

/** What a Service that rounds its figures may be off by. */
const ROUNDED = Decimal.HUNDREDTH;

/** The cut of the host is a share of the base fee, or comes on top of it: then base and network fee leave it. */
function hostOnTop(cut: Decimal | null, adjustment: Decimal | null): Decimal | null {
  if (cut === null || adjustment === null || !adjustment.isPositive) return null;
  return adjustment.minus(cut).abs().greaterThan(ROUNDED) ? null : cut;
}

interface Facts {
  kind: Kind;
  method: string | null;
  currency: string;
  country: string | null;
  asset: string | null;
  amount: Decimal;
  createdAt: Instant;
}

/** A line that may apply, as far as is known, excludes all others: the price is then unknown. */
function lineFor(lines: readonly PriceLine[], facts: Facts): PriceLine | null {
  let found: PriceLine | null = null;
  let fallback: PriceLine | null = null;
  for (const line of lines) {
    if (line.isDefault) {
      fallback = line;
      continue;
    }
    const holds = holdsFor(line, facts);
    if (holds === 'unknown') return null;
    if (holds) found = line;
  }
  return found ?? fallback;
}

function holdsFor(line: PriceLine, facts: Facts): boolean | 'unknown' {
  const { amount, dates } = line;
  if (dates !== null && !isWithin(facts.createdAt, dates)) return false;
  if (
    amount !== null &&
    (facts.amount.lessThan(amount.from) || (amount.to !== null && !facts.amount.lessThan(amount.to)))
  )
    return false;
  const asked = [
    [line.kinds, facts.kind],
    [line.methods, facts.method],
    [line.currencies, facts.currency],
    [line.countries, facts.country],
    [line.assets, facts.asset],
  ] as const;
  let isUnknown = false;
  for (const [wanted, value] of asked) {
    if (wanted === null) continue;
    if (value === null) isUnknown = true;
    else if (!wanted.includes(value)) return false;
  }
  return isUnknown ? 'unknown' : true;
}

function isWithin(at: Instant, { from, to }: { from: Instant | null; to: Instant | null }): boolean {
  return (from === null || at >= from) && (to === null || at < to);
}

/** Null where the network fee goes on top and the record does not state it. */
function feeBy({ percent, fixed, minimum, maximum, networkFee }: PriceLine, cv: Decimal, network: Decimal | null) {
  const priced = percent.times(cv).times(Decimal.HUNDREDTH).plus(fixed);
  const capped = maximum === null ? priced : minDecimal(priced, maximum);
  const own = minimum === null ? capped : maxDecimal(capped, minimum);
  if (networkFee === 'included') return own;
  return network === null ? null : own.plus(network);
}

/** What a price list would have found on a month's records, in one currency. */
export interface SimulatedRow {
  currency: string;
  /** Records of the month that were read. */
  records: number;
  /** Those that state a fee and have a price in the list; the totals are over these. */
  priced: number;
  /** The others: no fee, no price, or a predicate that the record does not answer. */
  unpriced: number;
  differing: number;
  /** Fees that were charged, in `currency`. */
  charged: Decimal;
  /** Fees that the list allows for the same records. */
  contract: Decimal;
  /** charged − contract over the differing ones alone, above and below. */
  above: Decimal;
  below: Decimal;
  /** By the list in force: how many differ, and charged − contract over them; null without one. */
  inForce: { differing: number; difference: Decimal } | null;
}
