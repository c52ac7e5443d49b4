/** Pays the released purchases of a population on local chains, in batches as payouts are made, and tells each record its transaction. */
import type { ChainEndpoint, SandboxInstant } from '../contract.ts';
import type { DeliveryFault } from '../defects/defect.ts';
import type { Population } from '../population.ts';
import { Draws } from '../random.ts';
import type { RecordPlan } from '../record-plan.ts';
import type { World } from '../world.ts';
import { PURSE_CODE, pairs, REVERT_CODE, TOKEN_CODE } from './evm-code.ts';
import { type EvmNode, startEvmNode } from './evm-node.ts';

const CHAIN_IDS: Readonly<Record<string, number>> = {
  ETH: 1,
  MATIC: 137,
  ARBITRUM: 42_161,
  OPTIMISM: 10,
  BASE: 8453,
  BSC: 56,
  AVAX: 43_114,
};

const HOUR = 3_600_000;
/** Payouts of so long are made in one transaction. */
const WINDOW = 3 * HOUR;
const PAID_AFTER = 5 * 60_000;
const LATE_BY = 30 * HOUR;
const MOST_IN_A_BATCH = 100;
const STREAM = 41;

const PURSE = '0x00000000000000000000000000000000000000bb';
const REVERTER = '0x00000000000000000000000000000000000000cc';
const LOOK_ALIKE = '0x00000000000000000000000000000000000000aa';
const STRANGER = '0x00000000000000000000000000000000000000dd';

interface Payment {
  index: number;
  chain: string;
  /** When its transaction is made. */
  at: SandboxInstant;
  to: string;
  contract: string | null;
  units: bigint;
  fault: DeliveryFault | null;
}

interface Transaction {
  at: SandboxInstant;
  call: Readonly<Record<string, string>>;
  pays: readonly number[];
}

interface LocalChains {
  endpoints: readonly ChainEndpoint[];
  /** Index of a record → the transaction that it names. */
  hashes: ReadonlyMap<number, string>;
  /** JSON-RPC calls so far, and the HTTP requests that they came in. */
  stats: () => { requests: number; calls: number };
  close: () => Promise<void>;
}

/** @throws ChainNodeMissingError */
export async function payOnLocalChains(world: World, population: Population): Promise<LocalChains> {
  const payments = paymentsOf(population);
  const byChain = Map.groupBy(payments, ({ chain }) => chain);
  const since = world.now - (world.days + 2) * 24 * HOUR;
  const hashes = new Map<number, string>();
  const nodes = await Promise.all(
    Object.entries(CHAIN_IDS).map(async ([chain, chainId]) => {
      const node = await startEvmNode({ chainId, since });
      await pay(node, byChain.get(chain) ?? [], since, hashes);
      return { chain, chainId, node };
    }),
  );
  return {
    hashes,
    endpoints: nodes.map(({ chain, chainId, node }) => ({ chain, chainId, url: node.url })),
    stats: () =>
      nodes.reduce(
        (sum, { node }) => ({
          requests: sum.requests + node.stats().requests,
          calls: sum.calls + node.stats().calls,
        }),
        { requests: 0, calls: 0 },
      ),
    close: async () => {
      await Promise.all(nodes.map(({ node }) => node.close()));
    },
  };
}

function paymentsOf(population: Population): Payment[] {
  const payments: Payment[] = [];
  for (let index = 0; index < population.size; index++) {
    const plan = population.plan(index);
    if (plan.kind !== 'purchase' || CHAIN_IDS[plan.asset.chain] === undefined || plan.defect?.delivery === 'reused')
      continue;
    const payment = paymentOf(plan, population);
    if (payment !== null) payments.push(payment);
  }
  return payments.sort((a, b) => a.at - b.at || a.index - b.index);
}

/** Null for a purchase that is never released, or whose body cannot be read. */
function paymentOf(plan: RecordPlan, population: Population): Payment | null {
  const body = population.body(plan, 2);
  const { receiverAddress, cryptoAmount, finalTxHash, updatedAt } = body;
  if (typeof finalTxHash !== 'string' || finalTxHash === '' || typeof receiverAddress !== 'string') return null;
  if (typeof cryptoAmount !== 'string') return null;
  const fault = plan.defect?.delivery ?? null;
  // What was restated between the nights was released before the first.
  const first = population.body(plan, 1).updatedAt;
  const released = Math.min(
    ...[updatedAt, first].map((time) => Date.parse(String(time))).filter((time) => time > plan.createdAt),
  );
  return {
    index: plan.index,
    chain: plan.asset.chain,
    at: released + (fault === 'late' ? LATE_BY : PAID_AFTER),
    to: receiverAddress.toLowerCase(),
    contract: plan.asset.address,
    units: BigInt(cryptoAmount),
    fault,
  };
}

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

async function pay(
  node: EvmNode,
  payments: readonly Payment[],
  since: number,
  hashes: Map<number, string>,
): Promise<void> {
  const [payer, other, waiting] = node.accounts;
  const contracts = new Set(payments.flatMap(({ contract }) => (contract === null ? [] : [contract])));
  for (const contract of [...contracts, LOOK_ALIKE]) await node.request('hardhat_setCode', [contract, TOKEN_CODE]);
  await node.request('hardhat_setCode', [PURSE, PURSE_CODE]);
  await node.request('hardhat_setCode', [REVERTER, REVERT_CODE]);
  const send = async (call: Readonly<Record<string, string>>) =>
    (await node.request('eth_sendTransaction', [{ from: payer, gas: '0x2dc6c0', ...call }])) as string;
  const mine = (at: number) => node.request('evm_mine', [hex(Math.floor(at / 1000))]);
  // A chain has a past: endpoints prove with its transactions that their index reaches back.
  await send({ to: STRANGER, value: '0x1' });
  await mine(since + 1000);
  for (const { at, call, pays } of transactionsOf(payments, other ?? '')) {
    const hash = await send(call);
    for (const index of pays) hashes.set(index, hash);
    await mine(at);
  }
  let nonce = 5;
  for (const { index, to, units } of payments.filter(({ fault }) => fault === 'pending')) {
    hashes.set(index, await send({ from: waiting ?? '', to, value: hex(units), nonce: hex(nonce++) }));
  }
  for (const { index } of payments.filter(({ fault }) => fault === 'missing')) {
    hashes.set(index, `0x${new Draws(index, since % 1_000_000, STREAM).hex(64)}`);
  }
}

/** In the order in which they are made. Coins go by purse or one by one, tokens by batch. */
function transactionsOf(payments: readonly Payment[], other: string): Transaction[] {
  const batches = new Map<string, Payment[]>();
  const made: Transaction[] = [];
  for (const payment of payments) {
    const { at, fault, to, units, contract, index } = payment;
    if (fault === 'missing' || fault === 'pending') continue;
    if (fault === 'reverted') made.push({ at, call: { from: other, to: REVERTER }, pays: [index] });
    else if (contract === null && (fault === 'late' || index % 4 === 0)) {
      made.push({ at, call: { to, value: hex(units) }, pays: [index] });
    } else {
      const name = `${fault === 'look-alike' ? LOOK_ALIKE : (contract ?? PURSE)} ${Math.floor(at / WINDOW)}`;
      const open = batches.get(name) ?? [];
      open.push(payment);
      batches.set(name, open);
    }
  }
  for (const [name, all] of batches) {
    const [to = ''] = name.split(' ');
    for (let from = 0; from < all.length; from += MOST_IN_A_BATCH) {
      const batch = all.slice(from, from + MOST_IN_A_BATCH);
      const outputs = batch.map((each) => ({
        to: each.fault === 'stranger' ? STRANGER : each.to,
        units: each.fault === 'short' ? (each.units * 99n) / 100n : each.units,
      }));
      const total = to === PURSE ? outputs.reduce((sum, { units }) => sum + units, 0n) : 0n;
      made.push({
        at: Math.max(...batch.map(({ at }) => at)),
        call: { to, data: pairs(outputs), value: hex(total) },
        pays: batch.map(({ index }) => index),
      });
    }
  }
  return made.sort((a, b) => a.at - b.at);
}
