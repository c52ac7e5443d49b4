import { describe, expect, it } from 'vitest';
import { asFound } from '../../src/explain/explain-break.ts';
import { differenceLine, figure, outcomeLine, plainOutcome } from '../../src/rules/working.ts';
import { asText } from '../explain/work-out.ts';
import { dec } from '../support/builders.ts';

describe('a line of arithmetic', () => {
  it('has a negative figure in brackets', () => {
    expect(asText(differenceLine(dec('0.5'), dec('-0.25'), 'EUR').line)).toBe('difference: 0.50 − (-0.25) = +0.75 EUR');
  });

  it('leaves a figure without a unit, or with a unit that is no currency, unchanged', () => {
    expect([figure(dec('2500.5'), null), figure(dec('0.5'), 'ETH_ETH')]).toEqual(['2500.5', '0.5']);
  });

  it('calls a difference up to the accepted one within tolerance', () => {
    expect(asText(outcomeLine(dec('-0.01'), dec('0.01'), 'EUR'))).toBe('outcome: 0.01 ≤ 0.01: within tolerance');
    expect(asText(outcomeLine(dec('-0.02'), dec('0.01'), 'EUR'))).toBe('outcome: 0.02 > 0.01: a break');
  });

  it('says without a number whether it is a break', () => {
    expect(asText(plainOutcome('among them', false))).toBe('outcome: among them: no break');
    expect(asText(plainOutcome('not among them', true))).toBe('outcome: not among them: a break');
  });
});

describe('a rule without arithmetic of its own', () => {
  const finding = { expected: '1.99', actual: '2.49', difference: dec('0.5'), currency: 'EUR', tolerance: null };

  it('is reported without an outcome where it names no tolerance', () => {
    expect(asFound(finding).map(asText)).toEqual([
      'expected: 1.99 EUR',
      'found: 2.49 EUR',
      'difference: 2.49 − 1.99 = +0.50 EUR',
    ]);
  });

  it.each([
    ['expected', { expected: null }, ['expected: nothing in particular', 'found: 2.49 EUR', 'difference: +0.50 EUR']],
    ['found', { actual: null }, ['expected: 1.99 EUR', 'found: nothing', 'difference: +0.50 EUR']],
  ])('is reported without a subtraction where nothing was %s', (_side, missing, lines) => {
    expect(asFound({ ...finding, ...missing }).map(asText)).toEqual(lines);
  });
});
