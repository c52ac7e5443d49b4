/** The payouts of a population on a local EVM chain: in batches, as payouts are made. */

import type { Payment } from '../../src/sandbox/local-chains.ts';
import { Draws } from '../../src/sandbox/random.ts';
import { PURSE_CODE, pairs, REVERT_CODE, TOKEN_CODE } from './evm-code.ts';
import type { EvmNode } from './evm-node.ts';
import { batchesOf, paidUnits } from './payments.ts';

const MOST_IN_A_BATCH = 100;
const STREAM = 41;

const PURSE = '0x00000000000000000000000000000000000000bb';
const REVERTER = '0x00000000000000000000000000000000000000cc';
const LOOK_ALIKE = '0x00000000000000000000000000000000000000aa';
const STRANGER = '0x00000000000000000000000000000000000000dd';

interface Transaction {
  at: number;
  call: Readonly<Record<string, string>>;
  pays: readonly number[];
}

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

export async function payOnEvm(
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
  // Blocks before the payments: endpoints prove with their transactions that their index reaches back.
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
  const made: Transaction[] = [];
  const batched: Payment[] = [];
  for (const payment of payments) {
    const { at, fault, to, units, contract, index } = payment;
    if (fault === 'missing' || fault === 'pending') continue;
    if (fault === 'reverted') made.push({ at, call: { from: other, to: REVERTER }, pays: [index] });
    else if (contract === null && (fault === 'late' || (fault === null && index % 4 === 0))) {
      made.push({ at, call: { to, value: hex(units) }, pays: [index] });
    } else batched.push(payment);
  }
  const called = ({ fault, contract }: Payment) => (fault === 'look-alike' ? LOOK_ALIKE : (contract ?? PURSE));
  for (const { group: to, batch } of batchesOf(batched, MOST_IN_A_BATCH, called)) {
    const outputs = batch.map((each) => ({
      to: each.fault === 'stranger' ? STRANGER : each.to,
      units: paidUnits(each),
    }));
    const total = to === PURSE ? outputs.reduce((sum, { units }) => sum + units, 0n) : 0n;
    made.push({
      at: Math.max(...batch.map(({ at }) => at)),
      call: { to, data: pairs(outputs), value: hex(total) },
      pays: batch.map(({ index }) => index),
    });
  }
  return made.sort((a, b) => a.at - b.at);
}
