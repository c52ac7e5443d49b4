import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import {
  type ExactJson,
  ExactJsonError,
  exactJsonText,
  isExactObject,
  parseExactJson,
} from '../../src/service/exact-json.ts';
import { ExactNumber } from '../../src/service/wire/exact-number.ts';

function problem(text: string): { reason: string; position: number } {
  try {
    parseExactJson(text);
  } catch (error) {
    if (error instanceof ExactJsonError) return { reason: error.reason, position: error.position };
    throw error;
  }
  return { reason: 'none', position: -1 };
}

function numberIn(text: string): string {
  const value = parseExactJson(text);
  return value instanceof ExactNumber ? value.text : 'not a number';
}

describe('numbers', () => {
  it.each([
    '0',
    '-0',
    '10',
    '0.5247524752475248',
    '12345678901234567.12345678901234567',
    '1180.9032500905719',
    '1e-7',
    '1.50E+3',
    '-0.43',
    '100000000000000000000000000000000000001',
  ])('keep every digit: %s', (text) => {
    expect(numberIn(text)).toBe(text);
  });

  it.each([`${'1'.repeat(120)}`, `0.${'1'.repeat(119)}`, '1e120', '1e-120', '1.5e-119', '1e-000120'])(
    'have at most 120 digits, on either side of the point: %s',
    (text) => {
      expect(numberIn(text)).toBe(text);
    },
  );

  it.each([
    '1'.repeat(121),
    `0.${'1'.repeat(120)}`,
    '1e121',
    '1e-121',
    '1.5e-120',
    '1e0000001',
    '1e400',
    '-1e400',
    '1e-300',
    `0.${'1'.repeat(60)}e-61`,
    '1e9999999',
  ])('that no amount can be are refused: %s', (text) => {
    expect(problem(`[${text}]`)).toEqual({ reason: 'number', position: 1 });
  });

  it.each(['NaN', 'Infinity', '-Infinity', '01', '-', '+1', '.5', '1.', '1e', '0x10', '1_000'])(
    'must be JSON: %s',
    (text) => {
      expect(problem(`[${text}]`).reason).toBe('syntax');
    },
  );

  it('with a leading zero are wrong behind it', () => {
    expect(problem('[-012]')).toEqual({ reason: 'syntax', position: 3 });
  });

  it('that were read can all be calculated with', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,70})(\.\d{1,70})?([eE][+-]?\d{1,4})?$/), (text) => {
        const reason = problem(text).reason;
        if (reason === 'none') Decimal.parse(text);
        else expect(() => Decimal.parse(text)).toThrow();
      }),
    );
  });
});

describe('objects', () => {
  it('must not have a key twice', () => {
    expect(problem('{"fee":1,"id":"a","fee":2}')).toEqual({ reason: 'duplicate-key', position: 18 });
    expect(problem('{"a":{"b":1,"\\u0062":2}}').reason).toBe('duplicate-key');
  });

  it('have __proto__ and constructor as keys like any other', () => {
    const value = parseExactJson('{"__proto__":{"fee":"1"},"constructor":"x"}');
    if (!isExactObject(value)) throw new Error('no object');
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    const inherited: unknown = Object.getPrototypeOf(value);
    expect(Reflect.ownKeys(Object(inherited))).toEqual([]);
    expect(Object.isFrozen(inherited)).toBe(true);
    expect(Object.getPrototypeOf(inherited)).toBeNull();
    expect('fee' in value).toBe(false);
    expect(problem('{"__proto__":1,"__proto__":2}').reason).toBe('duplicate-key');
  });

  it('must not nest deeper than a stack bears', () => {
    expect(problem('['.repeat(64) + ']'.repeat(64)).reason).toBe('none');
    expect(problem(`[${'[],{},'.repeat(65)}[]]`).reason).toBe('none');
    expect(problem('['.repeat(65) + ']'.repeat(65))).toEqual({ reason: 'depth', position: 64 });
    expect(problem('{"a":'.repeat(500_000)).reason).toBe('depth');
  });
});

describe('texts', () => {
  it.each([
    ['"\\u0041\\n\\"\\/"', 'A\n"/'],
    ['"\\ud83d\\ude00"', '😀'],
    // No file and no database holds half of a pair.
    ['"\\ud83d"', '\ufffd'],
    ['"\ud83d"', '\ud83d'],
    ['"żółć"', 'żółć'],
  ])('%s', (text, expected) => {
    expect(parseExactJson(text)).toBe(expected);
  });

  it.each(['"\t"', '"\\x"', '"\\u12G4"', '"\\uG', '"\\u1G', "'a'"])('must be JSON: %s', (text) => {
    expect(problem(text).reason).toBe('syntax');
  });
});

describe('what ends too early', () => {
  it.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '[',
    '[1',
    '"abc',
    '"\\',
    '"\\u12',
    'tru',
    '-',
    '1.',
    '1e',
  ])('is distinguished from wrong syntax: %j', (text) => {
    expect(problem(text)).toEqual({ reason: 'truncated', position: text.length });
  });

  it.each(['{} x', '[1] [2]', 'true,', '{"a":1}}', '[1,]', '{"a":1,}', '{a:1}', '{"a" 1}', '[1 2]', 'nulL', '// x'])(
    'is not: %s',
    (text) => {
      expect(problem(text).reason).toBe('syntax');
    },
  );
});

/** What JSON.parse would have made of it. */
function plain(value: ExactJson): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!isExactObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, field] of Object.entries(value)) copy[key] = plain(field);
  return copy;
}

/** Without prototypes, as ours are. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, field] of Object.entries(value)) copy[key] = bare(field);
  return copy;
}

describe('beside JSON.parse', () => {
  const bearable = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((n) => Math.abs(Math.log10(Math.abs(n) || 1)) < 90);
  const values = fc.jsonValue({ maxDepth: 4 }).filter((value) => !/e[+-]\d{3}/.test(JSON.stringify(value)));

  it('reads everything that JSON.stringify prints as the same', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0, 1, '\t', '\r'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(plain(parseExactJson(text))).toEqual(bare(JSON.parse(text)));
      }),
    );
  });

  it('reads the same numbers', () => {
    fc.assert(
      fc.property(bearable, (n) => {
        expect(Number(numberIn(JSON.stringify(n)))).toBe(n === 0 ? 0 : n);
      }),
    );
  });

  it('refuses everything that JSON.parse refuses', () => {
    const broken = fc.tuple(values, fc.nat(), fc.string({ minLength: 1, maxLength: 2 })).map(([value, at, noise]) => {
      const text = JSON.stringify(value);
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + noise + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(broken, (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        const { reason } = problem(text);
        if (!parses) expect(['syntax', 'truncated', 'duplicate-key', 'number']).toContain(reason);
        else expect(['none', 'duplicate-key', 'number']).toContain(reason);
      }),
      { numRuns: 500 },
    );
  });

  it('prints back what it read, digit for digit', () => {
    const text = '{"a":[1.10,-0,1e-7],"b":{"c":"\\"x\\"","d":null},"e":true}';
    expect(exactJsonText(parseExactJson(text))).toBe(text);
  });
});

it('errors say where and never what', () => {
  expect(() => parseExactJson('{"secret":"mg3voq92hd2mbdht",}')).toThrow(
    'the body cannot be read: it is not JSON (at character 29)',
  );
});
