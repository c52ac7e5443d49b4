/** Defects met on reading a record: refusals, and bodies of another shape. */

import type { Body } from '../contract.ts';
import { type Defect, ON_THE_WAY } from './defect.ts';

export const RECORD_UNKNOWN: Defect = {
  name: 'record-unknown',
  says: 'The Service answers 404 for a stored id.',
  codes: ['RECORD_MISSING'],
  night: 1,
  refusal: () => 404,
};

export const RECORD_GONE: Defect = {
  name: 'record-gone',
  says: 'The Service answers 410 for a stored id.',
  codes: ['RECORD_MISSING'],
  night: 1,
  refusal: () => 410,
};

/** Not finished, so that the second night surely looks at it again. */
export const RECORD_VANISHED: Defect = {
  name: 'record-vanished',
  says: 'Readable on the first night, 404 on the second.',
  codes: ['RECORD_MISSING'],
  night: 2,
  wants: ON_THE_WAY,
  refusal: (night) => (night === 2 ? 404 : null),
};

export const TOKEN_REFUSED: Defect = {
  name: 'token-refused',
  says: 'The right token is answered with 403.',
  codes: ['ACCESS_DENIED'],
  night: 1,
  refusal: () => 403,
};

export const TOKEN_UNAUTHORISED: Defect = {
  name: 'token-unauthorised',
  says: 'The right token is answered with 401.',
  codes: ['ACCESS_DENIED'],
  night: 1,
  refusal: () => 401,
};

export const ANOTHER_RECORD: Defect = {
  name: 'another-record',
  says: "The body is its neighbour's.",
  codes: ['RECORD_ID_MISMATCH'],
  night: 1,
  refusal: () => 'another-record',
};

/** The Service takes both tokens: which of the two the importer keeps is its own affair, the conflict is due either way. */
export const TWO_TOKENS: Defect = {
  name: 'two-tokens',
  says: 'The application exports the id twice, with different tokens.',
  codes: ['TRACKING_CONFLICT'],
  night: 1,
  wants: { linking: 'linked' },
  acceptsStrangerToken: true,
  tracked: (line, strangerToken) => [line, { ...line, view_token: strangerToken }],
};

/** Bodies in which a field that the rules need is gone, renamed or of another type. All are quarantined, and no more. */
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
