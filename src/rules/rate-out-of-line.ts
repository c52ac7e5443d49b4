import { assetIdentifier, sameAsset } from '../domain/asset.ts';
import { Decimal, maxDecimal } from '../domain/decimal.ts';
import { executionOf } from '../domain/execution.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { promisingQuote } from '../domain/quote.ts';
import { type Instant, showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree } from '../domain/tolerance.ts';
import { apart, NOTHING_FOUND, RIGHTED, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import { figuresApart, showPercent, showShare } from './wording.ts';
import { amount, compared, fact, relativeLine, type Workings, worked } from './working.ts';

/** A price older than this says nothing about a record's rate. */
const PRICE_STAYS_FRESH = 24 * 3_600_000;

/** Two questions: do the record's own rates agree with each other, and is its rate near the price of the day? */
export const rateOutOfLine: Rule = {
  code: 'RATE_OUT_OF_LINE',
  severity: 'medium',
  title: 'The exchange rates contradict each other, or the rate strays from the reference price',
  why: 'A wrong rate moves money without showing in any fee: the user gets less crypto, or less for it, than the market gives.',
  action: 'Compare with a market price of that hour; claim the difference where the rate was wrong.',
  settledBy: RIGHTED,
  example: 'The record gives 66798.7 EUR per BTC_BTC, but its rate in EUR comes to 58085.8 EUR: 15.0 % higher.',
  note: 'A wrong rate costs more than any fee and shows in none.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    const eur = rateInEur(input, state);
    const isEstimate = input.terms.binding.price === 'indicative' && executionOf(input) === 'not executed yet';
    const price = isEstimate ? null : referencePrice(input, state);
    const rate = price === null ? null : ratePaid(input, state);
    const { exchangeRateEur } = state;
    const comparesEur = eur !== null && exchangeRateEur !== null;
    const comparesPrice = price !== null && rate !== null;
    if (!comparesEur && !comparesPrice) return 'not-applicable';
    const contradiction = comparesEur ? contradicts(state, eur, exchangeRateEur) : null;
    const strayed = comparesPrice ? strays(state, rate, price, strayRoom(input, price)) : null;
    return contradiction === null && strayed === null
      ? NOTHING_FOUND
      : [contradiction, strayed].filter((finding) => finding !== null);
  },
  working,
};

/** What the record's rate comes to in EUR, and how far the stated one may be off; relative. */
interface RateInEur {
  inEur: Decimal;
  /** EUR for one unit of the record's currency. */
  fiatRate: Decimal;
  source: string;
  relative: Decimal;
}

/** A rate of two currencies moves by less in a day; with the root of the time. */
const FIAT_MOVES_A_DAY = Decimal.of(4n, 2);
const RATE_PLACES = 18;

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
  if (fiatCurrency === 'EUR') {
    return { inEur: exchangeRate, fiatRate: Decimal.ONE, source: 'as it is in EUR', relative: consistency };
  }
  const found = fiatRateNear(input, state);
  if (found === null) return null;
  const { rate, at, source } = found;
  const relative = maxDecimal(consistency, FIAT_MOVES_A_DAY.times(rootOfDays(input, at)));
  return { inEur: exchangeRate.times(rate), fiatRate: rate, source, relative };
}

function fiatRateNear({ quote, reference }: RuleInput, state: RecordState) {
  const promise = promisingQuote(quote, state)?.quote;
  if (promise?.fiatRateEur?.greaterThan(Decimal.ZERO)) {
    return { rate: promise.fiatRateEur, at: promise.capturedAt, source: `by quote ${promise.quoteId}` };
  }
  const { asset, global } = reference;
  const { price = null, priceEur = null } = asset ?? {};
  if (asset === null || global?.currencyCode !== state.fiatCurrency || price === null || priceEur === null) return null;
  if (price.isZero || priceEur.isZero) return null;
  return { rate: priceEur.dividedBy(price, RATE_PLACES), at: asset.capturedAt, source: 'by the published prices' };
}

/** Of the days between a figure and the end of the execution; at least one. */
function rootOfDays(input: RuleInput, at: Instant): Decimal {
  const executed = executionOf(input);
  const to = typeof executed === 'string' ? (verifiedState(input)?.createdAt ?? at) : executed.to;
  return Decimal.parse(Math.sqrt(Math.max(1, Math.abs(to - at) / DAY)).toFixed(4));
}

function contradicts(state: RecordState, { inEur, relative, source }: RateInEur, rateEur: Decimal): RuleFinding | null {
  const allowed = relative.times(inEur.abs());
  if (agree(rateEur, inEur, allowed)) return null;
  const [says, comesTo] = figuresApart(rateEur, inEur);
  const by = source.startsWith('by ') ? ` ${source}` : '';
  return {
    field: 'exchange_rate_eur',
    ...apart(rateEur, inEur),
    unit: 'rate',
    currency: 'EUR',
    tolerance: allowed,
    explanation:
      `The record gives ${says} EUR per ${assetIdentifier(state.asset)}, but its rate in ${state.fiatCurrency} comes to ` +
      `${comesTo} EUR${by}${shareApart(rateEur, inEur)}.`,
  };
}

/** The price that a record was made at, and by how much it may be lower because a fee in it is not known; per token. */
interface RatePaid {
  rate: Decimal;
  isStated: boolean;
  unknownFee: Decimal;
}

/** Sales cost at most so much of their value, and at least so much in EUR (field facts, ceilings). */
const SALE_FEE = Decimal.of(5n, 2);
const SALE_FEE_EUR = Decimal.of(3n, 0);

/** As stated; of a sale without a rate, what is paid out with the fee that it or its quote has. */
function ratePaid({ quote, reference }: RuleInput, state: RecordState): RatePaid | null {
  const { exchangeRate, kind, fiatValue, fiatCurrency } = state;
  if (exchangeRate !== null) return { rate: exchangeRate, isStated: true, unknownFee: Decimal.ZERO };
  const tokens = tokensOf(state);
  if (kind === 'purchase' || !tokens.greaterThan(Decimal.ZERO)) return null;
  const fee = state.appliedFee ?? promisingQuote(quote, state)?.method?.appliedFee ?? null;
  const rate = fiatValue.plus(fee ?? Decimal.ZERO).dividedBy(tokens, RATE_PLACES);
  if (fee !== null) return { rate, isStated: false, unknownFee: Decimal.ZERO };
  const { price = null, priceEur = null } = reference.asset ?? {};
  const isEur = fiatCurrency === 'EUR';
  if (!isEur && (price === null || priceEur === null || priceEur.isZero)) return null;
  const perEur = isEur || price === null || priceEur === null ? Decimal.ONE : price.dividedBy(priceEur, RATE_PLACES);
  const worth = (price ?? rate).times(tokens);
  const most = worth.times(SALE_FEE).plus(SALE_FEE_EUR.times(perEur));
  return { rate, isStated: false, unknownFee: most.dividedBy(tokens, RATE_PLACES) };
}

interface ReferencePrice {
  price: Decimal;
  capturedAt: Instant;
  source: string;
}

/** The price that came with the user's quote, else the published one; null where neither is from the day before or later. */
function referencePrice(input: RuleInput, state: RecordState): ReferencePrice | null {
  const { createdAt } = state;
  if (createdAt === null) return null;
  const usable = (price: Decimal | null | undefined, capturedAt: Instant): price is Decimal =>
    price?.greaterThan(Decimal.ZERO) === true && createdAt - capturedAt <= PRICE_STAYS_FRESH;
  const quote = promisingQuote(input.quote, state)?.quote;
  const quoted = quotedPrice(input, state) ?? quote?.assetTerms?.price;
  if (quote !== undefined && usable(quoted, quote.capturedAt)) {
    return { price: quoted, capturedAt: quote.capturedAt, source: `quote ${quote.quoteId}` };
  }
  const { asset, global } = input.reference;
  if (asset === null || !sameAsset(asset, state.asset)) return null;
  // One response has one currency, and only its global part names it.
  if (global !== null && global.currencyCode !== state.fiatCurrency) return null;
  if (!usable(asset.price, asset.capturedAt)) return null;
  return { price: asset.price, capturedAt: asset.capturedAt, source: 'the published prices' };
}

/** Of a sale that states no rate: what its quote was to pay out, with its fee, for a token. */
function quotedPrice({ quote }: RuleInput, state: RecordState): Decimal | null {
  const promise = promisingQuote(quote, state);
  if (promise?.method == null || state.kind === 'purchase' || state.exchangeRate !== null) return null;
  const { fiatValue, appliedFee, cryptoUnits } = promise.method;
  const tokens = Decimal.of(cryptoUnits, promise.quote.asset.decimals);
  return tokens.isZero ? null : fiatValue.plus(appliedFee).dividedBy(tokens, RATE_PLACES);
}

/** In a day, as a share of the price: four standard deviations of a coin that moves by 60 % a year. */
const MOVES_A_DAY = Decimal.parse('0.125');
const DAY = 24 * 3_600_000;

/** A floating price may have moved since the reference, by more than the tolerance where days lie between: with the root of the time. */
function strayRoom(input: RuleInput, { capturedAt }: ReferencePrice): Decimal {
  const { tolerances, binding } = input.terms;
  const { reference } = tolerances.rate;
  const executed = executionOf(input);
  if (binding.price === 'locked' || typeof executed === 'string') return reference;
  const days = Math.max(0, executed.to - capturedAt) / DAY;
  return maxDecimal(reference, MOVES_A_DAY.times(Decimal.parse(Math.sqrt(days).toFixed(4))));
}

/** A fee that is not known makes a sale's price lower, and never higher. */
function strayAllowed({ rate, unknownFee }: RatePaid, { price }: ReferencePrice, relative: Decimal): Decimal {
  const room = relative.times(price);
  return rate.lessThan(price) ? room.plus(unknownFee) : room;
}

function strays(state: RecordState, paid: RatePaid, reference: ReferencePrice, relative: Decimal): RuleFinding | null {
  const { price } = reference;
  const { rate, isStated } = paid;
  const allowed = strayAllowed(paid, reference, relative);
  if (agree(rate, price, allowed)) return null;
  const [actual, expected] = figuresApart(rate, price);
  const currency = state.fiatCurrency;
  const share = allowed.dividedBy(price, SHARE_PLACES);
  return {
    field: 'exchange_rate',
    ...apart(rate, price),
    unit: 'rate',
    currency,
    tolerance: allowed,
    explanation:
      `${isStated ? 'The rate is' : 'With its fee the payout comes to'} ${actual} ${currency} per ${assetIdentifier(state.asset)}; ${reference.source} ` +
      `(${showInstant(reference.capturedAt)}) had ${expected} ${currency}${shareApart(rate, price)}, ` +
      `and ${showPercent(share.times(Decimal.HUNDRED))} is allowed.`,
  };
}

const SHARE_PLACES = 6;

function shareApart(actual: Decimal, expected: Decimal): string {
  const share = showShare(actual.minus(expected), expected);
  return share === null ? '' : `: ${share} ${actual.lessThan(expected) ? 'lower' : 'higher'}`;
}

function working(input: RuleInput, field: string): Workings | null {
  const state = verifiedState(input);
  if (state === null) return null;
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
  const price = referencePrice(input, state);
  const paid = price === null ? null : ratePaid(input, state);
  if (price === null || paid === null) return null;
  const before = [
    fact('reference', `${price.source}, ${showInstant(price.capturedAt)}`),
    amount('reference price', price.price, unit),
    amount(paid.isStated ? "record's rate" : 'payout with its fee, per token', paid.rate, unit),
  ];
  const sides = { actual: paid.rate, expected: price.price, unit };
  const room = strayRoom(input, price);
  if (paid.unknownFee.isZero || !paid.rate.lessThan(price.price)) {
    return compared(before, sides, relativeLine(room, price.price, unit));
  }
  const allowed = strayAllowed(paid, price, room);
  const line = worked(
    'tolerance',
    `${room} × ${price.price} + ${paid.unknownFee} (the most that its fee can be)`,
    allowed,
    unit,
  );
  return compared(before, sides, { line, allowed });
}
