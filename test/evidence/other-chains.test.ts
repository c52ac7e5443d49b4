/**
 * Bitcoin and Solana beside a chain without endpoints, end to end: purchases, the deposits of sales, a replay without the network,
 * and the month that is closed over them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { periodEdges } from '../../src/app/periods.ts';
import { renderRun } from '../../src/app/render-run.ts';
import { closePeriod, publishDelta } from '../../src/periods/close.ts';
import { readCsv } from '../e2e/support/csv.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from '../e2e/support/frozen-world.ts';
import { BitcoinChain } from '../local-chains/bitcoin-chain.ts';
import { serveEsplora } from '../local-chains/esplora.ts';
import type { Served } from '../local-chains/loopback.ts';
import { SolanaChain } from '../local-chains/solana-chain.ts';
import { serveSolana } from '../local-chains/solana-rpc.ts';
import { aSale, purchaseOf } from '../service/bodies.ts';
import { at } from '../support/builders.ts';
import { inThisOrder } from '../support/in-this-order.ts';

inThisOrder();

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const HOUR = 3_600_000;
const START = at('2026-11-01 00:00');
const BTC_USER = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const ESCROW = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const SOL_USER = 'Vote111111111111111111111111111111111111111';
const XLM_USER = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const assetOf = (chain: string, symbol: string, decimals: number, address: string | null = null) =>
  JSON.stringify({ address, symbol, chain, name: symbol, decimals, type: address === null ? 'NATIVE' : 'SPL' });

const bitcoin = new BitcoinChain(START, 100_000_000_000n);
const solana = new SolanaChain(START, 1_000_000_000_000n);
const unfinished = new Set<string>();
let open: Served[] = [];
let world: FrozenWorld;
let run: Reconciled;

const purchase = (id: string, hash: string, to: string, asset: string, units: string) =>
  purchaseOf(id, { finalTxHash: `"${hash}"`, receiverAddress: `"${to}"`, asset, cryptoAmount: `"${units}"` });
const sale = (id: string, hash: string, units: string) =>
  aSale({
    id: `"${id}"`,
    purchaseViewToken: undefined,
    status: '"RELEASED"',
    updatedAt: '"2026-11-01T12:00:00.000Z"',
    crypto: `{"amount":"${units}","assetInfo":${assetOf('BTC', 'BTC', 8)}}`,
    transactionHash: `"${hash}"`,
    escrowAddress: `"${ESCROW}"`,
  });

beforeAll(async () => {
  for (let hour = 1; hour < 10; hour++) {
    bitcoin.mine(START + hour * HOUR);
    solana.pay([{ to: ESCROW_OF_SOLANA, mint: null, decimals: 9, units: 1n }], START + hour * HOUR);
  }
  const paid = bitcoin.pay([
    { address: BTC_USER, value: 150_000n },
    { address: ESCROW, value: 200_000n },
  ]);
  const coins = solana.pay([{ to: SOL_USER, mint: null, decimals: 9, units: 70_000_000n }], START + 10.1 * HOUR);
  const tokens = solana.pay([{ to: SOL_USER, mint: USDC, decimals: 6, units: 25_000_000n }], START + 10.2 * HOUR);
  for (let hour = 11; hour < 36; hour++) {
    bitcoin.mine(START + hour * HOUR);
    solana.pay([{ to: ESCROW_OF_SOLANA, mint: null, decimals: 9, units: 1n }], START + hour * HOUR);
  }
  open = [
    await serveEsplora(bitcoin),
    await serveEsplora(bitcoin),
    await serveSolana({ chain: solana, unfinished }),
    await serveSolana({ chain: solana, unfinished }),
  ];
  const endpoints = (from: number) => open.slice(from, from + 2).map(({ url }, i) => ({ name: `number-${i}`, url }));
  world = await openFrozenWorld({
    rules: { QUOTE_MISSING: 'off', TOTAL_NOT_FOOTING: 'off', RATE_OUT_OF_LINE: 'off' },
    'evidence.chains': [
      { chain: 'BTC', type: 'bitcoin', finality: '6', quorum: '2', endpoints: endpoints(0) },
      {
        chain: 'SOLANA',
        type: 'solana',
        quorum: '2',
        genesis: solana.blocks[0]?.blockhash ?? '',
        endpoints: endpoints(2),
      },
    ],
  });
  const btc = assetOf('BTC', 'BTC', 8);
  const bodies: [kind: string, id: string, body: string][] = [
    ['purchase', 'abtc', purchase('abtc', paid, BTC_USER.toUpperCase(), btc, '150000')],
    ['purchase', 'bbtc', purchase('bbtc', 'ab'.repeat(32), BTC_USER, btc, '150000')],
    ['purchase', 'csol', purchase('csol', coins, SOL_USER, assetOf('SOLANA', 'SOL', 9), '70000000')],
    ['purchase', 'dusdc', purchase('dusdc', tokens, SOL_USER, assetOf('SOLANA', 'USDC', 6, USDC), '25000000')],
    ['purchase', 'eusdc', purchase('eusdc', coins, SOL_USER, assetOf('SOLANA', 'USDC', 6, USDC), '25000000')],
    ['purchase', 'fxlm', purchase('fxlm', 'cd'.repeat(32), XLM_USER, assetOf('XLM', 'XLM', 7), '1000')],
    [
      'purchase',
      'gnone',
      purchase(
        'gnone',
        'cd'.repeat(32),
        'GABC',
        '{"address":"GXYZ","symbol":"AQUA","decimals":7,"type":"AQUA"}',
        '1000',
      ),
    ],
    ['sale', 'hsale', sale('hsale', paid, '200000')],
    ['sale', 'isale', sale('isale', paid, '210000')],
  ];
  for (const [, id, body] of bodies) world.server.answers.set(id, { body });
  await world.track(`kind,id,view_token\n${bodies.map(([kind, id]) => `${kind},${id},tok-${id}`).join('\n')}\n`);
  world.goTo('2026-11-02T04:15:00Z');
  run = await world.night('2026-11-01');
});
const ESCROW_OF_SOLANA = 'Stake11111111111111111111111111111111111111';

afterAll(async () => {
  await world?.close();
  await Promise.all(open.map((each) => each.close()));
});

const rowsOf = (set: string, name: string) => readCsv(world.file(set, `${name}.csv`).toString()).rows;
const outcomes = (set: string) =>
  rowsOf(set, 'deliveries').map(({ record_id, outcome, reason }) => [record_id, outcome, reason]);

const AS_SEEN = [
  ['abtc', 'met', ''],
  ['bbtc', 'broken', 'no endpoint knows the transaction'],
  ['csol', 'met', ''],
  ['dusdc', 'met', ''],
  ['eusdc', 'broken', 'another asset arrived'],
  ['fxlm', 'unverified', 'no endpoint is configured for XLM'],
  ['gnone', 'unverified', 'the record does not say on which chain it paid'],
  ['hsale', 'met', ''],
  ['isale', 'broken', 'another amount arrived'],
];

describe('Bitcoin, Solana, and what has no endpoint', () => {
  it('purchases and deposits are checked against their chains; the others are unverified, with the reason', () => {
    expect(outcomes(run.folder)).toEqual(AS_SEEN);
  });

  it('each breach has its break, so have two sales of one transaction, and an unverified delivery has none', () => {
    expect(rowsOf(run.folder, 'breaks').map(({ record_id, rule }) => [record_id, rule])).toEqual([
      ['bbtc', 'DELIVERY_NOT_FOUND'],
      ['eusdc', 'DELIVERY_OF_OTHER_ASSET'],
      ['offramp', 'QUOTES_NOT_CAPTURED'],
      ['onramp', 'QUOTES_NOT_CAPTURED'],
      ['hsale', 'TX_REUSED'],
      ['isale', 'DELIVERY_AMOUNT_DIFFERS'],
      ['isale', 'TX_REUSED'],
    ]);
  });

  it('a replay needs no endpoint', async () => {
    await Promise.all(open.map((each) => each.close()));
    const out = mkdtempSync(join(tmpdir(), 'tieout-replay-'));
    try {
      const { folder } = await renderRun(world.app, run.run, { out, profile: 'standard', decimals: 'exact' });
      for (const name of ['deliveries', 'breaks', 'records', 'coverage']) {
        expect(readFileSync(join(folder, `${name}.csv`))).toEqual(world.file(run.folder, `${name}.csv`));
      }
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe('a closed month', () => {
  it('holds the deliveries of its records as they were seen', async () => {
    world.goTo('2026-12-02T04:15:00Z');
    const { folder } = await closePeriod(periodEdges(world.app), {
      period: '2026-11',
      by: 'Ann',
      acceptOpen: 'the breaks are with the Service',
    });
    expect(outcomes(folder)).toEqual(AS_SEEN);
    expect(readFileSync(join(world.out, folder, 'manifest.json'), 'utf8')).toContain('"deliveries.csv"');
  });

  it('whose records change afterwards has the deliveries of those in its delta', async () => {
    const body = world.server.answers.get('abtc');
    if (body === undefined || !('body' in body)) throw new Error('the record has an answer');
    world.server.answers.set('abtc', { body: String(body.body).replace('150000', '140000') });
    world.goTo('2026-12-03T04:15:00Z');
    await world.night('2026-12-02');
    const { folder } = await publishDelta(periodEdges(world.app), { period: '2026-11', by: 'Ann' });
    expect(outcomes(folder)).toContainEqual(['abtc', 'broken', 'another amount arrived']);
  });
});
