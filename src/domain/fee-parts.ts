/**
 * The fee of one side, in parts. With cv = units / 10^decimals × rate: a purchase foots as fiatValue = cv + appliedFee, a sale as
 * fiatValue = cv − fee. The network fee is inside the applied fee; what base and network leave of it is the adjustment
 * (discount, host cut).
 */
import { Decimal } from './decimal.ts';
import type { MatchedQuote, QuotedMethod } from './quote.ts';
import type { Kind } from './record.ts';
import type { RecordState } from './snapshot.ts';

/** One side's figures, in the record's fiat currency; null is unknown. */
export interface FeeParts {
  /** Purchases: the total paid. Sales: the total paid out. */
  fiatValue: Decimal;
  /** The whole fee that the user pays. */
  applied: Decimal | null;
  /** The Service's fee before any modification. */
  base: Decimal | null;
  /** Inside `applied`. */
  network: Decimal | null;
  /** applied − base − network, where all three are known. */
  adjustment: Decimal | null;
  /** Fiat per whole token. */
  exchangeRate: Decimal | null;
  /** Value of the crypto at the exchange rate. */
  cv: Decimal | null;
}

/** A promise names its fee, so that its cv is known too. */
export interface QuotedParts extends FeeParts {
  applied: Decimal;
  cv: Decimal;
}

/** Digits kept where a percentage cannot be exact: far below any tolerance. */
export const PERCENT_PLACES = 6;

/** Crypto in whole tokens: units / 10^decimals. */
export function tokensOf(state: Pick<RecordState, 'cryptoUnits' | 'asset'>): Decimal {
  return Decimal.of(state.cryptoUnits, state.asset.decimals);
}

/** A Service may round the tokens of every asset to so many places. */
const ROUNDED_PLACES = 8;

/** The least that two amounts of tokens differ by: one unit, or one of the eighth place where the units end there. */
export function leastTokens({ cryptoUnits, asset: { decimals } }: Pick<RecordState, 'cryptoUnits' | 'asset'>): Decimal {
  const isRounded = decimals > ROUNDED_PLACES && cryptoUnits % 10n ** BigInt(decimals - ROUNDED_PLACES) === 0n;
  return Decimal.of(1n, isRounded ? ROUNDED_PLACES : decimals);
}

export function partsOfRecord(state: RecordState): FeeParts {
  const { appliedFee: applied, baseFee: base, networkFee: network, exchangeRate } = state;
  return {
    fiatValue: state.fiatValue,
    applied,
    base,
    network,
    adjustment: applied !== null && base !== null && network !== null ? applied.minus(base).minus(network) : null,
    exchangeRate,
    cv: exchangeRate !== null ? tokensOf(state).times(exchangeRate) : cvFromFee(state, applied),
  };
}

/** Without a rate, cv follows from the total and the fee, if there is one. */
function cvFromFee(state: RecordState, applied: Decimal | null): Decimal | null {
  return applied === null ? null : valueConverted(state.kind, state.fiatValue, applied);
}

/** The value that a record's fee is a share of. A sale at a stated rate converted all its tokens, also where it paid out less than they came to. */
export function valueOfRecord(state: RecordState, { applied, cv }: FeeParts): Decimal | null {
  return state.kind === 'sale' && state.exchangeRate !== null ? cv : cvFromFee(state, applied);
}

/** What was turned into crypto, or came of it: a purchase's total contains the fee, a sale's has lost it. */
export function valueConverted(kind: Kind, fiatValue: Decimal, fee: Decimal): Decimal {
  return kind === 'purchase' ? fiatValue.minus(fee) : fiatValue.plus(fee);
}

export function partsOfQuote(method: QuotedMethod, matched: MatchedQuote): QuotedParts {
  const { appliedFee: applied, baseFee: base, networkFee: network } = method;
  return {
    fiatValue: method.fiatValue,
    applied,
    base,
    network,
    adjustment: base !== null && network !== null ? applied.minus(base).minus(network) : null,
    exchangeRate: method.exchangeRate,
    cv: valueConverted(matched.quote.direction === 'onramp' ? 'purchase' : 'sale', method.fiatValue, applied),
  };
}

/** Of the value; what is beyond it without a name is no partner's fee. */
export const MOST_UNNAMED = Decimal.of(2n, 2);

/** What the Service takes for itself. */
export function serviceFee(applied: Decimal, network: Decimal | null): Decimal {
  return network === null ? applied : applied.minus(network);
}

/** Service fee (applied − network) in percent of cv, 6 places; null where either is unknown or cv is not positive. */
export function feePercentOf(parts: FeeParts): Decimal | null {
  const { applied, network, cv } = parts;
  if (applied === null || cv === null || cv.isNegative || cv.isZero) return null;
  return serviceFee(applied, network).times(Decimal.HUNDRED).dividedBy(cv, PERCENT_PLACES);
}
