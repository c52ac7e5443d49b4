/** Quotes: v3 of both directions with every method (spec §2.6, §2.7), and v1 for one method of the on-ramp (spec §2.10). */
import type { z } from 'zod';
import { PAYMENT_METHOD_NAMES, PAYOUT_METHOD_NAMES } from '../../domain/method-names.ts';
import { assetInfoV3 } from './assets.ts';
import { purchaseAsset } from './records.ts';
import { amount, currencyCode, filled, resource, text, units } from './scalars.ts';

/** What requests of every version have. */
const quoteRequestFields = {
  /** `<CHAIN>_<SYMBOL>`. */
  cryptoAssetSymbol: filled,
  fiatCurrency: currencyCode,
  cryptoAmount: units.nullish(),
  fiatValue: amount.nullish(),
};

/** `cryptoAmount` or `fiatValue` must be given (spec §4.1). */
function hasAnAmount(request: { cryptoAmount?: unknown; fiatValue?: unknown }): boolean {
  return (request.cryptoAmount ?? request.fiatValue ?? null) !== null;
}

/** Looked at even where other fields are wrong, so that every problem is reported at once. */
const ONE_AMOUNT = {
  error: 'cryptoAmount or fiatValue',
  path: ['fiatValue'],
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};

export const quoteRequestV3 = resource({
  ...quoteRequestFields,
  /** ISO 3166-1 alpha-2. */
  userCountryCode: text.nullish(),
  /** Second part of the ISO 3166-2 code. */
  userRegionCode: text.nullish(),
}).refine(hasAnAmount, ONE_AMOUNT);

/** What one payment method costs. */
const paymentMethodFields = {
  fiatCurrency: currencyCode,
  cryptoAmount: units.describe('In wei or token units.'),
  fiatValue: amount.describe('On-ramp: the total that the user pays. Off-ramp: the total that the user receives.'),
  baseServiceFee: amount.describe('Base fee before any modification.'),
  appliedFee: amount.describe('The fee that the user pays; within `fiatValue`.'),
  hostFeeCut: amount.nullish(),
};

export const paymentMethodQuote = resource(paymentMethodFields);

/** The base fee of an off-ramp quote may be null (field facts). */
export const payoutMethodQuote = resource({ ...paymentMethodFields, baseServiceFee: amount.nullish() });

function byMethod<Name extends string, Method extends z.ZodType>(names: readonly Name[], method: Method) {
  return Object.fromEntries(names.map((name) => [name, method.nullish()])) as Record<
    Name,
    z.ZodOptional<z.ZodNullable<Method>>
  >;
}

/** One key per method that supports the currency, beside `asset`. */
export const onrampQuoteV3 = resource({ asset: assetInfoV3, ...byMethod(PAYMENT_METHOD_NAMES, paymentMethodQuote) });

export const offrampQuoteV3 = resource({ asset: assetInfoV3, ...byMethod(PAYOUT_METHOD_NAMES, payoutMethodQuote) });

export type WireMethodQuote = z.infer<typeof payoutMethodQuote>;

export const quoteRequestV1 = resource({
  ...quoteRequestFields,
  /** When omitted: the method with the lowest fee that supports the currency. */
  paymentMethodType: text.nullish(),
}).refine(hasAnAmount, ONE_AMOUNT);

export const quoteV1 = resource({
  cryptoAssetSymbol: text.nullish(),
  fiatCurrency: currencyCode,
  cryptoAmount: units,
  fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
  paymentMethodType: filled,
  asset: purchaseAsset,
  assetExchangeRate: amount,
  assetExchangeRateEur: amount.nullish(),
  fiatExchangeRateEur: amount.nullish(),
  baseServiceFee: amount,
  networkFee: amount.describe('Part of `appliedFee`, never to be added to it.'),
  appliedFee: amount,
  hostFeeCut: amount.nullish(),
});

/** A v1 quote as the Service writes it (spec §2.10). */
export type WireQuoteV1 = z.infer<typeof quoteV1>;
