/** Which build made a set, and what two builds make of the same rows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { changeOf } from '../../src/app/compare-versions.ts';
import { CODE_VERSION, versionOf } from '../../src/app/version.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-versions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let roots = 0;
function aRoot(files: Readonly<Record<string, string>>): string {
  const root = join(folder, `root-${roots++}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const COMMIT = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';

it.each<[string, Readonly<Record<string, string>>]>([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${COMMIT}\n` }],
  ['no branch', { '.git/HEAD': `${COMMIT}\n` }],
  [
    'a packed branch',
    { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n` },
  ],
  [
    'a second worktree',
    {
      '.git': 'gitdir: main.git/worktrees/second\n',
      'main.git/worktrees/second/HEAD': 'ref: refs/heads/second\n',
      'main.git/worktrees/second/commondir': '../..\n',
      'main.git/refs/heads/second': `${COMMIT}\n`,
    },
  ],
])('a checkout on %s is its commit', (_, files) => {
  expect(versionOf(aRoot(files))).toBe(`${CODE_VERSION}+a1b2c3d4e5f6`);
});

it('a package is the hash of its code, which any change of it changes', () => {
  const one = versionOf(aRoot({ 'dist/a.js': '1', 'dist/b/c.js': '2', 'README.md': 'x' }));
  expect(one).toMatch(/^0\.1\.0\+[0-9a-f]{12}$/);
  expect(versionOf(aRoot({ 'dist/a.js': '1', 'dist/b/c.js': '2', 'README.md': 'y' }))).toBe(one);
  expect(versionOf(aRoot({ 'dist/a.js': '1', 'dist/b/c.js': '3', 'README.md': 'x' }))).not.toBe(one);
});

it('the columns and the number of rows that differ are told, whatever rows come or go', async () => {
  const head = 'kind,record_id,rule,difference,explanation\n';
  const before = aRoot({
    'breaks.csv': `${head}purchase,p1,A,1.00,one\npurchase,p2,A,2.00,two\npurchase,p3,A,3.00,three\n`,
  });
  const now = aRoot({
    'breaks.csv': `${head}purchase,p0,A,0.00,new\npurchase,p1,A,1.00,one\npurchase,p2,A,2.50,"two, more"\n`,
  });
  expect(await changeOf(before, now, 'breaks.csv')).toEqual({
    name: 'breaks.csv',
    rows: 3,
    columns: ['difference', 'explanation'],
  });
  expect(await changeOf(before, before, 'breaks.csv')).toEqual({ name: 'breaks.csv', rows: 0, columns: [] });
});
