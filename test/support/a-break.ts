/** Breaks of a fee that was 1.50 EUR too high, as nights and people leave them, and as the work list shows them. */
import { type Break, type BreakEvent, breakId } from '../../src/domain/break.ts';
import type { CurrentBreak } from '../../src/ports/store/store.ts';
import { at, dec } from './builders.ts';

/** On the default purchase. */
export function aBreak(overrides: Partial<Break> = {}): Break {
  const kind = overrides.kind ?? 'purchase';
  const recordId = overrides.recordId ?? 'sqs6a428mqjtzbv';
  const rule = overrides.rule ?? 'FEE_APPLIED_DIFFERS';
  const field = overrides.field ?? 'applied_fee';
  return {
    breakId: breakId(kind, recordId, rule, field),
    kind,
    recordId,
    rule,
    field,
    severity: 'high',
    state: 'open',
    firstSeenDate: '2026-11-20',
    lastSeenDate: '2026-11-20',
    timesReopened: 0,
    assignee: null,
    waiver: null,
    expected: '4.76',
    actual: '6.26',
    difference: dec('1.5'),
    currency: 'EUR',
    tolerance: dec('0.01'),
    explanation: 'The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.',
    evidenceSha256: 'ab12',
    unit: 'money',
    loss: dec('1.5'),
    recordCurrency: 'EUR',
    moneyAtStake: dec('1.5'),
    leadingBreakId: breakId(kind, recordId, rule, field),
    recordStatus: null,
    moneyMoved: 'yes',
    lossBearer: 'user',
    moneyAside: null,
    ...overrides,
  };
}

/** The event after which the break stands as `overrides` say. */
export function aBreakEvent(
  overrides: Partial<Break> = {},
  event: Partial<Omit<BreakEvent, 'after'>> = {},
): BreakEvent {
  return {
    type: 'opened',
    at: at('2026-11-20 23:59'),
    runId: null,
    who: 'tieout',
    reason: null,
    ...event,
    after: aBreak(overrides),
  };
}

/** Open, without an assignee or money at stake, after three events. */
export function aCurrentBreak(overrides: Partial<CurrentBreak> = {}): CurrentBreak {
  return {
    ...aBreak(),
    breakId: 'a'.repeat(64),
    recordId: 'abc',
    firstSeenDate: '2026-11-01',
    explanation: 'The user paid more.',
    evidenceSha256: null,
    loss: null,
    moneyAtStake: null,
    leadingBreakId: null,
    lossBearer: null,
    hostReference: null,
    events: 3,
    ...overrides,
  };
}
