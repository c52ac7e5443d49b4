/** Excel does not run here; the parser of its language, by those who make it, does. */
import { readFileSync } from 'node:fs';
import { DefaultSettings, TaskUtils } from '@microsoft/powerquery-parser';
import { expect, test } from 'vitest';

const text = readFileSync(new URL('../../docs/how-to/analysing.md', import.meta.url), 'utf8');
const queries = [...text.matchAll(/```text\n(let\n.*?)```/gs)].map(([, query = '']) => query);

test('the recipes for Power Query can be parsed', async () => {
  expect(queries).toHaveLength(2);
  for (const query of queries) {
    expect(TaskUtils.isParseStageOk(await TaskUtils.tryLexParse(DefaultSettings, query)), query).toBe(true);
    const cut = await TaskUtils.tryLexParse(DefaultSettings, query.replace('in\n', '\n'));
    expect(TaskUtils.isParseStageOk(cut)).toBe(false);
  }
});
