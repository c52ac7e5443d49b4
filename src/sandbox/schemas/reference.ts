/** Methods, currencies and countries (spec §2.4, §2.5, §2.10). */
import { z } from 'zod';
import { amount, currencyCode, decimals, instant, limit, unitsLimit, word } from './scalars.ts';

/** Lower-case ISO 3166-1 alpha-2 (spec §2.4, §4.1). */
export const countryCode = z.string().regex(/^[a-z]{2}$/, 'countryCode must be a lowercase ISO 3166-1 alpha-2 code');

const restrictions = { currencies: z.array(currencyCode), countries: z.array(countryCode) };

export const paymentMethod = z.enum([
  'MANUAL_BANK_TRANSFER',
  'AUTO_BANK_TRANSFER',
  'CARD_PAYMENT',
  'APPLE_PAY',
  'GOOGLE_PAY',
  'PIX',
]);
export const payoutMethod = z.enum(['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX']);

const PaymentMethod = z.looseObject({ name: paymentMethod, ...restrictions });
const PayoutMethod = z.looseObject({ name: payoutMethod, ...restrictions });

const ActiveTransactionCurrency = z.looseObject({
  fiatCurrency: currencyCode,
  name: z.string(),
  onrampAvailable: z.boolean(),
  offrampAvailable: z.boolean(),
});

const CountryInfo = z.looseObject({
  code: z.string().regex(/^[A-Z]{2}$/),
  name: z.string(),
  cardPaymentsEnabled: z.boolean().describe('Deprecated, always true.'),
  mainCurrencyCode: currencyCode,
  supportedAssets: z.array(word).nullish().describe('Null or absent: all assets. Empty: none.'),
});

/** By their names in the document. */
export const LIST_SCHEMAS = {
  PaymentMethods: z.array(PaymentMethod),
  PaymentMethod,
  PayoutMethods: z.array(PayoutMethod),
  PayoutMethod,
  ActiveTransactionCurrencies: z.array(ActiveTransactionCurrency),
  ActiveTransactionCurrency,
  Countries: z.array(CountryInfo),
  CountryInfo,
};

// The assets resources of all versions (spec §2.1–§2.3, §2.10).

const prices = z.record(z.string(), amount).describe('Approximate price of one whole token, by currency.');

const COMMON_FIELDS = {
  symbol: word,
  name: z.string(),
  decimals,
  type: z.string(),
  address: z.string().nullish().describe('Contract of a token; null or absent for a native asset.'),
  logoUrl: z.string(),
  enabled: z.boolean(),
  hidden: z.boolean(),
  price: prices,
};

/** The common part of v2 and v3. Limits are in `currencyCode`. */
const LIMITED_FIELDS = {
  ...COMMON_FIELDS,
  currencyCode,
  minPurchaseAmount: limit,
  maxPurchaseAmount: limit,
  minPurchaseCryptoAmount: unitsLimit,
};

/** Field facts "Reference data": names, or objects with a name. */
const enabledFeatures = z
  .array(z.union([z.string(), z.looseObject({ name: word })]))
  .optional()
  .describe('With a known `hostApiKey` only.');

const GLOBAL_LIMITS = { enabledFeatures, currencyCode, minPurchaseAmount: amount, maxPurchaseAmount: amount };
const FEE_BOUNDS = { minFeeAmount: amount, minFeePercent: amount, maxFeePercent: amount };

const AssetInfo = z.looseObject({ ...LIMITED_FIELDS, chain: word, networkFee: amount });

/** No network fee is declared here, and the address is always present (spec §2.3). */
const OfframpAssetInfo = z.looseObject({ ...LIMITED_FIELDS, chain: word, address: z.string().nullable() });

/** Without `chain` (spec §2.10). */
const AssetInfoV2 = z.looseObject({ ...LIMITED_FIELDS, networkFee: amount });

/** Every amount in EUR (spec §2.10). */
const AssetInfoV1 = z.looseObject({
  ...COMMON_FIELDS,
  priceEur: amount,
  priceUpdateTs: instant,
  minPurchaseAmountEur: limit,
  maxPurchaseAmountEur: limit,
  minPurchaseCryptoAmount: unitsLimit,
  networkFeeEur: amount,
  networkParamsUpdatedAt: instant,
});

/** By their names in the document. */
export const ASSET_SCHEMAS = {
  HostAssetsConfig: z.looseObject({ ...GLOBAL_LIMITS, ...FEE_BOUNDS, assets: z.array(AssetInfo) }),
  AssetInfo,
  OfframpHostAssetsConfig: z.looseObject({ ...GLOBAL_LIMITS, assets: z.array(OfframpAssetInfo) }),
  OfframpAssetInfo,
  HostAssetsConfigV2: z.looseObject({ ...GLOBAL_LIMITS, ...FEE_BOUNDS, assets: z.array(AssetInfoV2) }),
  AssetInfoV2,
  HostAssetsConfigV1: z.looseObject({
    assets: z.array(AssetInfoV1),
    enabledFeatures,
    minPurchaseAmountEur: amount,
    maxPurchaseAmountEur: amount,
    minFeeAmountEur: amount,
    minFeePercent: amount,
    maxFeePercent: amount,
  }),
  AssetInfoV1,
};
