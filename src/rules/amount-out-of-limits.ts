import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import { type LimitsInForce, limitsInForce } from './limits-in-force.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { figuresApart, moneyApart, showFigure, showMoreOrLess } from './wording/money.ts';

const CODE = 'AMOUNT_OUT_OF_LIMITS';

export const amountOutOfLimits: Rule = {
  code: CODE,
  severity: 'medium',
  title: "Outside the asset's or the global limits in force then",
  why: 'The Service took an amount that it says it does not take: it may be returned, held for review, or be a mistake.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    const limits = limitsInForce(input, state);
    if (limits === null) return 'not-applicable';
    const fiat = fiatOutside(state, limits, input.terms.tolerances);
    const crypto = cryptoBelow(state, limits.minCryptoUnits, input.terms.tolerances.crypto.relative);
    return fiat === null && crypto === null ? NOTHING_FOUND : [fiat, crypto].filter((finding) => finding !== null);
  },
};

function fiatOutside(state: RecordState, limits: LimitsInForce, tolerances: Tolerances): RuleFinding | null {
  const { min, max } = limits;
  const below = min !== null && state.fiatValue.lessThan(min);
  const limit = below ? min : max !== null && state.fiatValue.greaterThan(max) ? max : null;
  if (limit === null) return null;
  const currency = state.fiatCurrency;
  const allowed = allowance(fiatTolerance(tolerances, currency, CODE), limit);
  const difference = state.fiatValue.minus(limit);
  if (!difference.abs().greaterThan(allowed)) return null;
  const [actual, limitText] = moneyApart(state.fiatValue, limit, currency);
  const isGlobal = below ? limits.minIsGlobal : limits.maxIsGlobal;
  return {
    field: 'fiat_value',
    expected: limit.toString(),
    actual: state.fiatValue.toString(),
    difference,
    currency,
    tolerance: allowed,
    explanation:
      `The fiat value of ${actual} is ${below ? 'below the minimum' : 'above the maximum'} of ${limitText} ` +
      `that held for ${isGlobal ? 'all assets' : assetIdentifier(state.asset)} then: ${showMoreOrLess(difference, currency)}.`,
  };
}

function cryptoBelow(state: RecordState, minUnits: bigint | null, relative: Decimal): RuleFinding | null {
  if (minUnits === null || state.cryptoUnits >= minUnits) return null;
  const { decimals } = state.asset;
  const limit = Decimal.of(minUnits, decimals);
  const actual = Decimal.of(state.cryptoUnits, decimals);
  const difference = actual.minus(limit);
  const allowed = relative.times(limit);
  if (!difference.abs().greaterThan(allowed)) return null;
  const asset = assetIdentifier(state.asset);
  const [actualText, limitText] = figuresApart(actual, limit);
  return {
    field: 'crypto_amount',
    expected: limit.toString(),
    actual: actual.toString(),
    difference,
    currency: asset,
    tolerance: allowed,
    explanation:
      `The crypto amount of ${actualText} ${asset} is below the minimum of ${limitText} ${asset} that held then: ` +
      `${showFigure(difference.abs())} ${asset} less.`,
  };
}
