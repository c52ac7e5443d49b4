/** Amounts held against a quote that binds: the fiat value to its tolerance, the crypto amount to a billionth. */
import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { partsOfQuote, tokensOf } from '../domain/fee-parts.ts';
import type { FeeComparison } from '../domain/fees.ts';
import { type MatchedQuote, promisingQuote, type QuotedMethod } from '../domain/quote.ts';
import { AMOUNT_RULE } from '../domain/rule-codes.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { lossByCrypto, lossByFiat } from '../domain/stake.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { figuresIn, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart, moneyApart, showFigure, showQuote, showShareAfter } from './wording.ts';
import { amount, compared, relativeLine, toleranceLine, type Workings, worked } from './working.ts';

/** Of a price that is not exact, far more than money has. */
const PRICE_PLACES = 24;

/** The findings against a quote whose price is locked. */
export function lockedFindings(
  state: RecordState,
  matched: MatchedQuote,
  method: QuotedMethod,
  input: RuleInput,
): readonly (RuleFinding | null)[] {
  const fiat = fiatDiffers(state, matched, method, input);
  return [fiat, cryptoDiffers(state, matched, method, input.terms.tolerances.crypto.relative, fiat === null)];
}

/** The other total, or null where it is the quoted one. */
export function fiatDiffers(
  state: RecordState,
  matched: MatchedQuote,
  method: QuotedMethod,
  input: RuleInput,
): RuleFinding | null {
  const { fees, terms } = input;
  const { tolerances } = terms;
  if (state.fiatValue.equals(method.fiatValue)) return null;
  const currency = state.fiatCurrency;
  const allowed = allowance(fiatTolerance(tolerances, currency, AMOUNT_RULE), method.fiatValue);
  if (agree(state.fiatValue, method.fiatValue, allowed)) return null;
  const [actual, quoted, apartBy] = moneyApart(state.fiatValue, method.fiatValue, currency);
  const sides = figuresIn('money', { actual: state.fiatValue, expected: method.fiatValue, allowed, currency });
  const isShown = (shownOf(input, state)?.total ?? null) !== null;
  const pays = state.kind === 'purchase' ? 'The user pays' : 'The user receives';
  const paid = input.moved === 'no' ? 'The user was offered' : pays;
  return {
    field: 'fiat_value',
    ...sides,
    // Against a total that was shown, CHARGED_DIFFERS_FROM_SHOWN measures the loss.
    loss: isShown ? null : lossByFiat(state.kind, sides.difference).minus(feeGrowth(fees)),
    explanation:
      `${paid} ${actual}; ${showQuote(matched)} was for ${quoted}: ` +
      `${apartBy}${showShareAfter(sides.difference, method.fiatValue)}.`,
  };
}

/**
 * The fee grows with the amount, and by that growth the user loses nothing. A fee that is not as promised is a loss: of it only what
 * the quoted percentages come to at this amount is growth.
 */
function feeGrowth(fees: FeeComparison | null): Decimal {
  const { quoted = null, applied = null } = fees ?? {};
  if (quoted === null || applied === null) return Decimal.ZERO;
  return (applied.agrees ? applied.actual : applied.expected).minus(quoted.applied);
}

/** At the quote's own price of a token: the value that it promised, shared among the tokens that it promised. */
function lossAtQuote(
  { kind, fiatCurrency }: RecordState,
  method: QuotedMethod,
  matched: MatchedQuote,
  difference: Decimal,
): Decimal | null {
  const tokens = Decimal.of(method.cryptoUnits, matched.quote.asset.decimals);
  if (tokens.isZero) return null;
  const price = partsOfQuote(method, matched).cv.dividedBy(tokens, PRICE_PLACES);
  return lossByCrypto(kind, difference, price, fiatCurrency);
}

/**
 * In whole tokens, each side by its own decimals: those are part of the quote.
 * @param fiatAgrees within its tolerance, so that no finding reports its difference: then the crypto is held against what the fiat
 *   value buys by the quote, or 0.09 % more crypto for 0.09 % more money would be the Service's loss.
 */
export function cryptoDiffers(
  state: RecordState,
  matched: MatchedQuote,
  method: QuotedMethod,
  relative: Decimal,
  fiatAgrees: boolean,
): RuleFinding | null {
  const { decimals } = matched.quote.asset;
  if (state.cryptoUnits === method.cryptoUnits && state.asset.decimals === decimals) return null;
  const actual = tokensOf(state);
  const quoted = Decimal.of(method.cryptoUnits, decimals);
  const allowed = relative.times(quoted.abs());
  if (agree(actual, quoted, allowed)) return null;
  const asset = assetIdentifier(state.asset);
  const sides = figuresIn('crypto', { actual, expected: quoted, allowed, currency: asset });
  const bought =
    fiatAgrees && !method.fiatValue.isZero
      ? quoted.times(state.fiatValue).dividedBy(method.fiatValue, PRICE_PLACES)
      : quoted;
  const [actualText, quotedText] = figuresApart(actual, quoted);
  const change = `${showFigure(sides.difference.abs())} ${asset} ${sides.difference.isNegative ? 'less' : 'more'}`;
  return {
    field: 'crypto_amount',
    ...sides,
    loss: lossAtQuote(state, method, matched, actual.minus(bought)),
    explanation:
      `The ${state.kind} is for ${actualText} ${asset}; ${showQuote(matched)} had ${quotedText} ${asset}: ` +
      `${change}${showShareAfter(sides.difference, quoted)}.`,
  };
}

export function workOutLocked(state: RecordState, input: RuleInput, field: string): Workings | null {
  const matched = promisingQuote(input.quote, state);
  if (matched === null || matched.method === null) return null;
  const { method, quote } = matched;
  const { tolerances } = input.terms;
  if (field === 'fiat_value') {
    const unit = state.fiatCurrency;
    const [actual, expected] = [state.fiatValue, method.fiatValue];
    const before = [amount('quoted total', expected, unit), amount('actual total', actual, unit)];
    const tolerance = toleranceLine(fiatTolerance(tolerances, unit, AMOUNT_RULE), expected, unit);
    return compared(before, { actual, expected, unit }, tolerance);
  }
  const unit = assetIdentifier(state.asset);
  const [actual, expected] = [tokensOf(state), Decimal.of(method.cryptoUnits, quote.asset.decimals)];
  const before = [
    worked('quoted crypto', `${method.cryptoUnits} units ÷ 10^${quote.asset.decimals}`, expected, unit),
    worked('actual crypto', `${state.cryptoUnits} units ÷ 10^${state.asset.decimals}`, actual, unit),
  ];
  return compared(before, { actual, expected, unit }, relativeLine(tolerances.crypto.relative, expected, unit));
}
