/** Solana endpoints, honest and others, over a chain whose transactions are really signed. */
import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { gainsOf, transaction } from '../../src/evidence/chain/solana/transfers.ts';
import { SolanaChain, tokenAccount } from '../local-chains/solana-chain.ts';
import { serveSolana } from '../local-chains/solana-rpc.ts';
import { at } from '../support/builders.ts';
import { endpointsOfATest, hear, look, solanaAt, wantedOf } from './witnesses.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const HOUR = 3_600_000;
const START = at('2026-11-01 00:00');
const USER = 'Vote111111111111111111111111111111111111111';
const OTHER = 'Stake11111111111111111111111111111111111111';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

type Answer = NonNullable<Parameters<typeof serveSolana>[1]>;

let chain: SolanaChain;
let coins: string;
let tokens: string;
let unfinished: Set<string>;
const opened = endpointsOfATest();

const lamports = (to: string, units: bigint) => ({ to, mint: null, decimals: 9, units });

beforeEach(() => {
  unfinished = new Set();
  chain = new SolanaChain(START, 1_000_000_000_000n);
  for (let hour = 1; hour < 10; hour++) chain.pay([lamports(OTHER, 1n)], START + hour * HOUR);
  coins = chain.pay([lamports(USER, 5_000_000n), lamports(OTHER, 77n)], START + 10 * HOUR);
  tokens = chain.pay([{ to: USER, mint: USDC, decimals: 6, units: 2_500_000n }], START + 10 * HOUR + 60_000);
  for (let hour = 11; hour < 40; hour++) chain.pay([lamports(OTHER, 1n)], START + hour * HOUR);
});

const endpoint = async (answer?: Answer) => (await opened(serveSolana({ chain, unfinished }, answer))).url;
const ask = async (answer?: Answer, txHash = coins) => look(solanaAt(await endpoint(answer)), wantedOf(txHash, START));
const NOWHERE = '5'.repeat(88);

/** Changes the answer to one method. */
const forging =
  (method: string, change: (result: never) => unknown): Answer =>
  (call, answer) =>
    call.method === method ? change(answer() as never) : answer();

describe('an honest endpoint', () => {
  it('returns the gains of accounts in lamports, without the fee', async () => {
    expect(await ask()).toMatchObject({
      answer: 'found',
      succeeded: true,
      final: true,
      blockTime: START + 10 * HOUR,
      transfers: [
        { to: USER, asset: null, units: 5_000_000n },
        { to: OTHER, asset: null, units: 77n },
      ],
    });
  });

  it('returns tokens by their owner, and by the account that holds them', async () => {
    const account = await ask(undefined, tokens);
    expect(account).toMatchObject({
      answer: 'found',
      transfers: expect.arrayContaining([
        { to: USER, asset: USDC, units: 2_500_000n },
        { to: tokenAccount(USER, USDC), asset: USDC, units: 2_500_000n },
      ]),
    });
  });

  it('returns a failed transaction as one that moved nothing', async () => {
    const failed = chain.pay([lamports(USER, 9n)], START + 40 * HOUR, true);
    expect(await ask(undefined, failed)).toMatchObject({ answer: 'found', succeeded: false, transfers: [] });
  });

  it('says pending of one that is confirmed and not finalised, and missing of one on no chain', async () => {
    const young = chain.pay([lamports(USER, 9n)], START + 40 * HOUR);
    unfinished.add(young);
    expect(await ask(undefined, young)).toMatchObject({ answer: 'pending' });
    expect(await ask(undefined, NOWHERE)).toMatchObject({ answer: 'missing' });
  });

  it('gets no request for a text that is no signature', async () => {
    expect(await ask(undefined, `0x${'ab'.repeat(32)}`)).toMatchObject({ answer: 'none', raw: null });
  });
});

describe('an endpoint that lies or fails gives no account', () => {
  it.each<[string, Answer, string]>([
    [
      'another transaction',
      (call, answer) => (call.method === 'getTransaction' ? other(call, answer) : answer()),
      'answered with another transaction',
    ],
    ['null for the block', forging('getBlock', () => null), 'does not have the block of the transaction'],
    [
      'another time than its block',
      forging('getBlock', (block: { blockTime: number }) => ({ ...block, blockTime: block.blockTime + 60 })),
      'gives the transaction another time than its block',
    ],
    [
      'balances of fewer accounts',
      forging('getTransaction', (tx: { meta: { postBalances: number[] } }) => ({
        ...tx,
        meta: { ...tx.meta, postBalances: tx.meta.postBalances.slice(1) },
      })),
      'has balances that do not belong to the accounts',
    ],
    [
      'one balance of tokens twice',
      forging('getTransaction', (tx: { meta: object }) => {
        const one = { accountIndex: 0, mint: OTHER, uiTokenAmount: { amount: '20' } };
        return { ...tx, meta: { ...tx.meta, postTokenBalances: [one, one] } };
      }),
      'has balances that do not belong to the accounts',
    ],
    [
      'no word of success',
      forging('getTransaction', (tx: { meta: object }) => ({ ...tx, meta: { ...tx.meta, err: undefined } })),
      'answered with something that is no transaction',
    ],
    [
      'deep nesting',
      forging('getTransaction', () => JSON.parse('['.repeat(60) + ']'.repeat(60))),
      'answered with more than 40 levels of nesting',
    ],
    ['10 MB', forging('getTransaction', () => 'x'.repeat(10 * 1024 * 1024)), 'answered with more than 4 MiB'],
  ])('%s', async (_how, answer, reason) => {
    expect(await ask(answer)).toMatchObject({ answer: 'none', reason });
  });

  it('is reported by the first block where it is of another chain', async () => {
    expect(await look(solanaAt(await endpoint(), OTHER), wantedOf(coins, START))).toMatchObject({
      answer: 'none',
      reason: 'is an endpoint of another chain than the one configured',
    });
  });
});

/** The body of the other payment, for every request. */
function other({ params }: { params: readonly unknown[] }, answer: () => unknown): unknown {
  const body = answer() as { transaction: { signatures: string[] } } | null;
  if (body === null || params[0] !== coins) return body;
  return { ...body, transaction: { ...body.transaction, signatures: [tokens] } };
}

describe('an endpoint that cannot know says so', () => {
  it('lagging: it knows no final block after the due time', async () => {
    const slots = chain.blocks.map(({ slot }) => slot);
    expect(
      await ask(
        forging('getSlot', () => slots[12]),
        NOWHERE,
      ),
    ).toMatchObject({
      answer: 'none',
      reason: expect.stringContaining('it lags behind'),
    });
  });

  it('null for every transaction: the endpoint is pruned', async () => {
    const answer: Answer = (call, honest) => {
      if (call.method === 'getTransaction') return null;
      if (call.method === 'getSignatureStatuses') return { value: [null] };
      return honest();
    };
    expect((await ask(answer)).answer).toBe('none');
  });

  it('its first block is younger than the release: it is pruned', async () => {
    const first = chain.blocks[30]?.slot ?? 0;
    expect(
      await ask(
        forging('getFirstAvailableBlock', () => first),
        NOWHERE,
      ),
    ).toMatchObject({
      answer: 'none',
      reason: 'does not have the blocks of that time: it is pruned',
    });
  });

  it('it knows the status and not the transaction: it is pruned', async () => {
    expect(await ask(forging('getTransaction', () => null))).toMatchObject({
      answer: 'none',
      reason: 'knows that the transaction is final, and not what it did: it is pruned',
    });
  });
});

describe('two endpoints', () => {
  it('that return other gains are contradictory', async () => {
    const honest = solanaAt(await endpoint());
    const lying = solanaAt(
      await endpoint(
        forging('getTransaction', (tx: { meta: { postBalances: number[] } }) => ({
          ...tx,
          meta: { ...tx.meta, postBalances: tx.meta.postBalances.map((each, i) => (i === 1 ? each + 1 : each)) },
        })),
      ),
    );
    expect(await hear([honest, lying], wantedOf(coins, START), 2)).toMatchObject({
      seen: 'unverified',
      reason: 'the endpoints contradict each other about what was moved',
    });
  });
});

it('lamports beyond 2^53 are exact, and addresses from look-up tables have their balances', () => {
  const key = (letter: string) => letter.repeat(40);
  const body = {
    slot: 1,
    transaction: { signatures: ['5'.repeat(88)], message: { accountKeys: [key('A'), key('B')] } },
    meta: {
      err: null,
      fee: 5000,
      preBalances: ['18446744073709551000', 0, 1],
      postBalances: ['18446744073709545000', 0, 1001],
      loadedAddresses: { writable: [key('C')], readonly: [] },
    },
  };
  expect(gainsOf(transaction.parse(body))).toEqual([{ to: key('C'), asset: null, units: 1000n }]);
});

it('the sandbox’s transactions are named by real signatures of their messages', () => {
  const payer = chain.transactions.get(coins)?.accountKeys[0] ?? '';
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(base58.decode(payer))]);
  const message = chain.transactions.get(coins)?.message ?? Buffer.alloc(0);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  expect(verify(null, message, key, Buffer.from(base58.decode(coins)))).toBe(true);
  expect(message.length).toBeLessThanOrEqual(1232);
});
