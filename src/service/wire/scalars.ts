/**
 * The scalars that every resource is made of. Each schema's `error` is the phrase that completes "expected …", so a
 * drifted field explains itself; `improper` marks values of the right type that cannot be true.
 */
import { z } from 'zod';
import { Decimal, DecimalSyntaxError } from '../../domain/decimal.ts';
import { parseInstant } from '../../domain/record.ts';
import { EchoedSecret, ExactNumber, isWireNumber, numberText, type WireNumber } from './exact-number.ts';

export const improper = (error: string) => ({ error, params: { problem: 'value' as const } });

/** True for `-0.43`, false for `-0` and `-0.0`. */
function isNegative(text: string): boolean {
  return /^-[0.]*[1-9]/.test(text);
}

const IN_RANGE = 'a number with at most 40 digits before the point and 40 after it';

const DECIMAL = /^\d{1,40}(\.\d{1,40})?$/;

/** Larger and smaller numbers are legal JSON, and are no amounts. */
function isInRange(text: string): boolean {
  // The usual form needs no arithmetic.
  if (DECIMAL.test(text)) return true;
  try {
    return Decimal.parse(text).isInRange;
  } catch (error) {
    if (error instanceof DecimalSyntaxError) return false;
    throw error;
  }
}

/** A JSON number in the range of amounts, with every digit of it. */
const wireNumber = z
  .custom<WireNumber>(isWireNumber, { error: 'a number', abort: true })
  .refine((value) => isInRange(numberText(value)), { ...improper(IN_RANGE), abort: true })
  .meta({ type: 'number' });

/** An amount, fee, rate or price: never negative. */
export const amount = wireNumber
  .refine((value) => !isNegative(numberText(value)), improper('a number that is not negative'))
  .meta({ minimum: 0 });

/** A limit: an amount, or `-1` where there is none (spec §2.2). */
export const limit = wireNumber
  .refine(
    (value) => !isNegative(numberText(value)) || /^-1(\.0+)?$/.test(numberText(value)),
    improper('a number that is not negative, or -1'),
  )
  .meta({ anyOf: [{ minimum: 0 }, { const: -1 }] });

export const text = z.string({ error: 'a string' });

/** A non-empty string. */
export const filled = z
  .string({ error: 'a string' })
  .refine((value) => value !== '', improper('a string that is not empty'))
  .meta({ minLength: 1 });

export const flag = z.boolean({ error: 'true or false' });

/** 2^256 has 78 digits: no token amount is longer. */
const DIGITS = /^\d{1,78}$/;

/** A crypto amount in wei or token units: digits in a string, as no double holds them (spec §2.6). */
export const units = z
  .string({ error: 'a string of digits' })
  .refine((value) => DIGITS.test(value), improper('a string of digits'))
  .meta({ pattern: DIGITS.source, examples: ['8023728890597727'] });

/** Units, or `-1` where there is no limit (spec §2.2). */
export const unitsLimit = z
  .string({ error: 'a string of digits' })
  .refine((value) => value === '-1' || DIGITS.test(value), improper('a string of digits, or -1'))
  .meta({ anyOf: [{ pattern: DIGITS.source }, { const: '-1' }] });

function numberOrText(isFitting: (text: string) => boolean) {
  return z
    .custom<WireNumber | string>((value) => isWireNumber(value) || typeof value === 'string', {
      error: 'a number, or one in a string',
      abort: true,
    })
    .refine((value) => typeof value === 'string' || isInRange(numberText(value)), {
      ...improper(IN_RANGE),
      abort: true,
    })
    .refine(
      (value) => (typeof value === 'string' ? isFitting(value) : !isNegative(numberText(value))),
      improper('a number that is not negative, or one in a string'),
    )
    .meta({ type: ['number', 'string'] });
}

/** A number as programs print it: a price below a millionth has an exponent (`6e-7`). */
const isAmount = (value: string) => isInRange(value) && !isNegative(value);

/** Sales carry some amounts as strings (field facts): a number, or one in a string. */
export const amountOrText = numberOrText(isAmount);

/** The same, where an empty string means unknown. */
export const amountOrBlank = numberOrText((value) => value === '' || isAmount(value));

/** Digits after the point of a token: 0 to 36. */
export const decimals = wireNumber
  .refine(
    (value) => /^\d{1,2}$/.test(numberText(value)) && Number.parseInt(numberText(value), 10) <= 36,
    improper('a whole number from 0 to 36'),
  )
  .meta({ multipleOf: 1, minimum: 0, maximum: 36, examples: [18] });

/** An ISO 8601 date-time with its zone; without one the instant would be a guess. */
export const timestamp = z
  .string({ error: 'an ISO 8601 date-time' })
  .refine((value) => parseInstant(value) !== undefined, improper('an ISO 8601 date-time with a zone'))
  .meta({ format: 'date-time' });

/** A three-letter fiat currency code. */
export const currencyCode = z
  .string({ error: 'a currency code' })
  .refine((value) => /^[A-Z]{3}$/.test(value), improper('a three-letter currency code'))
  .meta({ pattern: '^[A-Z]{3}$', examples: ['EUR'] });

/** UUIDs, 15-character ids, decimal strings, and in 2020 a whole number. */
export const recordId = z
  .custom<string | WireNumber>((value) => typeof value === 'string' || isWireNumber(value), {
    error: 'a string',
    abort: true,
  })
  .refine(
    (value) => (typeof value === 'string' ? value !== '' : /^\d{1,32}$/.test(numberText(value))),
    improper('a string that is not empty, or a whole number'),
  )
  .meta({ type: ['string', 'number'] });

/**
 * An object that keeps unknown fields, because they are evidence. To extend a resource, spread its `…Fields`. An
 * ExactNumber is an object to JavaScript and a number in JSON.
 */
export function resource<Shape extends z.ZodRawShape>(shape: Shape) {
  const anObject = z.looseObject(shape, { error: 'an object' });
  return z.preprocess(
    (value) => (value instanceof ExactNumber || value instanceof EchoedSecret ? '' : value),
    anObject,
  );
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'a list' });
}

/** Currency code to the price of one whole token (spec §2.2). */
export const priceList = z.record(z.string(), amount.nullish(), { error: 'an object of prices by currency' });

/** Any value; it is read by another schema later. */
export const anything = z.unknown();
