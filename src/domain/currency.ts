/** Fiat currencies by ISO 4217. `Intl` is not used: it gives HUF, IDR, COP and PKR no minor units where the standard has two. */
import * as iso4217 from 'dinero.js/currencies';
import { Decimal } from './decimal.ts';

const EXPONENTS = new Map<string, number>();
for (const currency of Object.values(iso4217)) {
  // Ariary and ouguiya divide by five there; ISO 4217 gives both two decimal places.
  EXPONENTS.set(currency.code, currency.base === 10 ? currency.exponent : 2);
}

const MINOR_UNITS = new Map<string, Decimal>(
  [...EXPONENTS].map(([code, exponent]) => [code, Decimal.of(1n, exponent)]),
);

/** Digits after the point that the currency has by ISO 4217 (JPY 0, EUR 2, KWD 3), or undefined for an unknown code. */
export function minorUnitDigits(code: string): number | undefined {
  return EXPONENTS.get(code);
}

/** The smallest amount of a currency (EUR 0.01), or undefined for an unknown code. */
export function minorUnit(code: string): Decimal | undefined {
  return MINOR_UNITS.get(code);
}

/** An amount as a sentence shows it: `6.26 EUR`, at minor units where the currency is known. */
export function showMoney(amount: Decimal, code: string): string {
  const digits = EXPONENTS.get(code);
  return `${digits === undefined ? amount.toString() : amount.toPlaces(digits)} ${code}`;
}
