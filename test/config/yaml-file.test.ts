/** What a YAML file may hold that looks harmless to a reader, or takes long to read. */
import { expect, it } from 'vitest';
import { readYaml } from '../../config/yaml-file.ts';
import { processorMs } from '../support/processor-time.ts';

const problems = (text: string) =>
  readYaml(text, 'f.yaml').problems.map(({ where, message }) => `${where}: ${message}`);

it.each([
  ['fixed: 1\n"fixed": 2', ['f.yaml:2: not valid YAML: Map keys must be unique']],
  // Numbers are names here as they are written.
  ['1: a\n"1": b\n1: c', [2, 3].map((line) => `f.yaml:${line}: not valid YAML: Map keys must be unique`)],
])('a name that is there twice is refused: %j', (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

it.each(['out: !env OUT_FOLDER', 'a: 1\nout: [!!js/function "x"]', '!x\nout: 1'])(
  'a tag that means nothing here is refused: %j',
  (text) => {
    expect(problems(text)).toEqual([expect.stringMatching(/^f\.yaml:[12]: not valid YAML: Unresolved tag: /)]);
  },
);

it('a tag of YAML itself is none of them', () => {
  expect(readYaml('out: !!str 1', 'f.yaml')).toMatchObject({ tree: { out: '1' }, problems: [] });
});

it('an alias is the last value before it with its anchor; without one it is refused', () => {
  const { tree, lineOf } = readYaml('a: &x 1\nb: &x { c: 2 }\nd: *x\ne: &x 3', 'f.yaml');
  expect(tree).toEqual({ a: '1', b: { c: '2' }, d: { c: '2' }, e: '3' });
  expect(lineOf(['d', 'c'])).toBe(2);
  expect(problems('minimum: *later\na: &later 5')).toEqual([
    'f.yaml:1: not valid YAML: no anchor before the alias *later',
  ]);
});

it('a bare carriage return ends a line, and so a comment', () => {
  expect(readYaml('a: 1 # one\rb: 2\r\nc: 3\n', 'f.yaml').tree).toEqual({ a: '1', b: '2', c: '3' });
});

it.each([
  ['names', Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n')],
  ['aliases', `a: &a x\nl:\n${'- *a\n'.repeat(4_000)}m: [${'1,'.repeat(100_000)}]`],
])('far too many %s are refused soon', (_what, text) => {
  // Where the time grows with the square of the number, it is 9 and 16 s.
  const refused = () => expect(problems(text)).toEqual(['f.yaml: holds far too much, or an alias of itself']);
  expect(processorMs(refused)).toBeLessThan(4_000);
});

it.each([
  ['maps that are broken off', `${': '.repeat(2_318)}a: { b: 1 }\nc: "\u0000`],
  ['keys', `${'? '.repeat(60_000)}a`],
  ['lists', `${'- '.repeat(60_000)}a`],
  ['lists in brackets', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['maps in braces', `${'{a: '.repeat(20_000)}${'}'.repeat(20_000)}`],
])('%s within each other to the end of the stack are refused', (_what, text) => {
  expect(problems(text)).toEqual(['f.yaml: is nested far too deep']);
});

it.each([
  ['a list', '? [a]\n: b\n', 1],
  ['a map', 'a: b\n? {c: d}\n: e\n', 2],
  ['an alias', 'a: &x b\n*x : c\n', 2],
  ['a key within 200 keys', `${'? '.repeat(200)}a: b\n`, 1],
])('a name that is %s is refused', (_what, text, line) => {
  expect(problems(text)).toEqual([`f.yaml:${line}: not valid YAML: a name must be a text, and no list, map or alias`]);
});

it('each name that is no text is told by its line', () => {
  const refused = 'not valid YAML: a name must be a text, and no list, map or alias';
  expect(problems('? [a]\n: b\n? {c: d}\n: e\n')).toEqual([`f.yaml:1: ${refused}`, `f.yaml:3: ${refused}`]);
});

it('a file that no settings fill is refused before it is read, and of a hundred thousand faults a hundred are told', () => {
  expect(problems(`a: 1\n${' '.repeat(600_000)}`)).toEqual(['f.yaml: is longer than 512 KiB']);
  expect(problems(`a: 1\n${']'.repeat(1_000)}`)).toHaveLength(100);
});
