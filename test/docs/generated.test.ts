/** Texts that are made from the code are as `npm run generate` writes them. The golden sets have tests of their own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { RULES } from '../../src/rules/index.ts';
import { GENERATE, GENERATED, ROOT } from '../golden/generate.ts';

const guide = readFileSync(join(ROOT, 'docs/finance-guide.md'), 'utf8');

it.each(GENERATED)('$path is up to date: $name', ({ path, text }) => {
  expect(readFileSync(join(ROOT, path), 'utf8'), `${path} is not up to date: ${GENERATE}`).toBe(text());
});

it('the finance guide has the columns of a report in a table', () => {
  expect(guide).toContain(
    "| `fee_adjustment` | `applied_fee` − `base_fee` − `network_fee`: discounts and host cuts | row's currency; minus: a discount | one of the three is not known |",
  );
  expect(guide).toContain('| `fetched_at` | when the judged body was received | UTC | not read |');
});

it('every report and every break code is there', () => {
  for (const { definition } of REPORTS) expect(guide).toContain(`\n### ${definition.name}.csv\n`);
  for (const { code } of RULES) expect(guide).toContain(`\n| \`${code}\` |`);
});
