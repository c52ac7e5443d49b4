/** Payment methods, payout methods and currencies (spec §2.4, §2.5) as reference data. */

import { currentPaymentMethod } from '../domain/method-names.ts';
import type { MethodTerms } from '../domain/reference.ts';
import { type Normalised, readWire } from './drift.ts';
import { currencies } from './wire/currencies.ts';
import { paymentMethods } from './wire/payment-methods.ts';
import { payoutMethods } from './wire/payout-methods.ts';

const PLAIN = { identifierName: 'Service' };

export interface CurrencyAvailability {
  code: string;
  onramp: boolean;
  offramp: boolean;
}

/** Old payment method names become present ones, as they do in purchases; payout methods keep theirs. */
export function normaliseMethods(body: unknown, direction: 'onramp' | 'offramp'): Normalised<readonly MethodTerms[]> {
  const reading = readWire(direction === 'onramp' ? paymentMethods : payoutMethods, body, PLAIN);
  if (!reading.ok) return reading;
  return {
    ok: true,
    value: reading.value.map((method) => ({
      name: direction === 'onramp' ? currentPaymentMethod(method.name) : method.name,
      currencies: method.currencies.map((code) => code.toUpperCase()),
      countries: method.countries.map((code) => code.toLowerCase()),
    })),
  };
}

export function normaliseCurrencies(body: unknown): Normalised<readonly CurrencyAvailability[]> {
  const reading = readWire(currencies, body, PLAIN);
  if (!reading.ok) return reading;
  return {
    ok: true,
    value: reading.value.map(({ fiatCurrency, onrampAvailable, offrampAvailable }) => ({
      code: fiatCurrency,
      onramp: onrampAvailable,
      offramp: offrampAvailable,
    })),
  };
}
