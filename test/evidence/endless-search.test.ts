/** Searches of chains that an endpoint could keep going: each ends after so many requests or so long, and says so. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listedBackTo } from '../../src/evidence/chain/back-to.ts';
import { evmFinder } from '../../src/evidence/chain/evm/incoming.ts';
import type { Answer, JsonRpc } from '../../src/evidence/chain/json-rpc.ts';
import { receivedBy } from '../../src/evidence/chain/treasury.ts';
import type { Finder, Witness } from '../../src/ports/witness.ts';
import { at } from '../support/builders.ts';

const HOUR = 3_600_000;
const START = at('2026-11-01 00:00');
const TOKEN = `0x${'a0'.repeat(20)}`;
const OTHER = `0x${'22'.repeat(20)}`;
const HOST = `0x${'11'.repeat(20)}`;
const asTopic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const watched = { addresses: [HOST], contracts: [TOKEN], coins: false };
const { signal } = new AbortController();

/** A chain of a block a second from the start on, whose logs are as given. */
function evmOf(logs: (low: number, high: number) => Answer): Finder {
  const call = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock } = params[0] as Record<'fromBlock' | 'toBlock', string>;
      return logs(Number(fromBlock), Number(toBlock));
    }
    const number = params[0] === 'finalized' ? 400_000 : Number(params[0]);
    const quantity = (value: number) => `0x${value.toString(16)}`;
    const hash = `0x${'01'.repeat(32)}`;
    const timestamp = quantity(START / 1000 + number);
    return { ok: true, result: { number: quantity(number), hash, timestamp, transactions: [] } };
  };
  return evmFinder({ name: 'one', rpc: { under: () => ({ call }) } as unknown as JsonRpc, finality: 'finalized' });
}
const search = (finder: Finder, hours: number) =>
  finder.find(watched, { from: START, to: START + hours * HOUR }, signal);

it('EVM: an endpoint that answers single blocks alone is left after a hundred thousand requests', async () => {
  let asked = 0;
  const finder = evmOf((low, high) => {
    asked++;
    return low === high ? { ok: true, result: [] } : { ok: false, reason: 'refused with code -32005' };
  });
  expect(await search(finder, 100)).toEqual({
    ok: false,
    reason: 'answers too few blocks at once: not all were looked through after 100000 requests',
  });
  expect(asked).toBe(100_000);
});

it('EVM: an endpoint that answers ten blocks at once is asked for little more than each of them, once', async () => {
  let asked = 0;
  const seen = new Map<number, number>();
  const finder = evmOf((low, high) => {
    asked++;
    if (high - low >= 10) return { ok: false, reason: 'refused with code -32005' };
    for (let block = low; block <= high; block++) seen.set(block, (seen.get(block) ?? 0) + 1);
    return { ok: true, result: [] };
  });
  expect(await search(finder, 10)).toMatchObject({ ok: true });
  expect([seen.size, new Set(seen.values())]).toEqual([36_000, new Set([1])]);
  expect(asked).toBeLessThan(4_500);
});

it('EVM: what the addresses send to each other is known by an event in capital letters too', async () => {
  const log = {
    address: TOKEN,
    topics: [asTopic(OTHER), `0x${asTopic('0xab').slice(2).toUpperCase()}`, asTopic(HOST)],
    transactionHash: asTopic(OTHER),
  };
  const finder = evmOf((low) => ({ ok: true, result: low === 0 ? [log] : [] }));
  const own = { ...watched, addresses: [HOST, `0x${'0'.repeat(38)}ab`] };
  expect(await finder.find(own, { from: START, to: START + HOUR }, signal)).toMatchObject({
    incoming: [{ isOwn: true }],
  });
});

it('lists of accounts that an endpoint makes up are left after ten thousand pages', async () => {
  const accounts = Array.from({ length: 50_000 }, (_, n) => `account ${n}`);
  let asked = 0;
  const page = async () => {
    asked++;
    return [];
  };
  await expect(listedBackTo(START, accounts, 100, page)).rejects.toThrow('lists more than 10000 pages');
  expect(asked).toBe(10_000);
});

const treasury = { addresses: [HOST], assets: [{ symbol: 'USDC', contract: TOKEN, decimals: 6, settles: null }] };
const edges = { now: () => START + 9 * HOUR, signal, keep: async () => 0, longestMs: 300 };
const span = { from: START, to: START + 9 * HOUR };

it('a search that takes too long is no list, and the others count', async () => {
  const slow: Finder = {
    name: 'slow',
    find: async (_watched, _span, within) => pause(60_000, null as never, { signal: within }),
  };
  const found = await receivedBy(
    { witnesses: { chain: 'ANY', quorum: 1, witnesses: [] }, finders: [slow, evmOf(() => ({ ok: true, result: [] }))] },
    treasury,
    { span, named: [] },
    { ...edges, now: () => START + 500 * HOUR },
  );
  expect(found).toMatchObject({
    upTo: span.to,
    problems: ['slow: did not list all within 0.005 minutes; give it fewer days, with --from and --to'],
  });
});

it('transactions that an endpoint makes up hold an import for so long only', async () => {
  const slow: Witness = {
    name: 'slow',
    look: async (wanted, within) => {
      await pause(200, null, { signal: within });
      return wanted.map(() => ({ answer: 'none', reason: 'knows nothing', raw: null }));
    },
  };
  const named = Array.from({ length: 5_000 }, (_, n) => asTopic(`0x${n.toString(16)}`));
  const { problems } = await receivedBy(
    { witnesses: { chain: 'ANY', quorum: 1, witnesses: [slow] }, finders: [] },
    treasury,
    { span: null, named },
    edges,
  );
  expect(problems.at(-1)).toMatch(/^only 500 of 5000 transactions were looked at within 0.005 minutes/);
});

it('what a person ends is not called too long', async () => {
  const stop = new AbortController();
  const ended: Finder = {
    name: 'one',
    find: async (_watched, _span, within) => {
      stop.abort(new Error('stopped'));
      within.throwIfAborted();
      throw new Error('goes on');
    },
  };
  const work = receivedBy(
    { witnesses: { chain: 'ANY', quorum: 1, witnesses: [] }, finders: [ended] },
    treasury,
    { span, named: [] },
    { ...edges, signal: stop.signal },
  );
  await expect(work).rejects.toThrow('stopped');
});
