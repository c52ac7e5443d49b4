import { describe, expect, it } from 'vitest';
import type { BreakState } from '../../src/domain/break.ts';
import type { Observation, UnreachableReason } from '../../src/domain/case.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import { isNotReached, verdictOf } from '../../src/reconcile/verdict.ts';
import { anUnreachable, aPurchase, aQuarantined, aSale, aSnapshot, STATUSES } from '../support/builders.ts';

const verified = (state: RecordState): Observation => ({ outcome: 'verified', snapshot: aSnapshot(state) });
const inStates = (...states: BreakState[]) => states.map((state) => ({ state }));
const DEFERRED: Observation = { outcome: 'deferred', reason: 'not reached' };

describe('the verdict', () => {
  it.each([
    ['a released purchase', aPurchase({ status: 'RELEASED' }), 'matched'],
    ['a purchase under way', aPurchase({ status: 'FIAT_RECEIVED' }), 'pending'],
    ['a purchase in an unknown status', aPurchase({ status: 'FIAT_RETURNED' }), 'pending'],
    ['a purchase without a status', aPurchase({ status: null }), 'pending'],
    ['a sale that was paid out', aSale({ status: 'completed' }), 'matched'],
    ['a sale under way', aSale({ status: 'initiated' }), 'pending'],
    ['a sale whose body has no status: its amounts alone count', aSale({ status: null }), 'matched'],
  ] as const)('of %s, without an open break', (_, state, verdict) => {
    expect(verdictOf(state.kind, verified(state), [], STATUSES)).toBe(verdict);
  });

  it.each([
    ['ended', aPurchase({ status: 'RELEASED' })],
    ['under way', aPurchase({ status: 'FIAT_RECEIVED' })],
    ['a sale without a status', aSale({ status: null })],
  ] as const)('is a break wherever one is open: %s', (_, state) => {
    expect(verdictOf(state.kind, verified(state), inStates('waived', 'open'), STATUSES)).toBe('break');
  });

  it.each([
    ['ended', aPurchase({ status: 'RELEASED' })],
    ['under way', aPurchase({ status: 'FIAT_RECEIVED' })],
    ['a sale without a status', aSale({ status: null })],
  ] as const)('is waived, never matched, where every standing break is waived: %s', (_, state) => {
    expect(verdictOf(state.kind, verified(state), inStates('waived', 'waived'), STATUSES)).toBe('waived');
    expect(verdictOf(state.kind, verified(state), inStates('resolved', 'waived'), STATUSES)).toBe('waived');
  });

  it.each(['open', 'acknowledged', 'reopened'] as const)('is a break while one beside the waived is %s', (open) => {
    expect(verdictOf('purchase', verified(aPurchase()), inStates('waived', open), STATUSES)).toBe('break');
  });

  it('does not ask for breaks that are over', () => {
    const ended = aPurchase({ status: 'RELEASED' });
    expect(verdictOf('purchase', verified(ended), inStates('resolved'), STATUSES)).toBe('matched');
  });

  it.each([
    ['unreadable', aQuarantined(), 'quarantined'],
    ['not known to the Service', anUnreachable({ reason: 'RECORD_MISSING' }), 'unverified'],
    ['not answered', anUnreachable({ reason: 'TIMEOUT' }), 'unverified'],
    ['left for the next night', DEFERRED, 'unverified'],
  ] as const)('of a record that was %s says so, with any breaks', (_, observation, verdict) => {
    expect(verdictOf('purchase', observation, [], STATUSES)).toBe(verdict);
    expect(verdictOf('purchase', observation, inStates('open', 'waived'), STATUSES)).toBe(verdict);
  });
});

describe('not reached', () => {
  it.each([
    ['RECORD_MISSING', false],
    ['ACCESS_DENIED', false],
    ['NETWORK', true],
    ['TIMEOUT', true],
    ['SERVER_ERROR', true],
    ['NOT_JSON', true],
    ['CLIENT_ERROR', true],
    ['NOT_SENT', true],
  ] satisfies [UnreachableReason, boolean][])('is an answer about the record, or none: %s %s', (reason, notReached) => {
    expect(isNotReached(anUnreachable({ reason }))).toBe(notReached);
  });

  it('is a deferred record, and none that brought a body', () => {
    expect(isNotReached(DEFERRED)).toBe(true);
    expect(isNotReached(verified(aPurchase()))).toBe(false);
    expect(isNotReached(aQuarantined())).toBe(false);
  });
});
