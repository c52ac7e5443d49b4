/** Fiat currencies by ISO 4217. `Intl` is not used: it gives HUF, IDR, COP and PKR no minor units where the standard has two. */
import * as iso4217 from 'dinero.js/currencies';
import { Decimal, DecimalSyntaxError } from './decimal.ts';

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

/** With every place of the currency, `5.10`; two where the code is unknown. Empty for an unknown amount. */
export function inMinorUnits(amount: Decimal | null, code: string): string {
  return amount?.toPlaces(EXPONENTS.get(code) ?? 2) ?? '';
}

/** An amount as a sentence shows it: `6.26 EUR`, at minor units where the currency is known. */
export function showMoney(amount: Decimal, code: string): string {
  const digits = EXPONENTS.get(code);
  return `${digits === undefined ? amount.toString() : amount.toPlaces(digits)} ${code}`;
}

/** An amount in another notation, or the reason why it has none. Never rounded: half a cent is reported, not lost. */
type Conversion =
  | { ok: true; text: string }
  | { ok: false; reason: 'unknown-currency' | 'not-a-number' | 'too-precise' };

/** From accounting format to minor units by ISO 4217 (spec §2.11): `50.1` EUR is `5010`, `50` JPY is `50`. */
export function majorToMinor(major: string, code: string): Conversion {
  const digits = EXPONENTS.get(code);
  if (digits === undefined) return { ok: false, reason: 'unknown-currency' };
  const amount = readDecimal(major);
  if (amount === null) return { ok: false, reason: 'not-a-number' };
  if (!amount.rounded(digits).equals(amount)) return { ok: false, reason: 'too-precise' };
  return { ok: true, text: amount.times(Decimal.of(10n ** BigInt(digits))).toString() };
}

/** From minor units to accounting format, with every place of the currency: `5010` EUR is `50.10`. */
export function minorToMajor(minor: string, code: string): Conversion {
  const digits = EXPONENTS.get(code);
  if (digits === undefined) return { ok: false, reason: 'unknown-currency' };
  if (!/^-?\d{1,120}$/.test(minor)) return { ok: false, reason: 'not-a-number' };
  return { ok: true, text: Decimal.of(BigInt(minor), digits).toPlaces(digits) };
}

function readDecimal(text: string): Decimal | null {
  try {
    return Decimal.parse(text);
  } catch (error) {
    if (error instanceof DecimalSyntaxError) return null;
    throw error;
  }
}
