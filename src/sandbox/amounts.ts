/**
 * The amounts that users order. They separate two kinds of records: those whose quote is linked by id buy round
 * amounts and others in *even* cells of a logarithmic scale; those whose quote must be found by its amount have an
 * *odd* cell nearly to themselves, so that within the matching window no other quote of that asset matches them.
 */
import type { FiatCurrency } from './payment-tables.ts';
import type { Draws } from './random.ts';

/** Width of a cell on the natural logarithm's scale: 0.8 %, eight times the 0.1 % within which amounts agree. */
const CELL = 0.008;
const LOWEST_EUR = 25;
/** 25 EUR to about 2,000 EUR. */
export const CELLS = 546;
/** How far from its cell's middle an amount may lie, in cells. */
const JITTER = 0.12;

/** Multiples of `FiatCurrency.step` (about 5 EUR) that people like. */
const ROUND = [2, 4, 5, 10, 10, 20, 20, 20, 30, 40, 40, 50, 100, 100, 200, 400, 1000] as const;

/** A unique amount for a record whose quote is found by amount. `turn` numbers such records. */
export function unmistakableAmount(draws: Draws, turn: number, currency: FiatCurrency): number {
  const cell = 2 * (turn % (CELLS / 2)) + 1;
  return typed(awayFromRound(inCell(draws, cell), currency) / currency.eur, currency);
}

/** A round amount, or one like 37.42. */
export function usualAmount(draws: Draws, currency: FiatCurrency): number {
  const round = draws.pick(ROUND) * currency.step;
  // The square makes small amounts more frequent than large ones.
  const cell = 2 * Math.floor(draws.unit() ** 2 * (CELLS / 2));
  const odd = inCell(draws, cell);
  return draws.chance(0.5) ? round : typed(odd / currency.eur, currency);
}

/** An amount between two EUR amounts, in an even cell where the scale has one. */
export function amountBetween(draws: Draws, [low, high]: readonly [number, number], currency: FiatCurrency): number {
  const wanted = Math.log(draws.between(low, high) / LOWEST_EUR) / CELL;
  return typed(inCell(draws, 2 * Math.round(wanted / 2)) / currency.eur, currency);
}

/** True where an amount is close to an odd cell, so that it might match another record. */
export function inOddCell(amount: number, currency: FiatCurrency): boolean {
  const cell = Math.log((amount * currency.eur) / LOWEST_EUR) / CELL;
  return Math.abs((((cell % 2) + 2) % 2) - 1) < 0.7;
}

/** Keeps the first `digits` digits of an amount of crypto: `0.0364912` rather than every digit of a double. */
export function roundedUnits(units: bigint, digits: number): bigint {
  const text = units.toString();
  if (text.length <= digits) return units;
  const scale = 10n ** BigInt(text.length - digits);
  return ((units + scale / 2n) / scale) * scale;
}

function inCell(draws: Draws, cell: number): number {
  return LOWEST_EUR * Math.exp((cell + draws.between(-JITTER, JITTER)) * CELL);
}

/** Moves an amount a third of a percent further from a round one that linked records may have. */
function awayFromRound(eur: number, currency: FiatCurrency): number {
  for (const multiple of ROUND) {
    const ratio = eur / (multiple * currency.step * currency.eur);
    if (Math.abs(ratio - 1) < 0.003) return ratio < 1 ? eur * 0.997 : eur * 1.003;
  }
  return eur;
}

function typed(amount: number, currency: FiatCurrency): number {
  const scale = 10 ** currency.typedDigits;
  return Math.round(amount * scale) / scale;
}
