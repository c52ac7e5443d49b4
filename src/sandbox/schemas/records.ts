/** One purchase and one sale (spec §2.8, §2.9, field facts "Purchases", "Sales"), and the webhooks that carry them. */
import { z } from 'zod';
import type { Bodies } from '../contract.ts';
import { amount, currencyCode, decimals, instant, units, word } from './scalars.ts';

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
