import { assetIdentifier } from '../domain/asset.ts';
import { Decimal, maxDecimal } from '../domain/decimal.ts';
import { rootOfDays, seenByAny } from '../domain/market.ts';
import { listedRateEur } from '../domain/moving-terms.ts';
import { promisingQuote } from '../domain/quote.ts';
import { NO_PRICE_KNOWN, slippageOf } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { currencyDay, estimatesOf, surveyed } from '../domain/survey.ts';
import { agree } from '../domain/tolerance.ts';
import { msUntilExecuted } from './date-implausible.ts';
import { type RatePaid, type ReferencePrice, ratePaid, referencePrice, showReference } from './reference-price.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart, showPercent, showShare } from './wording.ts';
import { amount, compared, fact, relativeLine, type Workings, worked } from './working.ts';

/** Two questions: do the record's own rates agree with each other, and is its rate near the price of the day? */
export const rateOutOfLine = bodyRule({
  code: 'RATE_OUT_OF_LINE',
  severity: 'medium',
  title: 'The exchange rates contradict each other, or the rate strays from the reference price',
  why: 'A wrong rate moves money without showing in any fee: the user gets less crypto, or less for it, than the market gives.',
  action: 'Compare with a market price of that hour; claim the difference where the rate was wrong.',
  settledBy: RIGHTED,
  example: 'The record gives 66798.7 EUR per BTC_BTC, but its rate in EUR comes to 58085.8 EUR: 15.0 % higher.',
  note: 'A wrong rate costs more than any fee and shows in none.',
  check(state, input) {
    const { exchangeRateEur } = state;
    const eur = exchangeRateEur === null ? null : rateInEur(input, state);
    const isEstimate = input.terms.binding.price === 'indicative' && input.executed === 'not executed yet';
    const fiatRate = state.fiatRateEur === null || state.fiatCurrency === 'EUR' ? null : fiatRateAround(input, state);
    const paid = isEstimate ? null : ratePaid(input, state);
    const price = paid === null ? null : referencePrice(input, state, paid);
    const comparesEur = eur !== null && exchangeRateEur !== null;
    const comparesPrice = price !== null && paid !== null;
    if (!comparesEur && !comparesPrice && fiatRate === null) return 'not-applicable';
    const contradiction = comparesEur ? contradicts(state, eur, exchangeRateEur) : null;
    const beyond = comparesPrice ? strays(state, paid, price) : null;
    const strayed = beyond === null || isMarketPrice(input) ? null : beyond;
    return [contradiction, strayed, fiatRateStrays(state, fiatRate)];
  },
  working,
});

/**
 * On a day on which the market moved by more than the tolerance, the prices that others saw during the execution explain the price. Without
 * such prices, the usual move of the coin over the hours since the quote does; where that is not known, the quote's price is no market's.
 */
function isMarketPrice(input: RuleInput): boolean {
  if (input.terms.binding.price === 'locked') return false;
  const found = slippageOf(input);
  if (typeof found === 'string') return found === NO_PRICE_KNOWN;
  if (found.against.abs().greaterThan(found.allowed)) return false;
  // At its quoted price it has not moved: then the quote may be as far from the market as the record.
  return (
    seenByAny(input.market.prices) !== null || found.against.abs().greaterThan(input.terms.tolerances.rate.sinceQuote)
  );
}

/** What the record's rate comes to in EUR, and how far the stated one may be off; relative. */
interface RateInEur {
  /** EUR for one whole token. */
  inEur: Decimal;
  /** EUR for one unit of the record's currency. */
  fiatRate: Decimal;
  source: string;
  relative: Decimal;
}

/** A rate of two currencies moves by less in a day; with the root of the time. */
const FIAT_MOVES_A_DAY = Decimal.of(4n, 2);
/** An estimate is no promise: a currency in trouble may move so far before the order is paid. */
const ESTIMATE_MOVES_A_DAY = Decimal.of(8n, 2);

/** By its own fiat rate; in EUR itself the rate is that already. Else by the rate in its quote (v1) or in the listing, which are of another time. */
function rateInEur(input: RuleInput, state: RecordState): RateInEur | null {
  const { exchangeRate, fiatRateEur, fiatCurrency } = state;
  if (exchangeRate === null) return null;
  const { consistency } = input.terms.tolerances.rate;
  if (fiatRateEur !== null) {
    return {
      inEur: exchangeRate.times(fiatRateEur),
      fiatRate: fiatRateEur,
      source: 'its own rate',
      relative: consistency,
    };
  }
  if (fiatCurrency === 'EUR')
    return { inEur: exchangeRate, fiatRate: Decimal.ONE, source: 'as it is in EUR', relative: consistency };
  const found = fiatRateAround(input, state);
  if (found === null) return null;
  const { fiatRate, source, relative } = found;
  return { inEur: exchangeRate.times(fiatRate), fiatRate, source, relative: maxDecimal(consistency, relative) };
}

type FiatRate = Omit<RateInEur, 'inEur'>;

function fiatRateAround(input: RuleInput, state: RecordState): FiatRate | null {
  const found = fiatRateNear(input, state);
  if (found === null) return null;
  // What never executed keeps the figures of some moment since its creation.
  const apartBy = Math.max(msUntilExecuted(input, found.at), found.at - (state.createdAt ?? found.at));
  const moves = input.executed === 'not executed yet' ? ESTIMATE_MOVES_A_DAY : FIAT_MOVES_A_DAY;
  const relative = moves.times(rootOfDays(apartBy, 1));
  return { fiatRate: found.rate, source: found.source, relative };
}

/** A body whose two rates in EUR are wrong alike contradicts nothing in itself. */
function fiatRateStrays({ fiatCurrency, fiatRateEur }: RecordState, known: FiatRate | null): RuleFinding | null {
  if (known === null || fiatRateEur === null) return null;
  const { fiatRate, source, relative } = known;
  const allowed = relative.times(fiatRate);
  if (agree(fiatRateEur, fiatRate, allowed)) return null;
  const [says, expected] = figuresApart(fiatRateEur, fiatRate);
  return {
    field: 'fiat_rate_eur',
    ...figuresIn('rate', { actual: fiatRateEur, expected: fiatRate, allowed, currency: 'EUR' }),
    explanation: `The record gives ${says} EUR for one ${fiatCurrency}, but it was ${expected} EUR ${source}${shareApart(fiatRateEur, fiatRate)}.`,
  };
}

function fiatRateNear({ quote, reference, terms, executed }: RuleInput, state: RecordState) {
  const [rates, day] = [terms.common?.fiatRates, currencyDay(state)];
  const ofEstimates = executed === 'not executed yet' && day !== null ? surveyed(rates, estimatesOf(day)) : null;
  if (ofEstimates !== null)
    return { rate: ofEstimates, at: state.createdAt ?? 0, source: 'by the others of its day that were not executed' };
  const promise = promisingQuote(quote, state)?.quote;
  if (promise?.fiatRateEur?.isPositive)
    return { rate: promise.fiatRateEur, at: promise.capturedAt, source: `by quote ${promise.quoteId}` };
  const { asset, global } = reference;
  const listed = global?.currencyCode === state.fiatCurrency ? listedRateEur(asset) : null;
  if (asset !== null && listed !== null)
    return { rate: listed, at: asset.capturedAt, source: 'by the published prices' };
  const rate = surveyed(rates, day);
  if (rate !== null) return { rate, at: state.createdAt ?? 0, source: 'by the other records of its day' };
  const { assets: later } = reference.after ?? {};
  const since = later?.global?.currencyCode === state.fiatCurrency ? listedRateEur(later.asset) : null;
  return later === undefined || since === null
    ? null
    : { rate: since, at: later.capturedAt, source: 'by the prices published after it' };
}

function contradicts(state: RecordState, { inEur, relative, source }: RateInEur, rateEur: Decimal): RuleFinding | null {
  const allowed = relative.times(inEur.abs());
  if (agree(rateEur, inEur, allowed)) return null;
  const [says, comesTo] = figuresApart(rateEur, inEur);
  const by = source.startsWith('by ') ? ` ${source}` : '';
  return {
    field: 'exchange_rate_eur',
    ...figuresIn('rate', { actual: rateEur, expected: inEur, allowed, currency: 'EUR' }),
    explanation:
      `The record gives ${says} EUR per ${assetIdentifier(state.asset)}, but its rate in ${state.fiatCurrency} comes to ` +
      `${comesTo} EUR${by}${shareApart(rateEur, inEur)}.`,
  };
}

/** A fee that is not known makes a sale's price lower, and never higher. */
function strayAllowed({ rate, unknownFee }: RatePaid, { price, room }: ReferencePrice): Decimal {
  const allowed = room.times(price);
  return rate.lessThan(price) ? allowed.plus(unknownFee) : allowed;
}

function strays(state: RecordState, paid: RatePaid, reference: ReferencePrice): RuleFinding | null {
  const { price } = reference;
  const { rate, isStated } = paid;
  const allowed = strayAllowed(paid, reference);
  if (agree(rate, price, allowed)) return null;
  const isBetter = rate.lessThan(price) === (state.kind === 'purchase');
  const [actual, expected] = figuresApart(rate, price);
  const currency = state.fiatCurrency;
  const share = allowed.dividedBy(price, SHARE_PLACES);
  return {
    field: 'exchange_rate',
    ...figuresIn('rate', { actual: rate, expected: price, allowed, currency }),
    ...(reference.isOfItsHour === true && isBetter ? { severity: 'info' as const } : {}),
    explanation:
      `${isStated ? 'The rate is' : 'With its fee the payout comes to'} ${actual} ${currency} per ${assetIdentifier(state.asset)}; ` +
      `${showReference(reference)} had ${expected} ${currency}${shareApart(rate, price)}, ` +
      `and ${showPercent(share.times(Decimal.HUNDRED))} is allowed.`,
  };
}

const SHARE_PLACES = 6;

function shareApart(actual: Decimal, expected: Decimal): string {
  const share = showShare(actual.minus(expected), expected);
  return share === null ? '' : `: ${share} ${actual.lessThan(expected) ? 'lower' : 'higher'}`;
}

function working(state: RecordState, input: RuleInput, field: string): Workings | null {
  const unit = state.fiatCurrency;
  if (field === 'exchange_rate_eur') {
    const found = rateInEur(input, state);
    const actual = state.exchangeRateEur;
    if (found === null || actual === null || state.exchangeRate === null) return null;
    const { inEur: expected, fiatRate, source, relative } = found;
    const isByRate = source !== 'as it is in EUR';
    const before = [
      amount(`rate in ${unit}`, state.exchangeRate, unit),
      ...(source.startsWith('by ') ? [fact(`EUR for one ${unit}`, `${fiatRate} ${source}`)] : []),
      worked('which makes in EUR', isByRate ? `${state.exchangeRate} × ${fiatRate}` : source, expected, 'EUR'),
      amount('rate in EUR it states', actual, 'EUR'),
    ];
    return compared(before, { actual, expected, unit: 'EUR' }, relativeLine(relative, expected, 'EUR'));
  }
  if (field === 'fiat_rate_eur') {
    const [known, actual] = [fiatRateAround(input, state), state.fiatRateEur];
    if (known === null || actual === null) return null;
    const { fiatRate: expected, source, relative } = known;
    const before = [amount(`EUR for one ${unit} ${source}`, expected, 'EUR'), amount('it states', actual, 'EUR')];
    return compared(before, { actual, expected, unit: 'EUR' }, relativeLine(relative, expected, 'EUR'));
  }
  const paid = ratePaid(input, state);
  const price = paid === null ? null : referencePrice(input, state, paid);
  if (price === null || paid === null) return null;
  const before = [
    fact('reference', showReference(price)),
    amount('reference price', price.price, unit),
    amount(paid.isStated ? "record's rate" : 'payout with its fee, per token', paid.rate, unit),
  ];
  const sides = { actual: paid.rate, expected: price.price, unit };
  const { room } = price;
  if (paid.unknownFee.isZero || !paid.rate.lessThan(price.price))
    return compared(before, sides, relativeLine(room, price.price, unit));
  const allowed = strayAllowed(paid, price);
  const line = worked(
    'tolerance',
    `${room} × ${price.price} + ${paid.unknownFee} (the most that its fee can be)`,
    allowed,
    unit,
  );
  return compared(before, sides, { line, allowed });
}
