/** Names of payment and payout methods (spec §2.4), and the old names that some bodies still carry (spec §2.11). */

export const PAYMENT_METHOD_NAMES = [
  'MANUAL_BANK_TRANSFER',
  'AUTO_BANK_TRANSFER',
  'CARD_PAYMENT',
  'APPLE_PAY',
  'GOOGLE_PAY',
  'PIX',
] as const;
type PaymentMethodName = (typeof PAYMENT_METHOD_NAMES)[number];

export const PAYOUT_METHOD_NAMES = ['AMERICAN_BANK_TRANSFER', 'CARD', 'SEPA', 'SPEI', 'PIX'] as const;

/** A map and not an object: the key comes from a body and may be `constructor`. */
const OLD_NAMES: ReadonlyMap<string, PaymentMethodName> = new Map([
  ['PISP', 'AUTO_BANK_TRANSFER'],
  ['OPEN_BANKING', 'AUTO_BANK_TRANSFER'],
  ['SEPA', 'MANUAL_BANK_TRANSFER'],
  ['APPLEPAY', 'APPLE_PAY'],
  ['GOOGLEPAY', 'GOOGLE_PAY'],
  ['CARD', 'CARD_PAYMENT'],
]);

/** Old names that no document maps to a present one: which of the listed methods they are now is not known. */
const OLD_NAMES_ALONE: ReadonlySet<string> = new Set(['SOFORT', 'BANK_TRANSFER']);

export function isOldMethodName(name: string): boolean {
  return OLD_NAMES_ALONE.has(name);
}

/**
 * The present name of a payment method. Unknown names (`SOFORT`, `BANK_TRANSFER`) stay as they are. Not for payout
 * methods, where `CARD` and `SEPA` are present names.
 */
export function currentPaymentMethod(name: string): string {
  return OLD_NAMES.get(name) ?? name;
}
