/** Words and figures as the page shows them. Display only: what is paid and stored is never rounded. */
import type { CatalogueAsset } from '../catalogue-asset.ts';
import type { LiveOutcome } from '../contract.ts';
import { fiatDigits, unitsToTyped } from './amounts.ts';

export const METHOD_NAMES: Readonly<Record<string, string>> = {
  MANUAL_BANK_TRANSFER: 'Bank transfer',
  AUTO_BANK_TRANSFER: 'Instant bank transfer',
  CARD_PAYMENT: 'Card',
  APPLE_PAY: 'Apple Pay',
  GOOGLE_PAY: 'Google Pay',
  PIX: 'PIX',
  AMERICAN_BANK_TRANSFER: 'US bank transfer',
  CARD: 'Card',
  SEPA: 'SEPA transfer',
  SPEI: 'SPEI',
};

export const OUTCOME_NAMES: Readonly<Record<LiveOutcome, string>> = {
  released: 'goes through',
  held: 'waits for the release endpoint',
  failed: 'the payment fails',
  returned: 'the money is sent back',
  expired: 'nobody pays',
};

/** `50.00 EUR`, `1,234 JPY`. */
export function showFiat(value: number, code: string): string {
  const digits = fiatDigits(code);
  const [whole = '', rest] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${rest === undefined ? '' : `.${rest}`} ${code}`;
}

/** Up to eight significant digits after the point: `0.018203 ETH`. */
export function showCrypto(units: bigint, asset: CatalogueAsset): string {
  const [whole = '0', rest = ''] = (unitsToTyped(units.toString(), asset.decimals) ?? '0').split('.');
  const shown = rest.slice(0, Math.max(2, 8, rest.search(/[1-9]/) + 4)).replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`} ${asset.symbol}`;
}
