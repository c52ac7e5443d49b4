/**
 * A Bitcoin transaction as given by an Esplora-compatible REST API. Its id is the double SHA-256 of the fields
 * (without the witnesses, BIP 141), so the outputs are proven by the id that the record names and are not the
 * endpoint's word alone.
 */
import { createHash } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, bech32m } from '@scure/base';
import { z } from 'zod';
import type { Transfer } from '../../../domain/delivery.ts';

export const hash = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.string().regex(/^(?:[0-9a-f]{2})*$/);
const uint32 = z.int().min(0).max(0xffff_ffff);

export const transaction = z.object({
  txid: hash,
  version: z.int().min(-0x8000_0000).max(0xffff_ffff),
  locktime: uint32,
  vin: z
    .array(z.object({ txid: hash, vout: uint32, scriptsig: bytes, sequence: uint32 }))
    .min(1)
    .max(50_000),
  vout: z
    .array(
      z.object({
        scriptpubkey: bytes,
        scriptpubkey_address: z.string().max(120).nullish(),
        value: z.int().nonnegative(),
      }),
    )
    .min(1)
    .max(50_000),
  status: z.object({ confirmed: z.boolean(), block_height: uint32.nullish(), block_hash: hash.nullish() }),
});
export type WireTransaction = z.infer<typeof transaction>;

const doubleSha256 = (data: Uint8Array): Buffer =>
  createHash('sha256').update(createHash('sha256').update(data).digest()).digest();

/** Hashes are shown with their bytes in reverse order. */
export const shown = (digest: Buffer): string => Buffer.from(digest).reverse().toString('hex');
export const unshown = (text: string): Buffer => Buffer.from(text, 'hex').reverse();

/** The id that the fields hash to; null for 64 bytes, which could also be an inner node of a merkle tree (CVE-2017-12842). */
export function idOf({ version, vin, vout, locktime }: WireTransaction): string | null {
  const whole = Buffer.concat([
    littleEndian(version >>> 0),
    compactSize(vin.length),
    ...vin.flatMap((input) => {
      const script = Buffer.from(input.scriptsig, 'hex');
      return [
        unshown(input.txid),
        littleEndian(input.vout),
        compactSize(script.length),
        script,
        littleEndian(input.sequence),
      ];
    }),
    compactSize(vout.length),
    ...vout.flatMap(({ value, scriptpubkey }) => {
      const script = Buffer.from(scriptpubkey, 'hex');
      const units = Buffer.alloc(8);
      units.writeBigUInt64LE(BigInt(value));
      return [units, compactSize(script.length), script];
    }),
    littleEndian(locktime),
  ]);
  return whole.length === 64 ? null : shown(doubleSha256(whole));
}

function littleEndian(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(value);
  return four;
}

function compactSize(count: number): Buffer {
  if (count < 0xfd) return Buffer.from([count]);
  const long = count > 0xffff;
  const out = Buffer.alloc(long ? 5 : 3);
  out[0] = long ? 0xfe : 0xfd;
  if (long) out.writeUInt32LE(count, 1);
  else out.writeUInt16LE(count, 1);
  return out;
}

/** Null where an address is not that of its own output script. Outputs without an address are named by their script. */
export function outputsOf({ vout }: WireTransaction): Transfer[] | null {
  const found: Transfer[] = [];
  for (const { scriptpubkey, scriptpubkey_address: address, value } of vout) {
    if (address !== null && address !== undefined && scriptOf(address) !== scriptpubkey) return null;
    found.push({ to: address ?? `script ${scriptpubkey}`, asset: null, units: BigInt(value) });
  }
  return found;
}

export interface Header {
  hash: string;
  merkleRoot: Buffer;
  /** Milliseconds. */
  time: number;
}

/** Null where the 80 bytes are no header, or its hash is above the target that the header itself names. */
export function readHeader(text: unknown): Header | null {
  if (typeof text !== 'string' || !/^[0-9a-f]{160}$/.test(text.trim())) return null;
  const header = Buffer.from(text.trim(), 'hex');
  const hash = shown(doubleSha256(header));
  const bits = header.readUInt32LE(72);
  const exponent = bits >>> 24;
  const target = BigInt(bits & 0x7f_ffff) << BigInt(8 * Math.max(0, Math.min(exponent, 32) - 3));
  if (BigInt(`0x${hash}`) > target) return null;
  return { hash, merkleRoot: header.subarray(36, 68), time: header.readUInt32LE(68) * 1000 };
}

export const merkleProof = z.object({
  block_height: uint32,
  merkle: z.array(hash).max(32),
  pos: uint32,
});

/** Whether the transaction is at that position under the root of the header. */
export function isUnder(header: Header, txid: string, { merkle, pos }: z.infer<typeof merkleProof>): boolean {
  let node = unshown(txid);
  let place = pos;
  for (const sibling of merkle) {
    const other = unshown(sibling);
    node = doubleSha256(Buffer.concat(place % 2 === 1 ? [other, node] : [node, other]));
    place = Math.floor(place / 2);
  }
  return place === 0 && node.equals(header.merkleRoot);
}

/** Version bytes of Bitcoin, its test networks, Litecoin and Dogecoin, which write addresses in the same ways. */
const KEY_HASH: ReadonlySet<number> = new Set([0x00, 0x6f, 0x30, 0x1e, 0x71]);
const SCRIPT_HASH: ReadonlySet<number> = new Set([0x05, 0xc4, 0x32, 0x3a, 0x16]);

/**
 * The output script that an address stands for, so that an endpoint cannot name another address than the output pays. Hexadecimal; null
 * for a text that is no address.
 */
export function scriptOf(address: string): string | null {
  return segwitScript(address) ?? base58Script(address);
}

function segwitScript(address: string): string | null {
  const plain = bech32.decodeUnsafe(address, 90);
  const read = plain ?? bech32m.decodeUnsafe(address, 90);
  const [version, ...words] = read?.words ?? [];
  const program = bech32.fromWordsUnsafe(words);
  if (read === undefined || version === undefined || version > 16 || !program) return null;
  // BIP 350: version 0 is bech32, all later ones are bech32m.
  if ((version === 0) !== (plain !== undefined)) return null;
  const opcode = version === 0 ? 0 : 0x50 + version;
  return Buffer.from([opcode, program.length, ...program]).toString('hex');
}

function base58Script(address: string): string | null {
  if (address.length > 40 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(address)) return null;
  const bytes = Buffer.from(base58.decode(address));
  const payload = bytes.subarray(0, -4);
  if (payload.length !== 21 || !bytes.subarray(-4).equals(sha256(sha256(payload)).subarray(0, 4))) return null;
  const [version = -1] = payload;
  const key = payload.subarray(1).toString('hex');
  if (KEY_HASH.has(version)) return `76a914${key}88ac`;
  return SCRIPT_HASH.has(version) ? `a914${key}87` : null;
}
