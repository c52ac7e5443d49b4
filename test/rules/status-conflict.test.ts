import { describe, expect, test } from 'vitest';
import { statusConflict } from '../../src/rules/status-conflict.ts';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  type CaseOverrides,
  STATUSES,
  someTerms,
} from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const RECEIVED = at('2026-11-02 04:15');

function expecting(expectedStatus: string, status: string) {
  return aCase({ state: aPurchase({ status }), tracked: { expectedStatus }, receivedAt: RECEIVED });
}

/** An event so long before the fetch, and the record's status at the fetch. */
function told(type: string, minutesBefore: number, status: string, rest: CaseOverrides = {}) {
  const webhookEvents = [
    { type: 'CREATED', at: at('2026-11-01 10:00') },
    { type, at: RECEIVED - minutesBefore * 60_000 },
  ];
  return aCase({ state: aPurchase({ status }), tracked: { webhookEvents }, receivedAt: RECEIVED, ...rest });
}

/** A purchase that is RELEASED since one moment, and whose money was reported as returned at another. */
function returned(when: string, releasedAt: string) {
  const webhookEvents = [{ type: 'RETURNED', at: at(when) }];
  const state = aPurchase({ status: 'RELEASED', updatedAt: at(releasedAt) });
  return aCase({ state, tracked: { webhookEvents }, receivedAt: RECEIVED });
}

test('money that was returned after the release contradicts a record that stays RELEASED', () => {
  expect(ask(statusConflict, returned('2026-11-01 14:01', '2026-11-01 13:00'))).toEqual([
    {
      field: 'webhook_event',
      expected: 'RETURNED',
      actual: 'RELEASED',
      explanation:
        'The Service reported RETURNED by webhook on 2026-11-01 14:01 UTC, after the release, but the record says RELEASED: it is not known whether the money was given back.',
    },
  ]);
});

test.each([
  ['RELEASED', 'EXPIRED', 'which is final'],
  ['CANCELLED', 'RELEASED', 'which is final'],
  ['FIAT_RECEIVED', 'PAYMENT_STARTED', 'which comes before it'],
  ['RELEASED', 'FIAT_SENT', 'though RELEASED is final'],
  ['EXPIRED', 'RELEASING', 'though EXPIRED is final'],
])('the application expects %s and the record says %s: a contradiction', (expected, actual, why) => {
  expect(ask(statusConflict, expecting(expected, actual))).toEqual([
    {
      field: 'expected_status',
      expected,
      actual,
      explanation: `The application expects ${expected}, but the record says ${actual}, ${why}.`,
    },
  ]);
});

test.each([
  ['the same', 'RELEASED', 'RELEASED'],
  ['the record has advanced', 'PAYMENT_STARTED', 'FIAT_RECEIVED'],
  ['the record has ended', 'PAYMENT_STARTED', 'EXPIRED'],
  ['the word of a release is ahead of the record', 'RELEASED', 'RELEASING'],
  ['a failed payment is tried again', 'PAYMENT_FAILED', 'PAYMENT_STARTED'],
  ['the expectation means nothing to the model', 'PAID', 'PAYMENT_STARTED'],
])('no contradiction: %s (%s, %s)', (_, expected, actual) => {
  expect(ask(statusConflict, expecting(expected, actual))).toEqual(NOTHING);
});

test('RELEASED by webhook and another end in the record contradict each other at once', () => {
  expect(ask(statusConflict, told('RELEASED', 1, 'CANCELLED'))).toEqual([
    {
      field: 'webhook_event',
      expected: 'RELEASED',
      actual: 'CANCELLED',
      explanation:
        'The Service reported RELEASED by webhook on 2026-11-02 04:14 UTC, but the record says CANCELLED, which is final too.',
    },
  ]);
});

test('a record may lag behind an event for an hour, no longer', () => {
  expect(ask(statusConflict, told('RELEASED', 60, 'FIAT_SENT'))).toEqual(NOTHING);
  expect(ask(statusConflict, told('RELEASED', 61, 'FIAT_SENT'))).toEqual([
    {
      field: 'webhook_event',
      expected: 'RELEASED',
      actual: 'FIAT_SENT',
      explanation:
        'The Service reported RELEASED by webhook on 2026-11-02 03:14 UTC, but the record says FIAT_SENT 61 min later.',
    },
  ]);
});

test('a charge-back after the release that was announced is STATUS_REGRESSED’s alone; a release that nobody saw is denied', () => {
  const webhookEvents = [{ type: 'RELEASED', at: at('2026-11-01 13:00') }];
  const state = aPurchase({ status: 'RETURNED' });
  const statuses = new Map([
    ['RETURNED', { value: 'RETURNED', stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null }],
  ]);
  const terms = someTerms({ statuses: { ...STATUSES, purchase: new Map([...STATUSES.purchase, ...statuses]) } });
  const answer = (history: CaseOverrides['history']) =>
    ask(
      statusConflict,
      aCase({ state, tracked: { webhookEvents }, receivedAt: RECEIVED, history: history ?? {} }),
      terms,
    );
  expect(answer({ firstTerminal: aSnapshot(aPurchase()) })).toEqual(NOTHING);
  expect(answer({})).toMatchObject([{ expected: 'RELEASED', actual: 'RETURNED' }]);
});

test.each([
  ['RELEASED while RELEASING, however long', told('RELEASED', 600, 'RELEASING')],
  ['RELEASED and RELEASED', told('RELEASED', 600, 'RELEASED')],
  ['RETURNED of an earlier payment, then the release', returned('2026-11-01 12:30', '2026-11-01 13:00')],
  ['RETURNED within the hour of the release', returned('2026-11-01 14:00', '2026-11-01 13:00')],
  ['ERROR, which is not a status', told('ERROR', 600, 'PAYMENT_STARTED')],
  ['an event after the fetch', told('RELEASED', -10, 'FIAT_SENT')],
])('no contradiction: %s', (_, subject) => {
  expect(ask(statusConflict, subject)).toEqual(NOTHING);
});

describe('a deployment may have statuses of its own between RELEASING and RELEASED', () => {
  const status = (value: string, stage: number, terminal = false) =>
    [value, { value, stage, terminal, stuckAfter: null, mayReturnTo: null }] as const;
  const purchase = new Map([
    status('FIAT_RECEIVED', 5),
    status('RELEASING', 6),
    status('BROADCAST', 6),
    status('CONFIRMING', 7),
    status('RELEASED', 8, true),
  ]);
  const terms = someTerms({ statuses: { ...STATUSES, purchase } });

  test.each(['RELEASING', 'BROADCAST', 'CONFIRMING'])('%s: the release has begun, however long ago', (now) => {
    expect(ask(statusConflict, told('RELEASED', 600, now), terms)).toEqual(NOTHING);
  });

  test('a status before RELEASING still contradicts', () => {
    expect(ask(statusConflict, told('RELEASED', 600, 'FIAT_RECEIVED'), terms)).toMatchObject([
      { field: 'webhook_event', actual: 'FIAT_RECEIVED' },
    ]);
  });
});

test.each([
  ['RELEASED', 'completed'],
  ['RELEASED', 'initiated'],
  ['RELEASED', 'delayed'],
  ['EXPIRED', 'EXPIRED'],
  // A sale may have no other word for having expired.
  ['EXPIRED', 'not-started'],
])('a sale may say only how its payout stands: %s and %s agree', (type, status) => {
  const state = aSale({ status });
  expect(ask(statusConflict, told(type, 600, '', { state }))).toEqual(NOTHING);
  expect(
    ask(statusConflict, aCase({ state, tracked: { expectedStatus: type === 'RELEASED' ? type : status } })),
  ).toEqual(NOTHING);
});

test.each(['not-started', 'failed'])('RELEASED and a payout that is %s hours later contradict each other', (status) => {
  const subject = told('RELEASED', 600, '', { state: aSale({ status }) });
  expect(ask(statusConflict, subject)).toMatchObject([
    {
      explanation: `The Service reported RELEASED by webhook on 2026-11-01 18:15 UTC, but the record says ${status} 10 hours later.`,
    },
  ]);
});

test('EXPIRED by webhook contradicts a sale that was released before it', () => {
  const released = (updatedAt: string) => ({ state: aSale({ status: 'RELEASED', updatedAt: at(updatedAt) }) });
  const subject = told('EXPIRED', 5, '', released('2026-10-31 20:00'));
  expect(ask(statusConflict, subject)).toMatchObject([
    { field: 'webhook_event', expected: 'EXPIRED', actual: 'RELEASED' },
  ]);
  // Tokens that came after the end of the order were paid out by hand.
  const late = aCase({
    ...released('2026-11-03 12:00'),
    tracked: { webhookEvents: [{ type: 'EXPIRED', at: at('2026-11-01 18:15') }] },
  });
  expect(ask(statusConflict, late)).toEqual(NOTHING);
});

test('both may contradict the record', () => {
  const webhookEvents = [{ type: 'RELEASED', at: at('2026-11-01 12:00') }];
  const subject = aCase({
    state: aPurchase({ status: 'EXPIRED' }),
    tracked: { expectedStatus: 'RELEASED', webhookEvents },
  });
  expect(ask(statusConflict, subject)).toMatchObject([{ field: 'expected_status' }, { field: 'webhook_event' }]);
});

test.each([
  ['nothing was expected and no event came', aCase()],
  ['the status is outside the model', expecting('RELEASED', 'FIAT_PENDING')],
  ['the sale has no status', aCase({ state: aSale(), tracked: { expectedStatus: 'RELEASED' } })],
  ['there is no body', aCase({ observation: anUnreachable(), tracked: { expectedStatus: 'RELEASED' } })],
])('not applicable where %s', (_, subject) => {
  expect(ask(statusConflict, subject)).toEqual(NOT_APPLICABLE);
});
