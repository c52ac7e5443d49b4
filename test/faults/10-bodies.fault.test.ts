/** Bodies that two readers could read differently, that cannot be true, or that are another record's. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { ExactJsonError, parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { aPurchase } from '../service/bodies.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET } from './harness/scene.ts';

/** What must be said of the record in coverage.csv, and the break that must be open; null where any will do. */
interface Case {
  fault: string;
  change: (text: string, other: string) => string | Buffer;
  outcome: 'verified' | 'quarantined';
  rule?: string;
  /** A cell of records.csv that must be these very digits. */
  cell?: readonly [column: string, value: string];
}

/** Replaces a field's value in the text, of any type. */
const set = (field: string, value: string) => (text: string) => {
  const changed = text.replace(new RegExp(`("${field}":)(?:"[^"]*"|[^,}]+)`), `$1${value}`);
  if (changed === text) throw new Error(`the body has no ${field}`);
  return changed;
};
const without = (field: string) => (text: string) =>
  text.replace(new RegExp(`"${field}":(?:"[^"]*"|[^,{}]+),?`), '').replace(/,}/g, '}');
const adding = (more: string) => (text: string) => text.replace('{', `{${more},`);

const REQUIRED = [
  'cryptoAmount',
  'fiatCurrency',
  'fiatValue',
  'assetExchangeRate',
  'baseServiceFee',
  'networkFee',
  'appliedFee',
  'createdAt',
  'status',
  'paymentMethodType',
  'decimals',
];
const AMOUNTS = ['fiatValue', 'baseServiceFee', 'networkFee', 'appliedFee', 'assetExchangeRate'];

function cases(): Case[] {
  const quarantined = (fault: string, change: Case['change'], rule?: string): Case => ({
    fault,
    change,
    outcome: 'quarantined',
    ...(rule && { rule }),
  });
  const verified = (fault: string, change: Case['change'], more: Partial<Case> = {}): Case => ({
    fault,
    change,
    outcome: 'verified',
    ...more,
  });
  const deep = (levels: number) => adding(`"more":${'['.repeat(levels)}${']'.repeat(levels)}`);
  return [
    quarantined('the same key twice', (text) => adding(`"appliedFee":0`)(text)),
    quarantined('the same key twice, once escaped', adding('"\\u0061ppliedFee":0')),
    quarantined('the same key twice, deep inside', adding('"more":{"a":[{"b":1,"b":2}]}')),
    verified('__proto__ with fees', adding('"__proto__":{"appliedFee":0,"polluted":true}')),
    verified(
      'constructor and prototype',
      adding('"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}'),
    ),
    verified('toString, valueOf, hasOwnProperty', adding('"toString":1,"valueOf":null,"hasOwnProperty":"x"')),
    verified('2^53 + 1', set('fiatValue', '9007199254740993'), {
      rule: 'TOTAL_NOT_FOOTING',
      cell: ['fiat_value', '9007199254740993'],
    }),
    verified('more digits than a double has', set('fiatValue', '104.760000000000000000000000001'), {
      cell: ['fiat_value', '104.760000000000000000000000001'],
    }),
    verified('an exponent', set('fiatValue', '1.0476E+2'), { cell: ['fiat_value', '104.76'] }),
    verified('2^53 + 1 units and 78 digits', set('cryptoAmount', `"${'9'.repeat(78)}"`), {
      cell: ['crypto_units', '9'.repeat(78)],
    }),
    verified('minus nothing', set('networkFee', '-0.0'), { cell: ['network_fee', '0'] }),
    ...[
      '1e400',
      '-1e400',
      '1e-400',
      '1'.repeat(200),
      'NaN',
      'Infinity',
      '-Infinity',
      '0x10',
      '+1',
      '.5',
      '1.',
      '01',
      '1_000',
      '1,5',
      '"4.76"',
      'true',
      '[]',
      '{}',
      'null',
    ].map((value) => quarantined(`a fee of ${value.slice(0, 12)}`, set('appliedFee', value))),
    ...AMOUNTS.map((field) => quarantined(`a negative ${field}`, set(field, '-0.000001'), 'SCHEMA_DRIFT')),
    ...REQUIRED.map((field) => quarantined(`no ${field}`, without(field), 'SCHEMA_DRIFT')),
    ...['"1e18"', '"-1"', '""', '"12.5"', '40000000000000000', '" 1"', '"٣"'].map((value) =>
      quarantined(`units of ${value}`, set('cryptoAmount', value), 'SCHEMA_DRIFT'),
    ),
    ...['18.5', '-1', '37', '1e1'].map((value) =>
      quarantined(`${value} decimals`, set('decimals', value), 'SCHEMA_DRIFT'),
    ),
    ...['"eur"', '"EURO"', '"€"', '""'].map((value) =>
      quarantined(`the currency ${value}`, set('fiatCurrency', value), 'SCHEMA_DRIFT'),
    ),
    ...['"yesterday"', '"2026-13-45T99:00:00Z"', '"2026-11-01T10:00:00"', '0'].map((value) =>
      quarantined(`created at ${value}`, set('createdAt', value), 'SCHEMA_DRIFT'),
    ),
    verified('an unknown status', set('status', '"TELEPORTED"'), {
      rule: 'STATUS_UNKNOWN',
      cell: ['status', 'TELEPORTED'],
    }),
    verified('a status of Object.prototype', set('status', '"__proto__"'), {
      rule: 'STATUS_UNKNOWN',
      cell: ['status', '__proto__'],
    }),
    verified('an unknown payment method', set('paymentMethodType', '"SHELLS"'), { cell: ['payment_method', 'SHELLS'] }),
    quarantined("another record's body", (_, other) => other, 'RECORD_ID_MISMATCH'),
    quarantined('another id', set('id', '"somebodyelse001"'), 'RECORD_ID_MISMATCH'),
    quarantined(
      'an id with other letters',
      (text) => text.replace(/"id":"([^"]+)"/, (_, id: string) => `"id":"${id.toUpperCase()} "`),
      'RECORD_ID_MISMATCH',
    ),
    quarantined('no id', without('id')),
    quarantined('nested 65 deep', deep(65)),
    quarantined('nested 100,000 deep', deep(100_000)),
    verified('nested 60 deep', deep(60)),
    quarantined('a list', (text) => `[${text}]`),
    quarantined('null', () => 'null'),
    quarantined('a text', (text) => JSON.stringify(text)),
    quarantined('something behind it', (text) => `${text}{}`),
    quarantined('bytes that are no UTF-8', (text) =>
      Buffer.concat([
        Buffer.from(adding('"more":"')(text).slice(0, 9)),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('",'),
        Buffer.from(text.slice(1)),
      ]),
    ),
    quarantined('half an escape', adding('"more":"\\uD8"')),
    quarantined('a comment', (text) => `/* */${text}`),
    quarantined('single quotes', (text) => text.replaceAll('"', "'")),
  ];
}

faultRow(
  {
    number: 10,
    fault:
      'malformed body: duplicate keys, `__proto__`, 2^53+1, 1e400, NaN, negative fee, missing field, unknown enum, swapped ids, deep nesting',
    how: 'a proxy writes each into one record of a run; fast-check generates further number texts and bodies',
    mustHold:
      'each record is quarantined or gets the specified break; no body is attributed to another record; no number is silently rounded; no prototype is changed',
  },
  async (row) => {
    generated(row);
    await served(row);
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(PROTOTYPE);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
);

const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype).toSorted();

async function served(row: Row): Promise<void> {
  const all = cases();
  await using scene = await openScene({ records: row.isShort ? 180 : 400, defects: 0 });
  const { place, proxy } = scene;
  const purchases = [...scene.sandbox.trackedLines()].filter(({ kind }) => kind === 'purchase').map(({ id }) => id);
  expect(purchases.length).toBeGreaterThan(all.length);
  const plan = new Map(all.map((each, n) => [purchases[n] ?? '', each]));
  let last = '';
  proxy.meddle = async (call) => {
    const each = plan.get(call.recordId ?? '');
    const { status, headers, body } = await call.real();
    const text = body.toString('utf8');
    const sent = each === undefined ? body : each.change(text, last);
    if (each === undefined && call.path.includes('/purchase/')) last = text;
    call.response.writeHead(status, headers).end(sent);
  };
  // The first record asked for has no other before it.
  last = await (
    await fetch(
      `${scene.sandbox.url}/host-api/purchase/${purchases.at(-1)}?secret=${secretOf(scene.sandbox.trackedLines(), purchases.at(-1))}`,
    )
  ).text();
  const run = await place.process(['run', '--date', SCENE_DATE]);
  expect(run.code, run.err).toBeOneOf([1, 3]);
  const coverage = new Map(place.csv(SCENE_SET, 'coverage').rows.map((each) => [each.record_id, each]));
  const records = new Map(place.csv(SCENE_SET, 'records').rows.map((each) => [each.record_id, each]));
  const breaks = place.csv(SCENE_SET, 'breaks').rows;
  const wrong: string[] = [];
  let misattributed = 0;
  let rounded = 0;
  for (const [id, { fault, outcome, rule, cell }] of plan) {
    const [covered, record] = [coverage.get(id), records.get(id)];
    const rules = breaks.filter((each) => each.record_id === id).map((each) => each.rule);
    if (covered?.outcome !== outcome) wrong.push(`${fault}: ${covered?.outcome} ${covered?.reason}`);
    if (outcome === 'quarantined' && record?.verdict !== 'quarantined')
      wrong.push(`${fault}: verdict ${record?.verdict}`);
    if (rule !== undefined && !rules.includes(rule)) wrong.push(`${fault}: no ${rule}, but ${rules.join(' ')}`);
    // Nothing of a body that was not read may stand in the record's row.
    if (outcome === 'quarantined' && record?.fiat_value !== '') misattributed++;
    if (cell !== undefined && record?.[cell[0]] !== cell[1]) {
      rounded++;
      wrong.push(`${fault}: ${cell[0]} is ${record?.[cell[0]]}`);
    }
  }
  const others = [...records.values()].filter(
    ({ record_id = '', verdict }) => !plan.has(record_id) && verdict === 'quarantined',
  );
  row.measured('bodies served', plan.size);
  row.measured('records with another outcome than specified', wrong.length);
  row.measured('bodies attributed to another record', misattributed);
  row.measured('numbers rounded', rounded);
  row.measured('other records affected', others.length);
  expect(wrong).toEqual([]);
  expect({ misattributed, rounded, others: others.length }).toEqual({ misattributed: 0, rounded: 0, others: 0 });
  expect((await place.process(['verify', 'out'])).code).toBe(0);
}

function secretOf(lines: Iterable<{ id: string; view_token: string }>, id: string | undefined): string {
  for (const line of lines) if (line.id === id) return line.view_token;
  return '';
}

/** In this process: every number text keeps its digits or is refused, and no value of JSON makes the reader stumble. */
function generated(row: Row): void {
  const numRuns = row.isShort ? 2_000 : 100_000;
  const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
  const number = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits(40),
      fc.option(digits(40)),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(4))),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : exponent.join('')}`,
    );
  let kept = 0;
  fc.assert(
    fc.property(number, (text) => {
      const state = readPurchase(aPurchase({ appliedFee: text }));
      if (state === null) return;
      kept++;
      expect(sameNumber(text, state.appliedFee?.toString() ?? ''), text).toBe(true);
    }),
    { seed: row.seed, numRuns },
  );
  const fields = Object.keys(JSON.parse(aPurchase()));
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...fields, '__proto__', 'constructor'), fc.json({ maxDepth: 6 }), (field, value) => {
      const state = readPurchase(aPurchase({ [field]: value }));
      if (state === null) refused++;
      expect(({} as Record<string, unknown>).appliedFee).toBeUndefined();
    }),
    { seed: row.seed, numRuns },
  );
  row.measured('numbers read with every digit', kept);
  row.measured('generated values refused', `${refused} of ${numRuns}`);
  expect(kept).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
}

/** Null where it is refused, as it then must be by an error that says so. */
function readPurchase(text: string) {
  try {
    const reading = normalisePurchase(parseExactJson(text), 'Service');
    return reading.ok ? reading.value : null;
  } catch (error) {
    expect(error).toBeInstanceOf(ExactJsonError);
    return null;
  }
}

/** Two decimal texts as fractions of integers: no code under test, and no floating point. */
function sameNumber(a: string, b: string): boolean {
  const [one, other] = [fraction(a), fraction(b)];
  return one.over * other.under === other.over * one.under;
}

function fraction(text: string): { over: bigint; under: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', places = ''] = mantissa.split('.');
  const shift = Number(exponent) - places.length;
  const over = BigInt(`${whole}${places}`);
  return shift >= 0 ? { over: over * 10n ** BigInt(shift), under: 1n } : { over, under: 10n ** BigInt(-shift) };
}
