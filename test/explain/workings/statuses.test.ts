import { describe, expect, it } from 'vitest';
import type { History } from '../../../src/domain/case.ts';
import {
  aCase,
  anUnreachable,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  type CaseOverrides,
  type StateOverrides,
} from '../../support/builders.ts';
import { arithmeticOf, workedOut } from '../work-out.ts';

const SEEN = at('2026-11-01 12:00');

describe('there is nothing to work with', () => {
  const unread = anUnreachable();
  const expects = { expectedStatus: 'RELEASED' };
  const came = { peak: { status: 'RELEASED', at: SEEN } };
  it.each<[rule: string, field: string, where: string, subject: CaseOverrides]>([
    ['STATUS_UNKNOWN', 'status', 'the record was not read', { observation: unread }],
    ['STATUS_STUCK', 'status', 'the record was not read', { observation: unread }],
    ['STATUS_STUCK', 'status', 'it has no status', { state: aSale() }],
    ['STATUS_STUCK', 'status', 'the model does not know its status', { state: aPurchase({ status: 'LOST' }) }],
    ['STATUS_STUCK', 'status', 'it may stay in its status for ever', {}],
    [
      'STATUS_STUCK',
      'status',
      'the time of the status is not known',
      { state: aPurchase({ status: 'RELEASING', updatedAt: null }) },
    ],
    ['STATUS_REGRESSED', 'status', 'the record was not read', { observation: unread, history: came }],
    ['STATUS_REGRESSED', 'status', 'it has no status', { state: aSale(), history: came }],
    ['STATUS_REGRESSED', 'status', 'it was never seen before', {}],
    ['STATUS_CONFLICT', 'expected_status', 'the record was not read', { observation: unread, tracked: expects }],
    ['STATUS_CONFLICT', 'expected_status', 'it has no status', { state: aSale(), tracked: expects }],
    ['STATUS_CONFLICT', 'expected_status', 'the application expects nothing', {}],
  ])('for %s of %s where %s', (rule, field, _where, subject) => {
    expect(arithmeticOf(aCase(subject), rule, field)).toBeNull();
  });
});

describe('a status', () => {
  it('that is in the model now is not a break', () => {
    const subject = aCase({ state: aSale({ status: 'completed' }) });
    expect(arithmeticOf(subject, 'STATUS_UNKNOWN', 'status')?.at(-1)).toBe('outcome: among them: no break');
  });

  it('that is missing is shown as none, and is outside the model', () => {
    const lines = arithmeticOf(aCase({ state: aSale() }), 'STATUS_UNKNOWN', 'status');
    expect([lines?.at(0), lines?.at(-1)]).toEqual(['status: none', 'outcome: not among them: a break']);
  });
});

describe('the time in a status', () => {
  // Judged on 2026-11-03 at 00:00; a release may take six hours.
  const stayed = (since: string) =>
    arithmeticOf(
      aCase({ state: aPurchase({ status: 'RELEASING', updatedAt: at(since) }) }),
      'STATUS_STUCK',
      'status',
    )?.slice(3);

  it('as long as the model allows is not a break', () => {
    expect(stayed('2026-11-02 18:00')).toEqual([
      'stayed: 2026-11-03 00:00 UTC − 2026-11-02 18:00 UTC = 6 hours',
      'allowed: 6 hours',
      'outcome: 6 hours ≤ 6 hours: no break',
    ]);
  });

  it('longer than the model allows is a break', () => {
    expect(stayed('2026-11-02 16:00')?.at(-1)).toBe('outcome: 8 hours > 6 hours: a break');
  });
});

describe('the furthest status', () => {
  const regressed = (state: StateOverrides, history: Partial<History>) =>
    arithmeticOf(aCase({ state: aPurchase(state), history }), 'STATUS_REGRESSED', 'status');
  const finished = aSnapshot(aPurchase({ status: 'EXPIRED' }), SEEN);
  const peak = { status: 'FIAT_RECEIVED', at: at('2026-11-01 11:00') };

  it('is the terminal one, whatever the earlier statuses', () => {
    expect(regressed({ status: 'PAYMENT_STARTED' }, { firstTerminal: finished, peak })).toEqual([
      'furthest status: EXPIRED (stage 7, final), seen 2026-11-01 12:00 UTC',
      'status now: PAYMENT_STARTED (stage 1)',
      'outcome: EXPIRED → PAYMENT_STARTED is a move the model forbids: a break',
    ]);
  });

  it('is the furthest one seen where the record is in its terminal status again', () => {
    expect(regressed({ status: 'EXPIRED' }, { firstTerminal: finished, peak })).toEqual([
      'furthest status: FIAT_RECEIVED (stage 5), seen 2026-11-01 11:00 UTC',
      'status now: EXPIRED (stage 7, final)',
      'outcome: FIAT_RECEIVED → EXPIRED is a move the model allows: no break',
    ]);
  });

  it('is the furthest one seen where the final body had no status', () => {
    const silent = aSnapshot(aPurchase({ status: null }), SEEN);
    expect(regressed({ status: 'PAYMENT_STARTED' }, { firstTerminal: silent, peak })?.[0]).toBe(
      'furthest status: FIAT_RECEIVED (stage 5), seen 2026-11-01 11:00 UTC',
    );
  });

  it('may be one outside the model', () => {
    expect(regressed({ status: 'LOST' }, { peak })).toEqual([
      'furthest status: FIAT_RECEIVED (stage 5), seen 2026-11-01 11:00 UTC',
      'status now: LOST (not in the model)',
      'outcome: FIAT_RECEIVED → LOST is a move the model does not know: no break',
    ]);
  });
});

it('a record that reached what the application expects is not a conflict', () => {
  const subject = aCase({ tracked: { expectedStatus: 'RELEASING' } });
  expect(arithmeticOf(subject, 'STATUS_CONFLICT', 'expected_status')).toEqual([
    'the app expects: RELEASING (stage 6)',
    'the record says: RELEASED (stage 7, final), read 2026-11-02 04:15 UTC',
    'outcome: RELEASING → RELEASED is a move the model allows: no break',
  ]);
});

it('a record in the expected status has no transition', () => {
  const subject = aCase({ tracked: { expectedStatus: 'RELEASED' } });
  expect(arithmeticOf(subject, 'STATUS_CONFLICT', 'expected_status')?.at(-1)).toBe(
    'outcome: RELEASED → RELEASED is no move: no break',
  );
});

it('a conflict with a webhook is shown with every event that was delivered', () => {
  const webhookEvents = [
    { type: 'CREATED', at: at('2026-11-01 10:00') },
    { type: 'RELEASED', at: at('2026-11-01 11:00') },
  ];
  const subject = aCase({ state: aPurchase({ status: 'EXPIRED' }), tracked: { webhookEvents } });
  expect(workedOut(subject, 'STATUS_CONFLICT', 'webhook_event').slice(0, 2)).toEqual([
    'webhook: CREATED, delivered 2026-11-01 10:00 UTC',
    'webhook: RELEASED, delivered 2026-11-01 11:00 UTC',
  ]);
});
