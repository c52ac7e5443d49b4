import { beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/domain/delivery.ts';
import type { Payout } from '../../../src/domain/payout.ts';
import type { EvidenceStore, Fence, NewClaim, Store } from '../../../src/ports/store/store.ts';
import { at, dec, someRevenue } from '../../support/builders.ts';
import { plan, track } from '../support/scenario.ts';

const HASH = `0x${'AB'.repeat(32)}`;
const EVER = { sighting: Number.MAX_SAFE_INTEGER, claim: Number.MAX_SAFE_INTEGER };

function aSighting(overrides: Partial<Sighting> = {}): Sighting {
  return {
    chain: 'ETH',
    txHash: HASH,
    seen: 'found',
    reason: null,
    succeeded: true,
    final: true,
    blockNumber: '812',
    blockTime: at('2026-11-01 10:06'),
    transfers: [{ to: '0x11', asset: null, units: 2n ** 200n }],
    complete: true,
    witnesses: 2,
    at: at('2026-11-02 04:15'),
    sha256: 'aa'.repeat(32),
    ...overrides,
  };
}

const aClaim = (recordId: string, createdAt: string): NewClaim => ({
  chain: 'ETH',
  txHash: HASH.toLowerCase(),
  kind: 'purchase',
  recordId,
  receiver: '0x11',
  asset: null,
  units: 5n,
  createdAt: at(createdAt),
});

/** What others than the Service say: kept for ever, seen up to a mark. */
export function evidenceContract(use: () => Store): void {
  let store: Store;
  let evidence: EvidenceStore;
  let fence: Fence;
  beforeEach(async () => {
    store = use();
    evidence = store.evidence;
    const got = await store.leases.acquire('nightly', 'host:1', 0, 60_000);
    if (!('fence' in got)) throw new Error('the lease is held');
    fence = got.fence;
  });

  describe('sightings', () => {
    it('come back to the last unit, by the hash in either case', async () => {
      await evidence.add(fence, { sightings: [{ sighting: aSighting(), evidence: '{"answers":[]}' }], claims: [] });
      const found = await evidence.deliveries([{ chain: 'ETH', txHash: HASH.toLowerCase() }], EVER);
      expect([...found.values()]).toEqual([{ sighting: aSighting(), claims: [] }]);
      expect(await evidence.text('aa'.repeat(32))).toBe('{"answers":[]}');
      expect(await evidence.text('bb'.repeat(32))).toBeNull();
    });

    it('the newest one counts, and a mark hides what came later', async () => {
      const pending = aSighting({ seen: 'pending', final: false, transfers: [], sha256: 'cc'.repeat(32) });
      await evidence.add(fence, { sightings: [{ sighting: pending, evidence: '1' }], claims: [] });
      expect(await evidence.unsettled([{ chain: 'ETH', txHash: HASH }])).toHaveLength(1);
      await evidence.add(fence, { sightings: [{ sighting: aSighting(), evidence: '2' }], claims: [] });
      expect(await evidence.unsettled([{ chain: 'ETH', txHash: HASH }])).toEqual([]);
      const seenAt = async (sighting: number) =>
        [...(await evidence.deliveries([{ chain: 'ETH', txHash: HASH }], { ...EVER, sighting })).values()][0]?.sighting
          ?.seen;
      expect([await seenAt(1), await seenAt(2)]).toEqual(['pending', 'found']);
    });
  });

  it('a forgotten one is asked for again, and runs of before see what they saw', async () => {
    await evidence.add(fence, { sightings: [{ sighting: aSighting(), evidence: '1' }], claims: [] });
    const tx = { chain: 'ETH', txHash: HASH };
    expect(await evidence.forget('ETHW', null, 'why', at('2026-11-03 10:00'))).toBe(0);
    expect(await evidence.forget('ETH', `0x${'77'.repeat(32)}`, 'why', at('2026-11-03 10:00'))).toBe(0);
    expect(await evidence.forget('ETH', HASH, 'why', at('2026-11-03 10:00'))).toBe(1);
    expect(await evidence.forget('ETH', null, 'why', at('2026-11-03 10:00'))).toBe(0);
    expect(await evidence.unsettled([tx])).toEqual([tx]);
    const sighted = async (sighting: number) =>
      [...(await evidence.deliveries([tx], { ...EVER, sighting })).values()][0]?.sighting;
    expect(await sighted(1)).toEqual(aSighting());
    expect(await sighted(9)).toMatchObject({ seen: 'unverified', reason: 'why', sha256: aSighting().sha256 });
  });

  it('claims are kept once, the oldest record first', async () => {
    const claims = [aClaim('young', '2026-11-01 12:00'), aClaim('old', '2026-11-01 10:00')];
    await evidence.add(fence, { sightings: [], claims });
    await evidence.add(fence, { sightings: [], claims });
    const [facts] = (await evidence.deliveries([{ chain: 'ETH', txHash: HASH }], EVER)).values();
    expect(facts?.claims.map(({ recordId }) => recordId)).toEqual(['old', 'young']);
  });

  it('a process that lost its lease adds nothing', async () => {
    await expect(evidence.add({ ...fence, token: fence.token + 1 }, { sightings: [], claims: [] })).rejects.toThrow();
  });

  const payout = (payoutId: string, overrides: Partial<Payout> = {}): Payout => ({
    payoutId,
    source: 'csv',
    paidAt: at('2026-11-05 00:00'),
    currency: 'USD',
    amount: dec('107.890000000000000001'),
    reference: null,
    period: '2026-10',
    sha256: 'dd'.repeat(32),
    withheld: null,
    settles: null,
    tx: null,
    statementId: null,
    type: 'share',
    ...overrides,
  });
  it('payments come back to the last digit, in order of payment, up to a mark', async () => {
    const abroad = payout('b', { withheld: dec('2'), settles: { currency: 'EUR', rate: dec('1.1') } });
    expect(await evidence.newestPayout()).toBe(0);
    expect(await evidence.addPayouts([abroad], 0)).toBe(1);
    const mark = await evidence.newestPayout();
    expect(await evidence.addPayouts([abroad, payout('a', { paidAt: at('2026-11-01 00:00') })], 0)).toBe(1);
    expect((await evidence.payouts()).map(({ payoutId }) => payoutId)).toEqual(['b', 'a']);
    expect(await evidence.payouts(mark)).toEqual([{ ...abroad, addedAt: 0 }]);
  });

  it('a payment on a chain comes back with its transaction, its name and the answers that it rests on', async () => {
    const onChain = payout('c', { source: 'ETH', tx: `ETH ${HASH}`, statementId: 'P-7', currency: 'USDC' });
    const answers = [{ sha256: onChain.sha256, text: '{"said":1}' }];
    expect(await evidence.addPayouts([onChain], 7, answers)).toBe(1);
    expect(await evidence.addPayouts([onChain], 9, answers)).toBe(0);
    expect(await evidence.payouts()).toEqual([{ ...onChain, addedAt: 7 }]);
    expect(await evidence.text(onChain.sha256)).toBe('{"said":1}');
  });

  it('the revenue facts of a run are kept with it, and its judging row refers to them', async () => {
    await track(store, 'a');
    const { run, fence: own } = await plan(store, { job: 'audit' });
    expect(await evidence.revenueOf(run.runId)).toBeNull();
    const difference = {
      bucket: 'amount',
      recordId: 'a',
      count: 1,
      ours: dec('1.10'),
      theirs: null,
      clearBy: null,
    } as const;
    const revenue = someRevenue({
      accrued: new Map([['2026-10 EUR', dec('100.10')]]),
      unknown: new Map([['2026-10 EUR', dec('2')]]),
      payoutKey: 4,
      payWeek: 4,
      minimum: new Map([['default', dec('5')]]),
      threshold: { amount: dec('5000'), currency: 'EUR', scope: 'all' },
      lines: [{ month: '2026-10', currency: 'EUR', ...difference }],
    });
    await evidence.keepRevenue(run.runId, own, { ...revenue, payoutKey: 3 });
    await evidence.keepRevenue(run.runId, own, revenue);
    expect(await evidence.revenueOf(run.runId)).toEqual(revenue);
    const key = 1;
    expect(await evidence.newestRevenue([key, key + 7])).toBe(key);
    expect(await evidence.newestRevenue([key + 7])).toBeNull();
    const judged = await store.runs.startJudging(run.runId, own, 'late');
    expect(judged.watermarks?.evidence).toEqual({ sighting: 0, claim: 0, revenue: true });
  });
}
