/**
 * What a record cost its user against the quote, in parts: fee, price, amount and a residual that nothing explains.
 * Everything is valued at the quoted price, in the record's currency; plus is the user's loss. Pure.
 *
 * With fiat F, fees A, tokens Q, V the value that was converted (purchase F − A, sale F + A), R = V ÷ Q the price or the record's stated
 * rate, ₀ of the quote, ₁ of the record, and A₀′ the quoted fees at the record's amount:
 * - purchase: (F₁ − Q₁R₀) − A₀ = (A₀′ − A₀) + (A₁ − A₀′) + V₁(1 − R₀/R₁) + (V₁/R₁ − Q₁)R₀
 * - sale: (Q₁R₀ − F₁) − A₀ = (A₀′ − A₀) + (A₁ − A₀′) + Q₁(R₀ − R₁) + (Q₁R₁ − A₁ − F₁)
 */
import { Decimal } from './decimal.ts';
import { tokensOf, valueConverted } from './fee-parts.ts';
import { type MatchedQuote, promisingQuote, type QuotedMethod } from './quote.ts';
import type { Kind } from './record.ts';
import type { RecordState } from './snapshot.ts';

interface Effects {
  /** A₀′ − A₀: the quoted fees at another amount are others. Information, no loss of anybody. */
  amount: Decimal;
  /** A₁ − A₀′. Null where A₀′ is not known: then the whole difference of the fees stands in `amount`. */
  fee: Decimal | null;
  /** Another price than the quoted one. */
  price: Decimal;
  /** What a record's own rate and fees leave unexplained; zero without a stated rate. */
  residual: Decimal;
  /** The sum of the other four, to the last digit. */
  total: Decimal;
}

/** The prices that the effects rest on: fiat per whole token, 18 places where they are divisions. */
export interface Prices {
  /** R₀. */
  quoted: Decimal;
  /** R₁. */
  executed: Decimal;
}

/** In the record's currency; notation as above. */
export interface Decomposition extends Sides {
  prices: Prices;
  kind: Kind;
  /** A₀, A₁ and A₀′. */
  quotedFee: Decimal;
  fee: Decimal;
  feesAtAmount: Decimal | null;
}

/** Why a record cannot be held against a quote part by part. */
export type NotDecomposed = 'no quote' | 'the quote has no price' | 'the record has no price' | 'the fee is unknown';

/** Of each part that is a division. The total is their sum, so that what is printed foots; a part that is nothing is exactly zero. */
const EFFECT_PLACES = 18;

/** @param feesAtAmount A₀′, or null where the quote does not tell what its fees are at the record's amount. */
export function decompose(
  state: RecordState,
  matched: MatchedQuote | null,
  feesAtAmount: Decimal | null,
): Decomposition | NotDecomposed {
  const promise = promisingQuote(matched, state);
  if (promise?.method == null) return 'no quote';
  const { appliedFee: quotedFee, fiatValue, cryptoUnits } = promise.method;
  const quotedTokens = Decimal.of(cryptoUnits, promise.quote.asset.decimals);
  const quotedValue = valueConverted(state.kind, fiatValue, quotedFee);
  if (!quotedTokens.isPositive || !quotedValue.isPositive) return 'the quote has no price';
  const tokens = tokensOf(state);
  const fee =
    state.appliedFee ??
    (state.kind === 'sale' ? (feesAtAmount ?? feeOfSale(state, promise.method, tokens, quotedTokens)) : null);
  if (fee === null) return 'the fee is unknown';
  const converted = valueConverted(state.kind, state.fiatValue, fee);
  const rate = state.exchangeRate;
  if (!tokens.isPositive || !converted.isPositive || rate?.isPositive === false) return 'the record has no price';
  const prices = {
    quoted: quotedValue.dividedBy(quotedTokens, EFFECT_PLACES),
    executed: rate ?? converted.dividedBy(tokens, EFFECT_PLACES),
  };
  if (prices.quoted.isZero) return 'the quote has no price';
  if (prices.executed.isZero) return 'the record has no price';
  const { kind } = state;
  return { kind, quotedTokens, quotedValue, tokens, converted, rate, quotedFee, fee, feesAtAmount, prices };
}

/** Of few records anybody asks for them. */
export function effectsOf(decomposed: Decomposition): Effects {
  const { kind, quotedFee, fee, feesAtAmount } = decomposed;
  const [price, residual] = kind === 'purchase' ? purchaseParts(decomposed) : saleParts(decomposed);
  const amount = (feesAtAmount ?? fee).minus(quotedFee);
  const ofFees = feesAtAmount === null ? null : fee.minus(feesAtAmount);
  const total = amount
    .plus(ofFees ?? Decimal.ZERO)
    .plus(price)
    .plus(residual);
  return { amount, fee: ofFees, price, residual, total };
}

/**
 * A sale's body may name no fee; then the quote's stands for it: for another amount the quoted amount or the quoted share, by whichever
 * the price is nearer to the quoted one.
 */
function feeOfSale(
  { fiatValue }: RecordState,
  { appliedFee, fiatValue: quotedFiat }: QuotedMethod,
  tokens: Decimal,
  quotedTokens: Decimal,
): Decimal {
  const share = appliedFee.times(tokens).dividedBy(quotedTokens, EFFECT_PLACES);
  // What the quoted price makes of these tokens, and each fee of it.
  const value = quotedFiat.plus(appliedFee).times(tokens).dividedBy(quotedTokens, EFFECT_PLACES);
  const apart = (fee: Decimal) => fiatValue.plus(fee).minus(value).abs();
  return apart(share).lessThan(apart(appliedFee)) ? share : appliedFee;
}

interface Sides {
  /** Q₀, in whole tokens. */
  quotedTokens: Decimal;
  /** V₀: what the quote would have converted. */
  quotedValue: Decimal;
  /** Q₁, in whole tokens. */
  tokens: Decimal;
  /** The value that was converted. */
  converted: Decimal;
  /** Null where the record states none: its price is then V₁ ÷ Q₁. */
  rate: Decimal | null;
}

type Parts = readonly [price: Decimal, residual: Decimal];

/** Each formula on one denominator, so that it is divided once. */
function purchaseParts({ quotedTokens, quotedValue, tokens, converted, rate }: Sides): Parts {
  if (rate === null) {
    const apart = converted.times(quotedTokens).minus(tokens.times(quotedValue));
    return [apart.dividedBy(quotedTokens, EFFECT_PLACES), Decimal.ZERO];
  }
  const both = rate.times(quotedTokens);
  const price = converted.times(both.minus(quotedValue)).dividedBy(both, EFFECT_PLACES);
  const residual = converted.minus(tokens.times(rate)).times(quotedValue).dividedBy(both, EFFECT_PLACES);
  return [price, residual];
}

function saleParts({ quotedTokens, quotedValue, tokens, converted, rate }: Sides): Parts {
  const received = rate === null ? converted : tokens.times(rate);
  const price = tokens.times(quotedValue).minus(received.times(quotedTokens)).dividedBy(quotedTokens, EFFECT_PLACES);
  return [price, received.minus(converted)];
}
