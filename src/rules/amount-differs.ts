import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import type { MatchedQuote, QuotedMethod } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import { promisingQuote } from './promising-quote.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { figuresApart, moneyApart, showFigure, showMoreOrLess, showShare } from './wording/money.ts';
import { showQuote } from './wording/quote.ts';

const CODE = 'AMOUNT_DIFFERS';

export const amountDiffers: Rule = {
  code: CODE,
  severity: 'medium',
  title: 'Fiat value or crypto amount differs from the quote beyond tolerance',
  why: 'The user pays more, or gets less, than the price that was shown.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    const matched = promisingQuote(input.quote, state);
    if (matched === null || matched.method === null) return 'not-applicable';
    const fiat = fiatDiffers(state, matched, matched.method, input.terms.tolerances);
    const crypto = cryptoDiffers(state, matched, matched.method, input.terms.tolerances.crypto.relative);
    return fiat === null && crypto === null ? NOTHING_FOUND : [fiat, crypto].filter((finding) => finding !== null);
  },
};

function fiatDiffers(
  state: RecordState,
  matched: MatchedQuote,
  method: QuotedMethod,
  tolerances: Tolerances,
): RuleFinding | null {
  if (state.fiatValue.equals(method.fiatValue)) return null;
  const currency = state.fiatCurrency;
  const allowed = allowance(fiatTolerance(tolerances, currency, CODE), method.fiatValue);
  if (agree(state.fiatValue, method.fiatValue, allowed)) return null;
  const [actual, quoted] = moneyApart(state.fiatValue, method.fiatValue, currency);
  const difference = state.fiatValue.minus(method.fiatValue);
  const paid = state.kind === 'purchase' ? 'The user pays' : 'The user receives';
  return {
    field: 'fiat_value',
    expected: method.fiatValue.toString(),
    actual: state.fiatValue.toString(),
    difference,
    currency,
    tolerance: allowed,
    explanation:
      `${paid} ${actual}; ${showQuote(matched)} was for ${quoted}: ` +
      `${showMoreOrLess(difference, currency)}${share(difference, method.fiatValue)}.`,
  };
}

/** In whole tokens, each side by its own decimals: those are part of what was quoted. */
function cryptoDiffers(
  state: RecordState,
  matched: MatchedQuote,
  method: QuotedMethod,
  relative: Decimal,
): RuleFinding | null {
  const { decimals } = matched.quote.asset;
  if (state.cryptoUnits === method.cryptoUnits && state.asset.decimals === decimals) return null;
  const actual = tokensOf(state);
  const quoted = Decimal.of(method.cryptoUnits, decimals);
  const allowed = relative.times(quoted.abs());
  if (agree(actual, quoted, allowed)) return null;
  const difference = actual.minus(quoted);
  const [actualText, quotedText] = figuresApart(actual, quoted);
  const asset = assetIdentifier(state.asset);
  const change = `${showFigure(difference.abs())} ${asset} ${difference.isNegative ? 'less' : 'more'}`;
  return {
    field: 'crypto_amount',
    expected: quoted.toString(),
    actual: actual.toString(),
    difference,
    currency: asset,
    tolerance: allowed,
    explanation:
      `The ${state.kind} is for ${actualText} ${asset}; ${showQuote(matched)} had ${quotedText} ${asset}: ` +
      `${change}${share(difference, quoted)}.`,
  };
}

function share(difference: Decimal, quoted: Decimal): string {
  const percent = showShare(difference, quoted);
  return percent === null ? '' : ` (${percent})`;
}
