import { expect, test } from 'vitest';
import { isTerminal, transition } from '../../src/domain/status.ts';
import { STATUSES } from '../support/builders.ts';

test.each([
  ['INITIALIZED', 'INITIALIZED', 'same'],
  ['INITIALIZED', 'RELEASED', 'legal'],
  ['PAYMENT_STARTED', 'PAYMENT_IN_PROGRESS', 'legal'],
  ['PAYMENT_IN_PROGRESS', 'PAYMENT_FAILED', 'legal'],
  ['FIAT_RECEIVED', 'PAYMENT_STARTED', 'forbidden'],
  // The last payment failed; another may follow.
  ['PAYMENT_FAILED', 'PAYMENT_STARTED', 'legal'],
  ['PAYMENT_FAILED', 'INITIALIZED', 'legal'],
  ['RELEASED', 'RELEASED', 'same'],
  ['RELEASED', 'EXPIRED', 'forbidden'],
  ['CANCELLED', 'RELEASING', 'forbidden'],
  ['FIAT_PENDING', 'RELEASED', 'unknown'],
  ['RELEASED', 'FIAT_RETURNED', 'forbidden'],
  ['FIAT_RETURNED', 'REVIEW_REJECTED', 'unknown'],
])('%s → %s is %s', (from, to, expected) => {
  expect(transition(STATUSES, 'purchase', from, to)).toBe(expected);
});

test('each kind has its own model', () => {
  expect(transition(STATUSES, 'sale', 'FIAT_SENT', 'RELEASED')).toBe('unknown');
  // The payout's word and the record's word for one release.
  expect(transition(STATUSES, 'sale', 'completed', 'RELEASED')).toBe('same');
  expect(transition(STATUSES, 'sale', 'completed', 'EXPIRED')).toBe('forbidden');
  expect(isTerminal(STATUSES, 'purchase', 'CANCELLED')).toBe(true);
  expect(isTerminal(STATUSES, 'sale', 'CANCELLED')).toBe(false);
});

test('unknown and missing statuses end nothing', () => {
  expect(isTerminal(STATUSES, 'purchase', 'RELEASING')).toBe(false);
  expect(isTerminal(STATUSES, 'purchase', 'FIAT_RETURNED')).toBe(false);
  expect(isTerminal(STATUSES, 'purchase', null)).toBe(false);
});

test('a fall back is legal down to its stage, no further', () => {
  const failed = { value: 'FAILED', stage: 3, terminal: false, stuckAfter: null, mayReturnTo: 1 };
  const at = (stage: number) => ({ value: `S${stage}`, stage, terminal: false, stuckAfter: null, mayReturnTo: null });
  const purchase = new Map([failed, at(0), at(1), at(2)].map((status) => [status.value, status]));
  const model = { purchase, sale: new Map() };
  expect(transition(model, 'purchase', 'FAILED', 'S2')).toBe('legal');
  expect(transition(model, 'purchase', 'FAILED', 'S1')).toBe('legal');
  expect(transition(model, 'purchase', 'FAILED', 'S0')).toBe('forbidden');
});
