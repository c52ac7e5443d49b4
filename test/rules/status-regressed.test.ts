import { expect, test } from 'vitest';
import type { StatusDefinition } from '../../src/domain/status.ts';
import { statusRegressed } from '../../src/rules/status-regressed.ts';
import { aCase, anUnreachable, aPurchase, aSale, aSnapshot, at, STATUSES, someTerms } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const seen = (status: string) => ({ status, at: at('2026-11-01 10:30') });
const finished = (status: string) => aSnapshot(aPurchase({ status }), at('2026-11-01 10:30'));

test('falling back from a later stage is forbidden', () => {
  const subject = aCase({ state: aPurchase({ status: 'PAYMENT_STARTED' }), history: { peak: seen('FIAT_RECEIVED') } });
  expect(ask(statusRegressed, subject)).toEqual([
    {
      field: 'status',
      expected: 'FIAT_RECEIVED',
      actual: 'PAYMENT_STARTED',
      explanation:
        'The purchase was seen as FIAT_RECEIVED on 2026-11-01 10:30 UTC and is PAYMENT_STARTED now; ' +
        'the model allows no way back.',
    },
  ]);
});

test('out of a terminal status there is no way, not even to another terminal one', () => {
  const subject = aCase({
    state: aPurchase({ status: 'CANCELLED' }),
    history: { firstTerminal: finished('RELEASED') },
  });
  expect(ask(statusRegressed, subject)).toEqual([
    {
      field: 'status',
      expected: 'RELEASED',
      actual: 'CANCELLED',
      explanation:
        'The purchase was seen as RELEASED on 2026-11-01 10:30 UTC and is CANCELLED now; nothing may follow that status.',
    },
  ]);
});

test('what was refused may be returned: that is the refund, and a remark', () => {
  const mayBecome = ['RETURNED'];
  const end = (value: string) =>
    [value, { value, stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null, mayBecome }] as const;
  const purchase = new Map<string, StatusDefinition>([...STATUSES.purchase, end('REVIEW_REJECTED'), end('RETURNED')]);
  const subject = aCase({
    state: aPurchase({ status: 'RETURNED' }),
    history: { firstTerminal: finished('REVIEW_REJECTED') },
  });
  expect(ask(statusRegressed, subject, someTerms({ statuses: { ...STATUSES, purchase } }))).toEqual([
    {
      field: 'status',
      expected: 'REVIEW_REJECTED',
      actual: 'RETURNED',
      severity: 'info',
      explanation:
        'The purchase was seen as REVIEW_REJECTED on 2026-11-01 10:30 UTC and is RETURNED now: what was paid for it was refused or returned.',
    },
  ]);
});

test('nor into a status that the model does not know', () => {
  const subject = aCase({
    state: aPurchase({ status: 'FIAT_RETURNED' }),
    history: { firstTerminal: finished('RELEASED') },
  });
  expect(ask(statusRegressed, subject)).toMatchObject([{ expected: 'RELEASED', actual: 'FIAT_RETURNED' }]);
});

test('the furthest status counts, not the one of last night: it stays a finding while the record stays back', () => {
  const history = {
    peak: seen('RELEASING'),
    statusSince: at('2026-11-01 11:00'),
    lastVerified: { at: at('2026-11-02 04:15'), status: 'PAYMENT_STARTED' },
  };
  expect(ask(statusRegressed, aCase({ state: aPurchase({ status: 'PAYMENT_STARTED' }), history }))).toMatchObject([
    { expected: 'RELEASING', actual: 'PAYMENT_STARTED' },
  ]);
  expect(ask(statusRegressed, aCase({ state: aPurchase({ status: 'RELEASED' }), history }))).toEqual(NOTHING);
});

test.each([
  ['forward', 'PAYMENT_STARTED', 'FIAT_SENT'],
  ['nowhere', 'FIAT_SENT', 'FIAT_SENT'],
  ['sideways, at the same stage', 'PAYMENT_IN_PROGRESS', 'PAYMENT_FAILED'],
  ['back after a failed payment, which may be tried again', 'PAYMENT_FAILED', 'PAYMENT_STARTED'],
  ['on from a status outside the model', 'FIAT_PENDING', 'FIAT_SENT'],
])('going %s is fine (%s → %s)', (_, peak, status) => {
  expect(ask(statusRegressed, aCase({ state: aPurchase({ status }), history: { peak: seen(peak) } }))).toEqual(NOTHING);
});

test("a sale's body and its payout have two words for one end; its other ends are still others", () => {
  const firstTerminal = aSnapshot(aSale({ status: 'completed' }));
  const history = { firstTerminal, peak: seen('completed') };
  expect(ask(statusRegressed, aCase({ state: aSale({ status: 'RELEASED' }), history }))).toEqual(NOTHING);
  expect(ask(statusRegressed, aCase({ state: aSale({ status: 'EXPIRED' }), history }))).toMatchObject([
    { expected: 'completed', actual: 'EXPIRED' },
  ]);
  const silent = { firstTerminal: aSnapshot(aSale({ status: null })) };
  expect(ask(statusRegressed, aCase({ state: aSale({ status: 'RELEASED' }), history: silent }))).toEqual(NOTHING);
});

test.each([
  ['the first night', aCase()],
  ['a body without a status', aCase({ state: aSale(), history: { peak: seen('RELEASED') } })],
  ['no body', aCase({ observation: anUnreachable(), history: { peak: seen('RELEASED') } })],
])('there is nothing to compare with on %s', (_, subject) => {
  expect(ask(statusRegressed, subject)).toEqual(NOT_APPLICABLE);
});
