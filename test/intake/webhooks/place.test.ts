/** Which delivered body is late: deliveries come in any order. */
import { describe, expect, it } from 'vitest';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import type { StatusModel } from '../../../src/domain/status.ts';
import type { Incoming } from '../../../src/intake/webhooks/contract.ts';
import { type Known, place } from '../../../src/intake/webhooks/place.ts';
import type { Projection } from '../../../src/ports/store/store.ts';
import { aPurchase, at, UNSEEN } from '../../support/builders.ts';

const NOW = at('2026-11-02 00:00');
const stages = { INITIALIZED: 1, PAID: 2, RELEASED: 3 };
const purchase = new Map(
  Object.entries(stages).map(([value, stage]) => [
    value,
    { value, stage, terminal: value === 'RELEASED', stuckAfter: null, mayReturnTo: null },
  ]),
);
const statuses: StatusModel = { purchase, sale: new Map() };
const NONE: Projection = {
  ...UNSEEN,
  lastVerifiedAt: 7,
  lastVerifiedDate: '2026-11-01',
};

function placed(
  known: Partial<Known> & { status?: string | null },
  state: Partial<RecordState> | null,
  more: Partial<Incoming> = {},
) {
  const { status = 'PAID', ...rest } = known;
  const incoming: Incoming = {
    kind: 'purchase',
    id: 'abc',
    token: null,
    origin: 'webhook',
    eventType: null,
    hostReference: null,
    body: { sha256: 'a', evidence: '{}' },
    state: state === null ? null : { ...aPurchase(), ...state },
    ...more,
  };
  return place(
    incoming,
    { recordKey: 1, id: 'abc', projection: { ...NONE, status, lastSnapshot: 5 }, updatedAt: null, ...rest },
    NOW,
    {
      statuses,
      advance: (before) => ({
        projection: { ...before, lastVerifiedAt: NOW, lastVerifiedDate: '2026-11-02' },
        statusChange: null,
      }),
    },
  );
}

const isLate = (...given: Parameters<typeof placed>) => placed(...given).read?.projection === null;
const T1 = at('2026-11-01 10:00');
const T2 = at('2026-11-01 11:00');
const YEAR_9999 = at('9999-01-01 00:00');
const YEAR_1970 = 0;

describe('a delivered body', () => {
  it.each([
    ['with an earlier time than that known', T2, T1, 'PAID', true],
    ['with a later time, whatever its status', T1, T2, 'INITIALIZED', false],
    ['of the same time, one step back', T1, T1, 'INITIALIZED', true],
    ['of the same time, one step on', T1, T1, 'RELEASED', false],
    ['without a time, one step back', T2, null, 'INITIALIZED', true],
    ['without a time, one step on', T2, null, 'RELEASED', false],
    ['after one without a time, one step back', null, T1, 'INITIALIZED', true],
    ['after one from the year 9999', YEAR_9999, T1, 'RELEASED', false],
    ['from the year 9999, one step back', T1, YEAR_9999, 'INITIALIZED', true],
    ['from the year 1970, one step on', T1, YEAR_1970, 'RELEASED', false],
    ['without a status', null, null, null, true],
  ])('%s: known %s, delivered %s, %s: late %s', (_, updatedAt, told, status, expected) => {
    expect(isLate({ updatedAt }, { updatedAt: told, status })).toBe(expected);
  });

  it('is late for no record that has no body yet, or none with a status', () => {
    expect(isLate({ projection: NONE, updatedAt: T2 }, { updatedAt: T1 })).toBe(false);
    expect(isLate({ status: null }, { updatedAt: null, status: null })).toBe(false);
  });

  it('that cannot be read changes no known fact', () => {
    expect(placed({}, null).read).toBeNull();
  });

  it('verifies nothing: only an answer of the Service does', () => {
    expect(placed({}, { status: 'RELEASED' }).read?.projection).toMatchObject({
      lastVerifiedAt: 7,
      lastVerifiedDate: '2026-11-01',
    });
  });

  it('has its identity, where it came with one', () => {
    expect(placed({}, null, { identity: 'same' })).toMatchObject({ identity: 'same', recordKey: 1, at: NOW });
    expect(placed({}, null)).not.toHaveProperty('identity');
  });
});
