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
  crypto: resource({ amount: units, assetInfo: saleAsset, status: text.nullish() }),
  fiat: resource({
    /** The total the user receives. */
    amount: amountOrText,
    currencySymbol: currencyCode,
    status: text.nullish(),
    payoutMethod: text.nullish(),
  }),
  purchaseViewToken: text.nullish(),
  saleViewToken: text.nullish(),
  updatedAt: timestamp.nullish(),
  status: text.nullish(),
  exchangeRate: amountOrBlank.nullish(),
  cryptoToEurRate: amountOrBlank.nullish(),
  fees: resource({ amount: amountOrBlank.nullish(), currencySymbol: text.nullish() }).nullish(),
  transactionHash: text.nullish(),
});

export type WireSale = z.infer<typeof sale>;
