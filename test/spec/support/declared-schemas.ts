/**
 * JSON Schemas of every body that the specification declares, written by hand from its text and from nothing else. They are
 * closed: a field that the text does not list is a difference.
 */

type Schema = Readonly<Record<string, unknown>>;

const string = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const nullable = { type: ['string', 'null'] };
const timestamp = { type: 'string', format: 'date-time' };
const fiatCode = { type: 'string', pattern: '^[A-Z]{3}$' };
/** "number-string in wei or token units". */
const units = { type: 'string', pattern: '^\\d+$' };
/** "in wei or token units; `-1` denotes no asset-specific minimum". */
const unitsOrNone = { type: 'string', pattern: '^(-1|\\d+)$' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const prices = { type: 'object', additionalProperties: number, minProperties: 1 };
const status = filled;

/** All of `fields` and none besides; a name with a question mark may be absent. */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
  };
}

// §2.4
const PAYMENT = ['MANUAL_BANK_TRANSFER', 'AUTO_BANK_TRANSFER', 'CARD_PAYMENT', 'APPLE_PAY', 'GOOGLE_PAY', 'PIX'];
const PAYOUT = ['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX'];
const countries = list({ type: 'string', pattern: '^[a-z]{2}$' });
const method = (names: readonly string[]) => object({ name: { enum: names }, currencies: list(fiatCode), countries });

// §2.2
const named = { symbol: filled, name: filled, decimals: number, type: filled };
const listed = { logoUrl: string, enabled: boolean, hidden: boolean };
const limits = {
  currencyCode: fiatCode,
  minPurchaseAmount: number,
  maxPurchaseAmount: number,
  minPurchaseCryptoAmount: unitsOrNone,
};
// "absent or null for native assets"
const assetInfo = object({
  ...named,
  ...listed,
  ...limits,
  chain: filled,
  'address?': nullable,
  price: prices,
  networkFee: number,
});
// §2.3: "address is string | null (always present)"; "there is no networkFee in the declared shape".
const offrampAssetInfo = object({ ...named, ...listed, ...limits, chain: filled, address: nullable, price: prices });
// §2.10: "no `chain`".
const assetInfoV2 = object({ ...named, ...listed, ...limits, 'address?': nullable, price: prices, networkFee: number });
const assetInfoV1 = object({
  ...named,
  ...listed,
  'address?': nullable,
  priceEur: number,
  priceUpdateTs: timestamp,
  price: prices,
  minPurchaseAmountEur: number,
  maxPurchaseAmountEur: number,
  minPurchaseCryptoAmount: unitsOrNone,
  networkFeeEur: number,
  networkParamsUpdatedAt: timestamp,
});

// §2.1
const features = { 'enabledFeatures?': list(string) };
const globals = { currencyCode: fiatCode, minPurchaseAmount: number, maxPurchaseAmount: number };
const fees = { minFeeAmount: number, minFeePercent: number, maxFeePercent: number };

// §2.7
const promise = object({
  fiatCurrency: fiatCode,
  cryptoAmount: units,
  fiatValue: number,
  baseServiceFee: number,
  appliedFee: number,
  'hostFeeCut?': number,
});
const quote = (asset: Schema, names: readonly string[]) =>
  object({ asset, ...Object.fromEntries(names.map((name) => [`${name}?`, promise])) });

const rates = { assetExchangeRate: number, assetExchangeRateEur: number };
const feeParts = { baseServiceFee: number, networkFee: number, appliedFee: number };
const assetDetails = { address: nullable, symbol: filled, name: filled, decimals: number };

export const DECLARED = {
  'HostAssetsConfig (§2.1)': object({ assets: list(assetInfo), ...features, ...globals, ...fees }),
  'off-ramp HostAssetsConfig (§2.3)': object({ assets: list(offrampAssetInfo), ...features, ...globals }),
  'v2 HostAssetsConfig (§2.10)': object({ assets: list(assetInfoV2), ...features, ...globals, ...fees }),
  'v1 HostAssetsConfig (§2.10)': object({
    assets: list(assetInfoV1),
    ...features,
    minPurchaseAmountEur: number,
    maxPurchaseAmountEur: number,
    minFeeAmountEur: number,
    minFeePercent: number,
    maxFeePercent: number,
  }),
  'PaymentMethod list (§2.4)': list(method(PAYMENT)),
  'PayoutMethod list (§2.4)': list(method(PAYOUT)),
  'ActiveTransactionCurrency list (§2.5)': list(
    object({ fiatCurrency: fiatCode, name: filled, onrampAvailable: boolean, offrampAvailable: boolean }),
  ),
  'CountryInfo list (§2.10)': list(
    object({
      code: { type: 'string', pattern: '^[A-Z]{2}$' },
      name: filled,
      cardPaymentsEnabled: { const: true },
      mainCurrencyCode: fiatCode,
      'supportedAssets?': { type: ['array', 'null'], items: filled },
    }),
  ),
  'QuoteResult (§2.7)': quote(assetInfo, PAYMENT),
  'off-ramp QuoteResult (§2.7)': quote(offrampAssetInfo, PAYOUT),
  'v1 QuoteResult (§2.10)': object({
    cryptoAssetSymbol: filled,
    fiatCurrency: fiatCode,
    cryptoAmount: units,
    fiatValue: number,
    paymentMethodType: { enum: PAYMENT },
    asset: object(assetDetails),
    ...rates,
    fiatExchangeRateEur: number,
    ...feeParts,
  }),
  'Purchase (§2.9)': object({
    id: filled,
    endTime: timestamp,
    asset: object({ ...assetDetails, type: filled }),
    cryptoAmount: units,
    fiatCurrency: fiatCode,
    fiatValue: number,
    ...rates,
    ...feeParts,
    purchaseViewToken: filled,
    receiverAddress: filled,
    createdAt: timestamp,
    updatedAt: timestamp,
    status,
    finalTxHash: nullable,
    paymentMethodType: { enum: PAYMENT },
  }),
  'Sale (§2.8)': object({
    id: { type: 'string', format: 'uuid' },
    purchaseViewToken: filled,
    createdAt: timestamp,
    crypto: object({
      amount: units,
      assetInfo: object({
        address: nullable,
        symbol: filled,
        chain: filled,
        type: filled,
        name: filled,
        decimals: number,
      }),
    }),
    fiat: object({ amount: number, currencySymbol: fiatCode }),
  }),
  // §7.1: "a JSON object with a `code` property and optional extra properties".
  'error (§7.1)': { type: 'object', required: ['code'], properties: { code: filled } },
  'unsupported v1 method (§7.2)': object({
    currency: filled,
    paymentMethodType: filled,
    code: { const: 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD' },
    statusCode: { const: 400 },
  }),
} as const satisfies Readonly<Record<string, Schema>>;

export type Declared = keyof typeof DECLARED;
