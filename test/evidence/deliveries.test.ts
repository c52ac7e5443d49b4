/** Deliveries on a real local chain, end to end: records name transactions, two endpoints return them, breaks open, a replay needs no network. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { renderRun } from '../../src/app/render-run.ts';
import { readCsv } from '../e2e/support/csv.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from '../e2e/support/frozen-world.ts';
import { PURSE_CODE, pairs, REVERT_CODE, TOKEN_CODE } from '../local-chains/evm-code.ts';
import { type EvmNode, startEvmNode } from '../local-chains/evm-node.ts';
import { purchaseOf } from '../service/bodies.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const OTHER = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const PURSE = '0x00000000000000000000000000000000000000bb';
const REVERTER = '0x00000000000000000000000000000000000000cc';
const USER = '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c';
const STRANGER = '0x2222222222222222222222222222222222222222';

const TOKEN_ASSET = `{"address":"${USDC}","symbol":"USDC","chain":"ETH","name":"USD Coin","decimals":6,"type":"ERC20"}`;

let node: EvmNode;
let world: FrozenWorld;
let run: Reconciled;

const seconds = (iso: string) => `0x${(Date.parse(iso) / 1000).toString(16)}`;

/** @returns the hash; the transaction is in no block before `mine`. */
async function send(call: {
  to: string;
  value?: bigint;
  data?: string;
  from?: number;
  nonce?: number;
}): Promise<string> {
  const { to, value = 0n, data, from = 0, nonce } = call;
  return (await node.request('eth_sendTransaction', [
    {
      from: node.accounts[from],
      to,
      value: `0x${value.toString(16)}`,
      gas: '0x1e8480',
      ...(data === undefined ? {} : { data }),
      ...(nonce === undefined ? {} : { nonce: `0x${nonce.toString(16)}` }),
    },
  ])) as string;
}

const mine = (iso: string) => node.request('evm_mine', [seconds(iso)]);

const WEI = 40_000_000_000_000_000n;
const coin = (id: string, hash: string) => purchaseOf(id, { finalTxHash: `"${hash}"` });
const token = (id: string, hash: string) =>
  purchaseOf(id, {
    finalTxHash: `"${hash}"`,
    asset: TOKEN_ASSET,
    cryptoAmount: '"100000000"',
    assetExchangeRate: '1',
    assetExchangeRateEur: '1',
  });

beforeAll(async () => {
  node = await startEvmNode({ chainId: 1, since: Date.parse('2026-11-01T00:00:00Z') });
  for (const [at, code] of [
    [USDC, TOKEN_CODE],
    [OTHER, TOKEN_CODE],
    [PURSE, PURSE_CODE],
    [REVERTER, REVERT_CODE],
  ]) {
    await node.request('hardhat_setCode', [at, code]);
  }
  // A transaction older than every release: what an endpoint proves its history with.
  await send({ to: STRANGER, value: 1n });
  await mine('2026-11-01T09:00:00Z');
  const batch = [
    { to: USER, units: 100_000_000n },
    { to: STRANGER, units: 7n },
  ];
  const hashes = {
    coin: await send({ to: USER, value: WEI }),
    inner: await send({ to: PURSE, value: WEI, data: pairs([{ to: USER, units: WEI }]) }),
    token: await send({ to: USDC, data: pairs(batch) }),
    reverted: await send({ to: REVERTER, from: 1 }),
    stranger: await send({ to: USDC, data: pairs([{ to: STRANGER, units: 100_000_000n }]) }),
    asset: await send({ to: OTHER, data: pairs([{ to: USER, units: 100_000_000n }]) }),
    short: await send({ to: USDC, data: pairs([{ to: USER, units: 99_000_000n }]) }),
    shared: await send({ to: USDC, data: pairs([{ to: USER, units: 100_000_000n }]) }),
  };
  await mine('2026-11-01T10:06:00Z');
  const late = await send({ to: USER, value: WEI });
  await mine('2026-11-01T19:05:00Z');
  const pending = await send({ to: USER, value: WEI, from: 2, nonce: 9 });
  await mine('2026-11-02T04:00:00Z');
  const url = node.url;
  world = await openFrozenWorld({
    rules: { QUOTE_MISSING: 'off', TOTAL_NOT_FOOTING: 'off' },
    'evidence.chains': [
      {
        chain: 'ETH',
        type: 'evm',
        chainId: '1',
        quorum: '2',
        endpoints: [
          { name: 'one', url: `${url}/v2/a-key`, trace: 'debug' },
          { name: 'two', url: `${url}/v2/another-key`, trace: 'debug', rateLimits: [{ requests: '50', per: '1s' }] },
        ],
      },
    ],
  });
  const bodies: Record<string, string> = {
    acoin: coin('acoin', hashes.coin),
    binner: coin('binner', hashes.inner),
    ctoken: token('ctoken', hashes.token),
    dmissing: coin('dmissing', `0x${'5c'.repeat(32)}`),
    ereverted: coin('ereverted', hashes.reverted),
    fstranger: token('fstranger', hashes.stranger),
    gasset: token('gasset', hashes.asset),
    hshort: token('hshort', hashes.short),
    ilate: coin('ilate', late),
    jpending: coin('jpending', pending),
    kfirst: token('kfirst', hashes.shared),
    ksecond: token('ksecond', hashes.shared.toUpperCase().replace('0X', '0x')),
    lbitcoin: purchaseOf('lbitcoin', {
      finalTxHash: `"${'ab'.repeat(32)}"`,
      receiverAddress: '"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"',
      asset: '{"address":null,"symbol":"BTC","chain":"BTC","name":"Bitcoin","decimals":8,"type":"NATIVE"}',
    }),
  };
  for (const [id, body] of Object.entries(bodies)) world.server.answers.set(id, { body });
  await world.track(
    `kind,id,view_token\n${Object.keys(bodies)
      .map((id) => `purchase,${id},tok-${id}`)
      .join('\n')}\n`,
  );
  world.goTo('2026-11-02T04:15:00Z');
  run = await world.night('2026-11-01');
});

afterAll(async () => {
  await world?.close();
  await node?.close();
});

const rowsOf = (name: string) => readCsv(world.file(run.folder, `${name}.csv`).toString()).rows;

describe('deliveries', () => {
  it('are checked against the chain, record by record', () => {
    expect(
      rowsOf('deliveries').map(({ record_id, outcome, reason, witnesses }) => [record_id, outcome, reason, witnesses]),
    ).toEqual([
      ['acoin', 'met', '', '2'],
      ['binner', 'met', '', '2'],
      ['ctoken', 'met', '', '2'],
      ['dmissing', 'broken', 'no endpoint knows the transaction', '2'],
      ['ereverted', 'broken', 'the transaction failed on the chain', '2'],
      ['fstranger', 'broken', 'nothing in the transaction goes to the address', '2'],
      ['gasset', 'broken', 'another asset arrived', '2'],
      ['hshort', 'broken', 'another amount arrived', '2'],
      ['ilate', 'late', 'delivered after the allowed time', '2'],
      ['jpending', 'broken', 'in no block yet', '2'],
      ['kfirst', 'met', '', '2'],
      ['ksecond', 'broken', 'the output is another record’s delivery', '2'],
      ['lbitcoin', 'unverified', 'no endpoint is configured for BTC', ''],
    ]);
  });

  it('have the columns of the contract', () => {
    expect(world.file(run.folder, 'deliveries.csv').toString().split('\n', 1)[0]).toBe(
      'run_id,business_date,kind,record_id,host_reference,chain,tx_hash,outcome,reason,receiver_address,asset_symbol,' +
        'expected_units,delivered_units,difference_units,block_number,block_time,witnesses,evidence_sha256',
    );
    const short = rowsOf('deliveries').find(({ record_id }) => record_id === 'hshort');
    expect(short).toMatchObject({
      chain: 'ETH',
      asset_symbol: 'ETH_USDC',
      expected_units: '100000000',
      delivered_units: '99000000',
      difference_units: '-1000000',
      block_number: '2',
      block_time: '2026-11-01T10:06:00.000Z',
    });
  });

  it('open one break each, and one more where two name the same transaction', () => {
    expect(rowsOf('breaks').map(({ record_id, rule }) => [record_id, rule])).toEqual([
      ['dmissing', 'DELIVERY_NOT_FOUND'],
      ['ereverted', 'DELIVERY_REVERTED'],
      ['fstranger', 'DELIVERY_TO_OTHER_ADDRESS'],
      ['gasset', 'DELIVERY_OF_OTHER_ASSET'],
      ['hshort', 'DELIVERY_AMOUNT_DIFFERS'],
      ['ilate', 'DELIVERY_LATE'],
      ['jpending', 'DELIVERY_NOT_FINAL'],
      ['kfirst', 'TX_REUSED'],
      ['ksecond', 'DELIVERY_REUSED'],
      ['ksecond', 'TX_REUSED'],
      ['onramp', 'QUOTES_NOT_CAPTURED'],
    ]);
  });

  it('measure what did not arrive in tokens, and put its value at stake', () => {
    const deliveries = rowsOf('breaks').filter(({ rule }) => rule?.startsWith('DELIVERY_'));
    expect(
      deliveries.map(({ record_id, difference, currency, unit, money_at_stake }) =>
        [record_id, difference, currency, unit, money_at_stake].join(' '),
      ),
    ).toEqual([
      'dmissing -0.04 ETH_ETH crypto 100',
      'ereverted -0.04 ETH_ETH crypto 100',
      'fstranger -100 ETH_USDC crypto 100',
      'gasset -100 ETH_USDC crypto 100',
      'hshort -1 ETH_USDC crypto 1',
      'ilate    ',
      'jpending    ',
      'ksecond -100 ETH_USDC crypto 100',
    ]);
  });

  it('rest on stored answers that hold no address of an endpoint', async () => {
    const sha256 = rowsOf('deliveries')[0]?.evidence_sha256 ?? '';
    const text = (await world.app.store.evidence.text(sha256)) ?? '';
    expect(JSON.parse(text)).toMatchObject({
      chain: 'ETH',
      answers: [{ witness: 'one', answer: 'found' }, { witness: 'two' }],
    });
    expect(text).not.toMatch(/a-key|127\.0\.0\.1/);
  });

  it('are asked for once: a final one never again', async () => {
    const before = node.stats().calls;
    world.goTo('2026-11-03T04:15:00Z');
    const again = await world.night('2026-11-02');
    const open = readCsv(world.file(again.folder, 'deliveries.csv').toString()).rows.map(({ record_id }) => record_id);
    // Broken ones are fetched every night; of those only the two without a final block are asked for again.
    expect(open).toContain('dmissing');
    expect(node.stats().calls - before).toBeLessThan(60);
  });

  it('are replayed to the same bytes with every endpoint gone', async () => {
    await node.close();
    const out = mkdtempSync(join(tmpdir(), 'tieout-replay-'));
    try {
      const { folder } = await renderRun(world.app, run.run, { out, profile: 'standard', decimals: 'exact' });
      for (const name of ['deliveries', 'breaks', 'records']) {
        expect(readFileSync(join(folder, `${name}.csv`))).toEqual(world.file(run.folder, `${name}.csv`));
      }
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});
