/**
 * Random walks as pure functions of a seed and a minute: noise of doubling periods, each as high as the root of its period, adds up
 * to moves that grow with the root of time. Nothing is remembered, so any minute costs the same.
 */
import { hashText, mix } from './random.ts';

const MINUTES_A_DAY = 1440;
const DAYS_A_YEAR = 365.25;
/** From a minute to 45 days: beyond that a price comes back to its base. */
const PRICE_PERIODS = 17;
/** To about four hours: a fee stays within its bounds. */
const FEE_PERIODS = 9;
/** Found by measuring: with it the moves of a day have the volatility that is asked for. */
const PER_PERIOD = 0.47;

/** Nearly normal, of variance 1: four bytes of a hash, added. */
function lattice(seed: number, key: number, index: number): number {
  const bits = mix(seed, key, index);
  return ((bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24) - 510) / 147.8;
}

function noise(seed: number, name: string, minute: number, periods: number): number {
  const key = hashText(name);
  let sum = 0;
  for (let k = 0, period = 1; k < periods; k++, period *= 2) {
    const index = Math.floor(minute / period);
    const share = minute / period - index;
    const [before, after] = [lattice(seed, key + k, index), lattice(seed, key + k, index + 1)];
    sum += Math.sqrt(period) * (before + share * (after - before));
  }
  return PER_PERIOD * sum;
}

/** A factor around 1 that moves by `volatility` in a year, as a share. */
export function priceFactor(seed: number, name: string, minute: number, volatility: number): number {
  return Math.exp((volatility / Math.sqrt(DAYS_A_YEAR * MINUTES_A_DAY)) * noise(seed, name, minute, PRICE_PERIODS));
}

/** A factor that moves by about a per cent a minute; from one bound to the other is less than a quarter. */
export function feeFactor(seed: number, name: string, minute: number): number {
  return Math.min(1.11, Math.max(0.9, Math.exp(0.01 * noise(seed, `${name} fee`, minute, FEE_PERIODS))));
}
