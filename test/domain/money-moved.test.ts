/** What is owed back to a user: a table of what was seen, and what follows. */
import { describe, expect, it } from 'vitest';
import type { History } from '../../src/domain/case.ts';
import { moneyMoved, refundOf } from '../../src/domain/money-moved.ts';
import type { CaseOverrides } from '../support/builders.ts';
import { aCase, aPurchase, at, FIRST_NIGHT, STATUSES, someFacts } from '../support/builders.ts';

const EXPIRED = aPurchase({ status: 'EXPIRED', finalTxHash: null, updatedAt: at('2026-11-01 12:00') });
const told = (...types: readonly string[]) =>
  someFacts({ webhookEvents: types.map((type, i) => ({ type, at: at(`2026-10-2${i} 12:00`) })) });
const late = (type: string) => someFacts({ webhookEvents: [{ type, at: at('2026-11-03 12:00') }] });
const seen = (...statuses: readonly string[]) => ({
  ...FIRST_NIGHT,
  passed: statuses.map((status, i) => ({ status, at: at(`2026-10-2${i} 12:00`) })),
});

describe('a purchase that ended without a delivery', () => {
  it.each<[string, CaseOverrides, string | null]>([
    ['was never paid', {}, null],
    ['was paid, by a night', { history: seen('INITIALIZED', 'FIAT_RECEIVED') }, 'FIAT_RECEIVED'],
    ['was paid, by a webhook', { tracked: told('CREATED', 'PAYMENT_EXECUTED') }, 'PAYMENT_EXECUTED'],
    [
      'was paid, by its own body',
      { state: { ...EXPIRED, paidAt: at('2026-10-20 12:00') } },
      'by its own list of moments',
    ],
    ['was paid, by a webhook that came after its end', { tracked: late('FIAT_RECEIVED') }, 'FIAT_RECEIVED'],
    [
      'was paid and given back, by its own body',
      { state: { ...EXPIRED, paidAt: at('2026-10-20 12:00'), returnedAt: at('2026-11-02 12:00') } },
      null,
    ],
    ['was released, by its own body', { state: { ...EXPIRED, paidAt: 1, releasedAt: 2 } }, null],
    ['was released, by a webhook', { tracked: told('PAYMENT_EXECUTED', 'RELEASED') }, null],
    ['was paid and given back, by webhooks', { tracked: told('FIAT_RECEIVED', 'FIAT_RETURNED') }, null],
    ['was paid and given back, by nights', { history: seen('FIAT_RECEIVED', 'FIAT_RETURNED') }, null],
    [
      'was paid by a webhook and given back by a night',
      { tracked: told('FIAT_RECEIVED'), history: seen('RETURNED') },
      null,
    ],
  ])('%s', (_, known, sign) => {
    const given = aCase({ state: EXPIRED, ...known });
    const terms = { statuses: STATUSES, timezone: 'UTC' };
    expect(refundOf(given, terms)?.paid.sign ?? null).toBe(sign);
    const moved = (day: string) => moneyMoved(given, { ...terms, asOf: at(`${day} 12:00`) });
    expect([moved('2026-11-10'), moved('2026-12-20')]).toEqual(sign === null ? ['no', 'no'] : ['pending', 'yes']);
  });

  it('was refused in a review after its payment: what no table knows the money of is owed all the same', () => {
    const status = 'REVIEW_REJECTED';
    const end = { value: status, stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null };
    const statuses = { ...STATUSES, purchase: new Map([...STATUSES.purchase, [status, end]]) };
    const moved = (history: History, day: string) =>
      moneyMoved(aCase({ state: { ...EXPIRED, status }, history }), {
        statuses,
        timezone: 'UTC',
        asOf: at(`${day} 12:00`),
      });
    const paid = seen('INITIALIZED', 'FIAT_RECEIVED');
    expect([moved(paid, '2026-11-10'), moved(paid, '2026-12-20')]).toEqual(['pending', 'yes']);
    expect(moved(seen('INITIALIZED'), '2026-12-20')).toBe('unknown');
  });
});
