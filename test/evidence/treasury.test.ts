/** Transfers to the host's own addresses over local chains: what counts as a payment, and what a lying or lagging endpoint changes. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Payout } from '../../src/domain/payout.ts';
import { bitcoinFinder } from '../../src/evidence/chain/bitcoin/incoming.ts';
import { httpEndpoint } from '../../src/evidence/chain/endpoint.ts';
import { evmFinder } from '../../src/evidence/chain/evm/incoming.ts';
import { jsonRpc } from '../../src/evidence/chain/json-rpc.ts';
import { solanaFinder } from '../../src/evidence/chain/solana/incoming.ts';
import { receivedBy, type TreasuryAsset } from '../../src/evidence/chain/treasury.ts';
import type { Finder, Witness } from '../../src/ports/witness.ts';
import { BitcoinChain } from '../local-chains/bitcoin-chain.ts';
import { serveEsplora } from '../local-chains/esplora.ts';
import { pairs, TOKEN_CODE } from '../local-chains/evm-code.ts';
import { type EvmNode, startEvmNode } from '../local-chains/evm-node.ts';
import type { RpcCall, Served } from '../local-chains/loopback.ts';
import { SolanaChain } from '../local-chains/solana-chain.ts';
import { serveSolana } from '../local-chains/solana-rpc.ts';
import { at } from '../support/builders.ts';
import { bitcoinAt, evmAt, solanaAt } from './witnesses.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const HOUR = 3_600_000;
const START = at('2026-11-01 00:00');
/** Of an endpoint that a test makes up. */
const BLOCK = { hash: `0x${'01'.repeat(32)}`, transactions: [] };
const SPAN = { from: START + 2 * HOUR, to: START + 100 * HOUR };

const over = (url: string) => httpEndpoint({ url, timeoutMs: 10_000, concurrency: 4, limiter: null, retries: 0 });

interface Voice {
  witness: Witness;
  finder: Finder;
}

const received = async (
  voices: readonly Voice[],
  quorum: number,
  treasury: { addresses: readonly string[]; assets: readonly TreasuryAsset[] },
  scope: Parameters<typeof receivedBy>[2] = { span: SPAN, named: [] },
) => {
  const set = { chain: 'ANY', quorum, witnesses: voices.map(({ witness }) => witness) };
  const payouts: Payout[] = [];
  const answers = new Set<string>();
  const {
    added: _added,
    unchanged: _unchanged,
    ...rest
  } = await receivedBy({ witnesses: set, finders: voices.map(({ finder }) => finder) }, treasury, scope, {
    now: () => SPAN.to,
    signal: new AbortController().signal,
    keep: async (some, behind) => {
      for (const { sha256 } of behind) answers.add(sha256);
      return payouts.push(...some);
    },
  });
  const evidenced = payouts.every(({ sha256 }) => answers.has(sha256));
  return { ...rest, evidenced, paid: payouts.map(({ amount, currency, tx }) => `${amount} ${currency} ${tx}`).sort() };
};

const asset = (symbol: string, contract: string | null, decimals: number): TreasuryAsset => ({
  symbol,
  contract,
  decimals,
  settles: null,
});

describe('an EVM chain', () => {
  const HOST = '0x52908400098527886E0F7030069857D2E4169EE7';
  const USDC = `0x${'a0'.repeat(20)}`;
  const OTHER = `0x${'b0'.repeat(20)}`;
  const treasury = { addresses: [HOST], assets: [asset('USDC', USDC, 6), asset('ETH', null, 18)] };
  let node: EvmNode;
  let answer: (who: string, call: RpcCall, ask: () => Promise<unknown>) => Promise<unknown> = (_who, _call, ask) =>
    ask();
  const open: Served[] = [];
  const made: Record<string, string> = {};

  const send = async (call: object) =>
    (await node.request('eth_sendTransaction', [{ from: node.accounts[0], gas: '0x2dc6c0', ...call }])) as string;
  const mine = (hour: number) => node.request('evm_mine', [`0x${((START + hour * HOUR) / 1000).toString(16)}`]);
  const pays = (contract: string, ...units: readonly bigint[]) =>
    send({ to: contract, data: pairs(units.map((each) => ({ to: HOST.toLowerCase(), units: each }))) });

  beforeAll(async () => {
    node = await startEvmNode({ chainId: 1, since: START });
    for (const contract of [USDC, OTHER]) await node.request('hardhat_setCode', [contract, TOKEN_CODE]);
    made.early = await pays(USDC, 1n);
    await mine(1);
    made.twice = await pays(USDC, 10_000_000n, 5_500_000n);
    await mine(10);
    await pays(OTHER, 99n);
    made.coins = await send({ to: HOST, value: '0xde0b6b3a7640000' });
    for (let hour = 11; hour < 110; hour++) await mine(hour);
    made.unfinished = await pays(USDC, 7n);
    await mine(111);
  });
  afterAll(async () => {
    await Promise.all(open.map((each) => each.close()));
    await node?.close();
  });

  async function voice(name: string): Promise<Voice> {
    const { serveJsonRpc } = await import('../local-chains/loopback.ts');
    const served = await serveJsonRpc((call) => answer(name, call, () => node.request(call.method, call.params)));
    open.push(served);
    const rpc = jsonRpc(over(served.url), 20);
    return { witness: { ...evmAt(served.url), name }, finder: evmFinder({ name, rpc, finality: 'finalized' }) };
  }
  const hear = async (as: typeof answer, quorum = 2, scope?: Parameters<typeof receivedBy>[2]) => {
    answer = as;
    return received([await voice('first'), await voice('second')], quorum, treasury, scope);
  };
  const honest: typeof answer = (_who, _call, ask) => ask();
  /** Block 20 is the newest that these know as final. */
  const stoppedAt =
    (...names: readonly string[]): typeof answer =>
    (who, call, ask) =>
      names.includes(who) && call.method === 'eth_getBlockByNumber' && call.params[0] === 'finalized'
        ? node.request('eth_getBlockByNumber', ['0x14', false])
        : ask();
  const PAID = () => [`15.5 USDC ANY ${made.twice}`];

  it('tokens are found by their events within the span, several of one transaction as one; coins are not listed', async () => {
    expect(await hear(honest)).toEqual({ paid: PAID(), evidenced: true, problems: [], own: 0, upTo: SPAN.to });
  });

  it('coins are found by the id of their transaction, and a transaction in no final block is reported, not counted', async () => {
    const named = [made.coins ?? '', made.unfinished ?? '', `0x${'5c'.repeat(32)}`];
    const { paid, problems } = await hear(stoppedAt('first', 'second'), 2, { span: null, named });
    expect(paid).toEqual([`1 ETH ANY ${made.coins}`]);
    expect(problems).toEqual([`${made.unfinished}: is not final yet`, `0x${'5c'.repeat(32)}: no endpoint knows it`]);
  });

  it('an endpoint that refuses long ranges is asked for shorter ones', async () => {
    const asked: bigint[] = [];
    const { paid, problems } = await hear(async (_who, call, ask) => {
      if (call.method !== 'eth_getLogs') return ask();
      const { fromBlock, toBlock } = call.params[0] as Record<string, string>;
      const length = BigInt(toBlock ?? 0) - BigInt(fromBlock ?? 0);
      asked.push(length);
      if (length > 20n) throw new Error('range too long');
      return ask();
    });
    expect([paid, problems]).toEqual([PAID(), []]);
    expect(asked.some((length) => length <= 20n)).toBe(true);
  });

  it('an endpoint that hides a payment changes nothing while another lists it', async () => {
    const { paid, problems } = await hear(async (who, call, ask) =>
      who === 'second' && call.method === 'eth_getLogs' ? [] : ask(),
    );
    expect([paid, problems]).toEqual([PAID(), []]);
  });

  it('a payment that one endpoint invents, or contradicts, is not counted, and is reported', async () => {
    const invented = `0x${'77'.repeat(32)}`;
    const forged = await hear(async (who, call, ask) => {
      const real = (await ask()) as { transactionHash: string }[];
      if (who !== 'second' || call.method !== 'eth_getLogs') return real;
      return [...real, { ...real[0], transactionHash: invented }];
    });
    expect(forged.paid).toEqual(PAID());
    expect(forged.problems).toEqual([`${invented}: no endpoint knows it`]);
    const richer = await hear(async (who, call, ask) => {
      const real = (await ask()) as { logs: { data: string }[] } | null;
      if (who !== 'second' || call.method !== 'eth_getTransactionReceipt' || real === null) return real;
      return { ...real, logs: real.logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })) };
    });
    expect(richer.paid).toEqual([]);
    expect(richer.problems).toEqual([`${made.twice}: the endpoints contradict each other about what was moved`]);
  });

  it('spans without a quorum are reported: endpoints that fail, and one that lags', async () => {
    const failing = await hear((who, call, ask) => {
      if (who === 'second' && call.method === 'eth_getLogs') throw new Error('down');
      return ask();
    });
    expect(failing.upTo).toBeNull();
    expect(failing.problems).toEqual(['second: refused with code -32000']);
    const lagging = await hear(stoppedAt('second'));
    expect(lagging.upTo).toBeLessThan(START + 40 * HOUR);
  });

  it('what the addresses send to themselves is not a payment', async () => {
    const sender = node.accounts[0] ?? '';
    const moved = await send({ to: USDC, data: pairs([{ to: sender, units: 3n }]) });
    for (let hour = 112; hour < 160; hour++) await mine(hour);
    answer = honest;
    const own = { addresses: [sender], assets: [asset('USDC', USDC, 6)] };
    const span = { from: START, to: START + 200 * HOUR };
    const { paid, own: left } = await received([await voice('first')], 1, own, { span, named: [] });
    expect([paid, left]).toEqual([[], 1]);
    expect(moved).toMatch(/^0x/);
  });
});

it('Bitcoin: outputs to an address are payments; change to the address itself, and outputs that are not final, are none', async () => {
  const HOST = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
  const chain = new BitcoinChain(START, 10_000_000_000n);
  chain.pay([{ address: HOST, value: 1n }]);
  chain.mine(START + HOUR);
  const paid = Array.from({ length: 30 }, (_, i) => {
    const txid = chain.pay([{ address: HOST, value: BigInt(100_000_000 + i) }]);
    chain.mine(START + (10 + i) * HOUR);
    return txid;
  });
  for (let hour = 40; hour < 60; hour++) chain.mine(START + hour * HOUR);
  const late = chain.pay([{ address: HOST, value: 9n }]);
  chain.mine(START + 61 * HOUR);
  const served = await serveEsplora(chain);
  try {
    const voice = {
      witness: bitcoinAt(served.url),
      finder: bitcoinFinder({ name: 'one', endpoint: over(served.url), finality: 6 }),
    };
    const assets = [asset('BTC', null, 8)];
    const host = await received([voice], 1, { addresses: [HOST], assets });
    expect(host.paid).toEqual(paid.map((txid, i) => `${1 + i / 100_000_000} BTC ANY ${txid}`).sort());
    expect(host).toMatchObject({ problems: [], own: 0, evidenced: true });
    expect(host.paid.join()).not.toContain(late);
    const [chest] = chain.transactions.get(paid[0] ?? '')?.outputs.slice(-1) ?? [];
    const change = await received([voice], 1, { addresses: [chest?.address ?? ''], assets });
    expect(change.own).toBeGreaterThan(29);
  } finally {
    await served.close();
  }
});

it('Bitcoin: a payment that one endpoint lost in a reorganisation is not counted, and is reported', async () => {
  const HOST = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
  const chains = [0, 1].map(() => {
    const chain = new BitcoinChain(START, 10_000_000_000n);
    chain.mine(START + HOUR);
    const txid = chain.pay([{ address: HOST, value: 100_000_000n }]);
    for (let hour = 10; hour < 20; hour++) chain.mine(START + hour * HOUR);
    return { chain, txid };
  });
  const [, lost] = chains;
  const txid = lost?.txid ?? '';
  lost?.chain.reorganise(10, [txid]);
  for (let hour = 10; hour < 40; hour++) lost?.chain.mine(START + hour * HOUR + 60_000);
  const served = await Promise.all(chains.map(({ chain }) => serveEsplora(chain)));
  try {
    const voices = served.map(({ url }, i) => ({
      witness: { ...bitcoinAt(url), name: `number ${i + 1}` },
      finder: bitcoinFinder({ name: `number ${i + 1}`, endpoint: over(url), finality: 6 }),
    }));
    const treasury = { addresses: [HOST], assets: [asset('BTC', null, 8)] };
    const found = await received(voices, 2, treasury);
    expect(found.paid).toEqual([]);
    expect(found.problems).toEqual([expect.stringMatching(`^${txid}: the endpoints contradict each other`)]);
    expect((await received(voices.slice(0, 1), 1, treasury)).paid).toEqual([`1 BTC ANY ${txid}`]);
  } finally {
    await Promise.all(served.map((each) => each.close()));
  }
});

it.each<[string, unknown]>([
  ['no list', { logs: [] }],
  ['too long a list', Array.from({ length: 20_001 }, () => ({}))],
  ['events without a transaction', [{ address: `0x${'a0'.repeat(20)}`, topics: [] }]],
])('an endpoint that answers with %s counts as no answer', async (_what, answer) => {
  const { serveJsonRpc } = await import('../local-chains/loopback.ts');
  const served = await serveJsonRpc(async ({ method }) =>
    method === 'eth_getLogs'
      ? answer
      : { ...BLOCK, number: '0x3', timestamp: `0x${((START + 3 * HOUR) / 1000).toString(16)}` },
  );
  try {
    const finder = evmFinder({ name: 'one', rpc: jsonRpc(over(served.url), 20), finality: 'finalized' });
    const watched = { addresses: [`0x${'11'.repeat(20)}`], contracts: [`0x${'a0'.repeat(20)}`], coins: false };
    expect(await finder.find(watched, { from: START, to: SPAN.to }, new AbortController().signal)).toEqual({
      ok: false,
      reason: 'answered eth_getLogs with something else',
    });
  } finally {
    await served.close();
  }
});

it('an endpoint that names transfers without end is left after a hundred thousand', async () => {
  const { serveJsonRpc } = await import('../local-chains/loopback.ts');
  const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
  let asked = 0;
  const served = await serveJsonRpc(async ({ method }) => {
    if (method !== 'eth_getLogs')
      return { ...BLOCK, number: '0x100000', timestamp: `0x${((START + 3 * HOUR) / 1000).toString(16)}` };
    asked++;
    return Array.from({ length: 2_000 }, (_, n) => ({
      address: `0x${'a0'.repeat(20)}`,
      topics: [hash(1), hash(2), hash(3)],
      transactionHash: hash(asked * 2_000 + n),
    }));
  });
  try {
    const finder = evmFinder({ name: 'one', rpc: jsonRpc(over(served.url), 20), finality: 'finalized' });
    const watched = { addresses: [`0x${'11'.repeat(20)}`], contracts: [`0x${'a0'.repeat(20)}`], coins: false };
    expect(await finder.find(watched, { from: START, to: START + 9 * HOUR }, new AbortController().signal)).toEqual({
      ok: false,
      reason: 'names more than 100000 transfers',
    });
    expect(asked).toBe(51);
  } finally {
    await served.close();
  }
});

it('Solana: lamports and tokens to an owner are payments, and a failed or unfinished transaction is none', async () => {
  const HOST = 'Vote111111111111111111111111111111111111111';
  const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const chain = new SolanaChain(START, 1_000_000_000_000n);
  const lamports = (units: bigint) => [{ to: HOST, mint: null, decimals: 9, units }];
  const tokens = (units: bigint) => [{ to: HOST, mint: USDC, decimals: 6, units }];
  chain.pay(lamports(1n), START + HOUR);
  const coins = chain.pay(lamports(5_000_000n), START + 10 * HOUR);
  const paid = chain.pay(tokens(2_500_000n), START + 11 * HOUR);
  chain.pay(tokens(7n), START + 12 * HOUR, true);
  const unfinished = chain.pay(tokens(9n), START + 13 * HOUR);
  const served = await serveSolana({ chain, unfinished: new Set([unfinished]) });
  try {
    const finder = solanaFinder({ name: 'one', rpc: jsonRpc(over(served.url), 20) });
    const voice = { witness: solanaAt(served.url), finder };
    const assets = [asset('USDC', USDC, 6), asset('SOL', null, 9)];
    const found = await received([voice], 1, { addresses: [HOST], assets });
    expect(found.paid).toEqual([`0.005 SOL ANY ${coins}`, `2.5 USDC ANY ${paid}`]);
    expect(found.problems).toEqual([]);
  } finally {
    await served.close();
  }
});

describe('an endpoint whose lists no chain can have given is no answer', () => {
  const HASH = `0x${'ab'.repeat(32)}`;
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const OWNER = 'Vote111111111111111111111111111111111111111';
  const watched = {
    evm: { addresses: [`0x${'11'.repeat(20)}`], contracts: [`0x${'a0'.repeat(20)}`], coins: false },
    solana: { addresses: [OWNER], contracts: [MINT], coins: true },
    bitcoin: { addresses: ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'], contracts: [], coins: true },
  };
  type Chain = keyof typeof watched;

  /** One payment in the middle of the span, and a head at its end; times are changed as given. */
  async function endpoint(chain: Chain, units: { head: (time: number) => unknown; listed: (time: number) => unknown }) {
    const [head, listed] = [units.head((START + 200 * HOUR) / 1000), units.listed((START + 50 * HOUR) / 1000)];
    if (chain === 'bitcoin') {
      const tx = { txid: 'cd'.repeat(32), vin: [], status: { confirmed: true, block_height: 90, block_time: listed } };
      const { serveText } = await import('../local-chains/loopback.ts');
      return serveText(async (path) => {
        if (path.includes('height')) return '100';
        if (path.startsWith('/blocks/')) return JSON.stringify([{ height: 94, timestamp: head }]);
        return JSON.stringify(path.endsWith('/txs/chain') ? [tx] : []);
      });
    }
    const { serveJsonRpc } = await import('../local-chains/loopback.ts');
    const hex = (value: unknown) => (typeof value === 'number' ? `0x${value.toString(16)}` : value);
    return serveJsonRpc(async ({ method, params: [first, second] }) => {
      if (method === 'eth_getLogs')
        return [{ address: watched.evm.contracts[0], topics: [HASH], transactionHash: HASH }];
      if (method === 'eth_getBlockByNumber')
        return {
          ...BLOCK,
          number: first === 'finalized' ? '0x64' : first,
          timestamp: hex(first === 'finalized' ? head : listed),
        };
      if (method === 'getSlot') return 100;
      if (method === 'getBlockTime') return head;
      if (method === 'getTokenAccountsByOwner') return { value: [] };
      const isNext = (second as { before?: string }).before !== undefined;
      return isNext ? [] : [{ signature: '5'.repeat(88), err: null, blockTime: listed }];
    });
  }

  async function found(chain: Chain, url: string) {
    const rpc = jsonRpc(over(url), 20);
    const finder = {
      evm: () => evmFinder({ name: 'one', rpc, finality: 'finalized' }),
      solana: () => solanaFinder({ name: 'one', rpc }),
      bitcoin: () => bitcoinFinder({ name: 'one', endpoint: over(url), finality: 6 }),
    }[chain]();
    const treasury = {
      addresses: watched[chain].addresses,
      assets: [...watched[chain].contracts, null].map((contract) => asset('X', contract, 6)),
    };
    const scope = { span: SPAN, named: [] };
    const witness: Witness = {
      name: 'one',
      look: async (wanted) => wanted.map(() => ({ answer: 'none', reason: 'was proposed', raw: null })),
    };
    return receivedBy(
      { witnesses: { chain: 'ANY', quorum: 1, witnesses: [witness] }, finders: [finder] },
      treasury,
      scope,
      {
        now: () => START + 201 * HOUR,
        signal: new AbortController().signal,
        keep: async () => 0,
      },
    );
  }

  const same = (time: number) => time;
  const UNITS: [string, (time: number) => number][] = [
    ['milliseconds', (time) => time * 1000],
    ['microseconds', (time) => time * 1_000_000],
    ['minutes', (time) => Math.floor(time / 60)],
  ];
  const CASES = (['bitcoin', 'solana', 'evm'] as const).flatMap((chain) =>
    UNITS.map(([name, unit]) => ({ chain, name, unit })),
  );

  it.each(CASES)('$chain: its newest block in $name vouches for no span', async ({ chain, unit }) => {
    const served = await endpoint(chain, { head: unit, listed: same });
    const { upTo, problems } = await found(chain, served.url).finally(() => served.close());
    expect({ upTo, problems }).toEqual({ upTo: null, problems: [expect.stringMatching(/^one: gives a time/)] });
  });

  it.each(CASES.filter(({ chain }) => chain !== 'evm'))(
    '$chain: payments listed with times in $name are not passed over',
    async ({ chain, unit }) => {
      const served = await endpoint(chain, { head: same, listed: unit });
      const { upTo, problems } = await found(chain, served.url).finally(() => served.close());
      expect({ upTo, problems }).toEqual({ upTo: null, problems: [expect.stringMatching(/^one: gives a time/)] });
    },
  );

  it.each(['bitcoin', 'solana', 'evm'] as const)('%s: an honest one is asked about what it lists', async (chain) => {
    const served = await endpoint(chain, { head: same, listed: same });
    const { upTo, problems } = await found(chain, served.url).finally(() => served.close());
    expect(upTo).toBe(SPAN.to);
    expect(problems).toEqual([expect.stringContaining('was proposed')]);
  });

  it('EVM: more blocks than a chain makes in that time are not gone through', async () => {
    const { serveJsonRpc } = await import('../local-chains/loopback.ts');
    const last = 2n ** 200n;
    const served = await serveJsonRpc(async ({ method, params: [first] }) => {
      if (method === 'eth_getLogs') return [];
      const number = first === 'finalized' ? last : BigInt(String(first));
      return {
        ...BLOCK,
        number: `0x${number.toString(16)}`,
        timestamp: `0x${BigInt((START + (number === last ? 200 : 50) * HOUR) / 1000).toString(16)}`,
      };
    });
    const { signal } = new AbortController();
    const finder = evmFinder({ name: 'one', rpc: jsonRpc(over(served.url), 20), finality: 'finalized' });
    expect(await finder.find(watched.evm, SPAN, signal).finally(() => served.close())).toEqual({
      ok: false,
      reason: expect.stringContaining('more blocks'),
    });
  });

  it('Solana: accounts and signatures without end are left after a hundred thousand', async () => {
    const { serveJsonRpc } = await import('../local-chains/loopback.ts');
    const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    const name = (n: number, length: number) =>
      Array.from({ length }, (_, i) => letters[Math.floor(n / 58 ** i) % 58]).join('');
    let asked = 0;
    const served = await serveJsonRpc(async ({ method }) => {
      if (method === 'getSlot') return 100;
      if (method === 'getBlockTime') return (START + 200 * HOUR) / 1000;
      if (method === 'getTokenAccountsByOwner')
        return { value: Array.from({ length: 1000 }, (_, n) => ({ pubkey: name(n, 40) })) };
      asked++;
      // The last page of an account but for the one that is too much.
      const time = (asked % 99 === 0 ? START : START + 50 * HOUR) / 1000;
      return Array.from({ length: 1000 }, (_, n) => ({
        signature: name(asked * 1000 + n, 88),
        err: null,
        blockTime: time,
      }));
    });
    const finder = solanaFinder({ name: 'one', rpc: jsonRpc(over(served.url), 20) });
    const answer = await finder
      .find({ ...watched.solana, coins: false }, SPAN, new AbortController().signal)
      .finally(() => served.close());
    expect(answer).toMatchObject({ ok: false, reason: 'names more than 100000 transfers' });
    expect(asked).toBe(101);
  });
});
