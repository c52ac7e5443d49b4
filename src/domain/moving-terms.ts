/**
 * Published limits and bounds are constants in EUR. In EUR they are exact; in another currency they move with the rate, so that what was
 * published last night is not what holds now. Pure.
 */
import { minorUnit } from './currency.ts';
import { Decimal, maxDecimal, minDecimal } from './decimal.ts';
import { rootOfDays } from './market.ts';
import type { Quote } from './quote.ts';
import type { AssetTerms, Listed, ReferenceAsOf } from './reference.ts';
import type { RecordState } from './snapshot.ts';

/** Between these lies the amount that held when the record was made. */
export interface MovingAmount {
  low: Decimal;
  high: Decimal;
}

/** A listing's amount, and its own rate: price of the currency in EUR; null where it does not tell. */
export interface PublishedAmount {
  /** In the currency of the list that published it. */
  amount: Decimal;
  fiatRateEur: Decimal | null;
}

/** How far a rate may move between two listings, or within a day. */
export const BETWEEN_LISTINGS = Decimal.of(15n, 3);
/** Published amounts of one hour give one rate to so much. */
const WITHIN_A_LISTING = Decimal.of(1n, 3);
const PLACES = 12;

/** Price of a currency in EUR, by the asset that a list or a quote prices in both; null where it does not. */
export function listedRateEur(asset: Pick<AssetTerms, 'price' | 'priceEur'> | null): Decimal | null {
  const { price, priceEur } = asset ?? {};
  const isKnown = price?.isPositive === true && priceEur?.isPositive === true;
  return isKnown ? priceEur.dividedBy(price, PLACES) : null;
}

/** Price of a quote's currency in EUR: as it states it, or by its asset's prices; null where it does not tell. */
export function quotedRateEur({ fiatRateEur, assetTerms, exchangeRateEur }: Quote): Decimal | null {
  return fiatRateEur ?? listedRateEur({ price: assetTerms?.price ?? null, priceEur: exchangeRateEur ?? null });
}

/** The same of a body. */
export function bodyRateEur({ fiatRateEur, exchangeRate, exchangeRateEur }: RecordState): Decimal | null {
  return fiatRateEur ?? listedRateEur({ price: exchangeRate, priceEur: exchangeRateEur });
}

/** The same amount in the first list after the record's creation; empty where there is none in its currency. */
export function listedAfter(
  { after }: ReferenceAsOf,
  currency: string,
  amountOf: (listed: NonNullable<Listed['assets']>) => Decimal | null | undefined,
): readonly PublishedAmount[] {
  const listed = after?.assets;
  const amount = listed === undefined || listed.global?.currencyCode !== currency ? null : amountOf(listed);
  return amount == null ? [] : [{ amount, fiatRateEur: listedRateEur(listed?.asset ?? null) }];
}

/** The nearest list that tells its rate: one that was captured elsewhere, or in an hour of maintenance, may not have the asset. */
export function withRate(published: readonly [PublishedAmount, ...PublishedAmount[]]): PublishedAmount {
  return published.find(({ fiatRateEur }) => fiatRateEur !== null) ?? published[0];
}

/** None in EUR, where the amount is the constant itself. Lists may have two places of a currency that has three. */
export function listedRounding(currency: string): Decimal {
  return currency === 'EUR' ? Decimal.ZERO : maxDecimal(minorUnit(currency) ?? Decimal.ZERO, Decimal.HUNDREDTH);
}

type Rates = Pick<RecordState, 'fiatRateEur'> & Partial<Pick<RecordState, 'exchangeRate' | 'exchangeRateEur'>>;

/**
 * By the body's own rate where it and the listing state one; else within the listings on both sides, and a little around them. The rate
 * between the body's two prices of the asset widens that: its currency may have moved until it was executed or expired, but the two may
 * differ by a tolerance of their own.
 * @param published by the listings before and after the record; at least one
 * @param since milliseconds between them and the body's figures: rates of currencies move with the root of them
 */
export function amountAt(
  record: Rates & Pick<RecordState, 'fiatCurrency'>,
  published: readonly [PublishedAmount, ...PublishedAmount[]],
  since = 0,
): MovingAmount {
  const nearest = withRate(published);
  if (record.fiatCurrency === 'EUR') return { low: published[0].amount, high: published[0].amount };
  const { fiatRateEur, exchangeRate, exchangeRateEur } = record;
  const eur = nearest.fiatRateEur === null ? null : nearest.amount.times(nearest.fiatRateEur);
  if (fiatRateEur?.isPositive === true && eur !== null) {
    const amount = eur.dividedBy(fiatRateEur, PLACES);
    return around(amount, amount, WITHIN_A_LISTING);
  }
  const amounts = published.map(({ amount }) => amount);
  if (eur !== null && exchangeRate?.isPositive && exchangeRateEur?.isPositive)
    amounts.push(eur.times(exchangeRate).dividedBy(exchangeRateEur, PLACES));
  return around(amounts.reduce(minDecimal), amounts.reduce(maxDecimal), BETWEEN_LISTINGS.times(rootOfDays(since, 1)));
}

/** From the least to the most that the lists on both sides have, and as far around them as amounts of one hour differ. */
export function betweenLists(currency: string, amounts: readonly Decimal[]): MovingAmount {
  const [low, high] = [amounts.reduce(minDecimal), amounts.reduce(maxDecimal)];
  return currency === 'EUR' ? { low, high } : around(low, high, WITHIN_A_LISTING);
}

function around(low: Decimal, high: Decimal, share: Decimal): MovingAmount {
  return { low: low.times(Decimal.ONE.minus(share)), high: high.times(Decimal.ONE.plus(share)) };
}
