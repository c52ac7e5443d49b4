import { expect, test } from 'vitest';
import { recordIdMismatch } from '../../src/rules/record-id-mismatch.ts';
import { aCase, aQuarantined, at } from '../support/builders.ts';
import { ask, NOT_APPLICABLE, NOTHING } from './ask.ts';

const history = { lastVerified: { at: at('2026-11-02 04:15'), status: 'RELEASED' } };

test('a body of another record is a finding that names both ids', () => {
  const drift = [
    { field: 'id', problem: 'value', found: 'serhc5knxokfwpq', expected: 'sqs6a428mqjtzbv', hint: null },
  ] as const;
  const observation = aQuarantined({ reason: 'RECORD_ID_MISMATCH', drift });
  expect(ask(recordIdMismatch, aCase({ observation, history }))).toEqual([
    {
      field: 'id',
      expected: 'sqs6a428mqjtzbv',
      actual: 'serhc5knxokfwpq',
      explanation:
        'Asked for sqs6a428mqjtzbv, the Service answered with the body of serhc5knxokfwpq, so nothing in it was used; ' +
        'it was last verified on 2026-11-02 as RELEASED.',
    },
  ]);
});

test('the id that came back is reported, even where more is wrong with the body', () => {
  const drift = [
    { field: 'fiatValue', problem: 'type', found: 'a string', expected: 'a number', hint: null },
    { field: 'id', problem: 'value', found: 'serhc5knxokfwpq', expected: 'sqs6a428mqjtzbv', hint: null },
  ] as const;
  const observation = aQuarantined({ reason: 'RECORD_ID_MISMATCH', drift });
  expect(ask(recordIdMismatch, aCase({ observation }))).toMatchObject([{ field: 'id', actual: 'serhc5knxokfwpq' }]);
});

test('the other id may be unknown', () => {
  const observation = aQuarantined({ reason: 'RECORD_ID_MISMATCH' });
  expect(ask(recordIdMismatch, aCase({ observation }))).toEqual([
    {
      field: 'id',
      expected: 'sqs6a428mqjtzbv',
      actual: null,
      explanation:
        "Asked for sqs6a428mqjtzbv, the Service answered with another record's body, so nothing in it was used; " +
        'it was never verified before.',
    },
  ]);
});

test("a verified body is this record's own", () => {
  expect(ask(recordIdMismatch, aCase())).toEqual(NOTHING);
});

test('a drifted body is not known to be another', () => {
  expect(ask(recordIdMismatch, aCase({ observation: aQuarantined() }))).toEqual(NOT_APPLICABLE);
});
