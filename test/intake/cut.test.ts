/** The part of a rejected line that is shown. */
import { expect, it } from 'vitest';
import { cutCells, cutObject, cutWords } from '../../src/intake/cut.ts';

const HEADER = ['kind', 'id', 'view_token', 'created_at', 'host_reference', 'shown_total', 'plan'];
const cut = (...cells: string[]) => cutCells(HEADER, cells);

it.each([
  [
    'known columns, not the token and not unknown ones',
    ['sale', 'a b', 'tok-1', '2026-13-01', 'order 7', '5.00', 'gold'],
    'sale,a b,[cut],2026-13-01,order 7,5.00,[cut]',
  ],
  [
    'no value that its column does not fit',
    ['sale 2', 'abc', 't', 'now', 'x', '5 EUR', ''],
    '[cut],abc,[cut],[cut],x,[cut],',
  ],
  [
    'no free text that has the token in it',
    ['sale', 'abc', 'tok', '', 'see tok here', '', ''],
    'sale,abc,[cut],,[cut],,',
  ],
  [
    'no amount that may be a token of digits',
    ['sale', 'abc', 't', '', 'x', '1234567890123456', ''],
    'sale,abc,[cut],,x,[cut],',
  ],
  [
    'no free text beside an id that is none: cells may have moved',
    ['sale', 'tok.1', '', '', 'order 7', '', ''],
    'sale,[cut],,,[cut],,',
  ],
  ['free text beside a missing id', ['sale', '', 't', '', 'order 7', '', ''], 'sale,,[cut],,order 7,,'],
  ['cells beyond the header cut', ['sale', 'abc', 't', '', '', '', '', 'more'], 'sale,abc,[cut],,,,,[cut]'],
  ['quoted what needs it', ['sale', 'abc', 't', '', 'a "b", c', '', ''], 'sale,abc,[cut],,"a ""b"", c",,'],
])('a line shows %s', (_, cells, shown) => {
  expect(cut(...cells)).toBe(shown);
});

it('a long line is shown by its beginning', () => {
  expect(cut('sale', 'abc', 't', '', 'x'.repeat(600))).toHaveLength(500);
  expect(cutObject({ host_reference: 'x'.repeat(600) })).toHaveLength(500);
  expect(cutWords('a b '.repeat(200))).toHaveLength(500);
});

it('an object shows the same, and no key that may be a token', () => {
  const object = {
    kind: 'sale',
    id: 'abc',
    view_token: 'tok',
    quote_id: null,
    shown_fee: 5,
    plan: 'gold',
    host_reference: 'a tok',
    nested: { id: 1 },
    S3cretT0ken: 'x',
  };
  expect(JSON.parse(cutObject(object))).toEqual({
    kind: 'sale',
    id: 'abc',
    view_token: '[cut]',
    quote_id: null,
    shown_fee: 5,
    plan: '[cut]',
    host_reference: '[cut]',
    nested: '[cut]',
    '(9)': '[cut]',
  });
  expect(cutObject({ id: 'tok.1', host_reference: 'order 7' })).toBe('{"id":"[cut]","host_reference":"[cut]"}');
  expect(cutObject({ id: 17, host_reference: 'x' })).toBe('{"id":17,"host_reference":"x"}');
});

it('a line that cannot be taken apart keeps its signs and its short words', () => {
  expect(cutWords('{"kind":"purchase","id":"abcdef", tok-1234 [12345]')).toBe(
    '{"kind":"purchase","id":"[cut]", [cut] [12345]',
  );
});
