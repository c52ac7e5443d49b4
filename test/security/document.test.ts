/** SECURITY.md claims nothing that no test shows: the rows that it names are there, and so are its links. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const rows = readdirSync(join(ROOT, 'test/faults')).flatMap(
  (name) => /^(\d\d)-.*\.fault\.test\.ts$/.exec(name)?.[1] ?? [],
);

it('names only rows of the table of faults that exist', () => {
  // Last cell of a line of a table: `16` or `9, 21`; and `row 17` in a sentence.
  const cells = [...text.matchAll(/\| ([\d, ]+) \|$/gm)].flatMap(([, cell = '']) => cell.split(', '));
  const sentences = [...text.matchAll(/\brows? (\d+)/gi)].map(([, number = '']) => number);
  const named = [...new Set([...cells, ...sentences])].map((number) => number.padStart(2, '0'));
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((number) => !rows.includes(number))).toEqual([]);
});

it('links to files that exist', () => {
  const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
});

it('gives no address to write to: who runs an installation knows its own', () => {
  expect(text).not.toMatch(/[\w.]+@[\w-]+\.\w+/);
});
