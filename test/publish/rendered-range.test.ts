/** A thread renders one range after another; each leaves it with its own rows and none of the others'. */
import { expect, it } from 'vitest';
import { memoryOf, RangeRenderer } from '../../src/publish/rendered-range.ts';
import { aRecord, RECORDS } from './support/a-set.ts';

const FACTS = { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', timezone: 'UTC' };

/** Renders records with these ids, as CSV and NDJSON, and hands the memory over as a thread does. */
function rangeOf(...ids: string[]): string[] {
  const range = new RangeRenderer([], FACTS, { profile: 'standard', decimals: 'exact', formats: ['csv', 'json'] });
  const report = range.open(RECORDS);
  for (const id of ids) report.write([aRecord({ id })]);
  const rendered = range.rendered();
  const { tables } = structuredClone(rendered, { transfer: memoryOf(rendered) });
  return tables.map(({ pieces }) => Buffer.concat(pieces).toString());
}

const ids = (text: string | undefined) => text?.match(/\b[ab]\d+\b/g) ?? [];

it('ranges after one another share no row, and neither do the tables of one', () => {
  const [first, second] = [rangeOf('a1', 'a2', 'a3'), rangeOf('b1')];
  expect(first.map(ids)).toEqual([
    ['a1', 'a2', 'a3'],
    ['a1', 'a2', 'a3'],
  ]);
  expect(second.map(ids)).toEqual([['b1'], ['b1']]);
  expect(second[0]).not.toContain('{');
  expect(second[1]).toMatch(/^\{.*\}\n$/);
});

it('a range of more text than a buffer holds is whole', () => {
  const many = Array.from({ length: 2000 }, (_, n) => `a${n}`);
  expect(rangeOf(...many).map(ids)).toEqual([many, many]);
});
