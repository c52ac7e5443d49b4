/** One sale: `GET /host-api/offramp/sale/{id}` and the sale webhooks (spec §2.8, field facts "Sales"). */
import type { z } from 'zod';
import {
  amountOrBlank,
  amountOrText,
  currencyCode,
  decimals,
  filled,
  recordId,
  resource,
  text,
  timestamp,
  units,
} from './scalars.ts';

export const saleAsset = resource({
  symbol: filled,
  decimals,
  /** Derived from the symbol and the type where a body lacks it. */
  chain: text.nullish(),
  address: text.nullish(),
  type: text.nullish(),
  name: text.nullish(),
  apiV3Symbol: text.nullish(),
});

/** The specification shows the first five fields only; every other one was seen in the field and may be missing. */
export const sale = resource({
  id: recordId,
  createdAt: timestamp,
  crypto: resource({ amount: units.describe('In wei or token units.'), assetInfo: saleAsset, status: text.nullish() }),
  fiat: resource({
    amount: amountOrText.describe('The total that the user receives.'),
    currencySymbol: currencyCode,
    status: text.nullish(),
    payoutMethod: text.nullish(),
  }),
  purchaseViewToken: text.nullish().describe('What the record is read with; a secret.'),
  saleViewToken: text.nullish().describe('The same token, as SDK events name it.'),
  updatedAt: timestamp.nullish(),
  status: text.nullish(),
  exchangeRate: amountOrBlank.nullish(),
  cryptoToEurRate: amountOrBlank.nullish(),
  fees: resource({ amount: amountOrBlank.nullish(), currencySymbol: text.nullish() }).nullish(),
  transactionHash: text.nullish(),
});

export type WireSale = z.infer<typeof sale>;
