/**
 * Endpoints of chains that answer with anything: honest answers, changed at random. A look must end within a second, give what
 * can be printed, and keep the endpoint's key; and beside an honest endpoint a lying one must change no payment.
 */
import fc from 'fast-check';
import type { Witness } from '../../src/ports/witness.ts';
import { bitcoinAt, evmTracedAt, hear, solanaAt, wantedOf } from '../evidence/witnesses.ts';
import { BitcoinChain } from '../local-chains/bitcoin-chain.ts';
import { serveEsplora } from '../local-chains/esplora.ts';
import { type Served, serveText } from '../local-chains/loopback.ts';
import { SolanaChain } from '../local-chains/solana-chain.ts';
import { serveSolana } from '../local-chains/solana-rpc.ts';
import { serveEvm } from './evm-answers.ts';
import { LONGEST_SEARCH_MS } from './in-process.ts';
import { TOKEN } from './inputs.ts';
import { hasSecret } from './secrets.ts';

const START = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
const LONGEST_MS = 1000;
const ALICE = 'Vote111111111111111111111111111111111111111';
const BOB = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

const NASTY: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  -(2 ** 63),
  1_700_000_000_000,
  '',
  '0x',
  '0x0',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(5000)}`,
  '9'.repeat(5000),
  '-1',
  '1e9999',
  'NaN',
  '\u0000\u202e\ud800',
  '__proto__',
  TOKEN,
  [],
  {},
  { length: 5 },
  [[[[[[]]]]]],
];

/** A stream of numbers under 1 that a seed decides. */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (((state ^ (state >>> 13)) * 0x297a2d39) >>> 0) / 2 ** 32;
  };
}

/** One value somewhere in an answer is replaced, left out or repeated. */
function changed(value: unknown, next: () => number): unknown {
  const nasty = () => NASTY[Math.floor(next() * NASTY.length)];
  if (value === null || typeof value !== 'object' || next() < 0.1) return nasty();
  const entries = Object.entries(value);
  const [key, inner] = entries[Math.floor(next() * entries.length)] ?? [];
  if (key === undefined) return nasty();
  if (Array.isArray(value)) {
    if (next() < 0.2) return Array(Math.floor(next() * 2000)).fill(inner);
    return value.map((each, i) => (String(i) === key ? changed(each, next) : each));
  }
  if (next() < 0.1) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return { ...value, [key]: changed(inner, next) };
}

function changedText(text: string, next: () => number): string {
  const kind = next();
  if (kind < 0.05) return text.slice(0, Math.floor(next() * text.length));
  if (kind < 0.08) return `${'['.repeat(5000)}${text}`;
  if (kind < 0.1) return text.repeat(1 + Math.floor(next() * 20));
  try {
    return JSON.stringify(changed(JSON.parse(text), next)) ?? '';
  } catch {
    return JSON.stringify(NASTY[Math.floor(next() * NASTY.length)]) ?? '';
  }
}

interface Fuzzed {
  honest: Served;
  liar: Served;
  at: (url: string) => Witness;
  /** A payment, and a transaction that is in no block. */
  txs: readonly [string, string];
}

let plan: { next: () => number; rate: number } = { next: () => 1, rate: 0 };

/** The same answers through a server that changes some. */
async function withLiar({ honest, ...world }: Omit<Fuzzed, 'liar'>): Promise<Fuzzed> {
  const liar = await serveText(async (path, body) => {
    const method = body === '' ? 'GET' : 'POST';
    const answer = await fetch(`${honest.url}${path}`, method === 'GET' ? {} : { method, body });
    const text = await answer.text();
    if (plan.next() >= plan.rate) return answer.ok ? text : null;
    return changedText(text, plan.next);
  });
  return { ...world, honest, liar };
}

async function bitcoin(): Promise<Fuzzed> {
  const chain = new BitcoinChain(START, 10_000_000_000n);
  let paid = '';
  for (let hour = 1; hour < 40; hour++) {
    const tx = chain.pay([{ address: BOB, value: 123_456n }]);
    if (hour === 11) paid = tx;
    chain.mine(START + hour * HOUR);
  }
  return withLiar({ honest: await serveEsplora(chain), at: bitcoinAt, txs: [paid, 'ab'.repeat(32)] });
}

async function solana(): Promise<Fuzzed> {
  const chain = new SolanaChain(START, 1_000_000_000_000n);
  let paid = '';
  for (let hour = 1; hour < 40; hour++) {
    const tx = chain.pay([{ to: ALICE, mint: null, decimals: 9, units: 7n }], START + hour * HOUR);
    if (hour === 11) paid = tx;
  }
  const honest = await serveSolana({ chain, unfinished: new Set<string>() });
  return withLiar({ honest, at: solanaAt, txs: [paid, '5'.repeat(88)] });
}

async function evm(): Promise<Fuzzed> {
  const { served, paid } = await serveEvm(START);
  return withLiar({ honest: served, at: evmTracedAt, txs: [paid, `0x${'ab'.repeat(32)}`] });
}

const WORLDS = { bitcoin, solana, evm };

/** Payments as they can be compared; also what a report prints. */
const paymentsOf = ({ transfers }: { transfers: readonly { to: string; asset: string | null; units: bigint }[] }) =>
  transfers.map(({ to, asset, units }) => `${units} of ${asset} to ${to}`).join();

async function lookedAt({ honest, liar, at, txs }: Fuzzed, seed: number, rate: number): Promise<void> {
  for (const [place, tx] of txs.entries()) {
    plan = { next: () => 1, rate: 0 };
    const truth = await hear([at(honest.url)], wantedOf(tx, START), 1);
    for (const quorum of [1, 2]) {
      plan = { next: numbersOf(seed), rate };
      const witnesses = quorum === 1 ? [at(liar.url)] : [at(honest.url), at(liar.url)];
      const before = process.threadCpuUsage();
      const sighting = await hear(witnesses, wantedOf(tx, START), quorum);
      const { user, system } = process.threadCpuUsage(before);
      if (user + system > LONGEST_MS * 1000) throw new Error(`a look took ${(user + system) / 1000} ms`);
      const { seen, reason, blockTime } = sighting;
      const told = `${seen}, ${reason}, ${paymentsOf(sighting)}`;
      if (reason !== null && reason.length > 2000) throw new Error(`a reason of ${reason.length} characters`);
      if (hasSecret(reason ?? '')) throw new Error('a reason kept what the endpoint sent');
      if (blockTime !== null) new Date(blockTime).toISOString();
      if (quorum === 1) continue;
      if (place === 0 && seen === 'missing') throw new Error(`one endpoint hid a payment: ${told}`);
      if (place === 1 && seen === 'found') throw new Error(`one endpoint made up a payment: ${told}`);
      if (seen === 'found' && sighting.complete === truth.complete && paymentsOf(sighting) !== paymentsOf(truth))
        throw new Error(`one changed it: ${told}`);
    }
  }
}

/** Looks at changed answers of each chain. @returns how many looks there were */
export async function fuzzChains(seed: number, numRuns: number): Promise<number> {
  for (const [chain, make] of Object.entries(WORLDS)) {
    const world = await make();
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.constantFrom(0.05, 0.3, 1), (each, rate) => lookedAt(world, each, rate)),
        { seed, numRuns, interruptAfterTimeLimit: LONGEST_SEARCH_MS },
      );
    } catch (error) {
      throw new Error(`${chain}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      await Promise.all([world.liar.close(), world.honest.close()]);
    }
  }
  return numRuns * Object.keys(WORLDS).length * 4;
}
