/** docs/adding-a-job.md: its example is performed in a copy of the tree, and the checks that it names are run there. */
import { expect, it } from 'vitest';
import { performGuide } from './perform.ts';

it('a job is one file, its test and a line of the list', { timeout: 120_000 }, () => {
  const { created, edited, ran } = performGuide('docs/adding-a-job.md');
  expect(created).toEqual(['jobs/weekly-audit.ts', 'test/jobs/weekly-audit.test.ts']);
  expect(edited).toEqual(['jobs/index.ts']);
  const failed = ran.filter(({ status }) => status !== 0).map(({ command, output }) => `${command}\n${output}`);
  expect(failed).toEqual([]);
  expect(ran[0]?.output).toMatch(/test\/jobs\/weekly-audit\.test\.ts \(1 test\)/);
});
