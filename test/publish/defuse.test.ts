import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defuse, profileOf, undefuse } from '../../src/publish/profiles.ts';

const standard = profileOf('standard');
const excel = profileOf('excel');

it.each([
  ['=1+1', "'=1+1"],
  ['+49 123', "'+49 123"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['\nx', "'\nx"],
  ['\0x', "'\0x"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－cmd', "'－cmd"],
  ['＠x', "'＠x"],
  ['−cmd', "'−cmd"],
  ['   =1+1', "'   =1+1"],
  [' \tx', "' \tx"],
  ['\u00A0=1+1', "'\u00A0=1+1"],
  ['\u200B=1+1', "'\u200B=1+1"],
  ['\uFEFF=1+1', "'\uFEFF=1+1"],
  ["'=1+1", "''=1+1"],
])('marks %j as a text', (text, cell) => {
  expect(defuse(text, standard)).toBe(cell);
});

it.each(['', 'order-1', '1-2', '-1.25', '-7', '1.5', 'a=b', "'s-Hertogenbosch", "O'Neil", '  blank', 'é', '#1', "'"])(
  'leaves %j alone',
  (text) => {
    expect(defuse(text, standard)).toBe(text);
  },
);

it.each(['00322', '322', '8023728890597727', '12e5', '1.5E+10', '0012'])(
  'marks the id %j where a spreadsheet would make a number of it, and only there',
  (text) => {
    expect(defuse(text, excel)).toBe(`'${text}`);
    expect(defuse(text, standard)).toBe(text);
  },
);

it.each(['0.5', '-0.43'])('keeps the number %j in every profile', (text) => {
  expect(defuse(text, excel)).toBe(text);
});

it('can always be undone, so no two texts are printed alike', () => {
  const nasty = fc.string({
    unit: fc.constantFrom("'", '=', '-', '0', '1', 'e', ' ', '\t', '\n', 'x', '.', '＝', '"', ',', '\0'),
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 8 })),
      fc.constantFrom(standard, excel),
      (text, profile) => {
        expect(undefuse(defuse(text, profile), profile)).toBe(text);
      },
    ),
    { numRuns: 500 },
  );
});
