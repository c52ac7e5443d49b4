/** docs/adding-a-rule.md: its example is performed in a copy of the tree, and the checks that it names are run there. */
import { expect, it } from 'vitest';
import { performGuide } from './perform.ts';

it('a rule is one file, its test and its name in the list; the rest is generated', { timeout: 180_000 }, () => {
  const { created, edited, ran } = performGuide('docs/adding-a-rule.md');
  expect(created).toEqual(['src/rules/host-cut-too-high.ts', 'test/rules/host-cut-too-high.test.ts']);
  expect(edited).toEqual(['src/rules/index.ts']);
  const failed = ran.filter(({ status }) => status !== 0).map(({ command, output }) => `${command}\n${output}`);
  expect(failed).toEqual([]);
  const [generate = '', , , checks = ''] = ran.map(({ output }) => output);
  expect(generate).toContain('docs/finance-guide.md');
  expect(checks).toMatch(/test\/rules\/host-cut-too-high\.test\.ts \(4 tests\)/);
});
