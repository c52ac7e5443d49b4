/** What two captured quotes, of a lower and a higher amount, say of the fees between them. Pure. */
import { type AssetIdentity, sameAsset } from './asset.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import { serviceFee, valueConverted } from './fee-parts.ts';
import type { FeeAt, MatchedQuote, Quote, QuoteAt, QuotedMethod, QuotesAround } from './quote.ts';
import type { RecordState } from './snapshot.ts';

const SHARE_PLACES = 18;
/** The nearest on each side; the own quote may be one of them. Null where a side has none, or one of the two names no network fee. */
export function quotesAround(state: RecordState, own: MatchedQuote, candidates: readonly Quote[]): QuotesAround | null {
  let [below, above]: (Found | null)[] = [null, null];
  for (const quote of [{ ...own.quote, methods: own.method === null ? [] : [own.method] }, ...candidates]) {
    const method = quote.methods.find((each) => each.method === state.paymentMethod);
    if (method === undefined || !isLike(quote, own.quote, state.asset)) continue;
    if (quote.quoteId !== own.quote.quoteId && isDiscounted(method)) continue;
    const { fiatValue } = method;
    if (fiatValue.lessThan(state.fiatValue)) {
      if (below == null || fiatValue.greaterThan(below.method.fiatValue)) below = { quote, method };
    } else if (above == null || fiatValue.lessThan(above.method.fiatValue)) above = { quote, method };
  }
  const [low, high] = [below, above].map((found) => (found == null ? null : quoteAt(found)));
  return low == null || high == null ? null : { below: low, above: high };
}

interface Found {
  quote: Quote;
  method: QuotedMethod;
}

const isLike = (quote: Quote, own: Quote, asset: AssetIdentity) =>
  quote.direction === own.direction && quote.fiatCurrency === own.fiatCurrency && sameAsset(quote.asset, asset);

/** A campaign depends on the user, so that another quote with one tells nothing of this record's fee. A converted network fee is off by a hundredth. */
function isDiscounted({ appliedFee, baseFee, networkFee }: QuotedMethod): boolean {
  if (baseFee === null || networkFee === null) return false;
  const left = appliedFee.minus(baseFee).minus(networkFee);
  return left.plus(baseFee.plus(networkFee).times(Decimal.HUNDREDTH)).isNegative;
}

function quoteAt({ quote: { quoteId, direction }, method }: Found): QuoteAt | null {
  const { appliedFee, networkFee, baseFee, fiatValue } = method;
  const converted = valueConverted(direction === 'onramp' ? 'purchase' : 'sale', fiatValue, appliedFee);
  if (networkFee === null || !converted.isPositive) return null;
  const at = (fee: Decimal): FeeAt => ({ fee, share: fee.dividedBy(converted, SHARE_PLACES) });
  return {
    quoteId,
    fiatValue,
    own: at(serviceFee(appliedFee, networkFee)),
    base: baseFee === null ? null : at(baseFee),
  };
}

/**
 * The fee nearest to the actual one whose share of the converted value lies between the two, or that is the fee of the lower amount: a
 * minimum is a larger share where the network fee took more of the total. Null where a fee is unknown.
 */
export function feeBetween(
  { below, above }: QuotesAround,
  part: 'own' | 'base',
  converted: Decimal,
  actual: Decimal,
): Decimal | null {
  const [a, b] = [below[part], above[part]];
  if (a === null || b === null) return null;
  const fees = [a.fee, a.share.times(converted), b.share.times(converted)];
  const low = minDecimal(a.share, b.share).times(converted);
  return minDecimal(maxDecimal(actual, low), fees.reduce(maxDecimal));
}
