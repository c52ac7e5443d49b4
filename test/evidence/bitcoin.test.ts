/** Bitcoin endpoints, honest and others, over a chain that is really built and hashed. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BitcoinChain } from '../local-chains/bitcoin-chain.ts';
import { serveEsplora } from '../local-chains/esplora.ts';
import { at } from '../support/builders.ts';
import { bitcoinAt, endpointsOfATest, hear, look, wantedOf } from './witnesses.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const HOUR = 3_600_000;
const START = at('2026-11-01 00:00');
const USER = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const OTHER = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

type Answer = NonNullable<Parameters<typeof serveEsplora>[1]>;

let chain: BitcoinChain;
let paid: string;
const opened = endpointsOfATest();

beforeEach(() => {
  chain = new BitcoinChain(START, 10_000_000_000n);
  for (let hour = 1; hour < 10; hour++) chain.mine(START + hour * HOUR);
  paid = chain.pay([
    { address: USER, value: 123_456n },
    { address: OTHER, value: 777n },
  ]);
  chain.pay([{ address: OTHER, value: 5n }]);
  for (let hour = 10; hour < 40; hour++) chain.mine(START + hour * HOUR);
});

const endpoint = async (answer?: Answer) => (await opened(serveEsplora(chain, answer))).url;
const ask = async (answer?: Answer, txHash = paid) => look(bitcoinAt(await endpoint(answer)), wantedOf(txHash, START));

const NOWHERE = 'ab'.repeat(32);

/** Changes the body of the paid transaction on its way. */
const forging =
  (change: (body: { vout: Record<string, unknown>[]; status: Record<string, unknown> }) => void): Answer =>
  (path, answer) => {
    const text = answer();
    if (path !== `/tx/${paid}` || text === null) return text;
    const body = JSON.parse(text) as Parameters<typeof change>[0];
    change(body);
    return JSON.stringify(body);
  };

describe('an honest endpoint', () => {
  it('returns the outputs by address and value, the block, and that it is final', async () => {
    const account = await ask();
    expect(account).toMatchObject({
      answer: 'found',
      succeeded: true,
      final: true,
      blockNumber: '10',
      blockTime: START + 10 * HOUR,
      transfers: [
        { to: USER, asset: null, units: 123_456n },
        { to: OTHER, asset: null, units: 777n },
        { asset: null, units: 9_999_874_767n },
      ],
      inner: [],
    });
  });

  it('says missing of a transaction that is on no chain', async () => {
    expect(await ask(undefined, NOWHERE)).toMatchObject({ answer: 'missing' });
  });

  it('says pending of one that is in no block', async () => {
    expect(await ask(undefined, chain.pay([{ address: USER, value: 1n }]))).toMatchObject({ answer: 'pending' });
  });

  it('gets no request for a text that is no id', async () => {
    const served = await opened(serveEsplora(chain));
    const wanted = wantedOf('../blocks/tip/height', START);
    expect(await look(bitcoinAt(served.url), wanted)).toMatchObject({ answer: 'none', raw: null });
    expect(served.stats().requests).toBe(3);
  });

  it('has a transaction in the fifth block from the top, which is not final yet', async () => {
    const late = chain.pay([{ address: USER, value: 9n }]);
    for (let hour = 40; hour < 45; hour++) chain.mine(START + hour * HOUR);
    expect(await ask(undefined, late)).toMatchObject({ answer: 'found', final: false });
  });
});

describe('an endpoint that lies is contradicted by its own answer', () => {
  it.each<[string, Answer, string]>([
    [
      'about an amount',
      forging(({ vout }) => {
        if (vout[0]) vout[0].value = 999_999;
      }),
      'answered with a transaction whose fields do not hash to its id',
    ],
    [
      'about an address',
      forging(({ vout }) => {
        if (vout[1]) vout[1].scriptpubkey_address = USER;
      }),
      'names an address that its output does not pay',
    ],
    [
      'about the block',
      forging(({ status }) => {
        status.block_height = 12;
      }),
      'names a block that is not in its chain any more: it was reorganised',
    ],
    [
      'with another transaction',
      (path, answer) =>
        path === `/tx/${paid}` ? JSON.stringify({ ...JSON.parse(answer() ?? ''), txid: NOWHERE }) : answer(),
      'answered with another transaction',
    ],
    [
      'with the proof of another one',
      (path, answer) => (path.endsWith('/merkle-proof') ? (answer() ?? '').replace('"pos":1', '"pos":0') : answer()),
      'has a merkle proof that does not lead to the block',
    ],
    [
      'with no proof',
      (path, answer) => (path.endsWith('/merkle-proof') ? null : answer()),
      'has no merkle proof of the transaction',
    ],
    [
      'with a header of its own',
      (path, answer) => (path.endsWith('/header') ? (chain.blocks[3]?.header ?? null) : answer()),
      'answered with a header that is not of block 33',
    ],
    ['with HTML', () => '<html>', 'answered with no height'],
  ])('%s', async (_how, answer, reason) => {
    expect(await ask(answer)).toMatchObject({ answer: 'none', reason });
  });

  it('of another chain is reported by the first block', async () => {
    const url = await endpoint();
    const other = new BitcoinChain(START + 1000, 1n).blocks[0]?.hash ?? '';
    expect(await look(bitcoinAt(url, chain.blocks[0]?.hash), wantedOf(paid, START))).toMatchObject({ answer: 'found' });
    expect(await look(bitcoinAt(url, other), wantedOf(paid, START))).toMatchObject({
      answer: 'none',
      reason: 'is an endpoint of another chain than the one configured',
    });
  });
});

describe('an endpoint that cannot know says so', () => {
  it('lagging: it knows no final block after the due time', async () => {
    const lagging: Answer = (path, answer) => (path === '/blocks/tip/height' ? '20' : answer());
    expect(await ask(lagging, NOWHERE)).toMatchObject({
      answer: 'none',
      reason: expect.stringContaining('2026-11-01T14:00:00.000Z: it lags behind'),
    });
  });

  it('pruned: it has blocks and no transactions', async () => {
    const pruned: Answer = (path, answer) => (path.startsWith('/tx/') ? null : answer());
    expect(await ask(pruned)).toMatchObject({
      answer: 'none',
      reason: 'does not know the transactions of that time: it is pruned',
    });
  });

  it('pruned: it has no blocks of that time', async () => {
    const pruned: Answer = (path, answer) =>
      path.startsWith('/tx/') || /^\/block-height\/[012]?\d$/.test(path) ? null : answer();
    expect(await ask(pruned)).toMatchObject({ answer: 'none', reason: 'does not have the blocks of that time' });
  });

  it.each<[string, string, string]>([
    ['10 MB', `"${'x'.repeat(10 * 1024 * 1024)}"`, 'answered with more than 4 MiB'],
    ['deep nesting', '['.repeat(100_000), 'answered with more than 40 levels of nesting'],
    ['null', 'null', 'answered with something that is no transaction'],
    ['an empty object', '{}', 'answered with something that is no transaction'],
  ])('%s for a transaction', async (_what, text, reason) => {
    const answer: Answer = (path, honest) => (path === `/tx/${paid}` ? text : honest());
    expect(await ask(answer)).toMatchObject({ answer: 'none', reason });
  });
});

describe('two endpoints', () => {
  it('one that hides a transaction which the other has: neither is believed', async () => {
    const honest = bitcoinAt(await endpoint());
    const hiding = bitcoinAt(await endpoint((path, answer) => (path === `/tx/${paid}` ? null : answer())));
    expect(await hear([honest, hiding], wantedOf(paid, START), 2)).toMatchObject({
      seen: 'unverified',
      reason: expect.stringContaining('contradict each other'),
    });
    expect(await hear([hiding, hiding], wantedOf(paid, START), 2)).toMatchObject({ seen: 'missing', witnesses: 2 });
    expect(await hear([honest, honest], wantedOf(paid, START), 2)).toMatchObject({ seen: 'found', witnesses: 2 });
  });
});

describe('a reorganisation of three blocks', () => {
  it('takes a young transaction away: found and not final, then pending, then final in another block', async () => {
    const young = chain.pay([{ address: USER, value: 42n }]);
    for (let hour = 40; hour < 43; hour++) chain.mine(START + hour * HOUR);
    const first = await ask(undefined, young);
    chain.reorganise(3);
    const between = await ask(undefined, young);
    for (let hour = 41; hour < 49; hour++) chain.mine(START + hour * HOUR);
    const last = await ask(undefined, young);
    expect([first.answer, between.answer, last.answer]).toEqual(['found', 'pending', 'found']);
    expect(first).toMatchObject({ final: false, blockNumber: '40' });
    expect(last).toMatchObject({ final: true, blockNumber: '40', blockTime: START + 41 * HOUR });
    expect(first).not.toMatchObject({ blockHash: (last as { blockHash: string }).blockHash });
  });

  it('between two answers of one look is reported as such', async () => {
    const young = chain.pay([{ address: USER, value: 42n }]);
    for (let hour = 40; hour < 43; hour++) chain.mine(START + hour * HOUR);
    const answer: Answer = (path, honest) => {
      const text = honest();
      if (path === `/tx/${young}`) {
        chain.reorganise(3);
        for (let hour = 41; hour < 45; hour++) chain.mine(START + hour * HOUR);
      }
      return text;
    };
    expect(await ask(answer, young)).toMatchObject({
      answer: 'none',
      reason: 'names a block that is not in its chain any more: it was reorganised',
    });
  });
});
