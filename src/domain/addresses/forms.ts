/** Whether a text can be an address: one small function for each format. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { type BytesCoder, base32nopad, base58, base58xrp, bech32 as bech32Codec, bech32m } from '@scure/base';

/** `checksum`: the right form, mistyped. `form`: not an address of that kind at all. */
type AddressAnswer = 'valid' | 'checksum' | 'form';
/** Never throws; a text of any length is answered in time that is linear in it. */
export type AddressForm = (text: string) => AddressAnswer;

const load = createRequire(import.meta.url);

/**
 * EIP-55 takes Keccak with the padding from before the SHA-3 standard, which Node's `sha3-256` is not. Every command loads the rules,
 * and so these forms: the library is loaded with the first address that needs it.
 */
function keccak256(data: Buffer): Uint8Array {
  keccak ??= load('@noble/hashes/sha3.js') as typeof import('@noble/hashes/sha3.js');
  return keccak.keccak_256(data);
}

let keccak: typeof import('@noble/hashes/sha3.js') | null = null;

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** The first answer of `valid`, else `checksum` where any form fits but for that. */
export function anyOf(...forms: readonly AddressForm[]): AddressForm {
  return (text) => {
    const answers = forms.map((form) => form(text));
    return answers.find((answer) => answer === 'valid') ?? answers.find((answer) => answer === 'checksum') ?? 'form';
  };
}

/** A form without a checksum that could be checked here. */
export function pattern(shape: RegExp): AddressForm {
  return (text) => (shape.test(text) ? 'valid' : 'form');
}

/** 40 hexadecimal digits; where both cases occur they are the checksum of EIP-55. Read by number: every record of a replay has one. */
export const evm: AddressForm = (text) => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'form';
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  return digits === lower || digits === digits.toUpperCase() || hasChecksum(digits, lower) ? 'valid' : 'checksum';
};

function hasChecksum(digits: string, lower: string): boolean {
  const hash = keccak256(Buffer.from(lower, 'latin1'));
  for (let i = 0; i < lower.length; i++) {
    const isLetter = lower.charCodeAt(i) > NINE;
    const half = ((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 15;
    const isRaised = digits.charCodeAt(i) !== lower.charCodeAt(i);
    if (isLetter && isRaised !== half >= 8) return false;
  }
  return true;
}

const NINE = '9'.charCodeAt(0);

interface Base58Check {
  /** What the payload begins with, hexadecimal, one for each kind of address. */
  versions: readonly string[];
  /** Bytes after the version. */
  content: number;
  /** First letters, alphabet and length of such addresses: a text that fits and has another checksum is mistyped. */
  looks: RegExp;
  coder?: BytesCoder;
}

/** Base58 with the first four bytes of a double SHA-256 at its end. */
export function base58Check({ versions, content, looks, coder = base58 }: Base58Check): AddressForm {
  return (text) => {
    if (!looks.test(text)) return 'form';
    const bytes = decode(coder, text) ?? Buffer.alloc(0);
    const payload = bytes.subarray(0, -4);
    if (!bytes.subarray(-4).equals(sha256(sha256(payload)).subarray(0, 4))) return 'checksum';
    const fits = versions.some((version) => {
      const prefix = Buffer.from(version, 'hex');
      return payload.length === prefix.length + content && payload.subarray(0, prefix.length).equals(prefix);
    });
    return fits ? 'valid' : 'form';
  };
}

/** Longer than any address; decoding base58 costs the square of the length. */
const LONGEST = 128;

/** Null where the text is not in the coder's alphabet, or too long for any address. */
function decode(coder: BytesCoder, text: string): Buffer | null {
  if (text.length > LONGEST) return null;
  try {
    return Buffer.from(coder.decode(text));
  } catch {
    return null;
  }
}

/** BIP 173 limits a text to 90 letters; Cardano's addresses are longer. */
const LONGEST_BECH32 = 120;
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** The words of a bech32 or bech32m text with this prefix, without the checksum; else its fault. */
function readBech32(text: string, prefix: string): { words: number[]; isM: boolean } | 'form' | 'checksum' {
  const lower = text.toLowerCase();
  // The standard refuses mixed case.
  const isOneCase = text === lower || text === text.toUpperCase();
  const shape = new RegExp(`^${prefix}1[${BECH32_LETTERS}]{6,}$`);
  if (!isOneCase || lower.length > LONGEST_BECH32 || !shape.test(lower)) return 'form';
  const plain = bech32Codec.decodeUnsafe(text, LONGEST_BECH32);
  const read = plain ?? bech32m.decodeUnsafe(text, LONGEST_BECH32);
  return read === undefined ? 'checksum' : { words: read.words, isM: plain === undefined };
}

/** Undefined where bits are left over that are not zero. */
function byteLength(words: number[]): number | undefined {
  return bech32Codec.fromWordsUnsafe(words)?.length;
}

/** Segregated witness: version 0 in bech32 with 20 or 32 bytes, later versions in bech32m (BIP 350). */
export function segwit(prefix: string): AddressForm {
  return (text) => {
    const read = readBech32(text, prefix);
    if (typeof read === 'string') return read;
    const [version, ...program] = read.words;
    const bytes = byteLength(program);
    if (version === undefined || bytes === undefined) return 'form';
    if (version === 0) return !read.isM && (bytes === 20 || bytes === 32) ? 'valid' : 'form';
    return version <= 16 && read.isM && bytes >= 2 && bytes <= 40 ? 'valid' : 'form';
  };
}

/** Chains of the Cosmos family, and Cardano: bech32 with a prefix of their own. */
export function bech32(prefix: string, lengths: readonly number[]): AddressForm {
  return (text) => {
    const read = readBech32(text, prefix);
    if (typeof read === 'string') return read;
    return !read.isM && lengths.includes(byteLength(read.words) ?? -1) ? 'valid' : 'form';
  };
}

/** An ed25519 key of 32 bytes in plain base58: no checksum, and any such key may own something. */
export const solana: AddressForm = (text) => (decode(base58, text)?.length === 32 ? 'valid' : 'form');

/** `r…`, or an X-address, which holds the destination tag as well. */
export const ripple: AddressForm = anyOf(
  base58Check({ versions: ['00'], content: 20, looks: /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/, coder: base58xrp }),
  base58Check({ versions: ['0544'], content: 29, looks: /^X[1-9A-HJ-NP-Za-km-z]{46}$/, coder: base58xrp }),
);

/** `G…` for an account, `M…` for a muxed one: base32 with a CRC-16 (XMODEM, little end first) at the end. */
export const stellar: AddressForm = (text) => {
  const version = /^G[A-Z2-7]{55}$/.test(text) ? 0x30 : /^M[A-Z2-7]{68}$/.test(text) ? 0x60 : null;
  if (version === null) return 'form';
  const bytes = decode(base32nopad, text);
  // The form fits, so bits left over that are not zero are a typing error too.
  if (bytes === null) return 'checksum';
  if (bytes[0] !== version) return 'form';
  return crc16(bytes.subarray(0, -2)) === bytes.readUInt16LE(bytes.length - 2) ? 'valid' : 'checksum';
};

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc;
}

/** Polkadot and Kusama (SS58): the network's number, a key of 32 bytes, two bytes of BLAKE2b. */
export function ss58(network: number): AddressForm {
  return (text) => {
    const bytes = decode(base58, text);
    if (bytes === null || bytes.length !== 35 || bytes[0] !== network) return 'form';
    const hash = createHash('blake2b512').update('SS58PRE').update(bytes.subarray(0, -2)).digest();
    return hash.subarray(0, 2).equals(bytes.subarray(-2)) ? 'valid' : 'checksum';
  };
}
