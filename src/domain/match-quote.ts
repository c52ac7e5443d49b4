/** Which quote belongs to a record: the linked one, else the latest captured one that fits, else none. */

import { type AssetIdentity, sameAsset, sameName } from './asset.ts';
import type { Observation } from './case.ts';
import { Decimal } from './decimal.ts';
import {
  createdQuoteId,
  type MatchedQuote,
  type MatchWindow,
  promisingQuote,
  type Quote,
  type QuotedMethod,
} from './quote.ts';
import {
  bothAmounts,
  isAskedByTokens,
  isForAmount,
  isQuotedBase,
  isQuotedFee,
  justAmount,
  nearAmount,
  type QuotedAmounts,
  quotedAmountsFor,
  sameAmount,
} from './quoted-amount.ts';
import { type Direction, directionOf, type Instant } from './record.ts';
import type { RecordState } from './snapshot.ts';
import type { QuoteBinding, Tolerances } from './tolerance.ts';

/** What a search among the captured quotes is for. */
export interface CapturedWanted {
  direction: Direction;
  asset: AssetIdentity;
  fiatCurrency: string;
  method: string | null;
  /** Candidates were captured in [from, to]. */
  from: Instant;
  to: Instant;
  /** Candidates that lie outside these bounds by each of their methods fit nothing, and may be left out. */
  amounts?: QuotedAmounts;
  /** Only some of the latest are looked at: any of those within the bounds will do, and a busy hour has thousands. */
  latest?: true;
}

/** The part of a stored record that decides which quote belongs to it. */
export interface QuoteWanted {
  observation: Observation;
  /**
   * The quote named by the tracked record, with only the record's method; null otherwise. Where the body names no method,
   * `quote.methods` has all of them and `method` is null. Not verified: no methods.
   */
  linked: Omit<MatchedQuote, 'basis'> | null;
}

/** The search among the captured quotes; null where the record has a linked quote, or lacks what the search needs. */
export function capturedWanted(
  stored: QuoteWanted,
  window: MatchWindow,
  tolerances: Tolerances,
): CapturedWanted | null {
  if (stored.linked !== null || stored.observation.outcome !== 'verified') return null;
  return capturedWantedFor(stored.observation.snapshot.state, window, tolerances);
}

/** The same for a body alone. Null without a creation time. */
export function capturedWantedFor(
  state: RecordState,
  window: MatchWindow,
  tolerances: Tolerances,
): CapturedWanted | null {
  if (state.createdAt === null) return null;
  return {
    direction: directionOf(state.kind),
    asset: state.asset,
    fiatCurrency: state.fiatCurrency,
    method: state.paymentMethod,
    from: state.createdAt - window.before,
    to: state.createdAt + window.after,
    amounts: quotedAmountsFor(state, tolerances),
  };
}

/** Quotes of amounts further away than this factor say little: fees go in steps. */
const FURTHEST = Decimal.of(2n);
const BOUND_PLACES = 18;

/** The search for quotes of lower and higher amounts than the record's; null where the record's own quote is for its amount, or no promise of its time. */
export function aroundWanted(
  state: RecordState,
  matched: MatchedQuote | null,
  window: MatchWindow,
  tolerances: Tolerances,
): CapturedWanted | null {
  const promise = promisingQuote(matched, state);
  if (promise?.method == null || state.paymentMethod === null || isForAmount(state, promise.method, promise.quote))
    return null;
  const wanted = capturedWantedFor(state, window, tolerances);
  if (wanted === null) return null;
  const fiat = [state.fiatValue.dividedBy(FURTHEST, BOUND_PLACES), state.fiatValue.times(FURTHEST)] as const;
  // By the fiat amount alone: no units lie in an empty range.
  return { ...wanted, latest: true, amounts: { fiat, units: [Decimal.ONE.negated(), Decimal.ONE.negated()] } };
}

/**
 * The first candidate (latest capture first) that is for this amount: for just it, before one that is within a thousandth of it. Where only
 * what is neither base nor network fee differs, the campaign may be another user's: then an earlier one with the record's fee comes before
 * it. A quote that is younger than the record is the promise of the user's next purchase, unless it was taken on the webhook of this record's
 * own creation. Where `isOnlyNear` holds of the result, its request decides. A locked price binds the user who was quoted it: then one with
 * both amounts of the record comes first, as others may have asked for the same since.
 */
export function matchCaptured(
  state: RecordState,
  candidates: readonly Quote[],
  tolerances: Tolerances,
  price: QuoteBinding['price'] = 'indicative',
): MatchedQuote | null {
  const created = createdQuoteId(state);
  let own: MatchedQuote | null = null;
  let other: MatchedQuote | null = null;
  let recognised: MatchedQuote | null = null;
  /** For another token of the same name, the promise that the record breaks; or for nearly the amount. Where none is for its own. */
  let namesake: MatchedQuote | null = null;
  let near: MatchedQuote | null = null;
  let perhapsNear: MatchedQuote | null = null;
  for (const quote of candidates) {
    const isYounger = state.createdAt !== null && quote.capturedAt > state.createdAt;
    if (isYounger && quote.quoteId !== created) continue;
    const method = methodOf(state, quote);
    if (method === null || !sameName(quote.asset, state.asset)) continue;
    const matched = { basis: 'captured', quote, method, ageSeconds: ageOf(state, quote) } as const;
    const isSame = sameAsset(quote.asset, state.asset);
    if (price === 'locked' && isSame && bothAmounts(state, method, tolerances)) return matched;
    if (sameAmount(state, method, tolerances)) {
      const isOthers = other !== null || (isQuotedBase(state, method) && quote.quoteId !== created);
      if (isSame && !justAmount(state, method, tolerances)) recognised ??= matched;
      else if (isSame && (!isOthers || isQuotedFee(state, method))) {
        if (price === 'indicative') return matched;
        own ??= matched;
      } else if (isSame) other ??= matched;
      else namesake ??= matched;
    } else if (isSame && nearAmount(state, method, tolerances)) {
      if (isAskedByTokens(method, state.fiatCurrency)) near ??= matched;
      else perhapsNear ??= matched;
    }
  }
  return own ?? other ?? recognised ?? namesake ?? near ?? perhapsNear;
}

/** A fresh quote, asked for by an audit: percentages are compared, as prices have moved since. */
export function matchRequoted(state: RecordState, quote: Quote): MatchedQuote {
  return { basis: 'requoted', quote, method: methodOf(state, quote), ageSeconds: ageOf(state, quote) };
}

/** The linked quote with the method that the record was promised by. */
export function matchLinked(stored: QuoteWanted): MatchedQuote | null {
  const { linked, observation } = stored;
  if (linked === null) return null;
  const method =
    linked.method ?? (observation.outcome === 'verified' ? methodOf(observation.snapshot.state, linked.quote) : null);
  return { basis: 'linked', ...linked, method };
}

/**
 * A sale may not say how it is paid out. Then the method counts whose promise is nearest to the amounts taken and paid: where one
 * agrees it is that one, and where none does the difference is measured against the most favourable reading.
 */
export function methodOf(state: RecordState, quote: Quote): QuotedMethod | null {
  if (state.paymentMethod !== null)
    return quote.methods.find((method) => method.method === state.paymentMethod) ?? null;
  // Asked by fiat, all methods promise the same payout and differ in the crypto that they take for it. A price that moved may make one payout
  // that of another method; a stated fee does not move with it. Of an amount that the user changed only what a token brings can be compared.
  const { fiatValue: paid, appliedFee: charged } = state;
  const tokens = Decimal.of(state.cryptoUnits);
  const ofTokens = ({ cryptoUnits }: QuotedMethod) => apart(Decimal.of(cryptoUnits), tokens);
  const isChanged = !quote.methods.some((method) => ofTokens(method).lessThan(SAME_TOKENS));
  const distance = (method: QuotedMethod) => {
    const { fiatValue, cryptoUnits, appliedFee } = method;
    const fee = fiatValue.isPositive ? appliedFee.times(paid).dividedBy(fiatValue, 18) : appliedFee;
    const ofPayout = isChanged
      ? apart(fiatValue.times(tokens), paid.times(Decimal.of(cryptoUnits)))
      : apart(fiatValue, paid).plus(ofTokens(method));
    return ofPayout.plus(apart(paid.plus(fee).minus(charged ?? fee), paid));
  };
  let nearest: QuotedMethod | null = null;
  for (const method of quote.methods)
    if (nearest === null || distance(method).lessThan(distance(nearest))) nearest = method;
  return nearest;
}

/** The Service derives amounts of crypto from floating point. */
const SAME_TOKENS = Decimal.of(1n, 6);

/** As a share of what it should be. */
function apart(value: Decimal, from: Decimal): Decimal {
  const difference = value.minus(from).abs();
  return from.isZero ? difference : difference.dividedBy(from.abs(), 18);
}

function ageOf(state: RecordState, quote: Quote): number | null {
  return state.createdAt === null ? null : Math.round((state.createdAt - quote.capturedAt) / 1000);
}
