import { expect, it } from 'vitest';
import { judgeOrSetAside } from '../../src/reconcile/set-aside.ts';

type Built = Parameters<typeof judgeOrSetAside>[0];

const sighted = (blockTime: number) =>
  ({
    recordKey: 1,
    kind: 'purchase',
    recordId: 'a',
    attempts: 1,
    observation: { outcome: 'verified', snapshot: { evidence: { sha256: 'aa', receivedAt: 0 } } },
    delivery: { sighting: { chain: 'ETH', txHash: '0x1', at: 5, sha256: 'bb', seen: 'found', blockTime }, claims: [] },
  }) as unknown as Built;

/** Prints the time of the sighting, as rules and reports do. */
const judgeOne = ({ observation, delivery }: Built) => {
  if (delivery?.sighting?.blockTime != null) new Date(delivery.sighting.blockTime).toISOString();
  return { verdict: observation.outcome, sighting: delivery?.sighting ?? null } as unknown as Parameters<
    NonNullable<Parameters<typeof judgeOrSetAside>[1]>
  >[0];
};

it('evidence of a chain that cannot be printed is set aside, not the record that it is about', () => {
  expect(judgeOrSetAside(sighted(1e80), null, judgeOne)).toMatchObject({
    verdict: 'verified',
    sighting: { seen: 'unverified', blockTime: null, sha256: 'bb', reason: expect.stringContaining('evidence forget') },
  });
  expect(judgeOrSetAside(sighted(1_800_000_000_000), null, judgeOne)).toMatchObject({ sighting: { seen: 'found' } });
});
