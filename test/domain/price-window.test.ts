import { expect, it } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { executionOf } from '../../src/domain/execution.ts';
import { priceWindow } from '../../src/domain/slippage.ts';
import { aCase, aMatchedQuote, anUnreachable, aPurchase, aSale, at, dec } from '../support/builders.ts';

const CREATED = at('2026-11-01 10:00');
const seen = (count: number) => ({ low: dec('2490'), high: dec('2510'), count });
const releasedAt = (updatedAt: string, more = {}) =>
  aCase({
    state: aPurchase({ createdAt: CREATED, updatedAt: at(updatedAt) }),
    receivedAt: at('2026-11-09 04:00'),
    ...more,
  });
const prices = (quotes: number, listings: number) => ({
  market: {
    prices: { quotes: quotes === 0 ? null : seen(quotes), listings: listings === 0 ? null : seen(listings) },
    networkFees: { quotes: null, listings: null },
    past: [],
  },
});

const windowOf = (subject: Case) => priceWindow({ ...subject, executed: executionOf(subject) });

it('says the hours in which the price was fixed, and who saw one in them', () => {
  expect(windowOf(releasedAt('2026-11-03 06:00', prices(3, 1)))).toBe('44 h: 3 quotes, 1 listing');
  expect(windowOf(releasedAt('2026-11-03 06:01', prices(0, 40)))).toBe('45 h: 40 listings');
  expect(windowOf(releasedAt('2026-11-01 12:01'))).toBe('3 h: no other price');
});

it('is silent where the moment is known within two hours', () => {
  expect(windowOf(releasedAt('2026-11-01 12:00'))).toBeNull();
  const state = aPurchase({ createdAt: CREATED, updatedAt: at('2026-11-03 06:00'), paidAt: at('2026-11-01 11:00') });
  expect(windowOf(aCase({ state, receivedAt: at('2026-11-09 04:00') }))).toBeNull();
});

it('of a payment after the end lasts from the end to the release: it is processed by hand, at a price between the two', () => {
  const [endTime, paidAt] = [at('2026-11-04 10:00'), at('2026-11-06 09:00')];
  const state = aPurchase({ createdAt: CREATED, updatedAt: at('2026-11-06 12:00'), endTime, paidAt });
  expect(executionOf(aCase({ state, receivedAt: at('2026-11-09 04:00') }))).toEqual({
    from: endTime,
    to: at('2026-11-06 12:00'),
  });
});

it('is silent where nothing was promised, or nothing is fixed', () => {
  expect(windowOf(releasedAt('2026-11-03 06:00', { quote: null }))).toBeNull();
  expect(windowOf(releasedAt('2026-11-03 06:00', { quote: aMatchedQuote({ basis: 'requoted' }) }))).toBeNull();
  expect(windowOf(releasedAt('2026-11-03 06:00', { state: aPurchase({ status: 'PAYMENT_STARTED' }) }))).toBeNull();
  expect(windowOf(aCase({ observation: anUnreachable() }))).toBeNull();
});

it('of a sale without a status begins at its creation and ends when it was read', () => {
  const quote = aMatchedQuote({ quote: { direction: 'offramp' } });
  const subject = aCase({ state: aSale({ status: null }), kind: 'sale', quote, receivedAt: at('2026-11-02 04:00') });
  expect(windowOf(subject)).toBe('18 h: no other price');
});
