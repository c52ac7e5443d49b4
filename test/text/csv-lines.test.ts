import { expect, test } from 'vitest';
import { parseCsv } from '../../src/app/read-csv.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';

// Four megabytes of empty cells took more memory than a process has.
test('a file of very many short rows is refused', () => {
  const text = `date;amount;currency\n${';\n'.repeat(500_001)}`;
  expect(() => parseCsv(text, 'a.csv', ['date'])).toThrow(
    'a.csv: has more than 500,000 rows: split it, for example by month',
  );
  expect(() => readStatement(text, 'csv')).toThrow('The statement has more than 500,000 rows');
});
