/**
 * Strict DER for ECDSA signatures: one sequence of two positive integers, each in its shortest form, and nothing behind
 * it. Lenient readers accept many texts for one signature; here there is exactly one.
 */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** A 256-bit integer, and the zero byte that keeps a high one positive. */
const LONGEST_INTEGER = 33;
/** Two such integers with their heads need no long form of a length. */
const LONGEST_SHORT_FORM = 0x7f;

/** True for bytes that are the one DER form of some pair (r, s) of at most 256 bits; whether it verifies is not asked. */
export function isStrictDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE || bytes[1] === undefined || bytes[1] > LONGEST_SHORT_FORM) return false;
  if (bytes.length !== 2 + bytes[1]) return false;
  const afterR = endOfInteger(bytes, 2);
  return afterR !== null && endOfInteger(bytes, afterR) === bytes.length;
}

/** Where the integer that begins at `at` ends; null where none begins there, or not in its shortest form. */
function endOfInteger(bytes: Uint8Array, at: number): number | null {
  const length = bytes[at + 1];
  if (bytes[at] !== INTEGER || length === undefined || length === 0 || length > LONGEST_INTEGER) return null;
  const end = at + 2 + length;
  const first = bytes[at + 2];
  const second = bytes[at + 3];
  if (end > bytes.length || first === undefined || first >= 0x80) return null;
  // A leading zero is only for a number whose first bit is set; alone it would be zero, which no signature has.
  if (first === 0 && (length === 1 || second === undefined || second < 0x80)) return null;
  return end;
}
