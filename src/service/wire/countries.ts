/** `GET /host-api/countries`, v1 only (spec §2.10). */
import { filled, flag, listOf, resource, text } from './scalars.ts';

export const country = resource({
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
