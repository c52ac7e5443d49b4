/** Quote requests, with the Service's messages for invalid ones, and quotes (spec §2.6, §2.7, §2.10). */
import { z } from 'zod';
import type { Bodies } from '../contract.ts';
import { ERROR_SCHEMAS } from './answers.ts';
import { LiveOrder } from './control.ts';
import { ASSET_SCHEMAS, LIST_SCHEMAS, paymentMethod, payoutMethod } from './reference.ts';
import { amount, currencyCode, decimals, instant, units, word } from './scalars.ts';

const UNITS = /^\d{1,40}$/;

/** Of any currency. Beyond it a quote's units have more digits than a request may, and in the end no digits: a quote failed with 500. */
const MOST_FIAT = 1e15;

const text = (name: string) => z.string({ error: `${name} must be a string` });

const ASSET_AND_CURRENCY = {
  cryptoAssetSymbol: text('cryptoAssetSymbol').describe('Asset identifier `<CHAIN>_<SYMBOL>`, such as `ETH_ETH`.'),
  fiatCurrency: text('fiatCurrency').describe('ISO 4217 code.'),
};

/** Version 3 only (spec §2.6). */
const PLACE = {
  userCountryCode: z
    .string({ error: 'userCountryCode must be a string' })
    .regex(/^[A-Za-z]{2}$/, 'userCountryCode must be an ISO 3166-1 alpha-2 code')
    .optional()
    .describe('ISO 3166-1 alpha-2: leaves out methods not offered there.'),
  userRegionCode: z
    .string({ error: 'userRegionCode must be a string' })
    .regex(/^[A-Za-z0-9]{1,3}$/, 'userRegionCode must be the second part of an ISO 3166-2 code')
    .optional()
    .describe('Second part of the ISO 3166-2 code. Changes nothing here: the text names no effect.'),
};

const AMOUNTS = {
  cryptoAmount: z.unknown().optional().meta({
    type: 'string',
    pattern: UNITS.source,
    description: 'In wei or token units. Either this or `fiatValue`.',
  }),
  fiatValue: z.unknown().optional().meta({
    type: 'number',
    minimum: 0,
    maximum: MOST_FIAT,
    description: 'In `fiatCurrency`: what a buyer pays, or what a seller receives. Either this or `cryptoAmount`.',
  }),
};

const ONE_AMOUNT = { oneOf: [{ required: ['cryptoAmount'] }, { required: ['fiatValue'] }] };

/** Version 3, both directions. */
const quoteRequestV3 = z
  .looseObject({ ...ASSET_AND_CURRENCY, ...PLACE, ...AMOUNTS }, { error: 'body must be an object' })
  .check(always(amountProblem))
  .meta(ONE_AMOUNT);

/** Version 1. The method is looked at after everything else, as its currency is part of the question. */
const quoteRequestV1 = z
  .looseObject(
    {
      ...ASSET_AND_CURRENCY,
      ...AMOUNTS,
      paymentMethodType: z.unknown().optional().meta({
        type: 'string',
        description: 'Absent: the method with the lowest fee that supports the currency.',
      }),
    },
    { error: 'body must be an object' },
  )
  .check(always(amountProblem))
  .meta(ONE_AMOUNT);

/** Exactly one of the two amounts (spec §4.1 rule 1). */
export function amountProblem({
  cryptoAmount,
  fiatValue,
}: {
  cryptoAmount?: unknown;
  fiatValue?: unknown;
}): string | null {
  if ((cryptoAmount === undefined) === (fiatValue === undefined))
    return 'exactly one of cryptoAmount and fiatValue must be given';
  if (cryptoAmount !== undefined)
    return typeof cryptoAmount === 'string' && UNITS.test(cryptoAmount) ? null : 'cryptoAmount must be a number string';
  if (typeof fiatValue !== 'number' || fiatValue < 0) return 'fiatValue must be a positive number';
  return fiatValue <= MOST_FIAT ? null : `fiatValue must not be greater than ${MOST_FIAT}`;
}

/** A check that runs even where single fields are wrong, so that one answer names every problem. */
function always<T extends object>(problemOf: (value: T) => string | null) {
  const check = z.check<T>(({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const message = problemOf(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  });
  check._zod.def.when = () => true;
  return check;
}

/**
 * By their names in the document.
 * @param baseFee the wire name of `baseServiceFee`
 */
export function quoteSchemas(baseFee: string) {
  const method = {
    fiatCurrency: currencyCode,
    cryptoAmount: units,
    fiatValue: amount.describe('On-ramp: the total that the user pays. Off-ramp: the total that the user receives.'),
    appliedFee: amount.describe('The fee that the user pays; within `fiatValue`.'),
    hostFeeCut: amount.optional(),
  };
  const baseServiceFee = amount.describe('Base fee before any modification.');
  const QuoteResultForPaymentMethod = z.looseObject({ ...method, [baseFee]: baseServiceFee });
  // The base fee of an off-ramp quote may be null (field facts "Reference data").
  const QuoteResultForPayoutMethod = z.looseObject({ ...method, [baseFee]: baseServiceFee.nullable() });
  return {
    QuoteRequestBody: quoteRequestV3,
    QuoteRequestBodyV1: quoteRequestV1,
    QuoteResult: z.looseObject({
      asset: ASSET_SCHEMAS.AssetInfo,
      ...Object.fromEntries(paymentMethod.options.map((name) => [name, QuoteResultForPaymentMethod.optional()])),
    }),
    QuoteResultForPaymentMethod,
    OfframpQuoteResult: z.looseObject({
      asset: ASSET_SCHEMAS.OfframpAssetInfo,
      ...Object.fromEntries(payoutMethod.options.map((name) => [name, QuoteResultForPayoutMethod.optional()])),
    }),
    QuoteResultForPayoutMethod,
    QuoteResultV1: z.looseObject({
      cryptoAssetSymbol: word,
      fiatCurrency: currencyCode,
      cryptoAmount: units,
      fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
      paymentMethodType: word,
      asset: z.looseObject({ address: z.string().nullable(), symbol: word, name: z.string(), decimals }),
      assetExchangeRate: amount,
      assetExchangeRateEur: amount,
      fiatExchangeRateEur: amount,
      [baseFee]: baseServiceFee,
      networkFee: amount.describe('Part of `appliedFee`, never to be added to it.'),
      appliedFee: amount,
    }),
  };
}

// One purchase and one sale (spec §2.8, §2.9, field facts "Purchases", "Sales"), and the webhooks that carry them.

const token = z.string().optional().describe('What the record is read with; a secret.');

const ASSET = { address: z.string().nullable(), symbol: word, name: z.string(), decimals };

const SaleAsset = z.looseObject({
  address: z.string().nullable(),
  symbol: word,
  chain: word,
  type: z.string(),
  name: z.string(),
  decimals,
});

/** Sales carry some amounts as text (field facts "Sales"). */
const amountOrText = z.union([amount, z.string().regex(/^\d{1,60}(\.\d{1,60})?$/)]);

const OBSERVED_SALE = z.looseObject({
  id: word,
  createdAt: instant,
  crypto: z.looseObject({ amount: units, assetInfo: SaleAsset, status: z.string().optional() }),
  fiat: z.looseObject({
    amount: amountOrText.describe('The total that the user receives.'),
    currencySymbol: currencyCode,
    status: z.string().optional(),
    payoutMethod: z.string().optional(),
  }),
  purchaseViewToken: token,
  saleViewToken: token,
  updatedAt: instant.optional(),
  status: z.string().optional(),
  exchangeRate: z.string().optional(),
  cryptoToEurRate: amount.optional(),
  fees: z.looseObject({ amount: amountOrText, currencySymbol: currencyCode }).optional(),
  transactionHash: z.string().optional(),
  escrowAddress: z.string().optional().describe('Where the user sends the crypto.'),
});

const expiry = (of: z.ZodType) => of.describe('When an unpaid purchase expires.');

/** Fields that deployments leave out, make null, or add (field facts). */
const OBSERVED = {
  PurchaseAsset: z.looseObject({ ...ASSET, type: z.string().optional() }),
  Sale: OBSERVED_SALE,
  further: {
    updatedAt: instant.optional(),
    endTime: expiry(instant.nullish()),
    assetExchangeRateEur: amount.optional(),
    fiatExchangeRateEur: amount.optional(),
    hostFeeCut: amount.optional(),
    receiverAddress: z.string().optional(),
    finalTxHash: z.string().nullish().describe('Null or absent while no final transaction exists.'),
    purchaseViewToken: token,
  },
};

/** Every declared field, and its declared type (spec §2.8, §2.9). */
const DECLARED = {
  PurchaseAsset: z.looseObject({ ...ASSET, type: z.string() }),
  Sale: z.looseObject({
    id: z.uuid(),
    purchaseViewToken: z.string().describe('What the record is read with; a secret.'),
    createdAt: instant,
    crypto: z.looseObject({ amount: units, assetInfo: SaleAsset }),
    fiat: z.looseObject({
      amount: amount.describe('The total that the user receives.'),
      currencySymbol: currencyCode,
    }),
  }),
  further: {
    updatedAt: instant,
    endTime: expiry(instant),
    assetExchangeRateEur: amount,
    receiverAddress: z.string(),
    finalTxHash: z.string().nullable().describe('Null while no final transaction exists.'),
    purchaseViewToken: z.string().describe('What the record is read with; a secret.'),
  },
};

/**
 * By their names in the document.
 * @param baseFee the wire name of `baseServiceFee`
 */
export function recordSchemas(baseFee: string, bodies: Bodies) {
  const { PurchaseAsset, Sale, further } = bodies === 'spec' ? DECLARED : OBSERVED;
  const Purchase = z.looseObject({
    id: word,
    asset: PurchaseAsset,
    cryptoAmount: units,
    fiatCurrency: currencyCode,
    fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
    assetExchangeRate: amount.describe('Price of one whole token in `fiatCurrency`.'),
    [baseFee]: amount.describe('Base fee before any modification; in `fiatCurrency`.'),
    networkFee: amount.describe('Part of `appliedFee`, never to be added to it; in `fiatCurrency`.'),
    appliedFee: amount.describe('The fee that the user pays, network fee included; in `fiatCurrency`.'),
    createdAt: instant,
    status: word,
    paymentMethodType: word.describe('Old and unknown method names occur.'),
    ...further,
  });
  // Bare by the specification (§6.2), enveloped in the field.
  const purchaseEnvelope = z.looseObject({ type: word, purchase: Purchase });
  const saleEnvelope = z.looseObject({ id: word, type: word, mode: z.literal('OFFRAMP'), payload: Sale });
  return {
    Purchase,
    PurchaseAsset,
    Sale,
    SaleAsset,
    PurchaseWebhook: bodies === 'spec' ? z.union([Purchase, purchaseEnvelope]) : purchaseEnvelope,
    SaleWebhook: bodies === 'spec' ? z.union([Sale, saleEnvelope]) : saleEnvelope,
  };
}

// Every schema that has a name in the document; where the specification has a name, it is that one.

export type ServiceSchemas = ReturnType<typeof serviceSchemas>;

/** @param identifierName the maker's name in identifiers: bodies hold `base<Name>Fee` (field facts) */
export function serviceSchemas(identifierName: string, bodies: Bodies) {
  const baseFee = `base${identifierName}Fee`;
  return {
    ...ASSET_SCHEMAS,
    ...LIST_SCHEMAS,
    ...quoteSchemas(baseFee),
    ...recordSchemas(baseFee, bodies),
    ...ERROR_SCHEMAS,
    LiveOrder,
  };
}
