import { assetIdentifier } from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { type Decomposition, effectsOf } from '../domain/decompose.ts';
import { isExecuted } from '../domain/execution.ts';
import { leastTokens, tokensOf } from '../domain/fee-parts.ts';
import { within } from '../domain/market.ts';
import { type MatchedQuote, promisingQuote } from '../domain/quote.ts';
import { isAskedByTokens } from '../domain/quoted-amount.ts';
import { AMOUNT_RULE } from '../domain/rule-codes.ts';
import { lossAtMarket } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { inPlacesOf } from '../domain/stake.ts';
import { BODY_NOISE, fiatTolerance } from '../domain/tolerance.ts';
import { cryptoDiffers, fiatDiffers, lockedFindings, workOutLocked } from './locked-amount.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart, moneyApart, showFigure, showQuote, showShareAfter } from './wording.ts';
import { compared, figure, type Workings, worked } from './working.ts';

/**
 * Where the price is indicative, other tokens or another payout than quoted are judged by what fees and price do not explain of them
 * (SLIPPAGE and the rules on fees judge those). A total of another size is the user's choice, unless it is nearly the quoted one.
 */
export const amountDiffers = bodyRule({
  code: AMOUNT_RULE,
  severity: 'medium',
  proof: 'quote',
  title: 'Fiat value or crypto amount differs from the quote beyond what fees and price explain',
  why: 'The user pays more, or gets less, than the price that was shown.',
  action: 'Ask whether the user changed the amount after the quote; if not, claim the difference from the Service.',
  settledBy: RIGHTED,
  example:
    'The purchase is for 0.036 ETH_ETH; its 100.00 EUR after fees buy 0.04 ETH_ETH at its own rate of 2500 EUR: 0.004 ETH_ETH less (10.0 %), worth 10.00 EUR at the price of quote q-59 (card, 3 min before).',
  check(state, input) {
    const matched = promisingQuote(input.quote, state);
    if (matched === null || matched.method === null) return 'not-applicable';
    if (input.terms.binding.price === 'locked') return lockedFindings(state, matched, matched.method, input);
    return [otherTotal(state, matched, input), unexplained(state, matched, input)];
  },
  working(state, input, field) {
    const isTotal = field === (state.kind === 'purchase' ? 'fiat_value' : 'crypto_amount');
    const isLocked = input.terms.binding.price === 'locked';
    return isLocked || isTotal ? workOutLocked(state, input, field) : workOutRest(state, input);
  },
});

/**
 * A purchase's total was asked for, and so was quoted to the minor unit. Of a sale it is the payout, which floats with the price: there the
 * tokens are the user's choice.
 */
function otherTotal(state: RecordState, matched: MatchedQuote, input: RuleInput): RuleFinding | null {
  const { method } = matched;
  if (method === null) return null;
  if (state.kind === 'sale') {
    const tokens = cryptoDiffers(state, matched, method, input.terms.tolerances.crypto.relative, false);
    return tokens === null ? null : { ...tokens, loss: null, severity: 'info' };
  }
  const found = fiatDiffers(state, matched, method, input);
  if (found === null) return null;
  const isByTokens = tokensOf(state).equals(Decimal.of(method.cryptoUnits, matched.quote.asset.decimals));
  const apart = state.fiatValue.minus(method.fiatValue);
  const isByFiat = matched.isByTokens !== true && !isAskedByTokens(method, state.fiatCurrency);
  const isNear = !apart.greaterThan(method.fiatValue.times(THOUSANDTH));
  const rest = restOf(input);
  const isPartBroken = input.fees?.applied?.agrees === false || (rest !== null && isLeft(rest));
  const isBroken = isByTokens ? isByFiat || isPartBroken : isByFiat && isNear;
  // The parts of the difference are measured by the rules about them.
  return { ...found, loss: null, ...(isBroken && !apart.isNegative ? {} : { severity: 'info' }) };
}

/** What a record's own fee and rate do not explain of its tokens (a purchase) or of its payout (a sale). */
interface Rest {
  state: RecordState;
  decomposed: Decomposition;
  /** A₁, in the currency of the record. */
  fee: Decimal;
  /** The stated one, fiat for one whole token. */
  rate: Decimal;
  /** So much may be left, in the record's currency: a fee that is not stated is rounded once more. */
  money: Decimal;
}

/** No user changes an amount by less than this. */
const THOUSANDTH = Decimal.of(1n, 3);

const TOKEN_PLACES = 24;

/** Null where nothing can be left over: before the execution, or without a rate that the body states. */
function restOf(input: RuleInput): Rest | null {
  const { observation, decomposed } = input;
  if (observation.outcome !== 'verified' || decomposed === null || typeof decomposed === 'string') return null;
  const { state } = observation.snapshot;
  const { exchangeRate: rate } = state;
  if (rate === null || !isExecuted(observation.snapshot)) return null;
  const fee = state.appliedFee ?? (state.kind === 'sale' ? unstatedFee(state.fiatValue, decomposed, rate) : null);
  if (fee === null) return null;
  const { absolute } = fiatTolerance(input.terms.tolerances, state.fiatCurrency, AMOUNT_RULE);
  const unitWorth = rate.times(leastTokens(state));
  const rounded = state.appliedFee === null ? absolute.plus(absolute) : absolute;
  const money = maxDecimal(maxDecimal(rounded, unitWorth), BODY_NOISE.times(state.fiatValue.abs()));
  return { state, decomposed, fee, rate, money };
}

/**
 * Of a sale whose body names no fee in its currency the quote's stands for it, where the quote is for its amount: the quoted fee, or that share of
 * what its tokens are worth at its own rate, whichever leaves less.
 */
function unstatedFee(payout: Decimal, decomposed: Decomposition, rate: Decimal): Decimal | null {
  const { quotedFee, quotedValue, tokens, feesAtAmount } = decomposed;
  if (feesAtAmount === null) return null;
  const worth = tokens.times(rate);
  const fees = [quotedFee, feesAtAmount, quotedFee.times(worth).dividedBy(quotedValue, TOKEN_PLACES)];
  return within({ low: fees.reduce(minDecimal), high: fees.reduce(maxDecimal) }, worth.minus(payout));
}

/** In the record's currency, so that nothing is divided. */
function isLeft({ state, decomposed, fee, rate, money }: Rest): boolean {
  const worth = tokensOf(state).times(rate);
  const apart = state.kind === 'sale' ? state.fiatValue.minus(worth).plus(fee) : worth.minus(decomposed.converted);
  return apart.abs().greaterThan(money);
}

/** In tokens for a purchase. */
function sidesOf({ state, decomposed, fee, rate, money }: Rest) {
  const tokens = tokensOf(state);
  if (state.kind === 'sale') {
    const expected = tokens.times(rate).minus(fee);
    return { actual: state.fiatValue, expected, allowed: money, unit: state.fiatCurrency };
  }
  return {
    actual: tokens,
    expected: decomposed.converted.dividedBy(rate, TOKEN_PLACES),
    allowed: money.dividedBy(rate, TOKEN_PLACES),
    unit: assetIdentifier(state.asset),
  };
}

function unexplained(state: RecordState, matched: MatchedQuote, input: RuleInput): RuleFinding | null {
  const rest = restOf(input);
  if (rest === null || !isLeft(rest)) return null;
  const { actual, expected, allowed, unit } = sidesOf(rest);
  const { decomposed } = rest;
  const difference = actual.minus(expected);
  const { fiatCurrency: currency } = state;
  const isPurchase = state.kind === 'purchase';
  const residual = isPurchase ? effectsOf(decomposed).residual : expected.minus(actual);
  const worth = showMoney(residual.abs(), currency);
  const lost = lossAtMarket(input, residual);
  const [is, should] = isPurchase ? figuresApart(actual, expected) : moneyApart(actual, expected, currency);
  const size = isPurchase ? `${showFigure(difference.abs())} ${unit}` : worth;
  const change = `${size} ${difference.isNegative ? 'less' : 'more'}${showShareAfter(difference, expected)}`;
  return {
    field: isPurchase ? 'crypto_amount' : 'fiat_value',
    ...figuresIn(isPurchase ? 'crypto' : 'money', { actual, expected, allowed, currency: unit }),
    loss: lost === null ? null : inPlacesOf(lost, currency),
    // More than its own figures explain is the user's luck.
    ...(residual.isNegative ? { severity: 'info' as const } : {}),
    explanation: isPurchase
      ? `The purchase is for ${is} ${unit}; its ${showMoney(decomposed.converted, currency)} after fees buy ${should} ${unit} ` +
        `at its own rate of ${showFigure(rest.rate)} ${currency}: ${change}, worth ${worth} at the price of ${showQuote(matched)}.`
      : `The user receives ${is}; ${showFigure(tokensOf(state))} ${assetIdentifier(state.asset)} at the sale's own rate of ` +
        `${showFigure(rest.rate)} ${currency} less ${state.appliedFee === null ? 'the quoted' : 'its'} fee of ${showMoney(rest.fee, currency)} come to ${should}: ${change}.`,
  };
}

function workOutRest(state: RecordState, input: RuleInput): Workings | null {
  const rest = restOf(input);
  if (rest === null) return null;
  const { fee, rate, decomposed } = rest;
  const { actual, expected, allowed, unit } = sidesOf(rest);
  const { fiatCurrency: currency, fiatValue } = state;
  const before =
    state.kind === 'purchase'
      ? [
          worked(
            'value after fees',
            `${figure(fiatValue, currency)} − ${figure(fee, currency)}`,
            decomposed.converted,
            currency,
          ),
          worked('crypto it buys', `${figure(decomposed.converted, currency)} ÷ ${rate}`, expected, unit),
          worked('actual crypto', `${state.cryptoUnits} units ÷ 10^${state.asset.decimals}`, actual, unit),
        ]
      : [
          worked('expected payout', `${tokensOf(state)} × ${rate} − ${figure(fee, currency)}`, expected, unit),
          worked('actual payout', 'as stated', actual, unit),
        ];
  const units = state.appliedFee === null ? 'two minor units, as its fee is not stated' : 'one minor unit';
  const line = worked('tolerance', `${units}, or one unit of the asset where that is worth more`, allowed, unit);
  return compared(before, { actual, expected, unit }, { line, allowed });
}
