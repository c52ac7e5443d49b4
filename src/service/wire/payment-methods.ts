/** `GET /host-api/v3/payment-methods` (spec §2.4). */
import { filled, listOf, resource } from './scalars.ts';

/** A name outside the specification's list is kept: methods come and go. */
export const paymentMethod = resource({
  name: filled,
  /** Fiat currencies that the method is restricted to. */
  currencies: listOf(filled),
  /** Lower-case ISO 3166-1 alpha-2 codes that the method is restricted to. */
  countries: listOf(filled),
});

export const paymentMethods = listOf(paymentMethod);
