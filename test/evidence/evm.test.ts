/** EVM endpoints that lie, lag, have forgotten or were reorganised, over a real node. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TRANSFER } from '../../src/evidence/chain/evm/transfers.ts';
import type { TxCheck } from '../../src/ports/witness.ts';
import { type EvmNode, startEvmNode } from '../local-chains/evm-node.ts';
import { at } from '../support/builders.ts';
import { evmAt, hear, look } from './witnesses.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

type Answer = NonNullable<Parameters<typeof startEvmNode>[0]['answer']>;

const START = at('2026-11-01 00:00');
const HOUR = 3_600_000;
const USER = '0x14701438d1e2a4be2578158d26f027ea4e99da6c';
const NOWHERE = `0x${'5c'.repeat(32)}`;
const honest: Answer = (_call, ask) => ask();

let node: EvmNode;
let answer: Answer = honest;
let paid: string;
/** Every method that the last look called, with its first parameter. */
let called: string[] = [];

const send = async (value: bigint) =>
  (await node.request('eth_sendTransaction', [
    { from: node.accounts[0], to: USER, value: `0x${value.toString(16)}`, gas: '0x5208', gasPrice: '0x77359400' },
  ])) as string;
const mine = (hour: number) => node.request('evm_mine', [`0x${((START + hour * HOUR) / 1000).toString(16)}`]);

beforeAll(async () => {
  node = await startEvmNode({
    chainId: 1,
    since: START,
    answer: (call, ask) => {
      called.push(`${call.method} ${String(call.params[0])}`);
      return answer(call, ask);
    },
  });
  await send(1n);
  await mine(9);
  paid = await send(40n);
  await mine(10);
  for (let hour = 11; hour < 30; hour++) await mine(hour);
});
afterAll(async () => {
  await node?.close();
});

const wantedOf = (txHash: string): TxCheck => ({
  txHash,
  since: START + 10 * HOUR,
  due: START + 16 * HOUR,
  coins: true,
});
const ask = async (as: Answer, txHash = paid, finality: 'finalized' | number = 'finalized') => {
  answer = as;
  called = [];
  return look(evmAt(node.url, finality, 1), wantedOf(txHash));
};

const forging =
  (method: string, change: (result: Record<string, unknown>) => unknown): Answer =>
  async (call, real) => {
    const result = (await real()) as Record<string, unknown> | null;
    return call.method === method && result !== null ? change(result) : result;
  };

const wordOf = (text: string) => `0x${text.replace(/^0x/, '').padStart(64, '0')}`;
const TOKEN = `0x${'70'.repeat(20)}`;
const LOG = {
  address: TOKEN,
  topics: [TRANSFER, wordOf(NOWHERE.slice(0, 42)), wordOf(USER)],
  data: wordOf('28'),
  logIndex: '0x0',
};
const FOREIGN = 'has a receipt with events of other transactions';
const withLogs = (logs: readonly object[]) => forging('eth_getTransactionReceipt', (result) => ({ ...result, logs }));

it.each<[string, Answer, number]>([
  ['an event of 40 units', withLogs([LOG]), 1],
  ['an event from an address to itself', withLogs([{ ...LOG, topics: [TRANSFER, wordOf(USER), wordOf(USER)] }]), 0],
  ['an event to more than an address', withLogs([{ ...LOG, topics: [TRANSFER, wordOf(USER), NOWHERE] }]), 0],
  ['an event that was removed', withLogs([{ ...LOG, removed: true }]), 0],
])('%s has as many transfers as moved tokens', async (_what, as, moved) => {
  const account = await ask(as);
  const tokens = account.answer === 'found' ? account.transfers.filter(({ asset }) => asset === TOKEN) : null;
  expect(tokens).toEqual(Array(moved).fill({ to: USER, asset: TOKEN, units: 40n }));
});

it('a transaction from an address to itself pays nobody', async () => {
  const own = forging('eth_getTransactionByHash', (result) => ({
    ...result,
    from: USER.toUpperCase().replace('X', 'x'),
  }));
  expect(await ask(own)).toMatchObject({ answer: 'found', transfers: [] });
});

it('an honest endpoint returns it, and `missing` for a transaction that is on no chain', async () => {
  expect(await ask(honest)).toMatchObject({ answer: 'found', transfers: [{ to: USER, asset: null, units: 40n }] });
  expect(await ask(honest, NOWHERE)).toMatchObject({ answer: 'missing' });
});

describe('no account is given', () => {
  it.each<[string, Answer, string]>([
    [
      'of a receipt from another block',
      forging('eth_getTransactionReceipt', (result) => ({ ...result, blockHash: `0x${'0b'.repeat(32)}` })),
      'has a receipt of another transaction or block',
    ],
    [
      'of another transaction',
      forging('eth_getTransactionByHash', (result) => ({ ...result, hash: NOWHERE })),
      'answered with another transaction',
    ],
    [
      'of a transaction without its receipt',
      forging('eth_getTransactionReceipt', () => null),
      'has no receipt for a transaction in a block',
    ],
    [
      'of a receipt without a status, from before Byzantium',
      forging('eth_getTransactionReceipt', ({ status: _, ...result }) => result),
      'does not say whether the transaction succeeded',
    ],
    [
      'where the history is pruned: null for every transaction',
      (call, real) => (call.method.startsWith('eth_getTransaction') ? Promise.resolve(null) : real()),
      'does not know the transactions of that time: it is pruned',
    ],
    [
      'where the blocks of then are gone',
      async (call, real) => {
        if (call.method.startsWith('eth_getTransaction')) return null;
        return call.method === 'eth_getBlockByNumber' && Number(call.params[0]) < 20 ? null : real();
      },
      'does not have the blocks of that time',
    ],
    [
      'where a block is not the one that was asked for',
      forging('eth_getBlockByNumber', (result) => (result.number === '0x2' ? { ...result, number: '0x3' } : result)),
      'answered with another block than 2',
    ],
    [
      'where every answer is null',
      async (call, real) => (call.method === 'eth_chainId' ? real() : null),
      'has no block finalized',
    ],
    [
      'of a transaction of another chain',
      forging('eth_getTransactionByHash', (result) => ({ ...result, chainId: '0x89' })),
      'answered with another transaction',
    ],
    [
      'where its block does not have it',
      forging('eth_getBlockByNumber', (result) => (result.number === '0x2' ? { ...result, transactions: [] } : result)),
      'names a block that does not have the transaction',
    ],
    ['of events of another transaction', withLogs([{ ...LOG, transactionHash: NOWHERE }]), FOREIGN],
    ['of events of another block', withLogs([{ ...LOG, blockHash: NOWHERE }]), FOREIGN],
    ['of an event that comes twice', withLogs([LOG, LOG]), FOREIGN],
  ])('%s', async (_what, as, reason) => {
    expect(await ask(as)).toMatchObject({ answer: 'none', reason });
  });
});

it('a hash that is none is not asked for, and costs the others nothing', async () => {
  answer = honest;
  called = [];
  const wanted = [wantedOf('not a hash'), wantedOf(paid)];
  const [bad, good] = await evmAt(node.url).look(wanted, new AbortController().signal);
  expect([bad?.answer, good?.answer]).toEqual(['none', 'found']);
  expect(called.filter((each) => each.includes('not a hash'))).toEqual([]);
});

it('an endpoint that lies about an amount contradicts the other one', async () => {
  answer = honest;
  const truthful = evmAt(node.url);
  const [first, second] = [await look(truthful, wantedOf(paid)), await ask(forging('eth_getTransactionByHash', lie))];
  const witnesses = [first, second].map((account, i) => ({ name: `${i}`, look: async () => [account] }));
  expect(await hear(witnesses, wantedOf(paid), 2)).toMatchObject({
    seen: 'unverified',
    reason: 'the endpoints contradict each other about what was moved',
  });
});
const lie = (result: Record<string, unknown>) => ({ ...result, value: '0x29' });

it('a reorganisation of three blocks: found and not final, then gone from its block, then found in another', async () => {
  const before = await node.request('evm_snapshot');
  const young = await send(77n);
  await mine(30);
  await mine(31);
  await mine(32);
  const first = await ask(honest, young, 12);
  expect(first).toMatchObject({ answer: 'found', final: false });

  // Between the receipt and the block of one look.
  let isBefore = true;
  const midway = await ask(
    async (call, real) => {
      const result = await real();
      if (call.method === 'eth_getTransactionReceipt' && isBefore) {
        isBefore = false;
        await node.request('evm_revert', [before]);
        await mine(30);
        await mine(31);
        await mine(33);
        await mine(34);
      }
      return result;
    },
    young,
    12,
  );
  expect(midway).toMatchObject({
    answer: 'none',
    reason: 'names a block that is not in its chain any more: it was reorganised',
  });

  const again = await send(77n);
  await mine(35);
  for (let hour = 36; hour < 50; hour++) await mine(hour);
  expect(again).toBe(young);
  const last = await ask(honest, young, 12);
  expect(last).toMatchObject({ answer: 'found', final: true, blockTime: START + 35 * HOUR });
});
