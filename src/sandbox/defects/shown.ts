/**
 * Differences between the amounts that the app showed and the charged ones. The total is always as quoted; only the
 * fee differs.
 */
import type { DueFigures } from '../contract.ts';
import type { Figures } from '../pricing.ts';
import type { DefectShape } from './defect.ts';
import { ALLOWED, BEYOND, INSIDE, PURCHASE } from './edges.ts';

/** The app shows whole cents: rounded to the side that keeps each case on its own side of the tolerance. */
const centsBelow = (fee: number) => Math.floor(fee * 100) / 100;
const centsAbove = (fee: number) => Math.ceil(fee * 100) / 100;

const showing = (fee: (quoted: Figures, own: Figures) => number) => (quoted: Figures, own: Figures) => ({
  total: quoted.fiatValue,
  fee: fee(quoted, own),
});

/** As in HIDDEN_MARKUP: the total is as quoted, and the rate is lower by what the fee is higher. */
function markedUp(quoted: Figures, decimals: number): Figures {
  const tokens = Number(quoted.units) / 10 ** decimals;
  const extra = tokens * quoted.rate * 0.004;
  const rate = quoted.rate - extra / tokens;
  return { ...quoted, rate, rateEur: rate * quoted.fiatEur, appliedFee: quoted.appliedFee + extra };
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
