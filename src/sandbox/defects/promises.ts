/** Defects of a promise: a quote that is missing or for something else, a fee beyond the contract, another amount shown. */
import type { Body, DueFigures } from '../contract.ts';
import { method } from '../payment-tables.ts';
import { type Figures, tokensOf } from '../pricing.ts';
import { type DefectShape, RELEASED } from './defect.ts';
import { ALLOWED, BEYOND, INSIDE, PURCHASE, withMarkup } from './edges.ts';

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

// Fees that were quoted and charged, but that no contract allows: only a price list shows this. PIX has no
// promotions, and at these amounts its percentage is above the least fee.

const PIX = method('onramp', 'PIX');

const at = (percent: number) => ({
  kind: 'purchase' as const,
  linking: 'linked' as const,
  currencies: ['BRL'],
  method: { ...PIX, percent },
  fiatEur: [165, 215] as const,
  complete: true,
});

export const CONTRACT_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'above-contract': {
    says: 'Quoted and charged at 2.29 %; the contract says 1.99 %.',
    codes: ['FEE_DIFFERS_FROM_CONTRACT'],
    wants: at(2.29),
    contractPercent: PIX.percent,
  },
  'contract-just-beyond': {
    says: 'Quoted and charged a quarter of a percent of its fee above the contract.',
    codes: ['FEE_DIFFERS_FROM_CONTRACT'],
    wants: at(PIX.percent * 1.0025),
    contractPercent: PIX.percent,
  },
  'contract-just-inside': {
    says: 'Quoted and charged above the contract by less than is tolerated: no break is due.',
    codes: [],
    wants: at(PIX.percent * 1.0003),
    contractPercent: PIX.percent,
  },
};

/** The quote was kept, so that the contract is what the loss is measured against. */
export function dueByContract(
  codes: readonly string[],
  percent: number,
  { units, rate, networkFee, appliedFee }: Figures,
  decimals: number,
): readonly DueFigures[] {
  if (!codes.includes('FEE_DIFFERS_FROM_CONTRACT')) return [];
  const expected = ((percent / 100) * Number(units) * rate) / 10 ** decimals + networkFee;
  return [
    { code: 'FEE_DIFFERS_FROM_CONTRACT', expected, actual: appliedFee, unit: 'money', loss: appliedFee - expected },
  ];
}

// Differences between the amounts that the app showed and the charged ones. The total is always as quoted; only the
// fee differs.

/** The app shows whole cents: rounded to the side that keeps each case on its own side of the tolerance. */
const centsBelow = (fee: number) => Math.floor(fee * 100) / 100;
const centsAbove = (fee: number) => Math.ceil(fee * 100) / 100;

const showing = (fee: (quoted: Figures, own: Figures) => number) => (quoted: Figures, own: Figures) => ({
  total: quoted.fiatValue,
  fee: fee(quoted, own),
});

function markedUp(quoted: Figures, decimals: number): Figures {
  const tokens = tokensOf(quoted.units, decimals);
  return withMarkup(quoted, tokens, tokens * quoted.rate * 0.004);
}

export const SHOWN_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'shown-too-low': {
    says: 'The app showed four fifths of the quoted fee; the quoted one was charged.',
    codes: ['SHOWN_DIFFERS_FROM_QUOTE', 'CHARGED_DIFFERS_FROM_SHOWN'],
    wants: PURCHASE,
    shown: showing(({ appliedFee }) => appliedFee * 0.8),
  },
  'charged-above-shown': {
    says: 'The app showed the quoted fee; 0.4 % of the value more was charged, at a rate that is as much lower.',
    codes: ['FEE_APPLIED_DIFFERS', 'CHARGED_DIFFERS_FROM_SHOWN'],
    wants: PURCHASE,
    figures: markedUp,
    shown: showing(({ appliedFee }) => appliedFee),
  },
  'shown-as-charged': {
    says: 'The app showed the fee that was charged, which is not the quoted one.',
    codes: ['FEE_APPLIED_DIFFERS', 'SHOWN_DIFFERS_FROM_QUOTE'],
    wants: PURCHASE,
    figures: markedUp,
    shown: showing((_quoted, { appliedFee }) => appliedFee),
  },
  'shown-just-beyond': {
    says: 'The app showed a fee that is lower than quoted by a tenth more than is tolerated.',
    codes: ['SHOWN_DIFFERS_FROM_QUOTE', 'CHARGED_DIFFERS_FROM_SHOWN'],
    wants: PURCHASE,
    shown: showing(({ appliedFee }) => centsBelow(appliedFee - BEYOND * ALLOWED)),
  },
  'shown-just-inside': {
    says: 'The app showed a fee that is lower than quoted by a tenth less than is tolerated: no break is due.',
    codes: [],
    wants: PURCHASE,
    shown: showing(({ appliedFee }) => centsAbove(appliedFee - INSIDE * ALLOWED)),
  },
};

/** The figures of the two codes about a shown fee. */
export function dueShown(
  codes: readonly string[],
  shown: { fee: number },
  quoted: Figures,
  own: Figures,
): readonly DueFigures[] {
  const due = (code: string, expected: number, actual: number, loss: number | null): DueFigures[] =>
    codes.includes(code) ? [{ code, expected, actual, unit: 'money', loss }] : [];
  return [
    ...due('SHOWN_DIFFERS_FROM_QUOTE', quoted.appliedFee, shown.fee, null),
    ...due('CHARGED_DIFFERS_FROM_SHOWN', shown.fee, own.appliedFee, own.appliedFee - shown.fee),
  ];
}
