/** docs/adding-a-report.md: its example is performed in a copy of the tree, and the checks that it names are run there. */
import { expect, it } from 'vitest';
import { performGuide } from './perform.ts';

it('a report is one file, its test and a line of the list; the rest is generated', { timeout: 120_000 }, () => {
  const { created, edited, ran } = performGuide('docs/adding-a-report.md');
  expect(created).toEqual(['reports/discounts.ts', 'test/reports/discounts.test.ts']);
  expect(edited).toEqual(['reports/index.ts']);
  const failed = ran.filter(({ status }) => status !== 0).map(({ command, output }) => `${command}\n${output}`);
  expect(failed).toEqual([]);
  const [generate = '', , checks = ''] = ran.map(({ output }) => output);
  expect(generate).toContain('test/golden/excel-eu/discounts.csv');
  expect(generate).toContain('docs/finance-guide.md');
  expect(checks).toMatch(/test\/reports\/discounts\.test\.ts \(4 tests\)/);
});
