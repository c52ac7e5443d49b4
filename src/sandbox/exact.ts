/**
 * Decimals as the texts of doubles name them, as whole numbers of 10^-30. A body carries doubles, and their sum may print a last
 * digit below the sum of what they print: at half a minor unit the two are then rounded to different sides.
 */
const PLACES = 30;

/** Of a figure that is not negative. */
export function exactly(value: number): bigint {
  const [mantissa = '', exponent = '0'] = value.toString().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(PLACES + Number(exponent) - fraction.length);
}

/** The nearest double that does not print less. */
export function printedAtLeast(value: bigint): number {
  const nearest = Number(`${value}e-${PLACES}`);
  return exactly(nearest) < value ? nearest * (1 + Number.EPSILON) : nearest;
}
