/** Our CSV reader is equal to csv-parse, over what csv-stringify wrote. */
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader, CsvSyntaxError } from '../../src/publish/csv-reader.ts';

const DIALECTS = [
  { delimiter: ',', lineEnd: '\n' },
  { delimiter: ',', lineEnd: '\r\n' },
  { delimiter: ';', lineEnd: '\r\n' },
] as const;

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom(',', ';', '"', '\n', '\r', ' ', 'a', "'", '='), maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const table = fc
  .integer({ min: 2, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }));

/** What the reader makes of a text that comes in pieces of so many characters. */
function read(text: string, piece: number, dialect: (typeof DIALECTS)[number]): string[][] {
  const reader = new CsvReader(dialect);
  const rows: string[][] = [];
  for (let at = 0; at < text.length; at += piece) rows.push(...reader.push(text.slice(at, at + piece)));
  return [...rows, ...reader.end()];
}

describe.each(DIALECTS)('with $delimiter and line end %j', (dialect) => {
  const { delimiter, lineEnd } = dialect;

  it('reads back what csv-stringify wrote, in pieces of any size', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 40 }), (rows, piece) => {
        expect(read(stringify(rows, { delimiter, record_delimiter: lineEnd }), piece, dialect)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('reads what csv-parse reads, and refuses what csv-parse refuses', () => {
    const text = fc.string({ unit: fc.constantFrom(',', ';', '"', '\n', '\r', 'a', 'b'), maxLength: 24 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), (csv, piece) => {
        const expected = outcome(() => parse(csv, { delimiter, record_delimiter: lineEnd, relax_column_count: true }));
        expect(outcome(() => read(csv, piece, dialect))).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
  });
});

function outcome(work: () => string[][]): string[][] | 'refused' {
  try {
    return work();
  } catch {
    return 'refused';
  }
}

it('does not wait for the end of a quote that is never closed', () => {
  const reader = new CsvReader({ delimiter: ',', lineEnd: '\n' });
  const million = 'x'.repeat(1_000_000);
  expect(() => {
    reader.push('a,"');
    for (let i = 0; i < 10; i++) reader.push(million);
  }).toThrow(CsvSyntaxError);
});
