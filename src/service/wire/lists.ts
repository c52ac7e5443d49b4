/** Payment methods, payout methods, currencies (spec §2.4, §2.5) and countries (v1 only, spec §2.10). */
import { currencyCode, filled, flag, listOf, resource, text } from './scalars.ts';

/** Of payment and of payout: only the names differ. A name outside the specification's list is kept: methods come and go. */
const method = resource({
  name: filled,
  /** Fiat currencies that the method is restricted to. */
  currencies: listOf(filled),
  /** Lower-case ISO 3166-1 alpha-2 codes that the method is restricted to. */
  countries: listOf(filled),
});

export const methods = listOf(method);

const country = resource({
  /** ISO 3166-1 alpha-2. */
  code: filled,
  name: text,
  /** Deprecated, always true. */
  cardPaymentsEnabled: flag.nullish(),
  /** ISO 4217. */
  mainCurrencyCode: text,
  /** Null or absent: all assets. Empty: none. */
  supportedAssets: listOf(filled).nullish(),
});

export const countries = listOf(country);

const activeCurrency = resource({
  fiatCurrency: currencyCode,
  name: text.nullish(),
  onrampAvailable: flag,
  offrampAvailable: flag,
});

export const currencies = listOf(activeCurrency);
