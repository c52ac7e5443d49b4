/** Bech32 and bech32m (BIP 173, BIP 350): a readable prefix, `1`, and data with a checksum of six letters. */

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32M = 0x2bc830a3;

export interface Bech32 {
  prefix: string;
  encoding: 'bech32' | 'bech32m';
  /** Numbers below 32, without the checksum. */
  words: readonly number[];
}

function polymod(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of GENERATOR.entries()) if (((top >>> bit) & 1) === 1) checksum ^= term;
  }
  return checksum >>> 0;
}

/** @returns what it says, or `form` for what is no bech32 at all, or `checksum` for one with a typing error */
export function readBech32(text: string): Bech32 | 'form' | 'checksum' {
  const lower = text.toLowerCase();
  // Mixed case is refused by the standard: a checksum of two cases would prove nothing.
  if (text !== lower && text !== text.toUpperCase()) return 'form';
  const bar = lower.lastIndexOf('1');
  const words = [...lower.slice(bar + 1)].map((letter) => LETTERS.indexOf(letter));
  // 90 is the limit of the standard; Cardano's addresses are longer.
  if (bar < 1 || words.length < 6 || lower.length > 120 || words.includes(-1)) return 'form';
  const prefix = lower.slice(0, bar);
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const checksum = polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...words]);
  if (checksum !== 1 && checksum !== BECH32M) return 'checksum';
  return { prefix, encoding: checksum === 1 ? 'bech32' : 'bech32m', words: words.slice(0, -6) };
}

/** Bytes that the words hold, or null where bits are left over that are not zero. */
export function byteLength(words: readonly number[]): number | null {
  const rest = (words.length * 5) % 8;
  const last = words.at(-1) ?? 0;
  return rest < 5 && (last & ((1 << rest) - 1)) === 0 ? Math.floor((words.length * 5) / 8) : null;
}
