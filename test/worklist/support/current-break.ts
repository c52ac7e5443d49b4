/** A break as a person finds it on the work list. */
import { Decimal } from '../../../src/domain/decimal.ts';
import type { CurrentBreak } from '../../../src/ports/store/store.ts';

/** Open, without an assignee, after three events. */
export function aCurrentBreak(overrides: Partial<CurrentBreak> = {}): CurrentBreak {
  return {
    breakId: 'a'.repeat(64),
    kind: 'purchase',
    recordId: 'abc',
    rule: 'FEE_APPLIED_DIFFERS',
    field: 'applied_fee',
    severity: 'high',
    state: 'open',
    firstSeenDate: '2026-11-01',
    lastSeenDate: '2026-11-20',
    timesReopened: 0,
    assignee: null,
    waiver: null,
    expected: '4.76',
    actual: '6.26',
    difference: Decimal.parse('1.5'),
    currency: 'EUR',
    tolerance: Decimal.parse('0.01'),
    explanation: 'The user paid more.',
    evidenceSha256: null,
    unit: 'money',
    loss: null,
    recordCurrency: 'EUR',
    moneyAtStake: null,
    leadingBreakId: null,
    recordStatus: null,
    moneyMoved: 'yes',
    lossBearer: null,
    moneyAside: null,
    hostReference: null,
    events: 3,
    ...overrides,
  };
}
