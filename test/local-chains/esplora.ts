/** Esplora's REST API over a local Bitcoin chain, and the payouts of a population on it. */

import type { Payment } from '../../src/sandbox/local-chains.ts';
import { Draws } from '../../src/sandbox/random.ts';
import { BitcoinChain, type BitcoinTransaction } from './bitcoin-chain.ts';
import { type Served, serveText } from './loopback.ts';
import { batchesOf, HOUR, paidUnits } from './payments.ts';

const COINS = 100_000_000_000_000n;
const MOST_IN_A_TRANSACTION = 50;
const STREAM = 44;
/** An address of the right form that is no record's. */
const STRANGER = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

/** @param answer changes answers: for an endpoint that lags, lies or is pruned */
export function serveEsplora(
  chain: BitcoinChain,
  answer: (path: string, ask: () => string | null) => string | null = (_path, ask) => ask(),
): Promise<Served> {
  return serveText(async (path, _body, count) => {
    count(1);
    return answer(path, () => answerTo(chain, path));
  });
}

function answerTo(chain: BitcoinChain, path: string): string | null {
  const [, head, name = '', part, place] = path.split('/');
  if (head === 'blocks' && name === 'tip' && part === 'height') return String(chain.blocks.length - 1);
  if (head === 'blocks') {
    const block = chain.blocks[Number(name)];
    return block === undefined
      ? null
      : JSON.stringify([{ id: block.hash, height: block.height, timestamp: block.time }]);
  }
  if (head === 'address') return JSON.stringify(listedFor(chain, name, path.split('/')[5]));
  if (head === 'block-height') return chain.blocks[Number(name)]?.hash ?? null;
  if (head === 'block') {
    const block = chain.blocks.find(({ hash }) => hash === name);
    if (part === 'header') return block?.header ?? null;
    return part === 'txid' ? (block?.txids[Number(place)] ?? null) : null;
  }
  const found = head === 'tx' ? chain.transactions.get(name) : undefined;
  if (found === undefined) return null;
  if (part === 'merkle-proof') {
    const proof = chain.proof(name);
    return proof === null ? null : JSON.stringify(proof);
  }
  return part === undefined ? JSON.stringify(bodyOf(found, chain)) : null;
}

const LISTED = 25;

/**
 * Transactions that pay or spend from an address, the newest first. @param after the id that the page before ended
 * with
 */
function listedFor(chain: BitcoinChain, address: string, after: string | undefined): object[] {
  const all = [...chain.transactions.values()]
    .filter(
      (each) =>
        each.block !== null &&
        [...each.outputs, ...each.inputs.map((input) => spentBy(chain, input))].some((of) => of?.address === address),
    )
    .sort((a, b) => (b.block?.height ?? 0) - (a.block?.height ?? 0) || (a.txid < b.txid ? -1 : 1));
  const from = after === undefined ? 0 : all.findIndex(({ txid }) => txid === after) + 1;
  return all.slice(from, from + LISTED).map((each) => bodyOf(each, chain));
}

function spentBy(chain: BitcoinChain, { txid, vout }: BitcoinTransaction['inputs'][number]) {
  return chain.transactions.get(txid)?.outputs[vout];
}

function bodyOf({ txid, inputs, outputs, block }: BitcoinTransaction, chain: BitcoinChain): object {
  return {
    txid,
    version: 2,
    locktime: 0,
    vin: inputs.map((each) => ({
      txid: each.txid,
      vout: each.vout,
      scriptsig: each.script,
      sequence: each.sequence,
      is_coinbase: each.vout === 0xffff_ffff,
      prevout: prevoutOf(spentBy(chain, each)),
    })),
    vout: outputs.map(({ address, script, value }) => ({
      scriptpubkey: script,
      scriptpubkey_address: address,
      value: Number(value),
    })),
    status:
      block === null
        ? { confirmed: false }
        : { confirmed: true, block_height: block.height, block_hash: block.hash, block_time: block.time },
  };
}

function prevoutOf(output: BitcoinTransaction['outputs'][number] | undefined): object | null {
  if (output === undefined) return null;
  return { scriptpubkey: output.script, scriptpubkey_address: output.address, value: Number(output.value) };
}

/** Blocks come hourly, and with each payout. @returns the first block's hash, and the chain */
export function payOnBitcoin(
  payments: readonly Payment[],
  { since, until }: { since: number; until: number },
  hashes: Map<number, string>,
): BitcoinChain {
  const chain = new BitcoinChain(since, COINS);
  const settled = payments.filter(({ fault }) => fault !== 'missing' && fault !== 'pending');
  const made = batchesOf(settled, MOST_IN_A_TRANSACTION, () => 'payout')
    .map(({ batch }) => ({ at: Math.max(...batch.map(({ at }) => at)), batch }))
    .sort((a, b) => a.at - b.at);
  let hour = since + HOUR;
  const mineUpTo = (at: number) => {
    for (; hour < at; hour += HOUR) chain.mine(hour);
  };
  for (const { at, batch } of made) {
    mineUpTo(at);
    const txid = chain.pay(
      batch.map((each) => ({ address: each.fault === 'stranger' ? STRANGER : each.to, value: paidUnits(each) })),
    );
    for (const { index } of batch) hashes.set(index, txid);
    chain.mine(at);
  }
  // A day more than the last payout, so that it is final.
  mineUpTo(Math.max(until, hour) + 24 * HOUR);
  for (const { index, to, units, fault } of payments) {
    if (fault === 'pending') hashes.set(index, chain.pay([{ address: to, value: units }]));
    if (fault === 'missing') hashes.set(index, new Draws(index, since % 1_000_000, STREAM).hex(64));
  }
  return chain;
}
