/** One purchase and one sale (spec §2.8, §2.9, field facts "Purchases", "Sales"), and the webhooks that carry them. */
import { z } from 'zod';
import { amount, currencyCode, decimals, instant, units, word } from './scalars.ts';

const token = z.string().optional().describe('What the record is read with; a secret.');

const PurchaseAsset = z.looseObject({
  address: z.string().nullable(),
  symbol: word,
  name: z.string(),
  decimals,
  type: z.string().optional(),
});

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

const Sale = z.looseObject({
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
});

/**
 * By their names in the document. The specification does not say which fields of a purchase may be absent (§2.9); the
 * optional ones were seen absent or null (field facts).
 * @param baseFee the wire name of `baseServiceFee`
 */
export function recordSchemas(baseFee: string) {
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
    updatedAt: instant.optional(),
    endTime: instant.nullish().describe('When an unpaid purchase expires.'),
    assetExchangeRateEur: amount.optional(),
    fiatExchangeRateEur: amount.optional(),
    hostFeeCut: amount.optional(),
    receiverAddress: z.string().optional(),
    finalTxHash: z.string().nullish().describe('Null or absent while no final transaction exists.'),
    purchaseViewToken: token,
  });
  return {
    Purchase,
    PurchaseAsset,
    Sale,
    SaleAsset,
    PurchaseWebhook: z.looseObject({ type: word, purchase: Purchase }),
    SaleWebhook: z.looseObject({ id: word, type: word, mode: z.literal('OFFRAMP'), payload: Sale }),
  };
}
