import { assetIdentifier, sameAsset } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { amountAt, listedAfter, listedRateEur, type MovingAmount } from '../domain/moving-terms.ts';
import { promisingQuote } from '../domain/quote.ts';
import type { Instant } from '../domain/record.ts';
import type { AssetTerms } from '../domain/reference.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import { NO_LIST, showLateTerms } from './listings.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart, moneyApart, showFigure } from './wording.ts';
import { amount, compared, fact, relativeLine, toleranceLine, type Workings, worked } from './working.ts';

const CODE = 'AMOUNT_OUT_OF_LIMITS';

export const amountOutOfLimits = bodyRule({
  code: CODE,
  severity: 'medium',
  title: "Outside the asset's or the global limits in force then",
  why: 'The Service accepted an amount outside its own limits: it may be returned or held for review, or be a mistake.',
  action: 'Ask the Service whether it will carry the record out; expect a return or a review.',
  settledBy: RIGHTED,
  example:
    'The fiat value of 12417.37 EUR is above the maximum of 9000.00 EUR that held for ETH_USDT then: 3417.37 EUR more.',
  check(state, input) {
    const limits = limitsInForce(input, state);
    if (limits === null) return NO_LIST;
    const { tolerances } = input.terms;
    return [
      fiatOutside(state, limits, tolerances),
      cryptoBelow(state, limits.minCryptoUnits, tolerances.crypto.relative),
    ];
  },
  working,
});

function fiatOutside(state: RecordState, limits: LimitsInForce, tolerances: Tolerances): RuleFinding | null {
  const crossed = crossedLimit(state, limits);
  if (crossed === null) return null;
  const { below, limit } = crossed;
  const currency = state.fiatCurrency;
  const allowed = roomOf(tolerances, currency, limit);
  if (!state.fiatValue.minus(limit).abs().greaterThan(allowed)) return null;
  const [actual, limitText, apartBy] = moneyApart(state.fiatValue, limit, currency);
  const isGlobal = below ? limits.minIsGlobal : limits.maxIsGlobal;
  const late = limits.capturedAt === null ? '' : showLateTerms(limits.capturedAt, state.createdAt);
  return {
    field: 'fiat_value',
    ...figuresIn('money', { actual: state.fiatValue, expected: limit, allowed, currency }),
    explanation:
      `The fiat value of ${actual} is ${below ? 'below the minimum' : 'above the maximum'} of ${limitText} ` +
      `that held for ${isGlobal ? 'all assets' : assetIdentifier(state.asset)} then${late}: ${apartBy}.`,
  };
}

/** In another currency than EUR the limit that the record would have had to cross in any case. */
function crossedLimit(
  { fiatValue }: RecordState,
  { min, max }: LimitsInForce,
): { below: boolean; limit: Decimal } | null {
  if (min !== null && fiatValue.lessThan(min.low)) return { below: true, limit: min.low };
  return max !== null && fiatValue.greaterThan(max.high) ? { below: false, limit: max.high } : null;
}

/** A limit is exact; only a tolerance that is set for this rule gives it room. */
function roomOf(tolerances: Tolerances, currency: string, limit: Decimal): Decimal {
  return tolerances.rules.has(CODE) ? allowance(fiatTolerance(tolerances, currency, CODE), limit) : Decimal.ZERO;
}

function cryptoBelow(state: RecordState, minUnits: bigint | null, relative: Decimal): RuleFinding | null {
  if (minUnits === null || state.cryptoUnits >= minUnits) return null;
  const { decimals } = state.asset;
  const limit = Decimal.of(minUnits, decimals);
  const actual = Decimal.of(state.cryptoUnits, decimals);
  const missing = limit.minus(actual);
  const allowed = relative.times(limit);
  if (!missing.greaterThan(allowed)) return null;
  const asset = assetIdentifier(state.asset);
  const [actualText, limitText] = figuresApart(actual, limit);
  return {
    field: 'crypto_amount',
    ...figuresIn('crypto', { actual, expected: limit, allowed, currency: asset }),
    explanation:
      `The crypto amount of ${actualText} ${asset} is below the minimum of ${limitText} ${asset} that held then: ` +
      `${showFigure(missing)} ${asset} less.`,
  };
}

function working(state: RecordState, input: RuleInput, field: string): Workings | null {
  const limits = limitsInForce(input, state);
  if (limits === null) return null;
  const { tolerances } = input.terms;
  if (field === 'crypto_amount') {
    if (limits.minCryptoUnits === null) return null;
    const unit = assetIdentifier(state.asset);
    const { decimals } = state.asset;
    const [actual, expected] = [tokensOf(state), Decimal.of(limits.minCryptoUnits, decimals)];
    const before = [
      worked('minimum then', `${limits.minCryptoUnits} units ÷ 10^${decimals}`, expected, unit),
      worked('actual crypto', `${state.cryptoUnits} units ÷ 10^${decimals}`, actual, unit),
    ];
    return compared(before, { actual, expected, unit }, relativeLine(tolerances.crypto.relative, expected, unit));
  }
  const unit = state.fiatCurrency;
  const actual = state.fiatValue;
  const isBelow = limits.min !== null && actual.lessThan(limits.min.low);
  const expected = (isBelow ? limits.min?.low : limits.max?.high) ?? null;
  if (expected === null) return null;
  const isGlobal = isBelow ? limits.minIsGlobal : limits.maxIsGlobal;
  const of = isGlobal ? 'for all assets' : `for ${assetIdentifier(state.asset)}`;
  const before = [
    fact('limit in force', `${isBelow ? 'minimum' : 'maximum'} ${of}`),
    amount(`${isBelow ? 'minimum' : 'maximum'} then`, expected, unit),
    amount('actual total', actual, unit),
  ];
  const tolerance = tolerances.rules.has(CODE)
    ? toleranceLine(fiatTolerance(tolerances, unit, CODE), expected, unit)
    : { line: worked('tolerance', 'none: a limit is exact', Decimal.ZERO, unit), allowed: Decimal.ZERO };
  return compared(before, { actual, expected, unit }, tolerance);
}

/** Null: no such limit. Fiat limits in the record's currency, as they may have been at its moment. */
interface LimitsInForce {
  min: MovingAmount | null;
  /** The asset has no limit of its own. */
  minIsGlobal: boolean;
  max: MovingAmount | null;
  maxIsGlobal: boolean;
  /** In units of the asset; it does not move with any rate. */
  minCryptoUnits: bigint | null;
  /** Of the published terms; null of a quote's. */
  capturedAt: Instant | null;
}

/**
 * The asset's own limits (the quote's, which the user saw, before the published ones), and the global one where the asset
 * has none (spec §8.2). Null where the asset's terms are not known for the record's currency: the global limits alone
 * say nothing, since an asset may override them either way.
 */
function limitsInForce(input: RuleInput, state: RecordState): LimitsInForce | null {
  const own = assetTerms(input, state);
  if (own === null) return null;
  const quoted = promisingQuote(input.quote, state)?.quote.assetTerms ?? null;
  const { global } = input.reference;
  const general = global !== null && global.currencyCode === state.fiatCurrency ? global : null;
  // A quote's own terms are of another moment than the list's rate.
  const isQuoted = own !== input.reference.asset;
  const fiatRateEur = isQuoted ? null : listedRateEur(input.reference.asset);
  const then = (name: 'minPurchaseAmount' | 'maxPurchaseAmount') => {
    const amount = own[name] ?? general?.[name] ?? null;
    const later = listedAfter(
      input.reference,
      state.fiatCurrency,
      // A limit of its own that the user saw only moves with the rate: the global one in a later list is another limit.
      ({ asset, global }) => asset?.[name] ?? (isQuoted && own[name] !== null ? null : global?.[name]),
    );
    return amount === null ? null : amountAt(state, [{ amount, fiatRateEur }, ...later]);
  };
  return {
    min: then('minPurchaseAmount'),
    minIsGlobal: own.minPurchaseAmount === null,
    max: then('maxPurchaseAmount'),
    maxIsGlobal: own.maxPurchaseAmount === null,
    // Units have no currency: those of a quote whose other limits are in another one hold too.
    minCryptoUnits: quoted?.minPurchaseCryptoUnits ?? own.minPurchaseCryptoUnits,
    capturedAt: isQuoted ? null : (input.reference.asset?.capturedAt ?? null),
  };
}

type OwnTerms = Pick<AssetTerms, 'minPurchaseAmount' | 'maxPurchaseAmount' | 'minPurchaseCryptoUnits'>;

function assetTerms(input: RuleInput, state: RecordState): OwnTerms | null {
  const quoted = promisingQuote(input.quote, state)?.quote.assetTerms ?? null;
  if (quoted !== null && quoted.currencyCode === state.fiatCurrency) return quoted;
  const { asset, global } = input.reference;
  if (asset === null || !sameAsset(asset, state.asset)) return null;
  // One response has one currency, and only its global part names it.
  return global === null || global.currencyCode === state.fiatCurrency ? asset : null;
}
