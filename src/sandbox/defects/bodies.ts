/** Bodies in which a field that the rules need is gone, renamed or of another type. All are quarantined, and no more. */
import type { Body } from '../contract.ts';
import type { Defect } from './defect.ts';

const CODES = ['SCHEMA_DRIFT'] as const;

function renamed(body: Body, from: string, to: string): Body {
  const { [from]: value, ...rest } = body;
  return { ...rest, [to]: value };
}

function without(body: Body, field: string): Body {
  const { [field]: _, ...rest } = body;
  return rest;
}

export const FEE_RENAMED: Defect = {
  name: 'fee-renamed',
  says: 'appliedFee has become totalFee.',
  codes: CODES,
  night: 1,
  wants: { kind: 'purchase' },
  body: (body) => renamed(body, 'appliedFee', 'totalFee'),
};

export const FEE_AS_TEXT: Defect = {
  name: 'fee-as-text',
  says: 'appliedFee is a string with a currency in it.',
  codes: CODES,
  night: 1,
  wants: { kind: 'purchase' },
  body: (body) => ({ ...body, appliedFee: `${String(body.appliedFee)} ${String(body.fiatCurrency)}` }),
};

export const CRYPTO_AMOUNT_GONE: Defect = {
  name: 'crypto-amount-gone',
  says: 'cryptoAmount is missing.',
  codes: CODES,
  night: 1,
  wants: { kind: 'purchase' },
  body: (body) => without(body, 'cryptoAmount'),
};

export const SALE_AMOUNT_RENAMED: Defect = {
  name: 'sale-amount-renamed',
  says: 'crypto has become cryptoAsset in a sale.',
  codes: CODES,
  night: 1,
  wants: { kind: 'sale' },
  body: (body) => renamed(body, 'crypto', 'cryptoAsset'),
};
