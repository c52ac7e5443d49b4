/** What a planted change is worth, in EUR: recall is weighed by it. Its own arithmetic; no rule's. */

import type { Case } from '../../domain/case.ts';
import { Decimal, maxDecimal } from '../../domain/decimal.ts';
import type { MatchedQuote } from '../../domain/quote.ts';
import type { RecordState } from '../../domain/snapshot.ts';

const PLACES = 12;

/** Null where nothing tells what the record's currency is worth. */
export function worthOf(before: { state: RecordState; built: Case }, after: Case | null): Decimal | null {
  const { state, built } = before;
  const inEur = rateEur(state, built);
  if (inEur === null) return null;
  const changed = after?.observation.outcome === 'verified' ? after.observation.snapshot.state : null;
  const own = changed === null ? null : changed === state ? null : differenceOf(state, changed);
  const quoted = after === null || changed === null ? null : quotedDifference(state, built.quote, after.quote);
  const moved = own ?? quoted;
  return (moved === null || moved.isZero ? state.fiatValue : moved).times(inEur).rounded(2);
}

function rateEur(state: RecordState, { quote, reference }: Case): Decimal | null {
  const { fiatCurrency, fiatRateEur, exchangeRate, exchangeRateEur } = state;
  if (fiatCurrency === 'EUR') return Decimal.ONE;
  if (fiatRateEur !== null) return fiatRateEur;
  const { asset } = reference;
  const pairs = [
    [exchangeRateEur, exchangeRate],
    [asset?.priceEur ?? null, asset?.price ?? null],
  ] as const;
  for (const [eur, own] of pairs) if (eur !== null && own !== null && !own.isZero) return eur.dividedBy(own, PLACES);
  return quote?.quote.fiatRateEur ?? null;
}

/** The largest difference of an amount; of another asset or currency, the whole value. Null where no amount differs. */
function differenceOf(a: RecordState, b: RecordState): Decimal | null {
  if (a.fiatCurrency !== b.fiatCurrency || a.asset.symbol !== b.asset.symbol || a.asset.decimals !== b.asset.decimals)
    return null;
  const price = priceOf(a);
  const apart = [
    [a.fiatValue, b.fiatValue],
    [tokensAt(a, price), tokensAt(b, price)],
    [a.appliedFee, b.appliedFee],
    [a.baseFee, b.baseFee],
    [a.networkFee, b.networkFee],
    [a.exchangeRate?.times(tokens(a)), b.exchangeRate?.times(tokens(a))],
  ] as const;
  return largest(apart);
}

function quotedDifference(state: RecordState, a: MatchedQuote | null, b: MatchedQuote | null): Decimal | null {
  const [before, after] = [a?.method ?? null, b?.method ?? null];
  if (before === null || after === null || a?.quote === b?.quote) return null;
  const worth = (units: bigint) => Decimal.of(units, state.asset.decimals).times(priceOf(state));
  return largest([
    [before.fiatValue, after.fiatValue],
    [worth(before.cryptoUnits), worth(after.cryptoUnits)],
    [before.appliedFee, after.appliedFee],
    [before.baseFee, after.baseFee],
    [before.networkFee, after.networkFee],
  ]);
}

function largest(
  pairs: readonly (readonly [Decimal | null | undefined, Decimal | null | undefined])[],
): Decimal | null {
  let most = Decimal.ZERO;
  for (const [a, b] of pairs) if (a != null && b != null) most = maxDecimal(most, a.minus(b).abs());
  return most.isZero ? null : most;
}

const tokens = (state: RecordState) => Decimal.of(state.cryptoUnits, state.asset.decimals);
const tokensAt = (state: RecordState, price: Decimal) => tokens(state).times(price);

function priceOf(state: RecordState): Decimal {
  const all = tokens(state);
  return state.exchangeRate ?? (all.isZero ? Decimal.ZERO : state.fiatValue.dividedBy(all, PLACES));
}
