/** Purchases (spec §2.9), sales (spec §2.8) and their webhook envelopes (field facts). */
import { z } from 'zod';
import {
  amount,
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

/** Only the fields needed for judging are required; the others were seen absent, null, or only in newer bodies. */
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
  actions: z.unknown().optional().describe('Statuses, each with its time; in another form they say nothing.'),
});

/** A purchase as the Service writes it (spec §2.9). */
export type WirePurchase = z.infer<typeof purchase>;

const saleAsset = resource({
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
  escrowAddress: text.nullish().describe('Where the user sends the crypto: an address of the Service.'),
  actions: z.unknown().optional(),
});

/** A sale as the Service writes it (spec §2.8), with the fields of the field facts. */
export type WireSale = z.infer<typeof sale>;

/** Purchases come without an event id. Event types are open (§6.3 does not list them): unknown ones are kept. */
export const purchaseWebhook = resource({ type: filled, purchase });

/** `id` is the event's, never the sale's. */
export const saleWebhook = resource({ id: text.nullish(), type: filled, mode: text.nullish(), payload: sale });
