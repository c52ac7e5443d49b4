/** One purchase: `GET /host-api/purchase/{id}` and the purchase webhooks (spec §2.9, field facts "Purchases"). */
import type { z } from 'zod';
import { amount, currencyCode, decimals, filled, recordId, resource, text, timestamp, units } from './scalars.ts';

/** The joined `GOERLI_ETH` beside `chain`, or a bare symbol: see src/domain/asset.ts. */
export const purchaseAsset = resource({
  symbol: filled,
  decimals,
  address: text.nullish(),
  name: text.nullish(),
  type: text.nullish(),
  chain: text.nullish(),
  apiV3Symbol: text.nullish(),
  apiV3Type: text.nullish(),
});

/** Required is what no purchase can be judged without; the rest was seen absent, null, or only in newer bodies. */
export const purchase = resource({
  id: recordId,
  asset: purchaseAsset,
  cryptoAmount: units.describe('In wei or token units.'),
  fiatCurrency: currencyCode,
  fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
  assetExchangeRate: amount.describe('Price of one whole token in `fiatCurrency`.'),
  baseServiceFee: amount.describe('Base fee before any modification; in `fiatCurrency`.'),
  networkFee: amount.describe('Part of `appliedFee`, never to be added to it; in `fiatCurrency`.'),
  appliedFee: amount.describe('The fee that the user pays, network fee included; in `fiatCurrency`.'),
  createdAt: timestamp,
  status: filled,
  paymentMethodType: filled.describe('Old and unknown method names occur.'),
  updatedAt: timestamp.nullish(),
  endTime: timestamp.nullish().describe('When an unpaid purchase expires.'),
  assetExchangeRateEur: amount.nullish(),
  fiatExchangeRateEur: amount.nullish(),
  hostFeeCut: amount.nullish(),
  receiverAddress: text.nullish(),
  finalTxHash: text.nullish().describe('Null, absent or empty while no final transaction exists.'),
  purchaseViewToken: text.nullish().describe('What the record is read with; a secret.'),
  escrowAddress: text.nullish(),
});

export type WirePurchase = z.infer<typeof purchase>;
