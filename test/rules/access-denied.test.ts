import { expect, test } from 'vitest';
import { accessDenied } from '../../src/rules/refused.ts';
import { aCase, anUnreachable, at } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

test.each([401, 403])('%i for this record is a finding', (httpStatus) => {
  const observation = anUnreachable({ reason: 'ACCESS_DENIED', httpStatus });
  const history = { lastVerified: { at: at('2026-11-02 04:15'), status: 'RELEASING' } };
  expect(ask(accessDenied, aCase({ observation, history }))).toEqual([
    {
      field: 'http_status',
      expected: '200',
      actual: String(httpStatus),
      explanation:
        `The Service refuses the stored view token of this record with ${httpStatus}; ` +
        'it was last verified on 2026-11-02 as RELEASING.',
    },
  ]);
});

test('the code of the answer may be unknown', () => {
  const observation = anUnreachable({ reason: 'ACCESS_DENIED', httpStatus: null });
  expect(ask(accessDenied, aCase({ observation }))).toEqual([
    {
      field: 'http_status',
      expected: '200',
      actual: null,
      explanation: 'The Service refuses the stored view token of this record; it was never verified before.',
    },
  ]);
});

test('a verified record was opened by its token', () => {
  expect(ask(accessDenied, aCase())).toEqual(NOTHING);
});

test('a failure of the network says nothing about the token', () => {
  expect(ask(accessDenied, aCase({ observation: anUnreachable({ reason: 'NETWORK' }) }))).toEqual(NOT_APPLICABLE);
});
