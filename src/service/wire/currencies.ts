/** `GET /host-api/v3/currencies` (spec §2.5). */
import { currencyCode, flag, listOf, resource, text } from './scalars.ts';

export const activeCurrency = resource({
  fiatCurrency: currencyCode,
  name: text.nullish(),
  onrampAvailable: flag,
  offrampAvailable: flag,
});

export const currencies = listOf(activeCurrency);
