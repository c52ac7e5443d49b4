/** The live quote of the page: every method at once, with its fees in words and figures. */
import { findAsset } from '../assets-catalogue.ts';
import type { CatalogueAsset } from '../catalogue-asset.ts';
import type { SandboxInstant } from '../contract.ts';
import { findCurrency } from '../currencies.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { type LimitProblem, limitProblem } from '../live/order.ts';
import { type Market, type MarketMinute, MINUTE } from '../market.ts';
import { type Direction, supportedMethods } from '../methods.ts';
import { type Offer, offersFor } from '../offers.ts';
import type { RequestedAmount } from '../pricing.ts';
import type { QuoteWish, ShownOffer, ShownQuote } from '../schemas/widget.ts';
import { fiatDigits, isPayable, METHOD_NAMES, showCrypto, showFiat, typedToUnits, unitsToTyped } from './amounts.ts';

/** As the page sends it: the amount as it was typed. */
/** @throws ServiceError 400 for what cannot be quoted, with a message for the person who typed it */
export function showQuote(wish: QuoteWish, market: Market, now: SandboxInstant): ShownQuote {
  const { direction, currency, country } = wish;
  const asset = findAsset(wish.asset);
  if (asset === undefined || !asset.enabled) throw applicationError(400, ERROR_CODES.assetNotSupported);
  if (findCurrency(currency)?.[direction] !== true) throw applicationError(400, ERROR_CODES.currencyNotSupported);
  const methods = supportedMethods(direction, currency, country ?? undefined);
  const asked = requestedAmountOf(wish, asset);
  const offers = offersFor({ direction, asset, currency, asked, methods, at: now }, market);
  if (offers.length === 0 && methods.length > 0) throw applicationError(400, ERROR_CODES.valueIsZero);
  return {
    quotedAt: new Date(now).toISOString(),
    validFor: MINUTE - (now % MINUTE),
    methods: offers.map((offer) => {
      const beyond = limitProblem({ asset, currency, figures: offer.figures, moment: market.at(now) });
      return shown(offer, direction, asset, currency, beyond);
    }),
  };
}

/** The same value in another currency, rounded to its minor units. @throws ServiceError 400 */
export function recalculate(
  { amount, from, to }: { amount: string; from: string; to: string },
  moment: MarketMinute,
): string {
  for (const code of [from, to]) {
    if (findCurrency(code) === undefined) throw applicationError(400, ERROR_CODES.currencyNotSupported);
  }
  if (!isPayable(amount, from)) throw validationError(`Type an amount of ${from}, such as 50.`);
  return ((Number(amount) * moment.fiatEur(from)) / moment.fiatEur(to)).toFixed(fiatDigits(to));
}

/** @throws ServiceError 400 */
export function requestedAmountOf({ amount, unit, currency }: QuoteWish, asset: CatalogueAsset): RequestedAmount {
  if (unit === 'crypto') {
    const units = typedToUnits(amount, asset.decimals);
    if (units !== null) return { units: BigInt(units) };
    throw validationError(`Type an amount of ${asset.symbol}, such as 0.5.`);
  }
  if (isPayable(amount, currency)) return { fiat: JSON.parse(amount.replace(/^0+(?=\d)/, '')) as number };
  throw validationError(`Type an amount of ${currency}, such as 50.`);
}

function shown(
  { method, figures }: Offer,
  direction: Direction,
  asset: CatalogueAsset,
  currency: string,
  beyond: LimitProblem | null,
): ShownOffer {
  const fiat = showFiat(figures.fiatValue, currency);
  const crypto = showCrypto(figures.units, asset);
  const buying = direction === 'onramp';
  return {
    name: method.name,
    label: METHOD_NAMES[method.name] ?? method.name,
    pays: buying ? fiat : crypto,
    gets: buying ? crypto : fiat,
    fee: showFiat(figures.appliedFee, currency),
    baseFee: showFiat(figures.appliedFee - figures.networkFee, currency),
    networkFee: buying ? showFiat(figures.networkFee, currency) : null,
    rate: `1 ${asset.symbol} = ${showFiat(figures.rate, currency)}`,
    problem: beyond === null ? null : limitText(beyond, asset, currency),
  };
}

function limitText({ code, limit }: LimitProblem, asset: CatalogueAsset, currency: string): string {
  if (typeof limit === 'string') return `The least is ${unitsToTyped(limit, asset.decimals) ?? limit} ${asset.symbol}.`;
  const edge = showFiat(limit, currency);
  return code === 'SANDBOX.AMOUNT_TOO_LOW' ? `The least is ${edge}.` : `The most is ${edge}.`;
}
