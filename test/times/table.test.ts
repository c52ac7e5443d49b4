import { expect, it } from 'vitest';
import { tables, timesOf } from './table.ts';

const PLACE = '/home/ann/tieout/test/';
const run = (...files: [name: string, seconds: number, checks: number][]) =>
  timesOf(
    {
      testResults: files.map(([name, , checks]) => ({ name: PLACE + name, assertionResults: Array(checks).fill({}) })),
    },
    files.map(([name, seconds]) => `${seconds.toFixed(2)} ${PLACE}${name}\n`).join(''),
  );

it('adds up folders, and lists the slowest files first', () => {
  const before = run(['store/copy.test.ts', 8, 22], ['demo.test.ts', 3, 1]);
  const after = run(['store/copy.test.ts', 2, 22], ['store/postgres/roles.test.ts', 2.5, 3]);
  expect(tables(before, after).split('\n')).toEqual([
    '| folder | seconds before | seconds now | checks before | checks now |',
    '|---|---|---|---|---|',
    '| `test` | 3.0 |  | 1 |  |',
    '| `test/store` | 8.0 | 4.5 | 22 | 25 |',
    '| all | 11.0 | 4.5 | 23 | 25 |',
    '',
    '| file | seconds before | seconds now | checks before | checks now |',
    '|---|---|---|---|---|',
    '| `test/store/postgres/roles.test.ts` |  | 2.5 |  | 3 |',
    '| `test/store/copy.test.ts` | 8.0 | 2.0 | 22 | 22 |',
  ]);
});
