/**
 * A Bitcoin chain on this machine: transactions, merkle trees and headers as in the protocol, hashed, with the work
 * of its minimal difficulty. Coins are locked by a script that any input opens (P2SH of OP_TRUE), so nothing is
 * signed.
 */
import { createHash } from 'node:crypto';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { base58, bech32 } from '@scure/base';

interface Output {
  /** Null for an output that returns to the payer. */
  address: string | null;
  value: bigint;
}

export interface BitcoinTransaction {
  txid: string;
  inputs: readonly { txid: string; vout: number; script: string; sequence: number }[];
  outputs: readonly { address: string; script: string; value: bigint }[];
  /** Null while it is in no block. */
  block: BitcoinBlock | null;
}

interface BitcoinBlock {
  height: number;
  hash: string;
  /** Hexadecimal, 80 bytes. */
  header: string;
  /** Seconds. */
  time: number;
  txids: readonly string[];
}

/** The easiest target there is: every second header is good. */
const BITS = 0x207f_ffff;
const TARGET = 0x7f_ffffn << (8n * 29n);
const SUBSIDY = 5_000_000_000n;
const OP_TRUE = '51';
const PAYER_HASH = Buffer.from(ripemd160(sha256(Buffer.from(OP_TRUE, 'hex'))));
const PAYER = { script: `a914${PAYER_HASH.toString('hex')}87`, address: base58Check(0x05, PAYER_HASH) };
const NO_TRANSACTION = '00'.repeat(32);

export class BitcoinChain {
  readonly blocks: BitcoinBlock[] = [];
  readonly transactions = new Map<string, BitcoinTransaction>();
  /** The outputs that the payer can spend. */
  #spendable: { txid: string; vout: number; value: bigint };
  #waiting: string[] = [];

  /** @param since time of the first block, in milliseconds */
  constructor(since: number, coins: bigint) {
    const first = this.#add(
      [{ txid: NO_TRANSACTION, vout: 0xffff_ffff, script: coinbaseScript(0), sequence: 0xffff_ffff }],
      [{ address: null, value: coins }],
    );
    this.#spendable = { txid: first.txid, vout: 0, value: coins };
    this.#seal(since, [first.txid]);
  }

  /** In no block before `mine`. @returns the id */
  pay(outputs: readonly Output[]): string {
    const { txid, vout, value } = this.#spendable;
    const rest = value - outputs.reduce((sum, each) => sum + each.value, 0n) - 1000n;
    const input = { txid, vout, script: `01${OP_TRUE}`, sequence: 0xffff_fffd };
    const made = this.#add([input], [...outputs, { address: null, value: rest }]);
    this.#spendable = { txid: made.txid, vout: outputs.length, value: rest };
    this.#waiting.push(made.txid);
    return made.txid;
  }

  /** Makes a block of all waiting payments. @param at milliseconds */
  mine(at: number): void {
    const coinbase = this.#add(
      [{ txid: NO_TRANSACTION, vout: 0xffff_ffff, script: coinbaseScript(this.blocks.length), sequence: 0xffff_ffff }],
      [{ address: null, value: SUBSIDY }],
    );
    this.#seal(at, [coinbase.txid, ...this.#waiting]);
    this.#waiting = [];
  }

  /** Removes the newest blocks; their payments wait again, except for the named ones. */
  reorganise(depth: number, without: readonly string[] = []): void {
    for (const { txids } of this.blocks.splice(-depth)) {
      for (const [place, txid] of txids.entries()) {
        const found = this.transactions.get(txid);
        if (found === undefined) continue;
        if (place === 0 || without.includes(txid)) this.transactions.delete(txid);
        else {
          found.block = null;
          this.#waiting.push(txid);
        }
      }
    }
  }

  /** Hashes beside the way from a transaction to the root. */
  proof(txid: string): { block_height: number; merkle: string[]; pos: number } | null {
    const block = this.transactions.get(txid)?.block;
    if (!block) return null;
    const pos = block.txids.indexOf(txid);
    const merkle: string[] = [];
    let [row, place] = [block.txids.map(reversed), pos];
    while (row.length > 1) {
      const beside = row[place ^ 1] ?? row[place];
      if (beside !== undefined) merkle.push(Buffer.from(beside).reverse().toString('hex'));
      row = nextRow(row);
      place >>= 1;
    }
    return { block_height: block.height, merkle, pos };
  }

  #add(inputs: BitcoinTransaction['inputs'], to: readonly Output[]): BitcoinTransaction {
    const outputs = to.map(({ address, value }) =>
      address === null ? { ...PAYER, value } : { address, script: lockTo(address), value },
    );
    const made = { txid: transactionId(inputs, outputs), inputs, outputs, block: null };
    this.transactions.set(made.txid, made);
    return made;
  }

  #seal(at: number, txids: readonly string[]): void {
    let row = txids.map(reversed);
    while (row.length > 1) row = nextRow(row);
    const time = Math.floor(at / 1000);
    const header = Buffer.alloc(80);
    header.writeUInt32LE(0x2000_0000);
    reversed(this.blocks.at(-1)?.hash ?? NO_TRANSACTION).copy(header, 4);
    row[0]?.copy(header, 36);
    header.writeUInt32LE(time, 68);
    header.writeUInt32LE(BITS, 72);
    let nonce = 0;
    let hash: string;
    do {
      header.writeUInt32LE(nonce++, 76);
      hash = Buffer.from(twice(header)).reverse().toString('hex');
    } while (BigInt(`0x${hash}`) > TARGET);
    const block = { height: this.blocks.length, hash, header: header.toString('hex'), time, txids };
    this.blocks.push(block);
    for (const txid of txids) {
      const found = this.transactions.get(txid);
      if (found !== undefined) found.block = block;
    }
  }
}

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

function twice(data: Uint8Array): Buffer {
  return sha256(sha256(data));
}

function reversed(hash: string): Buffer {
  return Buffer.from(hash, 'hex').reverse();
}

/** Pairs, the last one with itself where it has no other. */
function nextRow(row: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let i = 0; i < row.length; i += 2) {
    const left = row[i] as Buffer;
    above.push(twice(Buffer.concat([left, row[i + 1] ?? left])));
  }
  return above;
}

/** The height, as every coinbase begins (BIP 34), and room that keeps two of them apart. */
function coinbaseScript(height: number): string {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(height);
  return `04${number.toString('hex')}`;
}

function base58Check(version: number, hash: Buffer): string {
  const payload = Buffer.concat([Buffer.from([version]), hash]);
  return base58.encode(Buffer.concat([payload, twice(payload).subarray(0, 4)]));
}

/** For the addresses that the sandbox draws: segregated witness, version 0. */
function lockTo(address: string): string {
  const [version = 0, ...words] = bech32.decode(address as `${string}1${string}`).words;
  const program = Buffer.from(bech32.fromWords(words));
  return Buffer.concat([Buffer.from([version, program.length]), program]).toString('hex');
}

function transactionId(inputs: BitcoinTransaction['inputs'], outputs: readonly { script: string; value: bigint }[]) {
  const u32 = (value: number) => {
    const four = Buffer.alloc(4);
    four.writeUInt32LE(value);
    return four.toString('hex');
  };
  const u64 = (value: bigint) => {
    const eight = Buffer.alloc(8);
    eight.writeBigUInt64LE(value);
    return eight.toString('hex');
  };
  const size = (count: number) => (count < 253 ? count.toString(16).padStart(2, '0') : `fd${u32(count).slice(0, 4)}`);
  const script = (text: string) => size(text.length / 2) + text;
  const whole = [
    u32(2),
    size(inputs.length),
    ...inputs.map(
      (each) => reversed(each.txid).toString('hex') + u32(each.vout) + script(each.script) + u32(each.sequence),
    ),
    size(outputs.length),
    ...outputs.map((each) => u64(each.value) + script(each.script)),
    u32(0),
  ].join('');
  return Buffer.from(twice(Buffer.from(whole, 'hex')))
    .reverse()
    .toString('hex');
}
