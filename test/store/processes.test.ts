import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start } from './support/child-process.ts';
import { ENGINES, temporaryFolder } from './support/engines.ts';
import { shareDatabase } from './support/two-processes.ts';

for (const engine of ENGINES.filter(({ name }) => name === 'SQLite')) shareDatabase(engine);

describe('two processes beside one file', () => {
  it('make one key, when they start at the same moment', async () => {
    using folder = temporaryFolder();
    const children = Array.from({ length: 3 }, () => start('key-maker.ts', join(folder.path, 'tieout.db.key')));
    const keys = await Promise.all(children.map((child) => child.output));
    expect(new Set(keys).size).toBe(1);
    expect(Buffer.from(String(keys[0]), 'base64')).toHaveLength(32);
  });
});
