/** How far an executed price lies outside what the market explains. Pure. */
import type { Case, CaseFigures, ExecutionWindow, JudgingTerms } from './case.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import type { Decomposition, Prices } from './decompose.ts';
import {
  both,
  pastMove,
  type Seen,
  type SeenBySource,
  SHORT_WINDOW,
  seenByAny,
  sourcesInWords,
  unseenOf,
  widestMove,
  within,
} from './market.ts';
import { promisingQuote } from './quote.ts';
import type { Kind } from './record.ts';
import { marginIn } from './survey.ts';

/** A record's price against the quote and the market, as `slippage.csv` has it. */
export interface Slippage extends Decomposition {
  window: ExecutionWindow;
  /** What others saw, the quoted price included: a record at its quoted price kept its promise. */
  range: Pick<Seen, 'low' | 'high'>;
  /** `3 quotes, 1 listing`; `none`. */
  source: string;
  /** Of quoted prices over published ones, in the range of which it is; null where none is known, or none is there. */
  margin: Decimal | null;
  /** The nearest price within the range. */
  nearest: Decimal;
  /** How far from `nearest` a price may be; a share of it. */
  allowed: Decimal;
  /** executed − nearest, as a share of `nearest`; plus is against the user. */
  against: Decimal;
  /** The part of the user's loss by the price that lies outside the range; minus is a gain. In the record's currency. */
  atStake: Decimal;
}

/** Why a price is not judged. */
export type NotJudged = string;

/** A coin that moves by 100 % a year may have come so far. */
export const NO_PRICE_KNOWN: NotJudged = 'no market price of its hours is known';

/** So long a coin that moves by 100 % a year stays within the tolerance of the nearest known price. */
const STAYS_NEAR = 30 * 60_000;

const HALF = Decimal.of(5n, 1);
const SHARE_PLACES = 12;
const STAKE_PLACES = 18;

type Given = Pick<Case, 'kind' | 'observation' | 'market' | 'quote'> & CaseFigures & { terms: JudgingTerms };

interface Stray extends Pick<Slippage, 'window' | 'range' | 'margin' | 'nearest'> {
  decomposed: Decomposition;
  seen: Seen | null;
  /** executed − nearest, as a share of `nearest`. */
  share: Decimal;
}

/** Quoted and executed prices have a margin that published ones lack. */
function withMargin({ quotes, listings }: SeenBySource, margin: Decimal | null): SeenBySource {
  if (listings === null || margin === null) return { quotes, listings };
  const { low, high } = listings;
  const factor = Decimal.ONE.plus(margin);
  return {
    quotes,
    listings: { ...listings, low: minDecimal(low, low.times(factor)), high: maxDecimal(high, high.times(factor)) },
  };
}

function usualMargin({ kind, quote, terms, market }: Given): Decimal | null {
  if (quote === null || market.prices.listings === null) return null;
  const margin = marginIn(terms.common?.margins, { kind, asset: quote.quote.asset });
  return margin?.isZero === true ? null : margin;
}

function strayOf(given: Given): Stray | NotJudged {
  const { decomposed, executed: window, market } = given;
  if (decomposed === null) return 'not verified';
  if (typeof decomposed === 'string') return decomposed;
  if (typeof window === 'string') return window;
  const { quoted, executed } = decomposed.prices;
  const margin = usualMargin(given);
  const seen = seenByAny(withMargin(market.prices, margin));
  const range = both({ low: quoted, high: quoted, count: 0 }, seen) ?? { low: quoted, high: quoted };
  const nearest = within(range, executed);
  const share = executed.minus(nearest).dividedBy(nearest, SHARE_PLACES);
  return { decomposed, window, range, nearest, seen, margin, share };
}

const isFrom = (quoted: Decimal, executed: Decimal, tolerance: Decimal) =>
  executed.minus(quoted).abs().greaterThan(quoted.times(tolerance));

/** Whether a price is beyond the tolerance from the quoted one and from what others saw, without a margin. */
export function straysFrom(seen: SeenBySource, { quoted, executed }: Prices, tolerance: Decimal): boolean {
  if (!isFrom(quoted, executed, tolerance)) return false;
  const own = { low: quoted, high: quoted, count: 0 };
  return isFrom(within(both(own, seenByAny(seen)) ?? own, executed), executed, tolerance);
}

/** Of a price beyond the tolerance, within which most are; null for one within it. The range only brings a price nearer than the quoted one. */
export function slippageBeyond(given: Given): Slippage | NotJudged | null {
  const { decomposed, executed: window, terms } = given;
  if (decomposed !== null && typeof decomposed !== 'string' && typeof window !== 'string') {
    const { quoted, executed } = decomposed.prices;
    if (!isFrom(quoted, executed, terms.tolerances.rate.sinceQuote)) return null;
  }
  const stray = strayOf(given);
  if (typeof stray === 'string') return stray;
  return stray.share.abs().greaterThan(terms.tolerances.rate.sinceQuote) ? judged(given, stray) : null;
}

export function slippageOf(given: Given): Slippage | NotJudged {
  const stray = strayOf(given);
  return typeof stray === 'string' ? stray : judged(given, stray);
}

/**
 * A loss that is measured at the record's own rate. One that is better for the user than the market explains may be of another currency, or turned
 * over, and makes a loss of several totals: then the nearest price that others saw values the tokens. Null where nothing is lost by it.
 */
export function lossAtMarket(given: Given, loss: Decimal): Decimal | null {
  if (given.terms.binding.price === 'locked' || !loss.isPositive) return loss;
  const found = slippageBeyond(given);
  if (found === null || typeof found === 'string' || !found.against.negated().greaterThan(found.allowed)) return loss;
  const { kind, converted, tokens, nearest } = found;
  const apart = converted.minus(tokens.times(nearest));
  const lost = kind === 'purchase' ? apart : apart.negated();
  return lost.isPositive ? minDecimal(lost, loss) : null;
}

function judged(
  given: Given,
  { decomposed, window, range, nearest, seen, margin, share }: Stray,
): Slippage | NotJudged {
  const { market, kind, terms } = given;
  const { sinceQuote } = terms.tolerances.rate;
  const unseen =
    seen === null
      ? elapsedOf(given, window)
      : Math.max(
          market.away ?? 0,
          Math.min(unseenOf(market.prices, window.to - window.from), market.unlisted ?? Number.POSITIVE_INFINITY),
        );
  const isShort = unseen <= SHORT_WINDOW;
  const isNear = unseen <= STAYS_NEAR;
  const known = isNear ? sinceQuote : widened(given, unseen, sinceQuote);
  // Within two hours half of it is two standard deviations, and the tolerance is on top.
  const widest = sinceQuote.plus(isShort ? widestMove(unseen).times(HALF) : widestMove(unseen));
  const allowed = known ?? (share.abs().greaterThan(sinceQuote) ? widest : sinceQuote);
  if (known === null && share.abs().greaterThan(sinceQuote) && !share.abs().greaterThan(widest)) return NO_PRICE_KNOWN;
  return {
    ...decomposed,
    window,
    range,
    source: sourcesInWords(market.prices),
    margin,
    nearest,
    allowed,
    against: kind === 'purchase' ? share : share.negated(),
    atStake: stakeAt(decomposed, nearest, kind),
  };
}

const HOUR = 3_600_000;

/**
 * Shown beside the verdict of a record with a promise, where its moment of execution is known only to hours or days: `44 h: 3 quotes, 1 listing`,
 * the time, and what others saw in it. Null for others.
 */
export function priceWindow(
  given: Pick<Case, 'observation' | 'quote' | 'market'> & Pick<CaseFigures, 'executed'>,
): string | null {
  const { observation, quote, market, executed: window } = given;
  if (observation.outcome !== 'verified' || promisingQuote(quote, observation.snapshot.state) === null) return null;
  if (typeof window === 'string' || window.to - window.from <= SHORT_WINDOW) return null;
  const source = sourcesInWords(market.prices);
  return `${Math.ceil((window.to - window.from) / HOUR)} h: ${source === 'none' ? 'no other price' : source}`;
}

/** A handful of moves tells little of how far a price moves: seven of them may come to half of it. */
const FEW_MOVES = 5n;

/** For hours without a price: by how it used to move, and `1 + 5 ÷ moves` times as far up to the widest; null where that is not known. */
function widened({ market: { past } }: Given, unseen: number, sinceQuote: Decimal): Decimal | null {
  const move = pastMove(past, unseen);
  if (move === null) return null;
  const moves = BigInt(past.length - 1);
  const further = move.times(Decimal.of(moves + FEW_MOVES)).dividedBy(Decimal.of(moves), SHARE_PLACES);
  return sinceQuote.plus(maxDecimal(move, minDecimal(further, widestMove(unseen))));
}

/** Amounts that an app showed have no quote: they are of the creation. */
function elapsedOf({ quote, observation }: Given, { from, to }: ExecutionWindow): number {
  const createdAt = observation.outcome === 'verified' ? observation.snapshot.state.createdAt : null;
  return to - (quote?.quote.capturedAt ?? createdAt ?? from);
}

/** At the nearest price the same value had bought more tokens, or the same tokens had brought more. */
function stakeAt({ prices: { executed }, converted }: Decomposition, nearest: Decimal, kind: Kind): Decimal {
  const apart = kind === 'purchase' ? executed.minus(nearest) : nearest.minus(executed);
  return converted.times(apart).dividedBy(executed, STAKE_PLACES);
}
