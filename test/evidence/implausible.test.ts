/** Endpoints whose answers no chain can have given, or are more than may be held: both are no answer, and cost no time. */
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { httpEndpoint, TooMuchAtOnceError } from '../../src/evidence/chain/endpoint.ts';
import { loggedTransfers, tracedByCalls, tracedByList } from '../../src/evidence/chain/evm/transfers.ts';
import { heardOf } from '../../src/evidence/chain/hear.ts';
import { agreedSighting } from '../../src/evidence/chain/quorum.ts';
import type { Account, TxCheck, Witness } from '../../src/ports/witness.ts';
import { BitcoinChain } from '../local-chains/bitcoin-chain.ts';
import { serveEsplora } from '../local-chains/esplora.ts';
import { SolanaChain } from '../local-chains/solana-chain.ts';
import { serveSolana } from '../local-chains/solana-rpc.ts';
import { at } from '../support/builders.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { leastOf, processorMs } from '../support/processor-time.ts';
import { bitcoinAt, endpointsOfATest, evmAt, hear, solanaAt, wantedOf } from './witnesses.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const NOW = at('2026-11-02 04:15');
const START = at('2026-11-01 00:00');
const HOUR = 3_600_000;
const USER = 'Vote111111111111111111111111111111111111111';
const opened = endpointsOfATest();

const FOUND: Extract<Account, { answer: 'found' }> = {
  answer: 'found',
  succeeded: true,
  final: true,
  blockNumber: '5',
  blockHash: '0x01',
  blockTime: NOW - 9 * HOUR,
  transfers: [],
  inner: [],
  upTo: NOW - HOUR,
  raw: null,
};
const agreed = (...accounts: Account[]) =>
  agreedSighting(
    { chain: 'ETH', txHash: '0xab' },
    accounts.map((account, i) => ({ witness: `number ${i + 1}`, account })),
    1,
    NOW,
  );
const paying = (units: bigint, asset: string | null = null) => ({ transfers: [{ to: '0x11', asset, units }] });

describe('an answer that no chain can have given is none', () => {
  it.each([
    ['a time in milliseconds', { blockTime: FOUND.blockTime * 1000 }, 'gives a time'],
    ['a time before 1970', { blockTime: -5_000 }, 'gives a time'],
    ['a time before the first block of all', { blockTime: at('2008-12-31 00:00') }, 'gives a time'],
    ['a time of next week', { blockTime: NOW + 100 * HOUR }, 'gives a time'],
    ['a time beyond all dates', { blockTime: 1e80 }, 'gives a time'],
    ['a newest block in milliseconds', { upTo: FOUND.upTo * 1000 }, 'gives a time'],
    ['a height of 40 digits', { blockNumber: '9'.repeat(40) }, 'gives a height'],
    ['more coins than there can be', paying(10n ** 40n), 'more units'],
    ['more of a token than fits', paying(2n ** 256n, '0x22'), 'more units'],
    ['negative units', paying(-1n), 'more units'],
    ['a million transfers', { transfers: Array(20_001).fill({ to: '0x11', asset: null, units: 1n }) }, 'transfers'],
  ])('%s', (_what, over, reason) => {
    const { sighting, implausible } = agreed({ ...FOUND, ...over });
    expect(sighting).toMatchObject({ seen: 'unverified', final: false, blockTime: null, transfers: [] });
    expect(sighting.reason).toContain(reason);
    expect(implausible).toEqual(['number 1']);
  });

  it('and contradicts no endpoint that gave a good one', () => {
    const { sighting } = agreed({ ...FOUND, blockTime: FOUND.blockTime * 1000 }, FOUND);
    expect(sighting).toMatchObject({ seen: 'found', final: true, witnesses: 1 });
  });

  it('a token may have as many units as fit: it concerns only the token', () => {
    expect(agreed({ ...FOUND, ...paying(2n ** 256n - 1n, '0x22') }).sighting.seen).toBe('found');
  });
});

describe('readers of each chain', () => {
  const solana = () => {
    const chain = new SolanaChain(START, 1_000_000_000_000n);
    for (let hour = 1; hour < 10; hour++)
      chain.pay([{ to: USER, mint: null, decimals: 9, units: 1n }], START + hour * HOUR);
    const paid = chain.pay([{ to: USER, mint: null, decimals: 9, units: 7n }], START + 10 * HOUR);
    for (let hour = 11; hour < 40; hour++)
      chain.pay([{ to: USER, mint: null, decimals: 9, units: 1n }], START + hour * HOUR);
    return { chain, paid, unfinished: new Set<string>() };
  };

  it.each([
    ['in milliseconds', 1000],
    ['negative', -1],
    ['beyond all dates', 5_000_000],
  ])('Solana: times %s', async (_what, factor) => {
    const { paid, ...world } = solana();
    const times = (value: unknown): unknown =>
      value === null || typeof value !== 'object'
        ? value
        : Object.fromEntries(
            Object.entries(value).map(([key, each]) => [
              key,
              key === 'blockTime' && typeof each === 'number' ? each * factor : each,
            ]),
          );
    const { url } = await opened(
      serveSolana(world, (call, answer) =>
        call.method === 'getBlockTime' ? (answer() as number) * factor : times(answer()),
      ),
    );
    for (const txHash of [paid, '5'.repeat(88)]) {
      expect(await hear([solanaAt(url)], wantedOf(txHash, START), 1)).toMatchObject({
        seen: 'unverified',
        reason: expect.stringContaining('no block can have'),
      });
    }
  });

  it('Bitcoin: a chain of the year 2100, which its headers can hold', async () => {
    const since = at('2100-11-01 00:00');
    const chain = new BitcoinChain(since, 10_000_000_000n);
    const paid = chain.pay([{ address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', value: 123_456n }]);
    for (let hour = 1; hour < 30; hour++) chain.mine(since + hour * HOUR);
    const { url } = await opened(serveEsplora(chain));
    for (const txHash of [paid, 'ab'.repeat(32)]) {
      expect(await hear([bitcoinAt(url)], wantedOf(txHash, START), 1)).toMatchObject({
        seen: 'unverified',
        reason: expect.stringContaining('no block can have'),
      });
    }
  });

  it('EVM: times of 256 bits neither stop the look nor prove an absence', async () => {
    const block = { number: '0x5', hash: `0x${'01'.repeat(32)}`, timestamp: `0x${'f'.repeat(64)}`, transactions: [] };
    const served = await serving((calls) =>
      JSON.stringify(calls.map(({ id, method }) => ({ id, result: method === 'eth_getBlockByNumber' ? block : null }))),
    );
    expect(await hear([evmAt(served.url)], wantedOf(`0x${'ab'.repeat(32)}`, START), 1)).toMatchObject({
      seen: 'unverified',
      reason: expect.stringContaining('no block can have'),
    });
  });
});

/** An endpoint of JSON-RPC that answers batches with a text. */
async function serving(answer: (calls: { id: number; method: string }[]) => string) {
  const server = createServer(async (incoming, reply) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const read = JSON.parse(body || '[]');
    const text = answer(Array.isArray(read) ? read : [read]);
    reply.end(Array.isArray(read) || !text.startsWith('[{') ? text : text.slice(1, -1));
  });
  const port = await listenLocally(server);
  const url = `http://127.0.0.1:${port}`;
  return opened(
    Promise.resolve({
      url,
      close: async () => {
        server.closeAllConnections();
        server.close();
      },
    } as Awaited<ReturnType<typeof serveEsplora>>),
  );
}

describe('answers are held up to a budget', () => {
  const signal = new AbortController().signal;
  const MIB = 1024 * 1024;

  it('beyond it the work stops, and later work has a budget of its own', async () => {
    const { url } = await serving(() => `"${'x'.repeat(3 * MIB)}"`);
    const endpoint = httpEndpoint({ url, timeoutMs: 10_000, concurrency: 2, limiter: null, retries: 0 });
    const asking = (times: number) => (within: AbortSignal) =>
      Promise.all(Array.from({ length: times }, () => endpoint.ask({ body: '{"id":1}' }, within)));
    await expect(endpoint.within(8 * MIB, signal, asking(5))).rejects.toThrow(TooMuchAtOnceError);
    expect(await endpoint.within(8 * MIB, signal, asking(2))).toHaveLength(2);
  });

  it('counts what many small values take once they are read', async () => {
    const { url } = await serving(() => `[${'0,'.repeat(400_000)}0]`);
    const endpoint = httpEndpoint({ url, timeoutMs: 10_000, concurrency: 2, limiter: null, retries: 0 });
    const work = (within: AbortSignal) => endpoint.ask({ body: '{"id":1}' }, within);
    await expect(endpoint.within(8 * MIB, signal, work)).rejects.toThrow(TooMuchAtOnceError);
  });

  it('what is too much at once is asked for in smaller portions, each handed on before the next', async () => {
    const asked: number[] = [];
    const witness: Witness = {
      name: 'one',
      look: async (wanted) => {
        asked.push(wanted.length);
        if (wanted.length > 3 || wanted.some(({ txHash }) => txHash === '0x7'))
          throw new TooMuchAtOnceError('too much');
        return wanted.map(() => FOUND);
      },
    };
    const wanted = Array.from({ length: 10 }, (_, i): TxCheck => ({ ...wantedOf(`0x${i}`, START) }));
    const got: [string, string][] = [];
    const set = { chain: 'ETH', witnesses: [witness], quorum: 1 };
    for await (const portion of heardOf(set, wanted, { now: () => NOW, signal })) {
      expect(portion.length).toBeLessThanOrEqual(3);
      got.push(...portion.map(({ check, sighting }): [string, string] => [check.txHash, sighting.seen]));
    }
    expect(got).toEqual(wanted.map(({ txHash }) => [txHash, txHash === '0x7' ? 'unverified' : 'found']));
    expect(asked.length).toBeLessThan(20);
  });

  it('evidence of large answers is handed on as it is made, and what was handed on is held no longer', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const raws: WeakRef<object>[] = [];
    const witness: Witness = {
      name: 'one',
      look: async (wanted) =>
        wanted.map((_, i) => {
          const raw = { text: String(i).repeat(2 * MIB) };
          raws.push(new WeakRef(raw));
          return { ...FOUND, raw };
        }),
    };
    const wanted = Array.from({ length: 9 }, (_, i) => wantedOf(`0x${i}`, START));
    const sizes: number[] = [];
    const held: number[] = [];
    const set = { chain: 'ETH', witnesses: [witness], quorum: 1 };
    for await (const portion of heardOf(set, wanted, { now: () => NOW, signal })) {
      sizes.push(portion.length);
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      held.push(raws.filter((raw) => raw.deref() !== undefined).length);
    }
    expect(sizes).toEqual([2, 2, 2, 2, 1]);
    expect(held.at(-1)).toBeLessThan(3);
    expect(held[2]).toBeLessThan(6);
  });
});

describe('readers take time in step with what they read', () => {
  const address = `0x${'11'.repeat(20)}`;
  const trace = (i: number, error?: string) => ({
    type: 'call',
    traceAddress: [i],
    action: { callType: 'call', to: address, value: '0x1' },
    ...(error === undefined ? {} : { error }),
  });
  const leaf = { type: 'CALL', to: address, value: '0x1' };
  const READERS: [string, (n: number) => () => unknown][] = [
    [
      'calls in calls',
      (n) => {
        const calls = Array.from({ length: n / 100 }, () => ({ ...leaf, calls: Array(100).fill(leaf) }));
        return () => tracedByCalls({ ...leaf, calls });
      },
    ],
    [
      'a list in which every second call failed',
      (n) => {
        const list = Array.from({ length: n }, (_, i) => trace(i, i % 2 === 0 ? 'Reverted' : undefined));
        return () => tracedByList(list);
      },
    ],
    [
      'events that are no transfer',
      (n) => {
        const data = `0x${'1'.padStart(64, '0')}`;
        const topics = [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          `0x${'f'.repeat(64)}`,
          `0x${'f'.repeat(64)}`,
        ];
        const logs = Array.from({ length: n / 4 }, (_, i) => ({ address, topics, data: i % 2 === 0 ? data : '0x' }));
        const tx = { hash: '0x', to: address, value: '0x0', input: '0x' };
        return () =>
          loggedTransfers(tx, { transactionHash: '0x', blockHash: '0x', blockNumber: '0x1', status: '0x1', logs });
      },
    ],
  ];
  it.each(READERS)(
    '%s: four times as much takes less than eight times as long, and under a second',
    async (_what, make) => {
      const [small, large] = [make(20_000), make(80_000)];
      const isLinear = (few: number, many: number) => many < Math.max(8 * few, 80);
      const least = await leastOf(
        () => processorMs(small),
        () => processorMs(large),
        isLinear,
      );
      expect(isLinear(...least), `${least}`).toBe(true);
      expect(least[1]).toBeLessThan(1000);
    },
  );
});
