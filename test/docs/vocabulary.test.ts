/** One word, one thing: exported types with a word that once meant many are those that the glossary lists. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8');

/** `| answer | meaning | `Answer`, `HttpAnswer` |`, in the second table. */
const ROWS = [...GLOSSARY.matchAll(/^\| ([a-z]+) \| [^|]+ \| (`[^|]+`) \|$/gm)].map(([, word = '', names = '']) => ({
  word,
  names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
}));

const EXPORTED = globSync(['src/**/*.ts', 'jobs/**/*.ts', 'reports/**/*.ts', 'config/**/*.ts']).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^export (?:abstract )?(?:class|type|interface) (\w+)/gm)].map(
    ([, name = '']) => name,
  ),
);

/** Names that say nothing of what they name. */
const POETIC = /^(?:believe|hear|told|chest|purse)|Complaint|Told$|NothingSaid|NOTHING_SAID|MAX_TOLD|CHEST|firstThat/;

it('reads the list and the names', () => {
  expect(ROWS.map(({ word }) => word)).toContain('answer');
  expect(EXPORTED.length).toBeGreaterThan(500);
});

it.each(ROWS)('$word has one meaning: only the listed types have it in their names', ({ word, names }) => {
  const root = word.replace(/y$/, '');
  const has = new RegExp(`${root[0]?.toUpperCase()}${root.slice(1)}`);
  expect([...new Set(EXPORTED.filter((name) => has.test(name)))].sort()).toEqual([...names].sort());
});

it('no exported name is a riddle', () => {
  expect(EXPORTED.filter((name) => POETIC.test(name))).toEqual([]);
});
