/** Defects met on reading a record: refusals, and bodies of another shape. */

import type { Body } from '../contract.ts';
import { type DefectShape, ON_THE_WAY } from './defect.ts';

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

export const READING_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'record-unknown': {
    says: 'The Service answers 404 for a stored id.',
    codes: ['RECORD_MISSING'],
    refusal: () => 404,
  },
  'record-gone': {
    says: 'The Service answers 410 for a stored id.',
    codes: ['RECORD_MISSING'],
    refusal: () => 410,
  },
  /** Not finished, so that the second night surely looks at it again. */
  'record-vanished': {
    says: 'Readable on the first night, 404 on the second.',
    codes: ['RECORD_MISSING'],
    night: 2,
    wants: ON_THE_WAY,
    refusal: (night) => (night === 2 ? 404 : null),
  },
  'token-refused': {
    says: 'The right token is answered with 403.',
    codes: ['ACCESS_DENIED'],
    refusal: () => 403,
  },
  'token-unauthorised': {
    says: 'The right token is answered with 401.',
    codes: ['ACCESS_DENIED'],
    refusal: () => 401,
  },
  'another-record': {
    says: "The body is its neighbour's.",
    codes: ['RECORD_ID_MISMATCH'],
    refusal: () => 'another-record',
  },
  /** The Service accepts both tokens: the conflict is due, whichever of them the importer keeps. */
  'two-tokens': {
    says: 'The application exports the id twice, with different tokens.',
    codes: ['TRACKING_CONFLICT'],
    wants: { linking: 'linked' },
    acceptsStrangerToken: true,
    tracked: (line, strangerToken) => [line, { ...line, view_token: strangerToken }],
  },
  'fee-renamed': {
    says: 'appliedFee has become totalFee.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: (body) => renamed(body, 'appliedFee', 'totalFee'),
  },
  'fee-as-text': {
    says: 'appliedFee is a string with a currency in it.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: (body) => ({ ...body, appliedFee: `${String(body.appliedFee)} ${String(body.fiatCurrency)}` }),
  },
  'crypto-amount-gone': {
    says: 'cryptoAmount is missing.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: (body) => without(body, 'cryptoAmount'),
  },
  'sale-amount-renamed': {
    says: 'crypto has become cryptoAsset in a sale.',
    codes: CODES,
    wants: { kind: 'sale' },
    body: (body) => renamed(body, 'crypto', 'cryptoAsset'),
  },
};
