import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { driftInWords, readWire } from '../../src/service/drift.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import {
  amount,
  amountOrBlank,
  amountOrText,
  currencyCode,
  decimals,
  filled,
  flag,
  limit,
  listOf,
  priceList,
  recordId,
  resource,
  text,
  timestamp,
  units,
  unitsLimit,
} from '../../src/service/wire/scalars.ts';

const SCALARS = {
  amount,
  amountOrBlank,
  amountOrText,
  currencyCode,
  decimals,
  filled,
  flag,
  limit,
  list: listOf(text),
  priceList,
  recordId,
  resource: resource({ name: text.nullish() }),
  timestamp,
  units,
  unitsLimit,
} as const;
type Scalar = keyof typeof SCALARS;

/** `read`, or the kind of problem with the sentence about it. */
function readingOf(name: Scalar, json: string): string {
  const schema: z.ZodType = resource({ it: SCALARS[name] });
  const reading = readWire(schema, parseExactJson(`{"it":${json}}`), { identifierName: 'Service' });
  return reading.ok ? 'read' : reading.drift.map((drift) => `${drift.problem}: ${driftInWords(drift)}`).join('; ');
}

const LONG = '1'.repeat(40);
const MOST_UNITS = '9'.repeat(78);

describe('a scalar is read', () => {
  it.each([
    ['amount', ['0', '-0', '-0.0', '4.76', '1e-7', LONG, `0.${LONG}`, `${LONG}.${LONG}`, '1e39', '1e-40']],
    ['limit', ['0', '15000.5', '-1', '-1.0', '-1.00', '-0']],
    ['units', ['"0"', '"40000000000000000"', `"${MOST_UNITS}"`]],
    ['unitsLimit', ['"-1"', '"0"', `"${MOST_UNITS}"`]],
    ['amountOrText', ['245', '"245"', '"0.10"', '"6.1e-7"', `"${LONG}.${LONG}"`, LONG]],
    ['amountOrBlank', ['""', '245', '"245.10"', '"6e-7"', '"2E+2"']],
    ['decimals', ['0', '6', '18', '36']],
    ['timestamp', ['"2026-11-01T10:00:00.000Z"', '"2026-11-01T10:00:00+02:00"']],
    ['currencyCode', ['"EUR"', '"BRL"']],
    ['recordId', ['"sqs6a428mqjtzbv"', '322', '0', '1'.repeat(32)]],
    ['filled', ['"x"', '" "']],
    ['flag', ['true', 'false']],
    ['list', ['[]', '["a"]']],
    ['priceList', ['{}', '{"EUR":0.92,"USD":null}']],
    ['resource', ['{}', '{"more":1}']],
  ] satisfies [Scalar, string[]][])('%s', (name, texts) => {
    for (const json of texts) expect([json, readingOf(name, json)]).toEqual([json, 'read']);
  });
});

describe('a scalar is drift', () => {
  const RANGE = 'a number with at most 40 digits before the point and 40 after it';
  const POSITIVE = 'a number that is not negative';
  const EITHER = 'a number that is not negative, or one in a string';
  it.each([
    ['amount', '-0.01', 'value', POSITIVE, '-0.01'],
    ['amount', '-10', 'value', POSITIVE, '-10'],
    ['amount', `1${LONG}`, 'value', RANGE, `1${LONG}`],
    ['amount', `0.${LONG}1`, 'value', RANGE, `0.${LONG}1`],
    ['amount', '1e40', 'value', RANGE, '1e40'],
    ['amount', '1e-41', 'value', RANGE, '1e-41'],
    ['amount', `-1${LONG}`, 'value', RANGE, `-1${LONG}`],
    ['amount', `1${'2'.repeat(80)}`, 'value', RANGE, `1${'2'.repeat(59)}`],
    ['amount', '"1"', 'type', 'a number', 'a string'],
    ['limit', '-1.5', 'value', 'a number that is not negative, or -1', '-1.5'],
    ['limit', '-10', 'value', 'a number that is not negative, or -1', '-10'],
    ['limit', '-1.01', 'value', 'a number that is not negative, or -1', '-1.01'],
    ['limit', '-0.1', 'value', 'a number that is not negative, or -1', '-0.1'],
    ['units', '""', 'value', 'a string of digits', 'an empty string'],
    ['units', '"1e3"', 'value', 'a string of digits', 'a string'],
    ['units', '" 1"', 'value', 'a string of digits', 'a string'],
    ['units', '"-1"', 'value', 'a string of digits', '"-1"'],
    ['units', `"1${MOST_UNITS}"`, 'value', 'a string of digits', 'a string'],
    ['unitsLimit', '"-2"', 'value', 'a string of digits, or -1', '"-2"'],
    ['unitsLimit', '"-10"', 'value', 'a string of digits, or -1', '"-10"'],
    ['unitsLimit', '-1', 'type', 'a string of digits', 'a number'],
    ['amountOrText', '""', 'value', EITHER, 'an empty string'],
    ['amountOrText', '"-1"', 'value', EITHER, '"-1"'],
    ['amountOrText', '"1."', 'value', EITHER, '"1."'],
    ['amountOrText', '"-1e-7"', 'value', EITHER, 'a string'],
    ['amountOrText', '"1e-41"', 'value', EITHER, 'a string'],
    ['amountOrText', '"a1"', 'value', EITHER, 'a string'],
    ['amountOrText', '"1a"', 'value', EITHER, 'a string'],
    ['amountOrText', `"1${LONG}"`, 'value', EITHER, 'a string'],
    ['amountOrText', `"0.1${LONG}"`, 'value', EITHER, 'a string'],
    ['amountOrText', '-1', 'value', EITHER, '-1'],
    ['amountOrText', `1${LONG}`, 'value', RANGE, `1${LONG}`],
    ['amountOrText', 'true', 'type', 'a number, or one in a string', 'true or false'],
    ['amountOrBlank', '" "', 'value', EITHER, 'a string'],
    ['decimals', '37', 'value', 'a whole number from 0 to 36', '37'],
    ['decimals', '100', 'value', 'a whole number from 0 to 36', '100'],
    ['decimals', '6.0', 'value', 'a whole number from 0 to 36', '6.0'],
    ['decimals', '-1', 'value', 'a whole number from 0 to 36', '-1'],
    ['timestamp', '"2026-11-01T10:00:00"', 'value', 'an ISO 8601 date-time with a zone', 'a string'],
    ['timestamp', '"2026-02-30T10:00:00Z"', 'value', 'an ISO 8601 date-time with a zone', 'a string'],
    ['timestamp', '20261101', 'type', 'an ISO 8601 date-time', 'a number'],
    ['currencyCode', '"eur"', 'value', 'a three-letter currency code', 'a string'],
    ['currencyCode', '"EURO"', 'value', 'a three-letter currency code', 'a string'],
    ['currencyCode', '"xEUR"', 'value', 'a three-letter currency code', 'a string'],
    ['currencyCode', '978', 'type', 'a currency code', 'a number'],
    ['recordId', '""', 'value', 'a string that is not empty, or a whole number', 'an empty string'],
    ['recordId', '-1', 'value', 'a string that is not empty, or a whole number', '-1'],
    ['recordId', '1.0', 'value', 'a string that is not empty, or a whole number', '1.0'],
    ['recordId', '1'.repeat(33), 'value', 'a string that is not empty, or a whole number', '1'.repeat(33)],
    ['recordId', 'true', 'type', 'a string', 'true or false'],
    ['filled', '""', 'value', 'a string that is not empty', 'an empty string'],
    ['filled', '7', 'type', 'a string', 'a number'],
    ['flag', '"true"', 'type', 'true or false', 'a string'],
    ['list', '{}', 'type', 'a list', 'an object'],
    ['priceList', '[]', 'type', 'an object of prices by currency', 'a list'],
    ['resource', '7', 'type', 'an object', 'a number'],
    ['resource', '"x"', 'type', 'an object', 'a string'],
    ['resource', 'null', 'type', 'an object', 'null'],
  ] satisfies [Scalar, string, string, string, string][])('%s %s', (name, json, problem, expected, found) => {
    expect(readingOf(name, json)).toBe(`${problem}: it: expected ${expected}, found ${found}`);
  });

  it('at its place in a list and in an object', () => {
    expect(readingOf('list', '["a",7]')).toBe('type: it[1]: expected a string, found a number');
    expect(readingOf('priceList', '{"EUR":-1}')).toBe(
      'value: it.EUR: expected a number that is not negative, found -1',
    );
    expect(readingOf('resource', '{"name":[]}')).toBe('type: it.name: expected a string, found a list');
  });
});
