import { describe, expect, test } from 'vitest';
import { readYaml } from '../../../config/yaml-file.ts';
import { readPriceList } from '../../../src/books/prices/read-price-list.ts';

/** Line 4 of the file is the version's, and the fees begin on line 7. */
function list(...fees: string[]) {
  const head = ['name: Partner', '# signed', 'versions:', '  - version: "2026"', '    from: 2026-01-01', '    fees:'];
  return readPriceList(readYaml([...head, ...fees.map((fee) => `      - ${fee}`)].join('\n'), 'prices.yaml'));
}

function problems(...fees: string[]): string[] {
  const read = list(...fees);
  return 'problems' in read ? read.problems.map(({ line, message }) => `${line}: ${message}`) : [];
}

describe('lines that could both hold for one record', () => {
  test.each([
    ['other methods', ['{ method: PIX, percent: 1 }', '{ method: CARD_PAYMENT, percent: 2 }'], []],
    [
      'a method and all',
      ['{ method: PIX, percent: 1 }', '{ currency: EUR, percent: 2 }'],
      ['8: overlaps line 7: a record could have both prices'],
    ],
    [
      'lists that share one',
      ['{ method: [PIX, CARD], percent: 1 }', '{ method: [SEPA, PIX], percent: 2 }'],
      ['8: overlaps line 7: a record could have both prices'],
    ],
    [
      'bands that touch',
      ['{ currency: EUR, amount: { to: 100 }, percent: 2 }', '{ currency: EUR, amount: { from: 100 }, percent: 1 }'],
      [],
    ],
    [
      'bands that meet',
      ['{ currency: EUR, amount: { to: 100.01 }, percent: 2 }', '{ currency: EUR, amount: { from: 100 }, percent: 1 }'],
      ['8: overlaps line 7: a record could have both prices'],
    ],
    [
      'days that touch',
      [
        '{ method: PIX, date: { to: 2026-03-01 }, percent: 2 }',
        '{ method: PIX, date: { from: 2026-03-01 }, percent: 1 }',
      ],
      [],
    ],
    ['a default beside others', ['{ method: PIX, percent: 1 }', '{ default: true, percent: 2 }'], []],
    [
      'two defaults',
      ['{ default: true, percent: 1 }', '{ default: true, percent: 2 }'],
      ['8: overlaps line 7: a record could have both prices'],
    ],
  ])('%s', (_name, fees, expected) => {
    expect(problems(...fees)).toEqual(expected);
  });
});

describe('gaps', () => {
  test.each([
    [
      'bands of amounts',
      '{ currency: EUR, amount: { to: 100 }, percent: 2 }',
      '{ currency: EUR, amount: { from: 101 }, percent: 1 }',
      '8: amounts from 100 to 101 EUR have no price',
    ],
    [
      'dates of one price',
      '{ method: PIX, date: { to: 2026-03-01 }, percent: 2 }',
      '{ method: PIX, date: { from: 2026-03-05 }, percent: 1 }',
      '8: 2026-03-01 to 2026-03-04 has no price',
    ],
  ])('between %s', (_, one, other, says) => {
    expect(problems(one, other)).toEqual([says]);
  });

  test('and overlaps between versions', () => {
    const version = (name: string, from: string, to: string) =>
      `  - version: ${name}\n    from: ${from}\n    to: ${to}\n    fees: [{ default: true, percent: 1 }]`;
    const text = (...versions: string[]) => `name: P\nversions:\n${versions.join('\n')}\n`;
    const read = readPriceList(
      readYaml(
        text(
          version('a', '2026-01-01', '2026-02-01'),
          version('b', '2026-02-03', '2026-04-01'),
          version('c', '2026-03-01', '2026-05-01'),
        ),
        'p',
      ),
    );
    expect(read).toMatchObject({
      problems: [
        { line: 7, message: 'version b: 2026-02-01 to 2026-02-02 is in no version' },
        { line: 11, message: 'version c: begins on 2026-03-01, before version b ends' },
      ],
    });
  });
});

test.each([
  ['{ method: PIX }', '7: has neither percent nor fixed: it names no fee'],
  ['{ percent: 1 }', '7: asks for nothing: write default: true if it holds for all others'],
  ['{ method: PIX, fixed: 1 }', '7: names amounts of money, and so must name their one currency'],
  [
    '{ method: PIX, default: true, percent: 1 }',
    '7: is the default for all other records, and so cannot ask for method',
  ],
  ['{ method: PIX, percent: -1 }', '7: percent: must be a number such as 2.49, not negative (found -1)'],
  ['{ currency: EUR, percent: 1, minimum: 5, maximum: 4 }', '7: minimum is above maximum'],
  ['{ currency: EUR, percent: 1, amount: { from: 50, to: 50 } }', '7: amount: to is not above from'],
  ['{ method: PIX, percent: 1, date: { from: 2026-03-02, to: 2026-03-01 } }', '7: date: to is not after from'],
  ['{ method: PIX, percnt: 1 }', '7: percnt: there is no such entry'],
  ['{ currency: EURO, percent: 1 }', '7: currency: must be an ISO 4217 code such as EUR (found EURO)'],
  [
    '{ method: PIX, date: { from: 2026-02-30 }, percent: 1 }',
    '7: from: must be a date such as 2026-01-01 (found 2026-02-30)',
  ],
])('%s is refused', (fee, problem) => {
  expect(problems(fee)).toEqual([problem]);
});

test('a list that is good, every digit of it', () => {
  expect(list('{ method: PIX, currency: BRL, percent: 1.990000000000000001, minimum: 0.10 }')).toMatchObject({
    name: 'Partner',
    versions: [
      { version: '2026', from: Date.parse('2026-01-01T00:00:00Z'), to: null, lines: [{ line: 7, methods: ['PIX'] }] },
    ],
  });
});
