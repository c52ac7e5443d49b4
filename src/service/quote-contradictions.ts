/**
 * Quotes that contradict their request or themselves. They are refused on arrival: a record is compared only with what a
 * user was promised.
 */
import { assetIdentity, contractOf, type RenamedAsset, symbolsOf, withOtherNames } from '../domain/asset.ts';
import { minorUnit } from '../domain/currency.ts';
import { Decimal, maxDecimal } from '../domain/decimal.ts';
import { PAYMENT_METHOD_NAMES, PAYOUT_METHOD_NAMES } from '../domain/method-names.ts';
import type { Quote, QuotedMethod } from '../domain/quote.ts';
import type { Direction } from '../domain/record.ts';
import type { Drift } from '../domain/snapshot.ts';

/** What both versions of requests have, as the wire has it; null where absent. */
export interface AskedFor {
  cryptoAssetSymbol: string;
  /** In major units; the request names this or the tokens. */
  fiatValue: Decimal | null;
  cryptoUnits: bigint | null;
  /** v1 alone. */
  method: string | null;
  country: string | null;
}

/** A promise as it was answered: `path` names its figures (`response.CARD_PAYMENT`), and `name` its method on the wire. */
export interface Answered {
  path: string;
  name: string;
  method: QuotedMethod;
}

/** Every contradiction, with both values; paths begin with `request` or `response`. */
export function contradictionsIn(
  quote: Quote,
  asked: AskedFor,
  answers: readonly Answered[],
  answeredFor: string | null,
  renamed?: readonly RenamedAsset[],
): readonly Drift[] {
  const found: Drift[] = [];
  const say = (field: string, is: string, expected: string) =>
    found.push({ field, problem: 'value', found: is, expected, hint: null });
  if (!isAsked(asked.cryptoAssetSymbol, quote, answeredFor, renamed)) {
    // The asset itself may contradict a name that repeats the request's.
    const named = answeredFor === null || answeredFor === asked.cryptoAssetSymbol ? identifierOf(quote) : answeredFor;
    say('response.asset', named, `${asked.cryptoAssetSymbol}, as the request asked`);
  }
  if (asked.country !== null && !/^[A-Za-z]{2}$/.test(asked.country))
    say('request.userCountryCode', asked.country.slice(0, 20), 'a country code of two letters');
  termsOf(quote, say);
  if (answers.length === 0) say('response', 'no method', 'at least one payment method');
  for (const { path, name, method } of answers) {
    if (isOfOtherSide(name, quote.direction))
      say(path, name, `a method of the ${quote.direction === 'onramp' ? 'on-ramp' : 'off-ramp'}`);
    if (asked.method !== null && asked.method !== method.method)
      say(`${path}.paymentMethodType`, method.method, `${asked.method}, as the request asked`);
    amountsOf(quote, asked, path, method, say);
    feesOf(quote, path, method, say);
    if (quote.api === 'v1') ratesOf(quote, path, method, say);
  }
  return found;
}

type Say = (field: string, is: string, expected: string) => void;

/** A token without a contract is no contradiction: the specification shows null there. */
function termsOf({ asset, assetTerms }: Quote, say: Say): void {
  const contract = asset.type === 'NATIVE' ? contractOf(asset) : null;
  if (contract !== null)
    say('response.asset.address', contract, 'none, as the coin of its chain (NATIVE) has no contract');
  const { minPurchaseAmount: least = null, maxPurchaseAmount: most = null } = assetTerms ?? {};
  if (least === null || most === null || !least.greaterThan(most)) return;
  say('response.asset.minPurchaseAmount', `${least}`, `at most the maximum of ${most}`);
}

/** Amounts are echoed; a promise may hold the one and round the other. Tokens that cannot be split leave up to the price of one unpaid. */
function amountsOf({ fiatCurrency }: Quote, asked: AskedFor, path: string, method: QuotedMethod, say: Say): void {
  const room = minorUnit(fiatCurrency) ?? Decimal.ZERO;
  const units = asked.cryptoUnits === null ? null : Decimal.of(asked.cryptoUnits);
  const given = Decimal.of(method.cryptoUnits);
  const isFiat =
    asked.fiatValue !== null &&
    (!method.fiatValue.minus(asked.fiatValue).abs().greaterThan(room) ||
      (given.isPositive &&
        method.fiatValue.lessThan(asked.fiatValue) &&
        asked.fiatValue.times(given).lessThan(method.fiatValue.times(given.plus(Decimal.ONE)))));
  const isCrypto = units !== null && !given.minus(units).abs().greaterThan(units.times(ECHO));
  if (isFiat || isCrypto) return;
  if (asked.fiatValue !== null) {
    say(`${path}.fiatValue`, method.fiatValue.toString(), `${asked.fiatValue}, as the request asked`);
  } else if (units !== null) say(`${path}.cryptoAmount`, given.toString(), `${units}, as the request asked`);
}

/** Crypto amounts come from floating point: far less than anybody can lose. */
const ECHO = Decimal.of(1n, 6);

/** Figures of 17 digits come from floating point: equal ones may differ in the last. */
const NOISE = Decimal.of(1n, 9);

function feesOf({ api }: Quote, path: string, method: QuotedMethod, say: Say): void {
  const { appliedFee, baseFee, hostFeeCut, fiatValue, networkFee, cryptoUnits } = method;
  if (cryptoUnits <= 0n) say(`${path}.cryptoAmount`, `${cryptoUnits}`, 'more than 0');
  const isMore = (a: Decimal | null, b: Decimal) => a?.minus(b).greaterThan(NOISE) === true;
  const atMost = (field: string, fee: Decimal | null, most: Decimal, what: string) => {
    if (isMore(fee, most)) say(`${path}.${field}`, `${fee}`, `at most the ${what} of ${most}`);
  };
  atMost('appliedFee', appliedFee, fiatValue, 'value');
  atMost('baseServiceFee', baseFee, fiatValue, 'value');
  if (isMore(networkFee, appliedFee)) atMost('networkFee', networkFee, fiatValue, 'value');
  atMost('hostFeeCut', hostFeeCut, appliedFee, 'fee');
  // A v3 quote has the asset's network fee, which is no part of each method's.
  if (api === 'v1' && isMore(networkFee, appliedFee))
    say(`${path}.appliedFee`, `${appliedFee}`, `at least the network fee of ${networkFee}`);
}

/** Rates of a quote may be rounded; what is further off than this is another rate. */
const ROUNDED = Decimal.HUNDREDTH;

/** A quote of v1 names its rates: they must come to its total. */
function ratesOf(quote: Quote, path: string, method: QuotedMethod, say: Say): void {
  const { exchangeRate: rate, appliedFee, fiatValue, cryptoUnits } = method;
  const { exchangeRateEur, fiatRateEur } = quote;
  if (rate === null || cryptoUnits <= 0n) return;
  if (!rate.isPositive) {
    say(`${path}.assetExchangeRate`, rate.toString(), 'more than 0');
    return;
  }
  const isApart = (is: Decimal, expected: Decimal, least: Decimal) =>
    is
      .minus(expected)
      .abs()
      .greaterThan(maxDecimal(expected.abs().times(ROUNDED), least));
  const total = Decimal.of(cryptoUnits, quote.asset.decimals).times(rate).plus(appliedFee);
  // One unit of the asset may be worth more than a hundredth of a small total.
  const unitWorth = rate.times(Decimal.of(1n, quote.asset.decimals));
  if (isApart(fiatValue, total, maxDecimal(unitWorth, minorUnit(quote.fiatCurrency) ?? Decimal.ZERO)))
    say(`${path}.fiatValue`, fiatValue.toString(), `${total}, its tokens at its rate with its fee`);
  if (fiatRateEur !== undefined && quote.fiatCurrency === 'EUR' && isApart(fiatRateEur, Decimal.ONE, Decimal.ZERO))
    say(`${path}.fiatExchangeRateEur`, fiatRateEur.toString(), '1, the price of one EUR in EUR');
  if (exchangeRateEur === undefined || fiatRateEur === undefined) return;
  const inEur = rate.times(fiatRateEur);
  if (isApart(exchangeRateEur, inEur, Decimal.ZERO))
    say(`${path}.assetExchangeRateEur`, exchangeRateEur.toString(), `${inEur}, its rate in EUR`);
}

/** A request for `ETH_USDC` is answered with that asset, in whichever form; one for a bare symbol with any chain's. */
function isAsked(
  wanted: string,
  { asset, capturedAt }: Quote,
  answeredFor: string | null,
  renamed?: readonly RenamedAsset[],
): boolean {
  const of = (symbol: string) =>
    assetIdentity({ symbol, chain: null, apiV3Symbol: null, type: null, address: null, joined: [] });
  const a = withOtherNames({ ...of(wanted), decimals: asset.decimals }, renamed, capturedAt);
  const b = answeredFor === null ? asset : of(answeredFor);
  const agree = (one: typeof a, other: { chain: string; symbol: string }) =>
    symbolsOf(one).includes(other.symbol) && (one.chain === '' || other.chain === '' || one.chain === other.chain);
  return agree(a, b) && agree(a, asset);
}

function identifierOf({ asset: { chain, symbol } }: Quote): string {
  return chain === '' ? symbol : `${chain}_${symbol}`;
}

/** `PIX` is a method of both, and `CARD` an old name of the on-ramp's. */
function isOfOtherSide(name: string, direction: Direction): boolean {
  const own: readonly string[] = direction === 'onramp' ? PAYMENT_METHOD_NAMES : PAYOUT_METHOD_NAMES;
  const other: readonly string[] = direction === 'onramp' ? PAYOUT_METHOD_NAMES : PAYMENT_METHOD_NAMES;
  return other.includes(name) && !own.includes(name) && !(direction === 'onramp' && name === 'CARD');
}
