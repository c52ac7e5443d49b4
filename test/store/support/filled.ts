/** A database with something of everything that is sealed or summed. */
import { Decimal } from '../../../src/domain/decimal.ts';
import { NOTHING_SEEN } from '../../../src/domain/delivery.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aStatement } from '../../support/a-run.ts';
import { aPurchase, aQuote, at, someAssetTerms, someGlobalTerms, someRevenue } from '../../support/builders.ts';
import { judging, nightWith, standingOf } from './break-nights.ts';
import { aLine, bodyOf, keyOf, NO_VERDICTS, plan, settle, track, unreachable, verified } from './scenario.ts';

export const NOW = at('2026-11-02 04:15');

/** Something of everything that is sealed, by the ways that the program has, changes included. */
export async function fill(store: Store): Promise<void> {
  const line = aLine({ id: 'a', token: 'token-of-a' });
  await store.tracked.add([line, aLine({ id: 'b', token: 'token-of-b' })], 'import', NOW);
  await store.tracked.add([{ ...line, expectedStatus: 'RELEASED', hostReference: 'order-1' }], 'import', NOW);
  const decided = { actor: 'ann', reason: 'a test', at: NOW };
  await store.tracked.correct('purchase', 'b', { type: 'retract', ...decided });
  await store.quotes.add([{ quote: aQuote(), request: '{}', response: '{}' }], NOW);
  const payout = {
    payoutId: 'p',
    source: 'csv',
    paidAt: NOW,
    currency: 'EUR',
    amount: Decimal.parse('170.36'),
    reference: 'REV',
    period: '2026-10',
    sha256: 'ff',
    withheld: null,
    settles: null,
    tx: null,
    statementId: 's',
    type: 'invoice' as const,
  };
  await store.evidence.addPayouts([payout], NOW);
  const got = await store.leases.acquire('chains', 'host:1', NOW, 60_000);
  if (!('fence' in got)) throw new Error('the lease is held');
  const tx = { chain: 'ETH', txHash: `0x${'ab'.repeat(32)}` };
  const sighting = {
    ...NOTHING_SEEN,
    ...tx,
    seen: 'found',
    final: true,
    at: NOW,
    sha256: 'aa',
    transfers: [],
  } as const;
  const delivery = {
    ...tx,
    kind: 'purchase',
    recordId: 'a',
    receiver: '0x1',
    asset: null,
    units: 5n,
    createdAt: NOW,
  } as const;
  for (let times = 0; times < 2; times++)
    await store.evidence.add(got.fence, { sightings: [{ sighting, evidence: '{}' }], claims: [delivery, delivery] });
  await store.evidence.forget('ETH', null, 'why', NOW);
  const who = { name: 'Ann', account: 'os:ann', proof: 'stated' } as const;
  const claim = {
    claimId: 'claim-0123456789ab',
    title: 'fees',
    state: 'open',
    reference: null,
    openedAt: NOW,
    openedBy: 'Ann',
    remindOn: null,
    events: 1,
  } as const;
  const item = { breakId: 'aa', currency: 'EUR', claimed: Decimal.parse('1.5'), recovered: Decimal.ZERO };
  await store.claims.open(claim, [item], { at: NOW, state: 'open', reason: 'x', ...who }, []);
  const recovered = [{ ...item, recovered: Decimal.ONE }];
  const change = { at: NOW, state: 'sent', reason: 'sent', ...who } as const;
  await store.claims.update({ ...claim, state: 'sent', reference: 'R' }, recovered, change, 1, []);
  const asked = { breakId: 'aa', askedBy: 'Ann', askedAccount: 'os:ann', askedAt: NOW, reason: 'agreed' };
  await store.workList.askWaiver({ ...asked, until: null, events: 1 });
  const [request] = await store.workList.waiverRequests('aa');
  await store.workList.decideWaiver(request?.key ?? 0, 'Bo', NOW, 'approved');
  const access = { name: 'Ann', roles: ['analyst'], madeAt: NOW, endsAt: NOW + 9 } as const;
  await store.access.addLink({ ...access, secretHash: 'a1', madeBy: 'os:ann' });
  await store.access.useLink('a1', NOW);
  await store.access.addSession({ ...access, secretHash: 'a2', account: 'local:Ann' });
  await store.access.revoke('Ann', NOW);
  await store.access.note({
    at: NOW,
    ...who,
    action: 'period.close',
    subject: '2026-10',
    outcome: 'done',
    detail: 'd',
  });
  await store.access.note({
    at: NOW,
    ...who,
    action: 'period.open',
    subject: '2026-10',
    outcome: 'done',
    detail: null,
  });
  const audit = await judging(store, 'audit');
  const revenue = someRevenue();
  for (const payoutKey of [3, 4])
    await store.evidence.keepRevenue(audit.run.runId, audit.fence, { ...revenue, payoutKey });
  await settle(store, audit);
  await nightOfRecords(store);
  await listsOf(store);
  await nightWith(store, aBreakEvent({ recordId: 'a' }));
  await decideOn(store);
  await closeMonth(store);
}

/** A body that was delivered, two that were fetched, a change of status, one record that could not be read, and a price that moved. */
async function nightOfRecords(store: Store): Promise<void> {
  await track(store, 'c', 'd', 'e');
  const [c, d, e] = [await keyOf(store, 'c'), await keyOf(store, 'd'), await keyOf(store, 'e')];
  const state = aPurchase({ recordId: 'c', status: 'RELEASING' });
  const read = {
    state,
    basis: null,
    statusChange: null,
    projection: verified(c, state, '2026-11-01').observed.projection,
  };
  const delivery = {
    recordKey: c,
    origin: 'webhook',
    eventType: 'CREATED',
    at: NOW,
    body: bodyOf(state),
    read,
  } as const;
  await store.deliveries.save([delivery]);
  const night = await plan(store, { job: 'sums', selection: { type: 'all', kind: null } });
  const released = aPurchase({ recordId: 'c', status: 'RELEASED', finalTxHash: `0x${'ab'.repeat(32)}` });
  const statusChange = { from: 'RELEASING', to: 'RELEASED', fromSeenAt: NOW, legal: true };
  await store.items.save(night.run.runId, night.fence, [
    verified(c, released, '2026-11-20', { statusChange, projection: { firstSnapshot: 1, statusSince: NOW } }),
    verified(d, aPurchase({ recordId: 'd', paymentMethod: null }), '2026-11-20'),
    unreachable(e, '2026-11-20'),
  ]);
  await store.runs.startJudging(night.run.runId, night.fence, 'late');
  const none = { records: 0, quoted: 0 };
  await store.runs.keepSurvey(night.run.runId, night.fence, {
    of: 'run',
    quotes: { onramp: none, offramp: none },
  } as never);
  const move = {
    recordKey: d,
    market: 'ETH/EUR/onramp',
    fromHour: 5,
    toHour: 6,
    share: 7n,
    loss: Decimal.parse('0.5'),
  };
  await store.moves.keep(night.fence, [move]);
  await store.runs.settle(night.run.runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: NOW });
  await store.runs.finish(night.run.runId, night.fence, 'complete', 'out/sums');
}

/** Lists that were captured twice, the second time with other figures alone. */
async function listsOf(store: Store): Promise<void> {
  for (const [hour, price] of [
    [10, '2000'],
    [11, '2001'],
  ] as const) {
    const { capturedAt: _asset, ...asset } = someAssetTerms({ price });
    const { capturedAt: _global, ...global } = someGlobalTerms({});
    const captured = { at: at(`2026-11-01 ${hour}:00`), sha256: `hash of ${price}` };
    const methods = [{ name: 'CARD_PAYMENT', currencies: ['EUR'], countries: ['DE'] }];
    await store.reference.save(
      { type: 'assets', direction: 'onramp', currency: 'EUR', global, assets: [asset], body: price, ...captured },
      { type: 'methods', direction: 'onramp', methods, body: '[]', ...captured },
      { type: 'currencies', currencies: [{ code: 'EUR', onramp: true, offramp: true }], body: '{}', ...captured },
    );
  }
}

async function decideOn(store: Store): Promise<void> {
  const [standing] = await standingOf(store, 'a');
  if (standing === undefined) throw new Error('no break');
  const decided = {
    type: 'assigned',
    at: NOW,
    who: 'Ann',
    reason: 'mine',
    account: 'os:ann',
    proof: 'stated',
  } as const;
  await store.breaks.append([{ ...decided, after: { ...standing, assignee: 'Bo' }, expectedEvents: 1 } as never]);
}

async function closeMonth(store: Store): Promise<void> {
  const { key } = await store.periods.begin(aStatement({ at: NOW, basis: await store.periods.basis(0) }));
  const record = { kind: 'purchase', recordId: 'c', recordKey: 3, lookRun: 1, verifiedRun: 1, contentKey: 1 } as const;
  await store.periods.add(key, [{ ...record, verdict: 'matched', present: true, changes: [] } as never]);
  await store.periods.stage(key, '{}', null);
  await store.periods.seal([key], { folder: 'out/2026-10', manifestSha256: 'ff' });
  await store.periods.review('2026-10', 'Bo', NOW);
  await store.periods.reviewDelta(key, 'Bo', NOW);
}
