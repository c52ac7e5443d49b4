import { describe, expect, it } from 'vitest';
import { purchase, sale } from '../../src/service/wire/records.ts';
import { aPopulation, asObject, bodiesOf, NOW } from './a-sandbox.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

const population = aPopulation();
const { plans, bodyOf, purchases, sales } = bodiesOf(population);

const METHODS = ['APPLE_PAY', 'AUTO_BANK_TRANSFER', 'CARD_PAYMENT', 'GOOGLE_PAY', 'MANUAL_BANK_TRANSFER', 'PIX'];

describe('what the population is like', () => {
  it('every body is one that the schemas of the Service accept', () => {
    expect(purchases.filter(({ body }) => !purchase.safeParse(body).success)).toEqual([]);
    expect(sales.filter(({ body }) => !sale.safeParse(body).success)).toEqual([]);
  });

  it('seven in ten are purchases; 25 assets, 13 currencies and every method occur', () => {
    expect(purchases.length / plans.length).toBeGreaterThan(0.66);
    expect(purchases.length / plans.length).toBeLessThan(0.74);
    expect(new Set(plans.map(({ asset }) => `${asset.chain}_${asset.symbol}`)).size).toBeGreaterThanOrEqual(25);
    expect(new Set(plans.map(({ currency }) => currency.code)).size).toBe(13);
    expect([...new Set(purchases.map(({ plan }) => plan.method.name))].sort()).toEqual(METHODS);
    expect([...new Set(sales.map(({ plan }) => plan.method.name))].sort()).toEqual([
      'AMERICAN_BANK_TRANSFER',
      'CARD',
      'PIX',
      'SEPA',
      'SPEI',
    ]);
    expect([...new Set(plans.map(({ asset }) => asset.decimals))].sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 18]);
  });

  it('only supported combinations of method and currency, old names on a few purchases', () => {
    expect(plans.filter(({ method, currency }) => !method.currencies.includes(currency.code))).toEqual([]);
    const old = purchases.filter(({ body }) => !METHODS.includes(String(body.paymentMethodType)));
    expect(old.length / purchases.length).toBeGreaterThan(0.01);
    expect(old.length / purchases.length).toBeLessThan(0.08);
    const names = ['CARD', 'SEPA', 'APPLEPAY', 'GOOGLEPAY', 'PISP', 'OPEN_BANKING'];
    expect(old.filter(({ body }) => !names.includes(String(body.paymentMethodType)))).toEqual([]);
  });

  it('most are released with a transaction; unfinished ones are younger than two days, even a night later', () => {
    const statuses = purchases.map(({ body }) => String(body.status));
    const share = (status: string) => statuses.filter((each) => each === status).length / statuses.length;
    expect(share('RELEASED')).toBeGreaterThan(0.8);
    expect(share('EXPIRED')).toBeGreaterThan(0.03);
    expect(share('CANCELLED')).toBeGreaterThan(0.01);
    for (const { plan, body } of purchases) {
      const done = ['RELEASED', 'EXPIRED', 'CANCELLED'].includes(String(body.status));
      const age = NOW - Date.parse(String(body.createdAt));
      expect([plan.index, done || age < 48 * HOUR]).toEqual([plan.index, true]);
      expect([plan.index, typeof body.finalTxHash === 'string']).toEqual([plan.index, body.status === 'RELEASED']);
    }
  });

  it('creation times fill the last 30 days, and nothing was touched before it was made or after now', () => {
    const created = plans.map(({ createdAt }) => createdAt);
    expect(Math.min(...created)).toBeGreaterThan(NOW - 30 * DAY);
    expect(Math.min(...created)).toBeLessThan(NOW - 29.9 * DAY);
    expect(Math.max(...created)).toBeGreaterThan(NOW - HOUR);
    for (const { body } of purchases) {
      const [made, touched] = [Date.parse(String(body.createdAt)), Date.parse(String(body.updatedAt))];
      expect(made <= touched && touched <= NOW).toBe(true);
      const expiry = body.endTime === null ? null : (Date.parse(String(body.endTime)) - made) / HOUR;
      expect([null, 72, 120]).toContain(expiry);
    }
  });

  it('has all statuses on the way in a population that is dense enough', () => {
    const dense = aPopulation({ days: 2, records: 2000 });
    const seen = new Set<string>();
    for (let index = 0; index < dense.size; index++) {
      const plan = dense.plan(index);
      if (plan.kind === 'purchase') seen.add(String(bodyOf(plan, 1, dense).status));
    }
    expect([...seen].sort()).toEqual([
      'CANCELLED',
      'EXPIRED',
      'FIAT_RECEIVED',
      'FIAT_SENT',
      'INITIALIZED',
      'PAYMENT_EXECUTED',
      'PAYMENT_FAILED',
      'PAYMENT_IN_PROGRESS',
      'PAYMENT_STARTED',
      'RELEASED',
      'RELEASING',
    ]);
  });

  it('names assets in all forms, joined and not', () => {
    const assets = purchases.map(({ body }) => asObject(body.asset));
    expect(assets.some((asset) => asset.symbol === 'MATIC_USDC' && !('chain' in asset))).toBe(true);
    expect(assets.some((asset) => asset.symbol === 'USDC' && asset.chain === 'MATIC')).toBe(true);
    expect(assets.some((asset) => asset.symbol === 'MATIC_USDC' && asset.apiV3Symbol === 'USDC')).toBe(true);
    expect(assets.some((asset) => !('type' in asset))).toBe(true);
  });
});

describe('the same options give the same population', () => {
  const texts = (options: Parameters<typeof aPopulation>[0]) => {
    const some = aPopulation({ records: 150, defects: 0.2, ...options });
    const bodies = Array.from({ length: some.size }, (_, index) => JSON.stringify(some.answer(some.plan(index), 2)));
    return JSON.stringify([bodies, [...some.trackedLines()], [...some.quoteLines()], [...some.answerKey()]]);
  };

  it('to the byte, and another seed another one', () => {
    expect(texts({})).toBe(texts({}));
    expect(texts({ seed: 8 })).not.toBe(texts({}));
    expect(texts({ now: NOW + DAY })).not.toBe(texts({}));
  });

  it('in any order of requests', () => {
    const forwards = aPopulation({ records: 300 });
    const backwards = aPopulation({ records: 300 });
    const bodies = (from: typeof forwards, order: readonly number[]) =>
      new Map(order.map((index) => [index, JSON.stringify(from.answer(from.plan(index), 1))]));
    const order = Array.from({ length: 300 }, (_, index) => index);
    const there = bodies(forwards, order);
    for (const [index, text] of bodies(backwards, order.toReversed())) expect(text).toBe(there.get(index));
  });

  it('a clean record is the same whether others are defective or not', () => {
    const defective = aPopulation({ defects: 0.1 });
    const clean = plans.filter(({ index }) => defective.plan(index).defect === null).slice(0, 200);
    for (const plan of clean) {
      expect(bodyOf(defective.plan(plan.index), 1, defective)).toEqual(bodyOf(plan));
    }
  });
});

describe('300,000 records', () => {
  it('are computed on request and not kept in memory', () => {
    const before = process.memoryUsage().heapUsed;
    const large = aPopulation({ records: 300_000, defects: 0.03 });
    for (let index = 0; index < large.size; index += 150) {
      const plan = large.plan(index);
      expect(large.find(plan.kind, idOf(large, index))?.index).toBe(index);
    }
    expect([...large.answerKey()].length).toBeGreaterThanOrEqual(9000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  });
});

function idOf(from: typeof population, index: number): string {
  const plan = from.plan(index);
  // The id in a body is the one under which it is found, unless the defect is another record's id.
  const plain = { ...plan, defect: null };
  return String(bodyOf(plain, 1, from).id);
}
