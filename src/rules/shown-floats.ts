/**
 * How far amounts that an app showed may move until the execution: a sale's payout with the price, its fee with the value, and the network
 * fee in the fee of either kind. What was shown stands in the place of a quote; it states no price, so that the published prices tell how
 * far one moved since then, and not what it was. Pure.
 */
import { minorUnit } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { NOTHING_SEEN, type Seen, type SeenBySource, SHORT_WINDOW, seenByAny } from '../domain/market.ts';
import { BETWEEN_LISTINGS } from '../domain/moving-terms.ts';
import type { ShownAmounts } from '../domain/quote.ts';
import { NO_PRICE_KNOWN, type Slippage, slippageBeyond } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree } from '../domain/tolerance.ts';
import { listedAround } from './reference-price.ts';
import type { RuleInput } from './rule.ts';

const PLACES = 18;

/** A network fee trebles within hours. */
const WIDEST_FEE = Decimal.of(3n);

export const floats = ({ terms }: RuleInput, { kind }: RecordState) =>
  kind === 'sale' && terms.binding.price === 'indicative';

/** The total of a quote that was asked for by its tokens follows from the price until the purchase is made; so does the one that was shown with it. */
export function isTotalOfTokens({ quote, terms }: RuleInput, state: RecordState, shown: Decimal): boolean {
  if (terms.binding.price === 'locked' || quote?.isByTokens !== true || quote.method === null) return false;
  return agree(shown, quote.method.fiatValue, minorUnit(state.fiatCurrency) ?? Decimal.ZERO);
}

/** What is known of a payout that differs from the shown one by more than a price moves unseen. */
interface Floated {
  /** The nearest payout that the market explains. */
  explained: Decimal;
  /** The nearest one that is no break. */
  allowed: Decimal;
}

/** The payout that a price makes of the tokens, less what is known of the fee: without one both payouts are held against each other as they are. */
function movedPrice(input: RuleInput, state: RecordState, { total, fee }: ShownAmounts) {
  const tokens = tokensOf(state);
  const taken = fee ?? Decimal.ZERO;
  const [value, converted] = [(total ?? Decimal.ZERO).plus(taken), state.fiatValue.plus(taken)];
  if (!tokens.isPositive || !value.isPositive || !converted.isPositive) return null;
  const prices = { quoted: value.dividedBy(tokens, PLACES), executed: converted.dividedBy(tokens, PLACES) };
  const sides = { quotedTokens: tokens, quotedValue: value, tokens, converted, rate: null };
  const decomposed = { ...sides, kind: state.kind, quotedFee: taken, fee: taken, feesAtAmount: taken, prices };
  const market = { ...input.market, prices: seenSince(input, state, prices.quoted, fee !== null) };
  const found = slippageBeyond({ ...input, quote: null, decomposed, market });
  return found === null || typeof found === 'string' ? found : floatedBy(found, taken);
}

function floatedBy({ nearest, tokens, allowed, against }: Slippage, fee: Decimal): Floated {
  const edge = against.isNegative ? Decimal.ONE.plus(allowed) : Decimal.ONE.minus(allowed);
  const explained = tokens.times(nearest).minus(fee);
  return { explained, allowed: tokens.times(nearest).times(edge).minus(fee) };
}

/** The published prices of the execution, as the shown one would have moved with them; else the quoted ones, which have fees beside them. */
function seenSince(input: RuleInput, state: RecordState, shown: Decimal, isFeeKnown: boolean): SeenBySource {
  const { listings, quotes } = input.market.prices;
  const moves = movesSince(input, state);
  if (listings === null || moves === null) return listings === null && isFeeKnown ? { quotes, listings } : NOTHING_SEEN;
  return { quotes: null, listings: { ...listings, low: shown.times(moves.low), high: shown.times(moves.high) } };
}

/** From the lists around the creation to those of the execution, as shares: 0.99 to 1.02. Null without either. */
function movesSince(input: RuleInput, state: RecordState): Pick<Seen, 'low' | 'high'> | null {
  const { listings } = input.market.prices;
  const then = listedAround(input, state).map(({ price }) => price);
  if (listings === null || then.length === 0) return null;
  return {
    low: listings.low.dividedBy(then.reduce(maxDecimal), PLACES),
    high: listings.high.dividedBy(then.reduce(minDecimal), PLACES),
  };
}

/** How far a sale's payout may be from the shown one, towards the actual one. */
export function payoutRoom(input: RuleInput, state: RecordState, shown: ShownAmounts & { total: Decimal }): Decimal {
  const found = movedPrice(input, state, shown);
  const apart = state.fiatValue.minus(shown.total).abs();
  // Before the execution a payout is an estimate.
  if (found === null || found === 'not executed yet' || found === NO_PRICE_KNOWN) return apart;
  if (typeof found === 'string') return shown.total.times(input.terms.tolerances.rate.reference).abs();
  return minDecimal(apart, found.allowed.minus(shown.total).abs());
}

/** Why a payout is not judged, as a quoted price of which nothing is known. */
export function payoutUnjudged(input: RuleInput, state: RecordState, shown: ShownAmounts): string | null {
  return movedPrice(input, state, shown) === NO_PRICE_KNOWN ? NO_PRICE_KNOWN : null;
}

/** What of a payout lies outside the market; all that is apart from the shown one where that is not known. Plus is the user's loss. */
export function payoutLoss(input: RuleInput, state: RecordState, shown: ShownAmounts & { total: Decimal }): Decimal {
  const found = movedPrice(input, state, shown);
  const explained = found === null || typeof found === 'string' ? shown.total : found.explained;
  return explained.minus(state.fiatValue);
}

/** How far a fee may be from the shown one, towards the actual one. */
export function feeRoom(input: RuleInput, state: RecordState, shown: ShownAmounts & { fee: Decimal }): Decimal {
  const isHigher = state.appliedFee?.greaterThan(shown.fee) === true;
  const { price } = input.terms.binding;
  const isMoving = floats(input, state) || (shown.total !== null && isTotalOfTokens(input, state, shown.total));
  const byValue = isMoving ? valueMove(input, state, shown, isHigher) : Decimal.ZERO;
  const moved = networkMove(input, state, isHigher).plus(byValue);
  if (input.quote?.basis === 'linked') {
    const { applied = null, quoted = null } = input.fees ?? {};
    // What the quote explains of the fee is explained.
    const isAsQuoted = applied?.agrees === true && price === 'indicative' && quoted !== null;
    return isAsQuoted ? maxDecimal(moved, applied.expected.minus(quoted.applied).abs()) : moved;
  }
  // A minimum fee is so many EUR.
  const byRate = price === 'locked' || state.fiatCurrency === 'EUR' ? Decimal.ZERO : shown.fee.times(BETWEEN_LISTINGS);
  const room = moved.plus(byRate.abs());
  // Parts that moved are rounded each by itself.
  return room.isZero ? room : room.plus(minorUnit(state.fiatCurrency) ?? Decimal.ZERO);
}

/** A fee is a share of what the tokens bring or cost. */
function valueMove(
  input: RuleInput,
  state: RecordState,
  { total, fee }: ShownAmounts & { fee: Decimal },
  isHigher: boolean,
): Decimal {
  const since = input.terms.tolerances.rate.sinceQuote;
  const value = total?.plus(fee);
  const move = value?.isPositive
    ? state.fiatValue.plus(state.appliedFee ?? fee).dividedBy(value, PLACES)
    : Decimal.ONE.plus(isHigher ? since : since.negated());
  const moved = fee.times(move.minus(Decimal.ONE));
  return moved.isNegative === isHigher ? Decimal.ZERO : moved.abs();
}

/**
 * With the quote that was shown, by as much as it explains of the fee; without one, or with that of another minute, by what the published
 * network fees explain. Before the execution a network fee is an estimate, and within hours one may treble.
 */
function networkMove(input: RuleInput, state: RecordState, isHigher: boolean): Decimal {
  const { network, quoted } = input.fees ?? {};
  const { networkFee: actual } = state;
  if (actual === null || input.terms.binding.networkFee === 'locked') return Decimal.ZERO;
  const towards = (from: Decimal, to: Decimal) =>
    to.lessThan(from) === isHigher ? Decimal.ZERO : to.minus(from).abs();
  const isEstimate = input.executed === 'not executed yet';
  if (quoted != null && input.quote?.basis === 'linked') {
    return quoted.network !== null && (network == null || network.agrees)
      ? towards(quoted.network, actual)
      : Decimal.ZERO;
  }
  const share = input.terms.tolerances.networkFee;
  const published = listedAround(input, state).flatMap(({ networkFee }) =>
    networkFee?.isPositive ? [networkFee] : [],
  );
  if (published.length === 0) {
    if (!isEstimate && !isLong(input, state)) return share.times(actual);
    return actual.times(WIDEST_FEE.minus(Decimal.ONE)).dividedBy(isHigher ? WIDEST_FEE : Decimal.ONE, PLACES);
  }
  const [low, high] = [published.reduce(minDecimal), published.reduce(maxDecimal)];
  const seen = seenByAny(input.market.networkFees);
  const [less, more] = [Decimal.ONE.minus(share), Decimal.ONE.plus(share)];
  const most = seen === null ? high.times(WIDEST_FEE) : maxDecimal(high, seen.high).times(more);
  return isHigher ? towards(low.times(less), minDecimal(actual, most)) : towards(high.times(more), actual);
}

function isLong({ executed }: RuleInput, { createdAt }: RecordState): boolean {
  return typeof executed === 'string' || executed.to - (createdAt ?? executed.from) > SHORT_WINDOW;
}
