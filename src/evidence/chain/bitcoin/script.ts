/** The output script that an address stands for, so that an endpoint cannot name another address than the output pays. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, bech32m } from '@scure/base';

/** Version bytes of Bitcoin, its test networks, Litecoin and Dogecoin, which write addresses in the same ways. */
const KEY_HASH: ReadonlySet<number> = new Set([0x00, 0x6f, 0x30, 0x1e, 0x71]);
const SCRIPT_HASH: ReadonlySet<number> = new Set([0x05, 0xc4, 0x32, 0x3a, 0x16]);

/** Hexadecimal; null for a text that is no address. */
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
