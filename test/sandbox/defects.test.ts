import { describe, expect, it } from 'vitest';
import type { DueEntry } from '../../src/sandbox/contract.ts';
import { purchase, sale } from '../../src/service/wire/records.ts';
import { BREAK_CODES } from '../support/break-codes.ts';
import { aPopulation, asList, type Json, NOW } from './a-sandbox.ts';
import { casesOf } from './defect-cases.ts';

const HOUR = 3_600_000;

/** Each has a line for the record that was copied as well: a reader who compares the two sees the transaction twice. */
const copies = (key: readonly DueEntry[]) => key.filter(({ defect }) => defect === 'one-transaction-twice').length / 2;

describe('the answer key', () => {
  const key = [...aPopulation({ defects: 0.02 }).answerKey()];

  it('has a defect for every break code of the contract at 2 % of 3,000 records', () => {
    expect(key).toHaveLength(60 + copies(key));
    const further = `CHARGED_DIFFERS_FROM_SHOWN SHOWN_DIFFERS_FROM_QUOTE ASSET_NOT_AVAILABLE RECORD_CONTRADICTS_ITSELF
      REFUND_DUE TX_REUSED`.split(/\s+/);
    expect([...new Set(key.flatMap(({ codes }) => codes))].sort()).toEqual([...BREAK_CODES, ...further].sort());
  });

  it('has them at 25 defects already', () => {
    const few = [...aPopulation({ records: 250, defects: 0.1 }).answerKey()];
    expect([...new Set(few.flatMap(({ codes }) => codes))].sort()).toEqual(BREAK_CODES);
  });

  it('names each record once, and all of them are tracked', () => {
    const population = aPopulation({ defects: 0.2 });
    const all = [...population.answerKey()];
    const ids = all.map(({ kind, id }) => `${kind} ${id}`);
    expect(copies(all)).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(600 + copies(all));
    const tracked = new Set([...population.trackedLines()].map(({ kind, id }) => `${kind} ${id}`));
    expect(ids.filter((id) => !tracked.has(id))).toEqual([]);
  });

  it('narrows to names of defects or to break codes', () => {
    const named = (kinds: string[]) =>
      [
        ...new Set([...aPopulation({ defects: 0.01, defectKinds: kinds }).answerKey()].map(({ defect }) => defect)),
      ].sort();
    expect(named(['overcharged'])).toEqual(['overcharged']);
    expect(named(['RECORD_MISSING'])).toEqual(['record-gone', 'record-unknown', 'record-vanished']);
    expect(() => named(['nonsense'])).toThrow('no defect is called nonsense');
  });

  it('is empty for a clean population, and everything is defective at 1', () => {
    expect([...aPopulation().answerKey()]).toEqual([]);
    expect([...aPopulation({ records: 90, defects: 1 }).answerKey()]).toHaveLength(90);
  });
});

/** Everything but `fields` is the same. */
function without(body: Json, ...fields: string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));
}

const age = (body: Json, field: string) => (NOW - Date.parse(String(body[field]))) / HOUR;

describe('records that cannot be read', () => {
  it.each([
    ['record-unknown', [404, 404]],
    ['record-gone', [410, 410]],
    ['token-refused', [403, 403]],
    ['token-unauthorised', [401, 401]],
  ] as const)('%s', (defect, refusals) => {
    for (const { answer } of casesOf(defect)) {
      expect([answer(1), answer(2)]).toEqual(refusals.map((refusal) => ({ refusal })));
    }
  });

  it('record-vanished: there on the first night, unfinished, and gone on the second', () => {
    for (const { entry, first, answer } of casesOf('record-vanished')) {
      expect(entry).toMatchObject({ codes: ['RECORD_MISSING'], night: 2 });
      expect(first).toMatchObject({ id: entry.id, status: 'FIAT_RECEIVED' });
      expect(answer(2)).toEqual({ refusal: 404 });
    }
  });

  it('another-record: a readable body of the same kind with another id', () => {
    for (const { entry, first } of casesOf('another-record')) {
      expect((entry.kind === 'purchase' ? purchase : sale).safeParse(first).success).toBe(true);
      expect(first.id).not.toBe(entry.id);
    }
  });

  it('two-tokens: two lines, two tokens, and both are taken', () => {
    for (const { own, plan, population } of casesOf('two-tokens')) {
      expect(own).toHaveLength(2);
      expect(new Set(own.map(({ view_token }) => view_token)).size).toBe(2);
      expect(own.map(({ view_token }) => population.accepts(plan, view_token))).toEqual([true, true]);
      expect(population.accepts(plan, 'x'.repeat(16))).toBe(false);
    }
  });

  it.each(['fee-renamed', 'fee-as-text', 'crypto-amount-gone', 'sale-amount-renamed'])(
    '%s: the schemas of the Service refuse the body',
    (defect) => {
      for (const { entry, first } of casesOf(defect)) {
        expect((entry.kind === 'purchase' ? purchase : sale).safeParse(first).success).toBe(false);
        expect(first.id).toBe(entry.id);
      }
    },
  );
});

describe('statuses', () => {
  it.each([
    ['status-on-hold', 'ON_HOLD', 'ON_HOLD'],
    ['status-in-compliance', 'COMPLIANCE_CHECK', 'COMPLIANCE_CHECK'],
    ['status-fell-back', 'FIAT_RECEIVED', 'PAYMENT_STARTED'],
    ['status-left-the-end', 'RELEASED', 'PAYMENT_STARTED'],
  ])('%s: %s, then %s; too young to be stuck, and otherwise unchanged', (defect, then, now) => {
    for (const { first, second } of casesOf(defect)) {
      expect([first.status, second.status]).toEqual([then, now]);
      expect(without(second, 'status', 'updatedAt')).toEqual(without(first, 'status', 'updatedAt'));
      expect(age(first, 'createdAt')).toBeLessThan(48);
    }
  });

  it('status-stuck: no change for ten days', () => {
    for (const { first, second } of casesOf('status-stuck')) {
      expect(first.status).toBe('PAYMENT_IN_PROGRESS');
      expect(age(first, 'updatedAt')).toBeGreaterThan(240);
      expect(second).toEqual(first);
    }
  });

  it('expectation-contradicted: the application expects RELEASED of an EXPIRED purchase', () => {
    for (const { first, own } of casesOf('expectation-contradicted')) {
      expect([own[0]?.expected_status, first.status]).toEqual(['RELEASED', 'EXPIRED']);
    }
  });

  it('one-transaction-twice: the earlier purchase, under an id and a token of its own', () => {
    const bodies = new Map(casesOf('one-transaction-twice').map(({ entry, first }) => [entry.id, first]));
    const byHash = Map.groupBy(bodies.values(), ({ finalTxHash }) => finalTxHash);
    expect(byHash.size).toBeGreaterThan(10);
    for (const same of byHash.values()) {
      const tokens = same.map((body) => body.purchaseViewToken).filter((token) => token !== undefined);
      expect(new Set(tokens).size).toBe(tokens.length);
      // A list of actions would begin before the copy's creation.
      const [earlier, ...copied] = same.map((body) => without(body, 'id', 'purchaseViewToken', 'createdAt', 'actions'));
      expect(copied.length).toBeGreaterThan(0);
      for (const copy of copied) expect(copy).toEqual(earlier);
    }
  });

  it('sent-before-paid: a transaction while the payment is still on its way', () => {
    for (const { first } of casesOf('sent-before-paid')) {
      expect(first.status).toBe('FIAT_RECEIVED');
      expect(first.finalTxHash).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('not-refunded: paid by its own list of moments, and expired at least two weeks and a day ago', () => {
    for (const { first } of casesOf('not-refunded')) {
      expect(first.status).toBe('EXPIRED');
      expect(asList(first.actions).map(({ newStatus }) => newStatus)).toContain('FIAT_RECEIVED');
      expect(age(first, 'updatedAt')).toBeGreaterThan(15 * 24);
      expect(first.finalTxHash ?? null).toBeNull();
    }
  });

  it('released-without-tx', () => {
    for (const { first } of casesOf('released-without-tx')) {
      expect(first).toMatchObject({ status: 'RELEASED', finalTxHash: null });
    }
  });
});

describe('fields that change between the nights, one each', () => {
  it.each([
    ['host-cut-restated', 'hostFeeCut', 'RELEASED'],
    ['tx-restated', 'finalTxHash', 'RELEASED'],
    ['address-changed', 'receiverAddress', 'FIAT_RECEIVED'],
    ['creation-moved', 'createdAt', 'FIAT_RECEIVED'],
  ])('%s: %s of a purchase that is %s', (defect, field, status) => {
    for (const { first, second } of casesOf(defect)) {
      expect([first.status, second.status]).toEqual([status, status]);
      expect(first[field]).toBeDefined();
      expect(second[field]).not.toEqual(first[field]);
      expect(without(second, field, 'updatedAt')).toEqual(without(first, field, 'updatedAt'));
    }
  });
});
