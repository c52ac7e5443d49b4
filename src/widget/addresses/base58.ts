/** Base58, and the checksum of four bytes that most chains put at its end. */
import { createHash } from 'node:crypto';

/** Without 0, O, I and l, which look like others. */
export const BITCOIN_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const RIPPLE_ALPHABET = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** Longer than any address; the decoding costs the square of the length. */
const LONGEST = 128;

/** The bytes of a base58 text, or null for letters outside the alphabet. Leading zeros are kept. */
export function base58Bytes(text: string, alphabet = BITCOIN_ALPHABET): Buffer | null {
  if (text === '' || text.length > LONGEST) return null;
  let value = 0n;
  for (const letter of text) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const zeros = text.length - text.replace(new RegExp(`^${alphabet[0]}+`), '').length;
  const hex = value === 0n ? '' : value.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.alloc(zeros), digits]);
}

/** The payload of base58check (version and content), or what is wrong with it. */
export function base58CheckPayload(text: string, alphabet = BITCOIN_ALPHABET): Buffer | 'form' | 'checksum' {
  const bytes = base58Bytes(text, alphabet);
  if (bytes === null || bytes.length < 5) return 'form';
  const payload = bytes.subarray(0, -4);
  return sha256(sha256(payload)).subarray(0, 4).equals(bytes.subarray(-4)) ? payload : 'checksum';
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
