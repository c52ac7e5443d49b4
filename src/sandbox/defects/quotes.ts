/** Quotes that are missing or for something else. */

import type { Body } from '../contract.ts';
import { method } from '../methods.ts';
import { type DefectShape, RELEASED } from './defect.ts';

const LOOK_ALIKE = 'TLookA1ikeQxGTCi8q8ZY4pL8otSzgjLj6';

export const QUOTE_DEFECTS: Readonly<Record<string, DefectShape>> = {
  /** Laid out like a record whose quote is found by its amount, so that no other quote can be taken for the missing one. */
  'quote-missing': {
    says: 'No quote was exported for the record.',
    codes: ['QUOTE_MISSING'],
    wants: { linking: 'captured' },
    withoutQuote: true,
  },
  /** The two dollar tokens of a chain have one price, one network fee and one set of limits: only the terms differ. */
  'quote-for-sibling-asset': {
    says: 'The linked quote is for USDT, the purchase for USDC on the same chain.',
    codes: ['QUOTE_TERMS_DIFFER'],
    wants: { kind: 'purchase', linking: 'linked', assets: ['ETH_USDC', 'MATIC_USDC', 'SOLANA_USDC'] },
    quotedAsset: (identifier) => identifier.replace('USDC', 'USDT'),
  },
  /** On a chain that no sandbox delivers on. */
  'look-alike-contract': {
    says: 'The token has the name of the quoted and listed one, and another contract.',
    codes: ['ASSET_NOT_AVAILABLE', 'QUOTE_TERMS_DIFFER'],
    wants: { ...RELEASED, assets: ['TRON_USDT'] },
    body: (body) => ({ ...body, asset: { ...(body.asset as Body), address: LOOK_ALIKE } }),
  },
  /** Without the record's method there are no figures to compare, so no other code can be due. */
  'quote-without-method': {
    says: "The linked quote does not offer the purchase's method.",
    codes: ['QUOTE_TERMS_DIFFER'],
    wants: { kind: 'purchase', linking: 'linked', api: 'v3', currencies: ['EUR', 'USD', 'GBP'] },
    offers: (offers, own) => offers.filter(({ method }) => method.name !== own.name),
  },
  /** Record and quote agree with each other, and both contradict the list of payment methods. */
  'method-unsupported': {
    says: 'Paid in euros by PIX, which supports only BRL.',
    codes: ['METHOD_UNSUPPORTED'],
    wants: { kind: 'purchase', linking: 'linked', currencies: ['EUR'], method: method('onramp', 'PIX') },
  },
};
