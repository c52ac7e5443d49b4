import { describe, expect, it } from 'vitest';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aQuarantined,
  aSale,
  aSnapshot,
  at,
  type CaseOverrides,
} from '../../support/builders.ts';
import { arithmeticOf, workedOut } from '../work-out.ts';

describe('there is nothing to work with', () => {
  it.each<[rule: string, field: string, where: string, subject: CaseOverrides]>([
    ['RECORD_MISSING', 'http_status', 'the record was read', {}],
    ['RECORD_ID_MISMATCH', 'id', 'the record was read', {}],
    ['RECORD_ID_MISMATCH', 'id', 'no body came back', { observation: anUnreachable() }],
    ['SCHEMA_DRIFT', 'applied_fee', 'the record was read', {}],
    ['SCHEMA_DRIFT', 'applied_fee', 'no body came back', { observation: anUnreachable() }],
    ['TRACKING_CONFLICT', 'tracking', 'one claim came in', {}],
    ['RELEASED_WITHOUT_TX', 'final_tx_hash', 'the record was not read', { observation: anUnreachable() }],
  ])('for %s of %s where %s', (rule, field, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, field)).toBeNull();
  });
});

describe('an answer about the record', () => {
  it('is shown without a status where none came', () => {
    const subject = aCase({ observation: anUnreachable({ httpStatus: null, errorCode: 'GONE' }) });
    expect(arithmeticOf(subject, 'RECORD_MISSING', 'http_status')?.slice(3)).toEqual([
      'answered: no HTTP status, code GONE',
      'last verified: never',
      'outcome: no HTTP status is an answer about this record: a break',
    ]);
  });

  it('says when a record without a status was last verified', () => {
    const observation = anUnreachable({ reason: 'RECORD_MISSING', httpStatus: 404 });
    const lastVerified = { at: at('2026-11-01 04:15'), status: null };
    const subject = aCase({ state: aSale(), observation, history: { lastVerified } });
    expect(workedOut(subject, 'RECORD_MISSING', 'http_status')[4]).toBe('last verified: 2026-11-01 04:15 UTC');
  });

  it('says what a record that is missing now was about', () => {
    const observation = anUnreachable({ reason: 'RECORD_MISSING', httpStatus: 404 });
    const lastVerified = { at: at('2026-11-01 04:15'), status: 'RELEASED' };
    const history = { lastVerified, first: aSnapshot(aPurchase(), at('2026-11-01 04:15')) };
    const [line] = workedOut(aCase({ observation, history }), 'RECORD_MISSING', 'http_status').slice(5);
    expect(line).toMatch(
      /^amounts then: 104\.76 EUR for 0\.04 ETH_ETH \(2026-11-01 04:15 UTC, SHA-256 [0-9a-f]{64}\)$/,
    );
  });
});

describe('a body of another record', () => {
  const mismatch = (drift: Parameters<typeof aQuarantined>[0]) =>
    arithmeticOf(
      aCase({ observation: aQuarantined({ reason: 'RECORD_ID_MISMATCH', ...drift }) }),
      'RECORD_ID_MISMATCH',
      'id',
    )?.slice(2);
  const drifted = { problem: 'value', found: 'a string', expected: 'a number', hint: null } as const;

  it('is shown by its id, even where other fields have drifted', () => {
    const drift = [
      { ...drifted, field: 'appliedFee' },
      { ...drifted, field: 'id', found: 'other' },
    ];
    expect(mismatch({ drift })?.[0]).toBe('the body is of: other');
  });

  it('without a known id is still the body of another record', () => {
    expect(mismatch({ drift: [] })).toEqual([
      'the body is of: another id',
      'last verified: never',
      'outcome: sqs6a428mqjtzbv ≠ another id: a break',
    ]);
  });

  it('with the requested id is not a break', () => {
    expect(mismatch({ drift: [{ ...drifted, field: 'id', found: 'sqs6a428mqjtzbv' }] })?.at(-1)).toBe(
      'outcome: sqs6a428mqjtzbv ≠ sqs6a428mqjtzbv: no break',
    );
  });
});

it('a body that cannot be read is shown field by field, with a remedy where one is known', () => {
  const drift = [
    { field: 'appliedFee', problem: 'missing', found: 'nothing', expected: 'a number', hint: null },
    { field: 'baseFee', problem: 'type', found: 'a string', expected: 'a number', hint: 'set names.identifier' },
  ] as const;
  const subject = aCase({ observation: aQuarantined({ detail: 'the body lacks fields', drift }) });
  expect(arithmeticOf(subject, 'SCHEMA_DRIFT', 'applied_fee')?.slice(2)).toEqual([
    'why it was set aside: the body lacks fields',
    'appliedFee: missing; expected a number',
    'baseFee: a string; expected a number (set names.identifier)',
    'last verified: never',
    'outcome: a body that cannot be read cannot be judged: a break',
  ]);
});

describe('a release without a transaction', () => {
  const released = (state: Parameters<typeof aPurchase>[0]) =>
    arithmeticOf(aCase({ state: aPurchase(state) }), 'RELEASED_WITHOUT_TX', 'final_tx_hash');

  it('has no hash where the hash is an empty text', () => {
    expect(released({ finalTxHash: '', updatedAt: null })).toEqual([
      'status: RELEASED',
      'last changed: not known',
      'transaction hash: none',
      'outcome: released, and nothing on the chain to show: a break',
    ]);
  });

  it('is no break where there is a hash', () => {
    expect(released({ status: null })).toEqual([
      'status: none',
      'last changed: 2026-11-01 10:20 UTC',
      'transaction hash: 0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
      'outcome: released, and nothing on the chain to show: no break',
    ]);
  });
});
