/** What a record promises, checked against what its chain says: each row is one situation, and what may be concluded from it. */
import { describe, expect, it } from 'vitest';
import type { NamedDelivery, Sighting, Transfer } from '../../src/domain/delivery.ts';
import { judgeDelivery, timesOf } from '../../src/domain/judge-delivery.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import {
  aCase,
  aPurchase,
  aSale,
  at,
  NO_REFERENCE,
  SHA256,
  someAssetTerms,
  someReference,
  someTerms,
  USDC,
} from '../support/builders.ts';

const USER = aPurchase().receiverAddress ?? '';
const UNITS = aPurchase().cryptoUnits;
const TERMS = someTerms({
  deliveries: { chains: ['ETH', 'BTC', 'MATIC'], within: { default: 6 * 3_600_000 } },
});

function aSighting(overrides: Partial<Sighting> = {}): Sighting {
  return {
    chain: 'ETH',
    txHash: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
    seen: 'found',
    reason: null,
    succeeded: true,
    final: true,
    blockNumber: '8',
    blockTime: at('2026-11-01 10:25'),
    transfers: [{ to: USER, asset: null, units: UNITS }],
    complete: true,
    witnesses: 2,
    at: at('2026-11-02 04:15'),
    upTo: at('2026-11-02 04:00'),
    sha256: SHA256,
    ...overrides,
  };
}
const MISSING = { seen: 'missing', transfers: [], final: false, blockTime: null } as const;
const paying = (...transfers: readonly Partial<Transfer>[]): Partial<Sighting> => ({
  transfers: transfers.map((each) => ({ to: USER, asset: null, units: UNITS, ...each })),
});
const claimOf = (recordId: string, units: bigint, createdAt: string): NamedDelivery => ({
  kind: 'purchase',
  recordId,
  receiver: USER,
  asset: null,
  units,
  createdAt: at(createdAt),
});

interface Situation {
  state?: RecordState;
  sighting?: Partial<Sighting> | null;
  claims?: readonly NamedDelivery[];
  reference?: ReturnType<typeof someReference>;
}

function judged({ state = aPurchase(), sighting = {}, claims = [], reference = someReference() }: Situation) {
  const own = claimOf(state.recordId, state.cryptoUnits, '2026-11-01 10:00');
  const delivery = {
    sighting: sighting === null ? null : aSighting(sighting),
    claims: [own, ...claims].sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0)),
  };
  const found = judgeDelivery(aCase({ state, delivery, reference }), TERMS);
  return found === null ? null : [found.outcome, found.problem, found.reason];
}

describe('a transaction that is not on the chain yet', () => {
  it.each<[string, Partial<Sighting>, unknown[]]>([
    [
      'missing, and the chain went on past the due time',
      MISSING,
      ['broken', 'NOT_FOUND', 'no endpoint knows the transaction'],
    ],
    [
      'missing, by endpoints that lag behind the due time',
      { ...MISSING, upTo: at('2026-11-01 16:00') },
      ['unverified', null, 'not found yet, and not due yet'],
    ],
    ['pending past the due time', { ...MISSING, seen: 'pending' }, ['broken', 'NOT_FINAL', 'in no block yet']],
    [
      'pending, by endpoints that lag behind the due time',
      { ...MISSING, seen: 'pending', upTo: at('2026-11-01 16:00') },
      ['unverified', null, 'in no block yet, and not due yet'],
    ],
    [
      'in a block that an endpoint which lags does not call final',
      { final: false, upTo: at('2026-11-01 16:00') },
      ['unverified', null, 'not final yet, and not due yet'],
    ],
    [
      'in a block that is not final past the due time',
      { final: false },
      ['broken', 'NOT_FINAL', 'in a block that is not final'],
    ],
  ])('%s', (_what, sighting, expected) => {
    expect(judged({ sighting })).toEqual(expected);
  });
});

it('was sent after the record was made, however late its release was restated; it is due after the first release', () => {
  const restated = aPurchase({ updatedAt: at('2026-11-20 10:00') });
  const { deliveries } = TERMS;
  if (deliveries === null) throw new Error('chains are configured');
  expect(timesOf(restated, at('2026-11-01 10:20'), at('2026-11-21 04:15'), deliveries)).toEqual({
    since: at('2026-11-01 10:00'),
    due: at('2026-11-01 16:20'),
  });
});

describe('payments to one address', () => {
  const twice = claimOf('sibling', 7n * UNITS, '2026-11-01 10:01');

  it('that the chain shows as one are met where it is the sum of all promises', () => {
    expect(judged({ sighting: paying({ units: 8n * UNITS }), claims: [twice] })).toEqual(['met', null, null]);
  });

  it('are broken where the sum is less', () => {
    expect(judged({ sighting: paying({ units: 7n * UNITS - 1n }), claims: [twice] })?.slice(0, 2)).toEqual([
      'broken',
      'AMOUNT_DIFFERS',
    ]);
  });

  it('of single outputs and of their sum are no more than was paid, whichever of them is older', () => {
    const amounts = [1n, 2n, 3n, 4n];
    const upTo = (most: number): bigint[][] =>
      most === 0 ? [[]] : [[], ...amounts.flatMap((first) => upTo(most - 1).map((rest) => [first, ...rest]))];
    const tooMuch: string[] = [];
    for (const paid of upTo(2))
      for (const promised of upTo(3)) {
        const claims = promised.map((each, i) => claimOf(`r${i}`, each * UNITS, `2026-11-01 0${i}:00`));
        const sighting = aSighting(paying(...paid.map((each) => ({ units: each * UNITS }))));
        const met = claims.filter((own) => {
          const state = aPurchase({ recordId: own.recordId, cryptoUnits: own.units });
          return judgeDelivery(aCase({ state, delivery: { sighting, claims } }), TERMS)?.outcome === 'met';
        });
        const sum = (all: readonly bigint[]) => all.reduce((total, each) => total + each, 0n);
        if (sum(met.map(({ units }) => units)) > sum(paid) * UNITS) tooMuch.push(`${paid} paid ${promised}`);
      }
    expect(tooMuch).toEqual([]);
  });
  it('that are promised twice and made once belong to the older record', () => {
    const older = claimOf('older', UNITS, '2026-11-01 09:00');
    expect(judged({ claims: [older] })?.slice(0, 2)).toEqual(['broken', 'REUSED']);
    expect(judged({ sighting: paying({}, {}), claims: [older] })).toEqual(['met', null, null]);
  });
});

describe('the chain of a record', () => {
  const POLYGON = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
  const token = (overrides: Partial<RecordState['asset']>) => aPurchase({ asset: { ...USDC, ...overrides } });
  const listed = (address: string | null) =>
    someReference({ asset: someAssetTerms({ symbol: 'USDC', decimals: 6, address }) });

  it('that nothing names is reported as such', () => {
    expect(judged({ state: token({ chain: '' }), reference: NO_REFERENCE })).toEqual([
      'unverified',
      null,
      'the record does not say on which chain it paid',
    ]);
  });

  it('that only a token standard presumes cannot make a delivery missing', () => {
    const state = token({ chainPresumed: true, address: POLYGON });
    expect(judged({ state, sighting: MISSING, reference: listed(USDC.address) })?.[0]).toBe('unverified');
  });

  it('that reference data lists the contract on can', () => {
    const state = token({ chainPresumed: true });
    expect(judged({ state, sighting: MISSING, reference: listed(USDC.address) })?.slice(0, 2)).toEqual([
      'broken',
      'NOT_FOUND',
    ]);
  });

  it('without endpoints is unverified, with its name', () => {
    expect(judged({ state: token({ chain: 'XLM' }), sighting: null })).toEqual([
      'unverified',
      null,
      'no endpoint is configured for XLM',
    ]);
  });
});

describe('addresses', () => {
  it.each<[string, string, string | null, string, boolean]>([
    [
      'bech32 in the case of a QR code',
      'BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ',
      null,
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      true,
    ],
    [
      'base58, where case means something',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      null,
      '1bvbmseystwetqtfn5au4m4gfg7xjanvn2',
      false,
    ],
    ['wrapped SOL as the name of the coin', 'Vote1', 'So11111111111111111111111111111111111111112', 'Vote1', true],
  ])('%s', (_what, receiverAddress, address, to, isMet) => {
    const state = aPurchase({ receiverAddress, asset: { ...aPurchase().asset, address } });
    expect(judged({ state, sighting: paying({ to }) })?.[0]).toBe(isMet ? 'met' : 'broken');
  });

  it('a purchase that names no receiver is unverified', () => {
    expect(judged({ state: aPurchase({ receiverAddress: null }) })).toEqual([
      'unverified',
      null,
      'the record does not say to which address it paid',
    ]);
  });
});

describe('the deposit of a sale', () => {
  const sale = (overrides: Parameters<typeof aSale>[0] = {}) =>
    aSale({
      cryptoUnits: UNITS,
      receiverAddress: USER,
      finalTxHash: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
      ...overrides,
    });

  it('is expected only where the record names escrow and transaction', () => {
    expect(judged({ state: sale({ receiverAddress: null }) })).toBeNull();
    expect(judged({ state: sale({ finalTxHash: null }) })).toBeNull();
    expect(judged({ state: sale() })).toEqual(['met', null, null]);
  });

  it('is not there: broken once the record has stood so long', () => {
    expect(judged({ state: sale({ updatedAt: at('2026-11-01 12:00') }), sighting: MISSING })?.slice(0, 2)).toEqual([
      'broken',
      'NOT_FOUND',
    ]);
  });

  it('is not there, and the record may have changed just now: unverified', () => {
    expect(judged({ state: sale(), sighting: { ...MISSING, seen: 'pending' } })?.[0]).toBe('unverified');
  });

  it('is never late: when it was to come is the user’s choice', () => {
    const late = { blockTime: at('2026-11-02 03:00') };
    expect(judged({ state: sale({ updatedAt: at('2026-11-01 12:00') }), sighting: late })).toEqual(['met', null, null]);
    expect(judged({ sighting: late })?.[0]).toBe('late');
  });
});
