/** The page docs/coverage-of-the-spec.md: complete by section, and true by path. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fieldAt } from './support/fields.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/coverage-of-the-spec.md', ROOT), 'utf8');

/** The part that lists the rows; the choices come after it. */
const ROWS = PAGE.slice(0, PAGE.indexOf('\n## Choices'));

/** Every section and numbered rule of the specification from §2 on. */
const SECTIONS = [
  ...['§2.1', '§2.2', '§2.3', '§2.4', '§2.5', '§2.6', '§2.7', '§2.8', '§2.9', '§2.10', '§2.11'],
  '§3',
  ...['§4.1', '§4.2', '§4.3', '§4.4'],
  ...['§5.1', '§5.2', '§5.3', '§5.4', '§5.5', '§5.6', '§5.7'],
  ...['§6.1', '§6.2', '§6.3', '§6.4'],
  ...['§7.1', '§7.2', '§7.3', '§7.4'],
  ...['§8.1', '§8.2', '§8.3', '§8.4'],
  ...['§9.1', '§9.2', '§9.3', '§9.4', '§9.5'],
];

/** True for `§2.1` in `§2.1 assets`, false in `§2.10 legacy`. */
const names = (text: string, section: string) => new RegExp(`${section.replace('.', '\\.')}(?![.\\d]*\\d)`).test(text);

/** Titles of `describe`, `it` and `test` in all test files, wherever the title stands after the name. */
function titles(): string {
  const files = readdirSync(new URL('test/', ROOT), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('coverage-document.test.ts'))
    .flatMap((file) => [
      ...readFileSync(new URL(`test/${file}`, ROOT), 'utf8').matchAll(
        /^ *(?:describe|it|test)\b.*$|^ *\](?: as const)?\)\((['"`]).*$/gm,
      ),
    ])
    .map(([line]) => line)
    .join('\n');
}

/** The cells of every row under a heading. */
const rowsUnder = (heading: string): string[][] =>
  (PAGE.split(/^#{2,3} /m).find((part) => part.startsWith(heading)) ?? '')
    .split('\n')
    .filter((line) => /^\| (?!row|section|---)/.test(line))
    .map((line) => line.replace(/^\| | \|$/g, '').split(/ \|(?: |$)/));

const notBuilt = (product: string, sandbox: string) => `${product}${sandbox}`.includes('not implemented');

describe('docs/coverage-of-the-spec.md', () => {
  const paths = [
    ...new Set([...PAGE.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|js|md|yaml|html))`/g)].map(([, path = '']) => path)),
  ];

  it('names files, and every one of them exists', () => {
    expect(paths.length).toBeGreaterThan(150);
    expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  it.each(SECTIONS)('%s is listed', (section) => {
    expect(names(ROWS, section)).toBe(true);
  });

  it('every section is in the title of a test', () => {
    const all = titles();
    expect(SECTIONS.filter((section) => !names(all, section))).toEqual([]);
  });

  it.each(SECTIONS.filter((section) => /^§[2-4]/.test(section)))('%s has rows, each with five cells', (section) => {
    const rows = rowsUnder(`${section} `);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.length, row[0]).toBe(5);
  });

  it('every row names a test, or says why there is none', () => {
    const heads = [...PAGE.matchAll(/^### (§[\d.]+) /gm)].map(([, section = '']) => section);
    const unproved = heads
      .flatMap((section) => rowsUnder(`${section} `))
      .filter(
        ([, product = '', sandbox = '', tests = '']) =>
          !tests.includes('`test/') && !`${product}${sandbox}`.includes('not implemented'),
      )
      .map(([row]) => row);
    expect(unproved).toEqual([]);
  });

  it('every row of §2 to §9 names its test by title, or says why there is none', () => {
    const heads = [...PAGE.matchAll(/^### (§[2-9][\d.]*) /gm)].map(([, section = '']) => section);
    const unnamed = heads
      .flatMap((section) => rowsUnder(`${section} `))
      .filter(([, product = '', sandbox = '', tests = '']) => !tests.includes('“') && !notBuilt(product, sandbox))
      .map(([row]) => row);
    expect(unnamed).toEqual([]);
  });

  it('named tests of other folders exist', () => {
    const others = [...ROWS.matchAll(/`(test\/(?!spec\/)[\w./-]+)` “([^”]+)”/g)];
    expect(others.length).toBeGreaterThan(0);
    const missing = others.filter(
      ([, file = '', title = '']) => !readFileSync(new URL(file, ROOT), 'utf8').includes(title),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it('every choice has four cells, and a setting or a reason against one', () => {
    const choices = [...rowsUnder('Choices of the product'), ...rowsUnder('Choices of the sandbox')];
    expect(choices.length).toBeGreaterThan(60);
    for (const choice of choices) {
      expect(choice.length, choice[0]).toBe(4);
      expect(choice[3], choice[1]).toMatch(/^`[a-zA-Z.]+`|^none( for runs)?: ./);
    }
  });

  it('the settings of the product’s choices are in config/example.yaml, those of the sandbox among its options', () => {
    const named = (heading: string) =>
      rowsUnder(heading)
        .filter(([, , , setting = '']) => !setting.startsWith('none'))
        .flatMap(([, , , setting = '']) =>
          [...setting.matchAll(/(?<!\()`([a-zA-Z.]+)`/g)].map(([, name = '']) => name),
        );
    const example: unknown = parse(readFileSync(new URL('config/example.yaml', ROOT), 'utf8'));
    const options = readFileSync(new URL('src/sandbox/contract.ts', ROOT), 'utf8');
    expect(named('Choices of the product').filter((path) => fieldAt(example, path) === undefined)).toEqual([]);
    expect(named('Choices of the sandbox').filter((name) => !options.includes(`  ${name}?: `))).toEqual([]);
  });
});
