/** The host's share of one record's fee. No endpoint of the Service states what was credited (spec §4): this is what is accrued. Pure. */
import { type RenamedAsset, sameAsset, withOtherNames } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Earned } from './earned.ts';
import { MOST_UNNAMED, partsOfQuote, valueConverted } from './fee-parts.ts';
import type { MatchedQuote } from './quote.ts';
import { sameAmount } from './quoted-amount.ts';
import { directionOf } from './record.ts';
import { hasReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';
import type { Tolerances } from './tolerance.ts';

export interface HostShare {
  /** `record`: the record states it. `quote`: the record states none, its linked quote promised it. */
  source: 'record' | 'quote';
  /** In the record's fiat currency; never converted here. */
  amount: Decimal;
}

/** What decides whether a quote was for a record. */
export interface ShareTerms {
  tolerances: Tolerances;
  renamedAssets?: readonly RenamedAsset[];
}

/** What one record adds; null where neither the record nor its quote states a share. */
export function accrualOf(
  state: RecordState,
  linked: Omit<MatchedQuote, 'basis'> | null | undefined,
  terms: ShareTerms,
): HostShare | null {
  if (state.hostFeeCut !== null) return { source: 'record', amount: state.hostFeeCut };
  const method = linked?.method ?? null;
  if (linked == null || method === null || method.hostFeeCut === null) return null;
  const { quote } = linked;
  // A quote for other terms, or for another amount, promised another share: the share is then unknown.
  const isForThis =
    quote.direction === directionOf(state.kind) &&
    quote.fiatCurrency === state.fiatCurrency &&
    sameAsset(quote.asset, withOtherNames(state.asset, terms.renamedAssets)) &&
    sameAmount(state, method, terms.tolerances);
  return isForThis ? { source: 'quote', amount: method.hostFeeCut } : null;
}

/** The same of a record that may be released no more: then it is what was stated when it was. */
export function earnedShare(
  state: RecordState,
  earned: Earned | null,
  linked: Parameters<typeof accrualOf>[1],
  terms: ShareTerms,
): HostShare | null {
  return accrualOf(earned === null ? state : { ...state, hostFeeCut: earned.share }, linked, terms);
}

/** What the host earned by a record; null where it is not released, or nothing states a share. Only a linked quote promised one. */
export function hostShareOf(state: RecordState, quote: MatchedQuote | null, terms: ShareTerms): HostShare | null {
  return hasReleased(state) ? accrualOf(state, linkedOf(quote), terms) : null;
}

/** A captured quote is found by likeness: it promised this record nothing. */
export function linkedOf(quote: MatchedQuote | null): MatchedQuote | null {
  return quote?.basis === 'linked' ? quote : null;
}

/** The host's fee that a purchase states, as a share of the value that is converted; null where it states none. */
export function statedHostShare({ kind, fiatValue, appliedFee, hostFeeCut }: RecordState): Decimal | null {
  const value = kind === 'sale' || appliedFee === null ? null : valueConverted(kind, fiatValue, appliedFee);
  return hostFeeCut?.isPositive === true && value?.isPositive === true
    ? hostFeeCut.dividedBy(value, SHARE_PLACES)
    : null;
}

/**
 * What the applied fee of a purchase has above base and network fee, as a share of the same: a host's fee that no body names, if most records
 * of a night have it. Null where a fee is not stated, with a discount, and for more than a host takes.
 */
export function unnamedHostShare(state: RecordState): Decimal | null {
  const { kind, fiatValue, appliedFee, baseFee, networkFee, hostFeeCut } = state;
  if (kind === 'sale' || hostFeeCut !== null || appliedFee === null || baseFee === null || networkFee === null)
    return null;
  const value = valueConverted(kind, fiatValue, appliedFee);
  if (!value.isPositive) return null;
  const share = appliedFee.minus(baseFee).minus(networkFee).dividedBy(value, SHARE_PLACES);
  return share.isNegative || share.greaterThan(MOST_UNNAMED) ? null : share;
}

const SHARE_PLACES = 6;
/**
 * The host's fee in a quote, as a share of the value that is converted: as it names it or, as one of v1 names none, what the applied fee
 * has above base and network fee. Null where it has none.
 */
export function quotedHostShare(matched: MatchedQuote): Decimal | null {
  const { method } = matched;
  if (method === null) return null;
  const { adjustment, cv } = partsOfQuote(method, matched);
  const isUnnamed = method.networkFeeExact && adjustment?.greaterThan(cv.times(MOST_UNNAMED)) === false;
  const fee = method.hostFeeCut ?? (isUnnamed ? adjustment : null);
  const isFee = fee?.isPositive === true && cv.isPositive;
  return isFee ? fee.dividedBy(cv, SHARE_PLACES) : null;
}
