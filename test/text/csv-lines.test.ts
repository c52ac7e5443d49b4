import { expect, test } from 'vitest';
import { parseCsv } from '../../src/app/read-csv.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS } from '../support/builders.ts';

// Four megabytes of empty cells took more memory than a process has.
test('a file of very many short rows is refused', () => {
  const text = `date;amount;currency\n${'a;b;c\n'.repeat(500_002)}`;
  expect(() => parseCsv(text, 'a.csv', ['date'])).toThrow(
    'a.csv: has more than 500,000 rows: split it, for example by month',
  );
  expect(() => readStatement(text, 'csv', STATEMENT_TERMS)).toThrow('The statement has more than 500,000 rows');
});

test('a line of very many cells is refused', () => {
  expect(() => parseCsv(`date${';'.repeat(300_000)}`, 'a.csv', ['date'])).toThrow(
    'a.csv: has a line of more than 256 KiB',
  );
});

test('also where line breaks between quotes cut it into shorter ones; many of them in one text do not add up', () => {
  const row = `date${';'.repeat(200_000)}"\n"`;
  expect(() => parseCsv(row.repeat(2), 'a.csv', ['date'])).toThrow('a.csv: has a line of more than 256 KiB');
  expect(parseCsv(`date;text\n${'1;"a ""b""\n"\n'.repeat(50_000)}`, 'a.csv', ['date'])).toHaveLength(50_000);
});

test('the line of a row that is too long is named, and that of a quote in the middle of a cell', () => {
  const rest = '2;bbbbbbbbbbbbbbbbb\n'.repeat(20_000);
  expect(() => parseCsv(`date;text\r\n1;"5 inch\r\n${rest}`, 'a.csv', ['date'])).toThrow('256 KiB: line 2');
  expect(() => parseCsv(`date;text\n1;5" screen\n${rest}`, 'a.csv', ['date'])).toThrow('at line 2');
});

test('so is a statement of very many movements', () => {
  const text = `:60F:C261101EUR1,00\n${':61:\n'.repeat(500_002)}`;
  expect(() => readStatement(text, 'mt940', STATEMENT_TERMS)).toThrow('The statement has more than 500,000 lines :61:');
});
