/** Amounts as people type them, as parameters carry them, and as the page shows them. No typed amount becomes a double. */

import * as iso4217 from 'dinero.js/currencies';
import { type CatalogueAsset, findAsset } from '../assets-catalogue.ts';
import type { LiveOutcome, SandboxInstant } from '../contract.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { type LimitProblem, limitProblem } from '../live/order.ts';
import { type Market, type MarketMinute, MINUTE } from '../market.ts';
import { type Direction, findCurrency, supportedMethods } from '../payment-tables.ts';
import { type Offer, offersFor, type RequestedAmount } from '../pricing.ts';
import type { QuoteWish, ShownOffer, ShownQuote } from '../schemas/widget.ts';

/** Ariary and ouguiya divide by five in this table; ISO 4217 gives both two places. */
const EXPONENTS = new Map<string, number>(
  Object.values(iso4217).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2]),
);

const UNITS = /^\d{1,40}$/;
const TYPED = /^(\d{1,30})(?:\.(\d{1,36}))?$/;

/** `5010` EUR is `50.1`, `1000000000000000000` of an asset with 18 decimals is `1`; null for what is no whole number. */
export function unitsToTyped(units: string, decimals: number): string | null {
  if (!UNITS.test(units)) return null;
  const padded = units.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals).replace(/^0+(?=\d)/, '');
  const rest = withoutZeros(padded.slice(padded.length - decimals));
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** `0.05` of an asset with 18 decimals is `50000000000000000`; null for no amount, zero, or more places than there are. */
export function typedToUnits(typed: string, decimals: number): string | null {
  const [, whole, rest = ''] = TYPED.exec(typed) ?? [];
  if (whole === undefined || withoutZeros(rest).length > decimals) return null;
  const units = `${whole}${rest.slice(0, decimals).padEnd(decimals, '0')}`.replace(/^0+/, '');
  return units === '' ? null : units;
}

/** Digits after the point by ISO 4217; two for a currency that it does not have. */
export function fiatDigits(code: string): number {
  return EXPONENTS.get(code) ?? 2;
}

/** True for an amount that can be paid: at least one minor unit, and no part of one. */
export function isPayable(typed: string, code: string): boolean {
  return typedToUnits(typed, fiatDigits(code)) !== null;
}

/** Words and figures as the page shows them. Display only: what is paid and stored is never rounded. */
export const METHOD_NAMES: Readonly<Record<string, string>> = {
  MANUAL_BANK_TRANSFER: 'Bank transfer',
  AUTO_BANK_TRANSFER: 'Instant bank transfer',
  CARD_PAYMENT: 'Card',
  APPLE_PAY: 'Apple Pay',
  GOOGLE_PAY: 'Google Pay',
  PIX: 'PIX',
  AMERICAN_BANK_TRANSFER: 'US bank transfer',
  CARD: 'Card',
  SEPA: 'SEPA transfer',
  SPEI: 'SPEI',
};

export const OUTCOME_NAMES: Readonly<Record<LiveOutcome, string>> = {
  released: 'goes through',
  held: 'waits for the release endpoint',
  failed: 'the payment fails',
  returned: 'the money is sent back',
  expired: 'the payment never comes',
  unverified: 'the user cannot be verified',
  rejected: 'the final check fails',
};

/** `50.00 EUR`, `1,234 JPY`. */
export function showFiat(value: number, code: string): string {
  const digits = fiatDigits(code);
  const [whole = '', rest] = value.toFixed(digits).split('.');
  const grouped = inThousands(whole);
  return `${grouped}${rest === undefined ? '' : `.${rest}`} ${code}`;
}

/** Up to eight significant digits after the point: `0.018203 ETH`. */
export function showCrypto(units: bigint, asset: CatalogueAsset): string {
  const [whole = '0', rest = ''] = (unitsToTyped(units.toString(), asset.decimals) ?? '0').split('.');
  const shown = withoutZeros(rest.slice(0, Math.max(2, 8, rest.search(/[1-9]/) + 4)));
  return `${inThousands(whole)}${shown === '' ? '' : `.${shown}`} ${asset.symbol}`;
}

function inThousands(digits: string): string {
  const first = digits.length % 3 || 3;
  return digits.slice(0, first) + digits.slice(first).replace(/\d{3}/g, ',$&');
}

function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  return fraction.slice(0, end);
}

// The live quote of the page: every method at once, with its fees in words and figures.

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
  for (const code of [from, to])
    if (findCurrency(code) === undefined) throw applicationError(400, ERROR_CODES.currencyNotSupported);
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
