import { expect, it } from 'vitest';
import { tables, timesOf } from './table.ts';

const file = (name: string, seconds: number, checks: number) => ({
  name: `/home/ann/tieout/test/${name}`,
  startTime: 1_000,
  endTime: 1_000 + seconds * 1000,
  assertionResults: Array.from({ length: checks }, () => ({ status: 'passed' })),
});

it('adds up folders, and lists the slowest files first', () => {
  const before = timesOf({ testResults: [file('store/copy.test.ts', 8, 22), file('demo.test.ts', 3, 1)] });
  const after = timesOf({
    testResults: [file('store/copy.test.ts', 2, 22), file('store/postgres/roles.test.ts', 2.5, 3)],
  });
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
