/** The types of the guides' examples agree with the tree's. Not in `npm test`: the whole tree takes half a minute of processor time. */
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { copyTree, performGuide, run } from './perform.ts';

it('npm run types succeeds with the examples of all guides in the tree', { timeout: 300_000 }, () => {
  const copy = copyTree();
  try {
    for (const what of ['job', 'report', 'rule']) {
      expect(performGuide(`docs/contributing/adding-a-${what}.md`, copy).commands).toContain('npm run types');
    }
    run('npm run types', copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
