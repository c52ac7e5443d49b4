/** Methods, currencies and countries (spec §2.4, §2.5, §2.10). */
import { z } from 'zod';
import { currencyCode, word } from './scalars.ts';

/** Lower-case ISO 3166-1 alpha-2 (spec §2.4, §4.1). */
export const countryCode = z.string().regex(/^[a-z]{2}$/, 'countryCode must be a lowercase ISO 3166-1 alpha-2 code');

const restrictions = { currencies: z.array(currencyCode), countries: z.array(countryCode) };

export const paymentMethod = z.enum([
  'MANUAL_BANK_TRANSFER',
  'AUTO_BANK_TRANSFER',
  'CARD_PAYMENT',
  'APPLE_PAY',
  'GOOGLE_PAY',
  'PIX',
]);
export const payoutMethod = z.enum(['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX']);

const PaymentMethod = z.looseObject({ name: paymentMethod, ...restrictions });
const PayoutMethod = z.looseObject({ name: payoutMethod, ...restrictions });

const ActiveTransactionCurrency = z.looseObject({
  fiatCurrency: currencyCode,
  name: z.string(),
  onrampAvailable: z.boolean(),
  offrampAvailable: z.boolean(),
});

const CountryInfo = z.looseObject({
  code: z.string().regex(/^[A-Z]{2}$/),
  name: z.string(),
  cardPaymentsEnabled: z.boolean().describe('Deprecated, always true.'),
  mainCurrencyCode: currencyCode,
  supportedAssets: z.array(word).nullish().describe('Null or absent: all assets. Empty: none.'),
});

/** By their names in the document. */
export const LIST_SCHEMAS = {
  PaymentMethods: z.array(PaymentMethod),
  PaymentMethod,
  PayoutMethods: z.array(PayoutMethod),
  PayoutMethod,
  ActiveTransactionCurrencies: z.array(ActiveTransactionCurrency),
  ActiveTransactionCurrency,
  Countries: z.array(CountryInfo),
  CountryInfo,
};
