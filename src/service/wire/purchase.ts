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
  cryptoAmount: units,
  fiatCurrency: currencyCode,
  /** The total the user pays, `appliedFee` included. */
  fiatValue: amount,
  /** Price of one whole token in `fiatCurrency`. */
  assetExchangeRate: amount,
  baseServiceFee: amount,
  networkFee: amount,
  /** Includes the network fee. */
  appliedFee: amount,
  createdAt: timestamp,
  status: filled,
  /** Free text: old and unknown method names occur. */
  paymentMethodType: filled,
  updatedAt: timestamp.nullish(),
  /** When an unpaid purchase expires. */
  endTime: timestamp.nullish(),
  assetExchangeRateEur: amount.nullish(),
  fiatExchangeRateEur: amount.nullish(),
  hostFeeCut: amount.nullish(),
  receiverAddress: text.nullish(),
  /** Null, absent or empty while no final transaction exists. */
  finalTxHash: text.nullish(),
  purchaseViewToken: text.nullish(),
  escrowAddress: text.nullish(),
});

export type WirePurchase = z.infer<typeof purchase>;
