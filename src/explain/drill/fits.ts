/** What a record must have for a change to be possible on it: the words of the catalogue's second column. */
import { addressKind } from '../../domain/addresses/chains.ts';
import { contractOf } from '../../domain/asset.ts';
import type { Case } from '../../domain/case.ts';
import { Decimal } from '../../domain/decimal.ts';
import { executionOf } from '../../domain/execution.ts';
import { type SeenBySource, seenByAny } from '../../domain/market.ts';
import { isPromised } from '../../domain/quote.ts';
import type { Instant } from '../../domain/record.ts';
import type { ReferenceAsOf } from '../../domain/reference.ts';
import type { RecordState } from '../../domain/snapshot.ts';

const NOISE = Decimal.of(1n, 6);
const CENT = Decimal.HUNDREDTH;
const TWICE = Decimal.of(2n);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Without prices of others, no market tells what a coin was worth later. */
const HALF_AN_HOUR = HOUR / 2;

/** Of the record alone, so that it can be asked before its case is built; true for a word about anything else. */
export function mayFit(word: string, state: RecordState, asOf: Instant): boolean {
  const [name = '', argument = ''] = word.split(':');
  const { asset, createdAt, fiatCurrency } = state;
  switch (name) {
    case 'purchase':
    case 'sale':
      return state.kind === name;
    case 'status':
      return state.status === argument;
    case 'method':
      return state.paymentMethod === argument;
    case 'in':
      return fiatCurrency === argument;
    case 'not-in':
      return fiatCurrency !== argument;
    case 'not-method':
      return state.paymentMethod !== argument;
    case 'has':
      return state[argument as 'hostFeeCut'] !== null;
    case 'without':
      return state[argument as 'hostFeeCut'] === null;
    case 'over':
      return state.fiatValue.greaterThan(Decimal.parse(argument));
    case 'old':
      return createdAt !== null && asOf - createdAt > Number(argument) * DAY;
    case 'token':
      return contractOf(asset) !== null;
    case 'coin':
      return asset.address === null;
    case 'evm':
      return (asset.address ?? state.receiverAddress)?.startsWith('0x') === true;
    case 'typed':
      return asset.type !== undefined;
    case 'known-chain':
      return asset.chain !== '' && asset.chainPresumed !== true && addressKind(asset.chain) !== undefined;
    case 'uuid':
      return /^[0-9a-f]{8}-.*[a-f]/.test(state.recordId);
    default:
      return true;
  }
}

/** @throws RangeError for a word that nothing knows */
export function fits(word: string, subject: Case, state: RecordState, asOf: Instant): boolean {
  const { quote, reference } = subject;
  const { before, after, asset, global } = reference;
  const method = isPromised(quote) ? (quote?.method ?? null) : null;
  const isListed = asset !== null && global?.currencyCode === state.fiatCurrency;
  const { createdAt } = state;
  const [name = '', argument = ''] = word.split(':');
  switch (name) {
    case 'unquoted':
      return true;
    case 'quote':
      return (
        method !== null &&
        quote?.quote.fiatCurrency === state.fiatCurrency &&
        [quote.quote.api, ''].includes(argument as '')
      );
    case 'base':
      return method?.baseFee != null;
    case 'network':
      return state.networkFee?.isPositive === true && (method === null || method.networkFee !== null);
    case 'exact':
      return method?.networkFeeExact === true;
    case 'as-quoted':
      return method?.baseFee != null && state.baseFee?.minus(method.baseFee).abs().lessThan(NOISE) === true;
    // Within a discount, a fee that is a little higher is still lower than the promised one.
    case 'as-promised':
      return (
        method !== null &&
        state.fiatValue.minus(method.fiatValue).abs().lessThan(CENT) &&
        (state.appliedFee === null || method.appliedFee.minus(state.appliedFee).lessThan(CENT))
      );
    case 'near-network':
      return isNear(state.networkFee, method?.networkFee ?? null);
    case 'far-network':
      return (
        state.networkFee?.greaterThan(Decimal.ONE) === true &&
        state.networkFee.equals(method?.networkFee ?? Decimal.ZERO) &&
        !isSeen(subject.market.networkFees, state.networkFee)
      );
    case 'terms':
      return quote?.quote.assetTerms?.currencyCode === state.fiatCurrency;
    case 'listing':
      return before?.assets?.asset != null || after?.assets?.asset != null;
    case 'lists':
      return before?.assets !== undefined && after?.assets !== undefined;
    case 'limits':
      return isListed;
    case 'bounds':
      return isListed && global?.maxFeePercent != null && state.appliedFee !== null;
    case 'published':
      return isListed && [before, after].every((list) => isNearListed(list?.assets?.asset?.networkFee, state));
    case 'timely':
      return after?.assets !== undefined && executedBefore(subject, state, after.assets.capturedAt + 2 * HOUR);
    case 'methods':
      return state.paymentMethod !== null && reference.methods !== null;
    case 'countries':
      return reference.methods?.get(state.paymentMethod ?? '')?.countries.length !== 0 && reference.methods !== null;
    case 'not-countries':
      return reference.methods?.get(state.paymentMethod ?? '')?.countries.includes('fr') !== false;
    case 'currencies':
      return before?.currencies !== undefined && after?.currencies !== undefined;
    case 'priced':
      return isListed && asset?.price != null && executedWithin(subject, state, asset.capturedAt, DAY + 2 * HOUR);
    case 'quick':
      return (
        quote !== null &&
        executedWithin(subject, state, quote.quote.capturedAt, 2 * HOUR) &&
        (seenByAny(subject.market.prices) !== null ||
          executedBefore(subject, state, quote.quote.capturedAt + HALF_AN_HOUR))
      );
    case 'eurKnown':
      return state.fiatRateEur !== null || quote?.quote.fiatRateEur !== undefined || asset?.priceEur != null;
    case 'worth':
      return worthInEur(state, asset)?.greaterThan(Decimal.parse(argument)) === true;
    case 'rate-near':
      return createdAt !== null && rateKnownUntil(subject, asOf) - createdAt <= 9 * DAY;
    case 'by-fiat':
      return method?.fiatValue.equals(state.fiatValue) === true;
    case 'ended':
      // A sale without a status never says so: its payout may still be an estimate.
      return state.status !== null && executionOf(subject) !== 'not executed yet';
    default:
      return mayFit(word, state, asOf);
  }
}

const NEARLY = Decimal.of(2n);

/** A fee like those in other quotes of that time is explained, even where the own quote had another. */
function isSeen(networkFees: SeenBySource, fee: Decimal): boolean {
  const seen = seenByAny(networkFees);
  return seen !== null && !fee.greaterThan(seen.high.times(NEARLY));
}

function isNear(a: Decimal | null, b: Decimal | null): boolean {
  return (
    a !== null &&
    b !== null &&
    !a
      .minus(b)
      .abs()
      .greaterThan(b.times(Decimal.of(1n, 1)))
  );
}

function isNearListed(fee: Decimal | null | undefined, { networkFee }: RecordState): boolean {
  return fee != null && networkFee?.times(TWICE).greaterThan(fee) === true;
}

function worthInEur({ fiatCurrency, fiatValue }: RecordState, asset: ReferenceAsOf['asset']): Decimal | null {
  if (fiatCurrency === 'EUR') return fiatValue;
  const { price = null, priceEur = null } = asset ?? {};
  return price?.isPositive !== true || priceEur === null ? null : fiatValue.times(priceEur).dividedBy(price, 2);
}

/** A payment that came hours after both listings is not judged by them. */
function executedBefore(subject: Case, { createdAt }: RecordState, until: Instant): boolean {
  const window = executionOf(subject);
  return typeof window !== 'string' && createdAt !== null && window.to <= until && window.to - createdAt <= 2 * HOUR;
}

/** What never executed keeps the rates of some moment up to now: in weeks they move by more than the change. */
function rateKnownUntil(subject: Case, asOf: Instant): Instant {
  const window = executionOf(subject);
  return typeof window === 'string' ? asOf : window.to;
}

/** Later, a price may have moved by more than the change. */
function executedWithin(subject: Case, { createdAt }: RecordState, pricedAt: Instant, ms: number): boolean {
  const window = executionOf(subject);
  return (
    typeof window !== 'string' && createdAt !== null && createdAt - pricedAt <= DAY && window.to - window.from <= ms
  );
}
