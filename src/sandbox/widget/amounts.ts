/** Amounts as people type them and as parameters carry them, in digits: no amount passes through a double here. */
import * as iso4217 from 'dinero.js/currencies';

/** Ariary and ouguiya divide by five in this table; ISO 4217 gives both two places. */
const EXPONENTS = new Map<string, number>(
  Object.values(iso4217).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2]),
);

const UNITS = /^\d{1,40}$/;
const TYPED = /^(\d{1,30})(?:\.(\d{1,36}))?$/;

/** `5010` EUR is `50.1`, `1000000000000000000` of an asset with 18 decimals is `1`; null for what is no whole number. */
export function unitsToTyped(units: string, decimals: number): string | null {
  if (!UNITS.test(units)) return null;
  const padded = units.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals).replace(/^0+(?=\d)/, '');
  const rest = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** `0.05` of an asset with 18 decimals is `50000000000000000`; null for no amount, zero, or more places than there are. */
export function typedToUnits(typed: string, decimals: number): string | null {
  const [, whole, rest = ''] = TYPED.exec(typed) ?? [];
  if (whole === undefined || rest.replace(/0+$/, '').length > decimals) return null;
  const units = `${whole}${rest.slice(0, decimals).padEnd(decimals, '0')}`.replace(/^0+/, '');
  return units === '' ? null : units;
}

/** Digits after the point by ISO 4217; two for a currency that it does not have. */
export function fiatDigits(code: string): number {
  return EXPONENTS.get(code) ?? 2;
}

/** True for an amount that can be paid: at least one minor unit, and no part of one. */
export function isPayable(typed: string, code: string): boolean {
  return typedToUnits(typed, fiatDigits(code)) !== null;
}
