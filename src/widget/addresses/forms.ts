/** Whether a text can be an address: one small function for each way in which chains write theirs. */
import { createHash } from 'node:crypto';
import { base58Bytes, base58CheckPayload, RIPPLE_ALPHABET } from './base58.ts';
import { byteLength, readBech32 } from './bech32.ts';
import { keccak256 } from './keccak.ts';

/** `checksum`: the right form, mistyped. `form`: not an address of that kind at all. */
export type AddressAnswer = 'valid' | 'checksum' | 'form';
export type AddressForm = (text: string) => AddressAnswer;

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

/** 40 hexadecimal digits; where both cases occur they are the checksum of EIP-55. */
export const evm: AddressForm = (text) => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'form';
  const digits = text.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return 'valid';
  const hash = keccak256(Buffer.from(digits.toLowerCase(), 'ascii'));
  const right = [...digits].every((digit, index) => {
    const raised = Number.parseInt(hash[index] ?? '0', 16) >= 8;
    return digit === (raised ? digit.toUpperCase() : digit.toLowerCase());
  });
  return right ? 'valid' : 'checksum';
};

export interface Base58Check {
  /** What the payload begins with, hexadecimal, one for each kind of address. */
  versions: readonly string[];
  /** Bytes after the version. */
  content: number;
  /** What addresses of that kind begin with and how long they are, to tell a typing error from another thing. */
  looks: RegExp;
  alphabet?: string;
}

export function base58Check({ versions, content, looks, alphabet }: Base58Check): AddressForm {
  return (text) => {
    if (!looks.test(text)) return 'form';
    const payload = base58CheckPayload(text, alphabet);
    if (typeof payload === 'string') return payload;
    const fits = versions.some((version) => {
      const prefix = Buffer.from(version, 'hex');
      return payload.length === prefix.length + content && payload.subarray(0, prefix.length).equals(prefix);
    });
    return fits ? 'valid' : 'form';
  };
}

/** Segregated witness: version 0 in bech32 with 20 or 32 bytes, later versions in bech32m (BIP 350). */
export function segwit(prefix: string): AddressForm {
  return (text) => {
    if (!text.toLowerCase().startsWith(`${prefix}1`)) return 'form';
    const read = readBech32(text);
    if (typeof read === 'string') return read;
    const [version, ...program] = read.words;
    const bytes = byteLength(program);
    if (read.prefix !== prefix || version === undefined || bytes === null) return 'form';
    if (version === 0) return read.encoding === 'bech32' && (bytes === 20 || bytes === 32) ? 'valid' : 'form';
    return version <= 16 && read.encoding === 'bech32m' && bytes >= 2 && bytes <= 40 ? 'valid' : 'form';
  };
}

/** Chains of the Cosmos family, and Cardano: bech32 with a prefix of their own. */
export function bech32(prefix: string, lengths: readonly number[]): AddressForm {
  return (text) => {
    if (!text.toLowerCase().startsWith(`${prefix}1`)) return 'form';
    const read = readBech32(text);
    if (typeof read === 'string') return read;
    return read.encoding === 'bech32' && lengths.includes(byteLength(read.words) ?? -1) ? 'valid' : 'form';
  };
}

/** An ed25519 key of 32 bytes in plain base58: no checksum, and any such key may own something. */
export const solana: AddressForm = (text) => (base58Bytes(text)?.length === 32 ? 'valid' : 'form');

/** `r…`, or an X-address, which holds the destination tag as well. */
export const ripple: AddressForm = anyOf(
  base58Check({ versions: ['00'], content: 20, looks: /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/, alphabet: RIPPLE_ALPHABET }),
  base58Check({ versions: ['0544'], content: 29, looks: /^X[1-9A-HJ-NP-Za-km-z]{46}$/, alphabet: RIPPLE_ALPHABET }),
);

/** `G…` for an account, `M…` for a muxed one: base32 with a CRC-16 (XMODEM, little end first) at the end. */
export const stellar: AddressForm = (text) => {
  const version = /^G[A-Z2-7]{55}$/.test(text) ? 0x30 : /^M[A-Z2-7]{68}$/.test(text) ? 0x60 : null;
  const bytes = version === null ? null : base32Bytes(text);
  if (bytes === null || bytes[0] !== version) return 'form';
  return crc16(bytes.subarray(0, -2)) === bytes.readUInt16LE(bytes.length - 2) ? 'valid' : 'checksum';
};

function base32Bytes(text: string): Buffer {
  let value = 0n;
  for (const letter of text) value = value * 32n + BigInt('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter));
  const bytes = Math.floor((text.length * 5) / 8);
  const spare = BigInt((text.length * 5) % 8);
  return Buffer.from((value >> spare).toString(16).padStart(bytes * 2, '0'), 'hex');
}

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
    const bytes = base58Bytes(text);
    if (bytes === null || bytes.length !== 35 || bytes[0] !== network) return 'form';
    const hash = createHash('blake2b512').update('SS58PRE').update(bytes.subarray(0, -2)).digest();
    return hash.subarray(0, 2).equals(bytes.subarray(-2)) ? 'valid' : 'checksum';
  };
}
