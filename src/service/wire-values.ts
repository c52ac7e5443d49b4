/** From wire scalars to domain values. The schemas have checked the forms; unknown stays null. */
import { Decimal } from '../domain/decimal.ts';
import { type Instant, parseInstant } from '../domain/record.ts';
import { numberText, type WireNumber } from './wire/exact-number.ts';

export function decimalOf(value: WireNumber | string): Decimal {
  return Decimal.parse(typeof value === 'string' ? value : numberText(value));
}

/** Null where the value is absent, null, or an empty string. */
export function decimalOrNull(value: WireNumber | string | null | undefined): Decimal | null {
  return value === null || value === undefined || value === '' ? null : decimalOf(value);
}

/** Null where a list of prices by currency has none in this one. */
export function priceIn(
  prices: Readonly<Record<string, WireNumber | null | undefined>> | null | undefined,
  currency: string,
): Decimal | null {
  return prices && Object.hasOwn(prices, currency) ? decimalOrNull(prices[currency]) : null;
}

/** −1 means no limit (spec §2.2). */
export function limitOrNull(value: WireNumber | null | undefined): Decimal | null {
  const limit = decimalOrNull(value);
  return limit?.isNegative ? null : limit;
}

export function unitsLimitOrNull(value: string | null | undefined): bigint | null {
  return value === null || value === undefined || value === '-1' ? null : BigInt(value);
}

/** Decimals of a token, an integer of at most two digits by its schema. */
export function smallInteger(value: WireNumber): number {
  return Number.parseInt(numberText(value), 10);
}

export function instantOrNull(value: string | null | undefined): Instant | null {
  return parseInstant(value ?? '') ?? null;
}

/** An empty string is unknown. */
export function textOrNull(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

/** Ids compare as text: in 2020 they were numbers. */
export function idText(value: string | WireNumber): string {
  return typeof value === 'string' ? value : numberText(value);
}
