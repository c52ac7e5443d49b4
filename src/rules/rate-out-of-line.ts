import { assetIdentifier, sameAsset } from '../domain/asset.ts';
import { Decimal, maxDecimal } from '../domain/decimal.ts';
import { executionOf } from '../domain/execution.ts';
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
    const inEur = rateInEur(state);
    const isEstimate = input.terms.binding.price === 'indicative' && executionOf(input) === 'not executed yet';
    const price = isEstimate ? null : referencePrice(input, state);
    const { exchangeRate, exchangeRateEur } = state;
    const { consistency } = input.terms.tolerances.rate;
    const comparesEur = inEur !== null && exchangeRateEur !== null;
    const comparesPrice = price !== null && exchangeRate !== null;
    if (!comparesEur && !comparesPrice) return 'not-applicable';
    const contradiction = comparesEur ? contradicts(state, inEur, exchangeRateEur, consistency) : null;
    const strayed = comparesPrice ? strays(state, exchangeRate, price, strayRoom(input, price)) : null;
    return contradiction === null && strayed === null
      ? NOTHING_FOUND
      : [contradiction, strayed].filter((finding) => finding !== null);
  },
  working,
};

/** The record's rate turned into EUR by its own fiat rate; in EUR itself the rate is that already. */
function rateInEur({ exchangeRate, fiatRateEur, fiatCurrency }: RecordState): Decimal | null {
  if (exchangeRate === null) return null;
  if (fiatRateEur !== null) return exchangeRate.times(fiatRateEur);
  return fiatCurrency === 'EUR' ? exchangeRate : null;
}

function contradicts(state: RecordState, inEur: Decimal, rateEur: Decimal, relative: Decimal): RuleFinding | null {
  const allowed = relative.times(inEur.abs());
  if (agree(rateEur, inEur, allowed)) return null;
  const [says, comesTo] = figuresApart(rateEur, inEur);
  return {
    field: 'exchange_rate_eur',
    ...apart(rateEur, inEur),
    unit: 'rate',
    currency: 'EUR',
    tolerance: allowed,
    explanation:
      `The record gives ${says} EUR per ${assetIdentifier(state.asset)}, but its rate in ${state.fiatCurrency} comes to ` +
      `${comesTo} EUR${shareApart(rateEur, inEur)}.`,
  };
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
  const quoted = quote?.assetTerms?.price;
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

function strays(state: RecordState, rate: Decimal, reference: ReferencePrice, relative: Decimal): RuleFinding | null {
  const { price } = reference;
  const allowed = relative.times(price);
  if (agree(rate, price, allowed)) return null;
  const [actual, expected] = figuresApart(rate, price);
  const currency = state.fiatCurrency;
  return {
    field: 'exchange_rate',
    ...apart(rate, price),
    unit: 'rate',
    currency,
    tolerance: allowed,
    explanation:
      `The rate is ${actual} ${currency} per ${assetIdentifier(state.asset)}; ${reference.source} ` +
      `(${showInstant(reference.capturedAt)}) had ${expected} ${currency}${shareApart(rate, price)}, ` +
      `and ${showPercent(relative.times(Decimal.HUNDRED))} is allowed.`,
  };
}

function shareApart(actual: Decimal, expected: Decimal): string {
  const share = showShare(actual.minus(expected), expected);
  return share === null ? '' : `: ${share} ${actual.lessThan(expected) ? 'lower' : 'higher'}`;
}

function working(input: RuleInput, field: string): Workings | null {
  const state = verifiedState(input);
  if (state === null || state.exchangeRate === null) return null;
  const { consistency } = input.terms.tolerances.rate;
  const unit = state.fiatCurrency;
  if (field === 'exchange_rate_eur') {
    const expected = rateInEur(state);
    const actual = state.exchangeRateEur;
    if (expected === null || actual === null) return null;
    const working = state.fiatRateEur === null ? 'as it is in EUR' : `${state.exchangeRate} × ${state.fiatRateEur}`;
    const before = [
      amount(`rate in ${unit}`, state.exchangeRate, unit),
      worked('which makes in EUR', working, expected, 'EUR'),
      amount('rate in EUR it states', actual, 'EUR'),
    ];
    return compared(before, { actual, expected, unit: 'EUR' }, relativeLine(consistency, expected, 'EUR'));
  }
  const price = referencePrice(input, state);
  if (price === null) return null;
  const before = [
    fact('reference', `${price.source}, ${showInstant(price.capturedAt)}`),
    amount('reference price', price.price, unit),
    amount("record's rate", state.exchangeRate, unit),
  ];
  const sides = { actual: state.exchangeRate, expected: price.price, unit };
  return compared(before, sides, relativeLine(strayRoom(input, price), price.price, unit));
}
