import { describe, expect, it } from 'vitest';
import { isTerminal, transition } from '../../src/domain/status.ts';
import { statusUnknown } from '../../src/rules/status-unknown.ts';
import { load } from '../config/loading.ts';
import { ask, NOTHING } from '../rules/ask.ts';
import { get } from '../sandbox/a-sandbox.ts';
import { aCase, aPurchase, aSale, someTerms } from '../support/builders.ts';
import { aSpecSandbox } from './support/a-spec-sandbox.ts';

/** The status model without configuration. */
const statuses = load().settings.statuses;
const terms = someTerms({ statuses });

const ORDER = {
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  fiatValue: 100,
} as const;

describe('§3 states', () => {
  it('purchase status INITIALIZED occurs: it is where a purchase of the sandbox begins', async () => {
    await using sandbox = await aSpecSandbox({ records: 0 });
    const { id, viewToken } = sandbox.live.create({ ...ORDER, kind: 'purchase', method: 'CARD_PAYMENT' });
    const { body } = await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`);
    expect(body.status).toBe('INITIALIZED');
    expect(statuses.purchase.get('INITIALIZED')).toMatchObject({ stage: 0, terminal: false });
  });

  // Field facts: eleven values in public typings, and four of bank transfers and reviews.
  it('other purchase values are not shown: the model has those that are public', () => {
    const ended = [...statuses.purchase.keys()].filter((status) => isTerminal(statuses, 'purchase', status));
    expect([...statuses.purchase.keys()]).toEqual([
      'INITIALIZED',
      'PAYMENT_STARTED',
      'PAYMENT_FAILED',
      'PAYMENT_IN_PROGRESS',
      'FIAT_PENDING',
      'PAYMENT_EXECUTED',
      'FIAT_SENT',
      'FIAT_RECEIVED',
      'RELEASING',
      'RELEASED',
      'EXPIRED',
      'CANCELLED',
      'FIAT_RETURNED',
      'REVIEW_REJECTED',
      'RETURNED',
    ]);
    expect(ended).toEqual(['RELEASED', 'EXPIRED', 'CANCELLED', 'FIAT_RETURNED', 'REVIEW_REJECTED', 'RETURNED']);
  });

  it.each(['FIAT_HELD', 'TOMORROW'])('%s is a finding, and no failure, until configuration knows it', (status) => {
    const subject = aCase({ state: aPurchase({ status }) });
    expect(ask(statusUnknown, subject, terms)).toMatchObject([{ field: 'status', actual: status }]);
    const yaml = `statuses: { purchase: [{ value: ${status}, stage: 1, terminal: false, stuckAfter: 1h }, { value: RELEASED, stage: 2, terminal: true }] }`;
    const known = someTerms({ statuses: load({ yaml }).settings.statuses });
    expect(ask(statusUnknown, subject, known)).toEqual(NOTHING);
  });

  it('sale states are not shown: a sale without any is a sale', () => {
    expect(ask(statusUnknown, aCase({ state: aSale({ status: null }) }), terms)).toEqual(NOTHING);
    expect([...statuses.sale.keys()]).toEqual([
      'CREATED',
      'not-started',
      'initiated',
      'FIAT_PENDING',
      'delayed',
      'failed',
      'completed',
      'RELEASED',
      'EXPIRED',
      'FIAT_RETURNED',
      'REVIEW_REJECTED',
      'RETURNED',
    ]);
  });

  it.each([
    ['INITIALIZED', 'PAYMENT_STARTED', 'legal'],
    ['RELEASED', 'INITIALIZED', 'forbidden'],
    ['INITIALIZED', 'TOMORROW', 'unknown'],
    // It may wait for the money, or for somebody who looks at it: also of a payment that came after the end.
    ['FIAT_PENDING', 'PAYMENT_STARTED', 'legal'],
    ['FIAT_RECEIVED', 'FIAT_PENDING', 'legal'],
    ['EXPIRED', 'FIAT_PENDING', 'legal'],
    ['RELEASING', 'FIAT_PENDING', 'forbidden'],
  ])('transitions are not shown: by the model %s → %s is %s', (from, to, verdict) => {
    expect(transition(statuses, 'purchase', from, to)).toBe(verdict);
  });

  it('every way through the sandbox is one that the model allows', async () => {
    await using sandbox = await aSpecSandbox({ records: 0 });
    const made = (['released', 'failed', 'returned', 'expired'] as const).map(
      (outcome) => sandbox.live.create({ ...ORDER, kind: 'purchase', method: 'CARD_PAYMENT', outcome }).id,
    );
    const before = new Map(made.map((id) => [id, 'INITIALIZED']));
    for (let step = 0; step < 8; step++) {
      sandbox.advanceClock(15_000);
      for (const { id, status } of sandbox.live.records()) {
        expect(['same', 'legal']).toContain(transition(statuses, 'purchase', before.get(id) ?? '', status));
        before.set(id, status);
      }
    }
    expect([...before.values()]).toEqual(['RELEASED', 'EXPIRED', 'CANCELLED', 'EXPIRED']);
  });
});
