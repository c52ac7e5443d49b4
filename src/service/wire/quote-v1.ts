/** `POST /host-api/quote`: on-ramp only, one payment method (spec §2.10). */
import type { z } from 'zod';
import { purchaseAsset } from './purchase.ts';
import { hasAnAmount, ONE_AMOUNT, quoteRequestFields } from './quote-v3.ts';
import { amount, currencyCode, filled, resource, text, units } from './scalars.ts';

export const quoteRequestV1 = resource({
  ...quoteRequestFields,
  /** When omitted: the method with the lowest fee that supports the currency. */
  paymentMethodType: text.nullish(),
}).refine(hasAnAmount, ONE_AMOUNT);

export const quoteV1 = resource({
  cryptoAssetSymbol: text.nullish(),
  fiatCurrency: currencyCode,
  cryptoAmount: units,
  fiatValue: amount.describe('The total that the user pays, `appliedFee` included; in `fiatCurrency`.'),
  paymentMethodType: filled,
  asset: purchaseAsset,
  assetExchangeRate: amount,
  assetExchangeRateEur: amount.nullish(),
  fiatExchangeRateEur: amount.nullish(),
  baseServiceFee: amount,
  networkFee: amount.describe('Part of `appliedFee`, never to be added to it.'),
  appliedFee: amount,
  hostFeeCut: amount.nullish(),
});

export type WireQuoteV1 = z.infer<typeof quoteV1>;
