import { expect, it } from 'vitest';
import { lackingInWords, listedReasons, notJudgedInWords } from '../../src/domain/not-judged.ts';

it('says how many records were not judged by every rule, why most of them, and what to do', () => {
  const reasons = new Map([
    ['SLIPPAGE: no market price of its hours is known', 2],
    ['AMOUNT_OUT_OF_LIMITS: no list of its time was captured', 10],
  ]);
  expect(notJudgedInWords(11, reasons)).toBe(
    '11 records were not judged by every rule (10 AMOUNT_OUT_OF_LIMITS: no list of its time was captured; ' +
      '2 SLIPPAGE: no market price of its hours is known): capture reference data every hour; capture a quote for each purchase and sale.',
  );
  const third = new Map([...reasons, ['SLIPPAGE: no quote', 1]]);
  expect(notJudgedInWords(11, third)).toContain('is known; 1 more reason in records.csv, column not_judged): capture');
  expect(notJudgedInWords(1, new Map([['SLIPPAGE: no quote', 1]]))).toContain('): capture a quote for each');
  expect(notJudgedInWords(0, new Map())).toBeNull();
});

it('names all rules that lack the same: of a backfill that no bounds were held against its fees', () => {
  const lists = ['AMOUNT_OUT_OF_LIMITS', 'ASSET_NOT_AVAILABLE', 'METHOD_UNSUPPORTED', 'FEE_OUT_OF_BOUNDS'];
  const reasons = lists.map((code, n): [string, number] => [`${code}: no list of its time was captured`, 9 - n]);
  expect(notJudgedInWords(9, new Map([...reasons, ['SLIPPAGE: no quote', 9]]))).toBe(
    '9 records were not judged by every rule (9 AMOUNT_OUT_OF_LIMITS, 8 ASSET_NOT_AVAILABLE, 7 METHOD_UNSUPPORTED, 6 FEE_OUT_OF_BOUNDS: ' +
      'no list of its time was captured; 9 SLIPPAGE: no quote): capture reference data every hour; capture a quote for each purchase and sale.',
  );
});

it('counts the absent fields, the most frequent first', () => {
  const lacking = new Map([
    ['asset.type', 1],
    ['updatedAt', 12],
  ]);
  expect(lackingInWords(lacking)).toBe(
    'Fields of the specification are absent: updatedAt in 12 bodies, asset.type in 1 body.',
  );
  expect(lackingInWords(new Map())).toBeNull();
});

it('lists the two hundred most frequent reasons by name, and the others in one line', () => {
  const reasons = new Map(
    Array.from({ length: 300 }, (_, n): [string, number] => [`R: ${1_000 + n}`, n === 299 ? 5 : 1]),
  );
  const listed = listedReasons(reasons);
  expect(listed).toHaveLength(201);
  expect(listed[0]).toEqual(['R: 1000', 1]);
  expect(listed.slice(-2)).toEqual([
    ['R: 1299', 5],
    ['100 more reasons', 100],
  ]);
  expect(listedReasons(new Map([...reasons].reverse()))).toEqual(listed);
});
