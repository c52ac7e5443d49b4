/** How long a record may wait, by status and method, and what may follow an expiry: with the default model of the settings. */
import { expect, it, test } from 'vitest';
import { advance } from '../../src/reconcile/advance.ts';
import { restated } from '../../src/rules/restated.ts';
import { statusRegressed } from '../../src/rules/status-regressed.ts';
import { statusStuck } from '../../src/rules/status-stuck.ts';
import { load } from '../config/loading.ts';
import { aCase, aPurchase, aSale, aSnapshot, at, someTerms, UNSEEN } from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const { statuses } = load().settings;
const terms = (asOf: string) => someTerms({ asOf: at(asOf), statuses });

// 2026-11-06 is a Friday.
test.each([
  ['purchase', 'RELEASING', 'CARD_PAYMENT', '2026-11-07 10:00', '2026-11-07 10:01'],
  ['purchase', 'FIAT_RECEIVED', 'CARD_PAYMENT', '2026-11-11 10:00', '2026-11-11 10:01'],
  ['purchase', 'PAYMENT_IN_PROGRESS', 'CARD_PAYMENT', '2026-11-13 10:00', '2026-11-13 10:01'],
  ['purchase', 'PAYMENT_IN_PROGRESS', 'MANUAL_BANK_TRANSFER', '2026-11-18 10:00', '2026-11-18 10:01'],
  ['purchase', 'FIAT_PENDING', 'MANUAL_BANK_TRANSFER', '2026-11-18 10:00', '2026-11-18 10:01'],
  ['sale', 'initiated', 'SEPA', '2026-11-11 10:00', '2026-11-11 10:01'],
] as const)('a %s in %s by %s may stay until %s', (kind, status, paymentMethod, until, after) => {
  const facts = { status, paymentMethod, createdAt: at('2026-11-06 10:00'), updatedAt: at('2026-11-06 10:00') };
  const subject = aCase({ state: kind === 'purchase' ? aPurchase(facts) : aSale(facts) });
  expect(ask(statusStuck, subject, terms(until))).toEqual(NOTHING);
  expect(ask(statusStuck, subject, terms(after))).toMatchObject([{ field: 'status', actual: status }]);
});

test.each([
  // A Friday evening in New York is a Saturday in UTC: Monday, Tuesday and Wednesday follow.
  ['America/New_York', '2026-11-07 01:00', '2026-11-12 01:00'],
  // A Sunday in UTC is a Monday in Tokyo already: Tuesday, Wednesday and Thursday follow.
  ['Asia/Tokyo', '2026-11-08 16:00', '2026-11-11 16:00'],
  ['UTC', '2026-11-07 01:00', '2026-11-11 01:00'],
] as const)('working days are those of %s: from %s three of them end on %s', (timezone, since, until) => {
  const facts = { status: 'initiated', createdAt: at(since), updatedAt: at(since) };
  const subject = aCase({ state: aSale(facts) });
  const asOf = (ms: number) => someTerms({ asOf: at(until) + ms, statuses, timezone });
  expect(ask(statusStuck, subject, asOf(0))).toEqual(NOTHING);
  expect(ask(statusStuck, subject, asOf(60_000))).toHaveLength(1);
});

test('a purchase that was never paid is abandoned from a day after its end time on, and low', () => {
  const abandoned = (endTime: number | null) =>
    aCase({ state: aPurchase({ status: 'INITIALIZED', createdAt: at('2026-11-01 10:00'), endTime }) });
  const stated = abandoned(at('2026-11-06 10:00'));
  expect(ask(statusStuck, stated, terms('2026-11-07 10:00'))).toEqual(NOTHING);
  expect(ask(statusStuck, stated, terms('2026-11-08 10:00'))).toMatchObject([
    {
      severity: 'low',
      explanation:
        'Never paid: still INITIALIZED 2 days after its end time of 2026-11-06 10:00 UTC; it should have expired within 24 hours.',
    },
  ]);
  // Five days after its creation, where the body has no end time.
  expect(ask(statusStuck, abandoned(null), terms('2026-11-07 10:00'))).toEqual(NOTHING);
  expect(ask(statusStuck, abandoned(null), terms('2026-11-08 10:00'))).toMatchObject([
    {
      severity: 'low',
      explanation:
        'Never paid: still INITIALIZED 2 days after 2026-11-06 10:00 UTC, the latest end of any (it states none); ' +
        'it should have expired within 24 hours.',
    },
  ]);
});

const EXPIRED = aSnapshot(aPurchase({ status: 'EXPIRED', finalTxHash: null, exchangeRate: '2400' }));

test.each(['FIAT_RECEIVED', 'RELEASING', 'RELEASED'])(
  'a payment that came late makes EXPIRED %s: a remark',
  (status) => {
    const history = { firstTerminal: EXPIRED, peak: { status: 'EXPIRED', at: EXPIRED.evidence.receivedAt } };
    const subject = aCase({ state: aPurchase({ status }), history });
    expect(ask(statusRegressed, subject, terms('2026-11-12 00:00'))).toMatchObject([
      { severity: 'info', actual: status },
    ]);
    expect(ask(restated, subject, terms('2026-11-12 00:00'))).toEqual(NOTHING);
  },
);

test.each(['initiated', 'delayed', 'failed', 'completed', 'RELEASED', 'REVIEW_REJECTED'])(
  'tokens that came late make an expired sale %s: a remark',
  (status) => {
    const expired = aSnapshot(aSale({ status: 'EXPIRED' }));
    const history = { firstTerminal: expired, peak: { status: 'EXPIRED', at: expired.evidence.receivedAt } };
    const subject = aCase({ state: aSale({ status }), history });
    expect(ask(statusRegressed, subject, terms('2026-11-12 00:00'))).toMatchObject([{ severity: 'info' }]);
    expect(ask(restated, subject, terms('2026-11-12 00:00'))).toEqual(NOTHING);
  },
);

test.each(['PAYMENT_STARTED', 'CANCELLED'])('EXPIRED that becomes %s is a break still', (status) => {
  const history = { firstTerminal: EXPIRED, peak: { status: 'EXPIRED', at: EXPIRED.evidence.receivedAt } };
  const [found] = ask(statusRegressed, aCase({ state: aPurchase({ status }), history }), terms('2026-11-12 00:00'));
  expect(found).toMatchObject({ expected: 'EXPIRED', actual: status });
  expect(found).not.toHaveProperty('severity');
});

it('fetches an expired bank transfer every night for 14 days, and other expired purchases no more', () => {
  const expiry = (paymentMethod: string, days: number, status = 'EXPIRED') => {
    const state = aPurchase({ status, paymentMethod });
    const before = days === 0 ? 'INITIALIZED' : 'EXPIRED';
    const known = { ...UNSEEN, status: before, statusSince: at('2026-11-01 04:15'), terminalSnapshot: 3 };
    return advance(known, state, statuses, at('2026-11-01 04:15') + days * 86_400_000, '2026-11-20').projection;
  };
  expect(expiry('MANUAL_BANK_TRANSFER', 0).terminalDate).toBeNull();
  expect(expiry('AUTO_BANK_TRANSFER', 13).terminalDate).toBeNull();
  expect(expiry('MANUAL_BANK_TRANSFER', 14).terminalDate).toBe('2026-11-20');
  expect(expiry('CARD_PAYMENT', 0).terminalDate).toBe('2026-11-20');
  // From its late release on it is compared with that.
  expect(expiry('MANUAL_BANK_TRANSFER', 5, 'RELEASED')).toMatchObject({
    terminalDate: '2026-11-20',
    terminalSnapshot: 'this',
    peakStatus: 'RELEASED',
  });
});
