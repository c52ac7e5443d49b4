/** Whose money is at stake, and what can be claimed of it: from a night to a claim, and the night after a decision. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openClaim, updateClaim } from '../../src/app/claims.ts';
import { periodEdges } from '../../src/app/periods.ts';
import { closePeriod } from '../../src/periods/close.ts';
import { periodStatus } from '../../src/periods/status.ts';
import { covering } from '../../src/worklist/covering.ts';
import { filterOf, readView } from '../../src/worklist/view.ts';
import { type NewDecision, planDecision } from '../../src/worklist/work.ts';
import { aPurchase, aSale } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { readCsv } from './support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { PATIENCE } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const actor = { name: 'Ann', account: 'local:Ann', proof: 'proved' } as const;

let world: FrozenWorld;

type Row = Readonly<Record<string, string>>;
const csv = (date: string, name: string): Row[] =>
  readCsv(world.file(`${date}/nightly-r1`, `${name}.csv`).toString('utf8')).rows as Row[];
const breaksOf = (date: string, id: string) => csv(date, 'breaks').filter(({ record_id }) => record_id === id);
const recordOf = (date: string, id: string) => csv(date, 'records').find(({ record_id }) => record_id === id);
const cells = (row: Row | undefined, ...names: string[]) => names.map((name) => row?.[name]);

const claim = (...breakIds: (string | undefined)[]) =>
  openClaim(
    world.app,
    breakIds.map((id) => id ?? ''),
    { title: 'Fees', reason: 'too much', actor },
  );

async function decide(breakId: string | undefined, wish: Pick<NewDecision, 'type'>): Promise<readonly string[]> {
  const { store } = world.app;
  const standing = await store.breaks.get(breakId ?? '');
  if (standing === null) throw new Error('no such break');
  const deciding = {
    actor,
    at: Date.parse('2026-09-01T09:00:00Z'),
    limits: { above: new Map(), severities: [] },
    today: '2026-09-01',
  };
  const planned = planDecision(standing, { ...wish, reason: 'goodwill', until: null, assignee: null }, deciding);
  const events = covering([planned], await store.workList.ofSameRecords([standing.breakId]), deciding);
  await store.breaks.append(events);
  return events.map(({ after }) => after.rule);
}

/** 104.76 EUR were quoted with a fee of 4.76; charged are 109.76 with a fee of 9.76. */
const purchase = (id: string, over: Record<string, string | undefined>) => {
  const dates = {
    createdAt: '"2026-08-31T10:00:00.000Z"',
    updatedAt: '"2026-08-31T10:20:00.000Z"',
    endTime: '"2026-08-31T10:20:00.000Z"',
  };
  const over_ = {
    baseServiceFee: '8.9',
    appliedFee: '9.76',
    fiatValue: '109.76',
    purchaseViewToken: undefined,
    ...over,
  };
  world.server.answers.set(id, { body: aPurchase({ id: `"${id}"`, ...dates, ...over_ }) });
};
const released = { status: '"RELEASED"' };

beforeAll(async () => {
  world = await openFrozenWorld({ 'evidence.payouts.expected': 'always' });
  await world.quote([aQuoteLine()]);
  await world.track(
    `${['kind,id,view_token,quote_id,shown_fee', ...['exp', 'can', 'fin', 'way', 'wav', 'cla', 'two'].map((id) => `purchase,${id},t,q-1,`), 'purchase,app,t,q-1,3.11', 'purchase,paid,t,,', 'sale,sold,t,,', 'purchase,july,t,,'].join('\n')}\n`,
  );
  purchase('exp', { status: '"EXPIRED"', finalTxHash: 'null' });
  purchase('can', { status: '"CANCELLED"', finalTxHash: 'null' });
  purchase('way', { status: '"PAYMENT_EXECUTED"', finalTxHash: 'null' });
  for (const id of ['fin', 'wav', 'cla', 'two']) purchase(id, released);
  // The app showed 3.11; quote and charge agree on 4.76.
  purchase('app', { ...released, baseServiceFee: '3.9', appliedFee: '4.76', fiatValue: '104.76' });
  purchase('paid', { status: '"FIAT_RECEIVED"', finalTxHash: 'null' });
  world.server.answers.set('sold', {
    body: aSale({ id: '"sold"', purchaseViewToken: undefined, createdAt: '"2026-08-31T10:00:00.000Z"' }),
  });
  const july = { createdAt: '"2026-06-10T10:00:00.000Z"', updatedAt: '"2026-06-10T10:20:00.000Z"' };
  purchase('july', { ...released, ...july, hostFeeCut: '0.43' });
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
}, PATIENCE.hookTimeout);
afterAll(() => world?.close());

const DATE = '2026-08-31';

describe('an overcharge of 5.00 EUR', () => {
  it.each(['exp', 'can'])('of %s, which ended unpaid, was offered: a break, with nothing at stake', async (id) => {
    const rows = breaksOf(DATE, id);
    const fee = rows.find(({ rule }) => rule === 'FEE_APPLIED_DIFFERS');
    expect(fee?.explanation).toContain('The user was offered a fee of 9.76 EUR');
    expect(cells(recordOf(DATE, id), 'money_moved', 'verdict', 'money_at_stake')).toEqual(['no', 'break', '']);
    for (const row of rows) expect(cells(row, 'money_at_stake', 'money_pending', 'loss_bearer')).toEqual(['', '', '']);
    for (const { break_id } of rows) await expect(claim(break_id)).rejects.toThrow('has no money to claim');
  });

  it('of a purchase under way is pending', async () => {
    const lead = breaksOf(DATE, 'way').find(({ money_pending }) => money_pending !== '');
    expect(cells(lead, 'money_at_stake', 'money_pending', 'loss_bearer')).toEqual(['', '5', 'user']);
    expect(recordOf(DATE, 'way')?.money_moved).toBe('pending');
    await expect(claim(lead?.break_id)).rejects.toThrow('is pending');
  });

  it('of a finished one is at stake once, borne by the user, and claimed once', async () => {
    const staked = breaksOf(DATE, 'fin').filter(({ money_at_stake }) => money_at_stake !== '');
    expect(staked.map((row) => cells(row, 'rule', 'money_at_stake', 'loss_bearer'))).toEqual([
      ['FEE_APPLIED_DIFFERS', '5', 'user'],
    ]);
    expect(cells(recordOf(DATE, 'fin'), 'money_moved', 'business_month', 'money_at_stake')).toEqual([
      'yes',
      '2026-08',
      '5',
    ]);
    await claim(staked[0]?.break_id);
    for (const { break_id } of breaksOf(DATE, 'fin')) await expect(claim(break_id)).rejects.toThrow('in claim-');
  });
});

it("never claims the app's own mistake from the Service", async () => {
  const rows = breaksOf(DATE, 'app');
  expect(rows.map((row) => cells(row, 'rule', 'money_at_stake', 'loss_bearer'))).toEqual([
    ['CHARGED_DIFFERS_FROM_SHOWN', '1.65', 'user'],
    ['SHOWN_DIFFERS_FROM_QUOTE', '', 'user'],
  ]);
  for (const { break_id } of rows) await expect(claim(break_id)).rejects.toThrow('SHOWN_DIFFERS_FROM_QUOTE');
});

it("has the host's unpaid revenue at stake, first in the queue, and claims it apart", async () => {
  const [owed] = csv(DATE, 'breaks').filter(({ rule }) => rule === 'PAYOUT_MISSING');
  expect(cells(owed, 'record_id', 'money_at_stake', 'loss_bearer')).toEqual(['2026-06-EUR', '0.43', 'host']);
  expect(csv(DATE, 'revenue_legs').map((row) => cells(row, 'business_month', 'accrued_minus_paid'))).toEqual([
    ['2026-06', '0.43'],
    // The night of its last day knows the whole month, and nothing of it is due.
    ['2026-08', ''],
  ]);
  expect(cells(recordOf(DATE, 'july'), 'host_share', 'host_share_source', 'earned_month')).toEqual([
    '0.43',
    'record',
    '2026-06',
  ]);
  const facts = JSON.parse(world.file(`${DATE}/nightly-r1`, 'manifest.json').toString('utf8'));
  expect(facts.money_at_stake.filter(({ bearer }: { bearer: string }) => bearer === 'host')).toEqual([
    { currency: 'EUR', bearer: 'host', records: 1, total: '0.43', pending: '0', claimed: '0' },
  ]);
  const edges = periodEdges(world.app);
  const { figures } = await periodStatus(edges, '2026-06');
  expect(figures.rules.map(({ rule, open }) => [rule, open])).toContainEqual(['PAYOUT_MISSING', 1]);
  await expect(closePeriod(edges, { period: '2026-06', by: 'Ann' })).rejects.toThrow('1 PAYOUT_MISSING');
  const [fee] = breaksOf(DATE, 'wav').filter(({ money_at_stake }) => money_at_stake !== '');
  // The month of its revenue finds it, and no other.
  const inMonth = (month: string) =>
    world.app.store.workList.count(filterOf(readView(new URLSearchParams({ month, rule: 'PAYOUT_MISSING' })), 'UTC'));
  expect([await inMonth('2026-05'), await inMonth('2026-06'), await inMonth('2026-07')]).toEqual([0, 1, 0]);
  await expect(claim(owed?.break_id, fee?.break_id)).rejects.toThrow('claimed apart');
  await claim(owed?.break_id);
});

it('needs people who signed in for a claim, and two of them, where the settings say so', async () => {
  const app = {
    ...world.app,
    settings: { ...world.app.settings, fourEyes: { ...world.app.settings.fourEyes, claims: true } },
  };
  const [fee] = breaksOf(DATE, 'two').filter(({ money_at_stake }) => money_at_stake !== '');
  const [ids, why] = [[fee?.break_id ?? ''], { title: 'Fees', reason: 'too much' }];
  const typed = { name: 'Ann', account: 'os:ann', proof: 'stated' } as const;
  await expect(openClaim(app, ids, { ...why, actor: typed })).rejects.toThrow('fourEyes.claims is set');
  const opened = await openClaim(app, ids, { ...why, actor });
  const sent = { state: 'sent' } as const;
  await expect(updateClaim(app, opened, sent, { ...why, actor })).rejects.toThrow('a second person');
  const bob = { name: 'Bob', account: 'local:Bob', proof: 'proved' } as const;
  expect((await updateClaim(app, opened, sent, { ...why, actor: bob })).state).toBe('sent');
});

it('keeps waived and claimed money aside on the nights after, whatever other break of the record there is', async () => {
  const leading = (id: string) => breaksOf(DATE, id).find(({ money_at_stake }) => money_at_stake !== '')?.break_id;
  const rules = await decide(leading('wav'), { type: 'waived' });
  expect(rules.slice(0, 1)).toEqual(['FEE_APPLIED_DIFFERS']);
  expect(rules).toContain('FEE_BASE_DIFFERS');
  await claim(leading('cla'));
  await decide(leading('cla'), { type: 'waived' });
  world.goTo('2026-09-02T04:15:00Z');
  await world.night('2026-09-01');
  for (const id of ['wav', 'cla']) {
    for (const { break_id, money_at_stake } of breaksOf('2026-09-01', id)) {
      expect(money_at_stake).toBe('');
      await expect(claim(break_id)).rejects.toThrow(id === 'wav' ? 'was waived by Ann' : 'in claim-');
    }
  }
  const aside = (id: string, column: string) =>
    breaksOf('2026-09-01', id).flatMap((row) => (row[column] === '' ? [] : [`${row.rule} ${row[column]}`]));
  expect(aside('wav', 'money_waived')).toEqual(['FEE_APPLIED_DIFFERS 5']);
  expect(aside('cla', 'money_claimed')).toEqual(['FEE_APPLIED_DIFFERS 5']);
});

it('owes what was paid and never delivered back, ten working days after the end', async () => {
  purchase('paid', { status: '"EXPIRED"', finalTxHash: 'null', updatedAt: '"2026-09-04T10:00:00.000Z"' });
  const due = async (now: string, date: string) => {
    world.goTo(`${now}T04:15:00Z`);
    await world.night(date);
    const refunds = breaksOf(date, 'paid').filter(({ rule }) => rule === 'REFUND_DUE');
    return [
      recordOf(date, 'paid')?.money_moved,
      ...refunds.map((row) => cells(row, 'field', 'money_at_stake', 'loss_bearer')),
    ];
  };
  expect(await due('2026-09-05', '2026-09-04')).toEqual(['pending']);
  expect(await due('2026-09-20', '2026-09-19')).toEqual(['yes', ['fiat_refund', '109.76', 'user']]);
});

it('brings waived money up again once its figure is another one', async () => {
  purchase('wav', { ...released, appliedFee: '10.76', baseServiceFee: '9.9', fiatValue: '110.76' });
  world.goTo('2026-10-05T04:15:00Z');
  await world.night('2026-10-04');
  const again = breaksOf('2026-10-04', 'wav').filter(({ money_at_stake }) => money_at_stake !== '');
  expect(again.map((row) => cells(row, 'rule', 'state', 'money_at_stake'))).toEqual([
    ['FEE_APPLIED_DIFFERS', 'reopened', '6'],
  ]);
});
