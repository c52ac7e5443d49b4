/**
 * Fees that were quoted and charged, but that no contract allows: only a price list shows this. PIX has no
 * promotions, and at these amounts its percentage is above the least fee.
 */
import type { DueFigures } from '../contract.ts';
import { method } from '../methods.ts';
import type { Figures } from '../pricing.ts';
import type { DefectShape } from './defect.ts';

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
