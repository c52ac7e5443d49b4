import { expect, test } from 'vitest';
import { recordMissing } from '../../src/rules/refused.ts';
import { aCase, anUnreachable, aQuarantined, at } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const RELEASED_BEFORE = { lastVerified: { at: at('2026-11-02 04:15'), status: 'RELEASED' } };

const missing = (httpStatus: number | null) => anUnreachable({ reason: 'RECORD_MISSING', httpStatus });

test.each([
  [
    'a 404 for a record that was seen before',
    aCase({ observation: missing(404), history: RELEASED_BEFORE }),
    '404',
    'The Service answers 404 for this id; it was last verified on 2026-11-02 as RELEASED.',
  ],
  [
    'a 410',
    aCase({ observation: missing(410), history: RELEASED_BEFORE }),
    '410',
    'The Service answers 410 for this id; it was last verified on 2026-11-02 as RELEASED.',
  ],
  [
    'a record whose body had no status',
    aCase({ observation: missing(404), history: { lastVerified: { at: at('2026-11-02 04:15'), status: null } } }),
    '404',
    'The Service answers 404 for this id; it was last verified on 2026-11-02.',
  ],
  [
    'a record that was never seen',
    aCase({ observation: missing(404) }),
    '404',
    'The Service answers 404 for this id; it was never verified before.',
  ],
  [
    'an answer without a known code',
    aCase({ observation: missing(null) }),
    null,
    'The Service answers that it does not know this id; it was never verified before.',
  ],
])('%s is a finding', (_, subject, actual, explanation) => {
  expect(ask(recordMissing, subject)).toEqual([{ field: 'http_status', expected: '200', actual, explanation }]);
});

test('a verified record is there', () => {
  expect(ask(recordMissing, aCase())).toEqual(NOTHING);
});

test.each([
  ['a time-out', anUnreachable({ reason: 'TIMEOUT' })],
  ['a refused token', anUnreachable({ reason: 'ACCESS_DENIED', httpStatus: 403 })],
  ['an unreadable body', aQuarantined({ reason: 'UNREADABLE_BODY' })],
  ['a deferred record', { outcome: 'deferred', reason: 'allowance' } as const],
])('%s says neither that it is there nor that it is not', (_, observation) => {
  expect(ask(recordMissing, aCase({ observation }))).toEqual(NOT_APPLICABLE);
});
