import { expect, test } from 'vitest';
import { statusStuck } from '../../src/rules/status-stuck.ts';
import { aCase, anUnreachable, aPurchase, aSale, at, someTerms } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const asOf = (text: string) => someTerms({ asOf: at(text) });

test('longer than the model allows is a finding with the start, the duration and the allowed time', () => {
  const state = aPurchase({ status: 'PAYMENT_IN_PROGRESS', updatedAt: at('2026-10-13 10:02') });
  expect(ask(statusStuck, aCase({ state }), asOf('2026-11-21 12:00'))).toEqual([
    {
      field: 'status',
      expected: null,
      actual: 'PAYMENT_IN_PROGRESS',
      unit: 'days',
      explanation: 'In PAYMENT_IN_PROGRESS since 2026-10-13 10:02 UTC (39 days); allowed 5 days.',
    },
  ]);
});

const progressing = (updatedAt: string | null) =>
  aPurchase({ status: 'PAYMENT_IN_PROGRESS', updatedAt: updatedAt === null ? null : at(updatedAt), createdAt: null });

test.each([
  ['we saw it first, later touches did not move it', '2026-11-09 00:00', '2026-11-01 10:00', '2026-11-01 10:00 UTC'],
  ['it was there before we looked', '2026-11-01 08:00', '2026-11-02 04:15', '2026-11-01 08:00 UTC'],
  ['only the body says', '2026-11-01 08:00', null, '2026-11-01 08:00 UTC'],
  ['only we know', null, '2026-11-02 04:15', '2026-11-02 04:15 UTC'],
])('the earlier of first sight and last change counts: %s', (_, updatedAt, statusSince, since) => {
  const history = { statusSince: statusSince === null ? null : at(statusSince) };
  const answer = ask(statusStuck, aCase({ state: progressing(updatedAt), history }), asOf('2026-11-11 00:00'));
  expect(answer).toMatchObject([{ explanation: expect.stringContaining(`since ${since} (`) }]);
});

test('where neither is known, creation counts for the first stage only', () => {
  const fresh = { createdAt: at('2026-11-01 10:00'), updatedAt: null };
  const initialized = aCase({ state: aPurchase({ ...fresh, status: 'INITIALIZED' }) });
  const later = aCase({ state: aPurchase({ ...fresh, status: 'PAYMENT_STARTED' }) });
  expect(ask(statusStuck, initialized, asOf('2026-11-06 13:00'))).toMatchObject([
    { explanation: 'In INITIALIZED since 2026-11-01 10:00 UTC (5 days 3 hours); allowed 5 days.' },
  ]);
  expect(ask(statusStuck, later, asOf('2026-11-21 00:00'))).toEqual(NOT_APPLICABLE);
});

test('exactly as long as allowed is not too long; a millisecond more is', () => {
  const state = aPurchase({ status: 'RELEASING', updatedAt: at('2026-11-01 10:00') });
  expect(ask(statusStuck, aCase({ state }), asOf('2026-11-01 16:00'))).toEqual(NOTHING);
  expect(ask(statusStuck, aCase({ state }), asOf('2026-11-01 16:00:00.001'))).toMatchObject([
    { explanation: 'In RELEASING since 2026-11-01 10:00 UTC (6 hours); allowed 6 hours.' },
  ]);
});

test('in a status outside the model it is not, so that a break of the one before ends', () => {
  const state = aPurchase({ status: 'FIAT_PENDING' });
  expect(ask(statusStuck, aCase({ state }), asOf('2027-11-01 00:00'))).toEqual(NOTHING);
});

test('a status without a limit is never stuck', () => {
  expect(ask(statusStuck, aCase(), asOf('2027-11-01 00:00'))).toEqual(NOTHING);
});

test.each([
  ['no status', aCase({ state: aSale() })],
  ['no body', aCase({ observation: anUnreachable() })],
])('%s cannot be said to be stuck', (_, subject) => {
  expect(ask(statusStuck, subject, asOf('2027-11-01 00:00'))).toEqual(NOT_APPLICABLE);
});

test.each([
  ['failed, and its tokens never came', 'failed', 'not-started', 'CREATED', NOTHING],
  ['announced to have expired, and never paid out', 'not-started', undefined, 'EXPIRED', NOTHING],
  ['failed, and nothing says whether its tokens came', 'failed', undefined, 'CREATED', 'found'],
  ['failed after its tokens came', 'failed', 'completed', 'CREATED', 'found'],
  ['waiting for its tokens, which may have come', 'not-started', undefined, 'CREATED', 'found'],
  ['abandoned: its tokens were never sent', 'CREATED', 'not-started', 'CREATED', 'low'],
  ['abandoned, and has no word for it', 'not-started', 'not-started', 'CREATED', 'info'],
  ['not paid out though its tokens came', 'not-started', 'completed', 'CREATED', 'found'],
])('a sale that is %s', (_, status, cryptoStatus, type, answer) => {
  const sent = cryptoStatus === undefined ? {} : { cryptoStatus };
  const state = { ...aSale({ status, updatedAt: at('2026-11-02 10:00') }), ...sent };
  const subject = aCase({ state, tracked: { webhookEvents: [{ type, at: at('2026-11-02 10:00') }] } });
  const found = ask(statusStuck, subject, asOf('2026-11-21 00:00'));
  if (typeof answer !== 'string') expect(found).toEqual(answer);
  else {
    expect(found).toMatchObject([{ actual: status }]);
    expect((found as readonly { severity?: string }[])[0]?.severity).toBe(answer === 'found' ? undefined : answer);
  }
});
