import { expect, test } from 'vitest';
import type { Drift } from '../../src/domain/snapshot.ts';
import { schemaDrift } from '../../src/rules/schema-drift.ts';
import { aCase, anUnreachable, aQuarantined, at } from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

const history = { lastVerified: { at: at('2026-11-02 04:15'), status: 'RELEASED' } };

function drift(field: string, rest: Partial<Drift> = {}): Drift {
  return { field, problem: 'missing', found: 'nothing', expected: 'a number', hint: null, ...rest };
}

test('each drifted field is a finding of its own', () => {
  const observation = aQuarantined({
    drift: [
      drift('baseServiceFee', { hint: 'the body has baseMakerFee: set service.identifierName to Maker.' }),
      drift('asset.decimals', { problem: 'type', found: 'a string' }),
      drift('appliedFee', { problem: 'value', found: '-0.43', expected: 'a number that is not negative' }),
    ],
  });
  expect(ask(schemaDrift, aCase({ observation, history }))).toEqual([
    {
      field: 'base_service_fee',
      expected: 'a number',
      actual: 'nothing',
      explanation:
        'The field baseServiceFee is missing: expected a number, found nothing ' +
        '(the body has baseMakerFee: set service.identifierName to Maker), so the record was not judged; ' +
        'it was last verified on 2026-11-02 as RELEASED.',
    },
    {
      field: 'asset.decimals',
      expected: 'a number',
      actual: 'a string',
      explanation:
        'The field asset.decimals has another form: expected a number, found a string, so the record was not judged; ' +
        'it was last verified on 2026-11-02 as RELEASED.',
    },
    {
      field: 'applied_fee',
      expected: 'a number that is not negative',
      actual: '-0.43',
      explanation:
        'The field appliedFee has a value that cannot be used: expected a number that is not negative, found -0.43, ' +
        'so the record was not judged; it was last verified on 2026-11-02 as RELEASED.',
    },
  ]);
});

test.each([
  ['crypto.assetInfo.decimals', 'crypto.asset_info.decimals'],
  ['assetExchangeRateEur', 'asset_exchange_rate_eur'],
  ['actions[0].newStatus', 'actions.0.new_status'],
  ['actions[12].type', 'actions.12.type'],
])('%s is reported as %s', (path, field) => {
  expect(fieldsOf(schemaDrift, aCase({ observation: aQuarantined({ drift: [drift(path)] }) }))).toEqual([field]);
});

test('an explicit null is reported in plain words', () => {
  const observation = aQuarantined({ drift: [drift('fiatValue', { found: 'null' })] });
  expect(ask(schemaDrift, aCase({ observation }))).toMatchObject([
    { actual: 'an empty value', explanation: expect.stringContaining('expected a number, found an empty value, so') },
  ]);
});

test('a field that drifted twice is one finding, the first, since rule and field make the identity of a break', () => {
  const twice = [drift('fiatValue', { found: 'nothing' }), drift('fiatValue', { problem: 'type', found: 'a string' })];
  expect(ask(schemaDrift, aCase({ observation: aQuarantined({ drift: twice }) }))).toMatchObject([
    { field: 'fiat_value', actual: 'nothing' },
  ]);
});

test.each([
  ['UNREADABLE_BODY', 'body'],
  ['BODY_TOO_LARGE', 'body'],
  ['REDIRECTED', 'response'],
] as const)('%s is reported too, about the %s: a record that could not be judged is never green', (reason, field) => {
  const observation = aQuarantined({ reason, detail: 'the key "fiatValue" is there twice.' });
  expect(ask(schemaDrift, aCase({ observation }))).toEqual([
    {
      field,
      expected: null,
      actual: reason,
      explanation:
        'The Service\'s answer could not be used (the key "fiatValue" is there twice), so the record was not judged; ' +
        'it was never verified before.',
    },
  ]);
});

test('a drift without a named field is about the whole body', () => {
  expect(fieldsOf(schemaDrift, aCase({ observation: aQuarantined({ drift: [] }) }))).toEqual(['body']);
});

test('a verified body has every field', () => {
  expect(ask(schemaDrift, aCase())).toEqual(NOTHING);
});

test.each([
  ["another record's body", aQuarantined({ reason: 'RECORD_ID_MISMATCH' })],
  ['no body', anUnreachable()],
])('%s tells nothing about the fields', (_, observation) => {
  expect(ask(schemaDrift, aCase({ observation }))).toEqual(NOT_APPLICABLE);
});
