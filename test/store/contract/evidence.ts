import { beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/domain/delivery.ts';
import type { EvidenceStore, Fence, NewClaim, Store } from '../../../src/ports/store/store.ts';
import { at } from '../../support/builders.ts';

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
  let evidence: EvidenceStore;
  let fence: Fence;
  beforeEach(async () => {
    const store = use();
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
}
