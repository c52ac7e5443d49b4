/** Documents: every relative link leads to a file of the checkout, and the index names every document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const inFolder = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...inFolder('docs'),
  ...inFolder('bench'),
  ...inFolder('examples'),
];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Targets of `[text](target)` and `![text](target)` that are not addresses, without code blocks; relative to the root. */
function linksOf(path: string): string[] {
  const prose = read(path).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => relative(ROOT, join(ROOT, dirname(path), target.replace(/#.*/, ''))));
}

/** Text of the blocks of a language, in lists too. */
const blocksOf = (path: string, language: RegExp) =>
  [...read(path).matchAll(/^( *)```([a-z]+)\n([\s\S]*?)^ *```/gm)]
    .filter(([, , name = '']) => language.test(name))
    .map(([, indent = '', , text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

describe('documents', () => {
  it.each(DOCUMENTS)('%s has examples of settings and answers that parse', (path) => {
    for (const text of blocksOf(path, /^ya?ml$/)) {
      const errors = parseAllDocuments(text).flatMap((each) => each.errors.map(({ message }) => message));
      expect([text, errors]).toEqual([text, []]);
    }
    for (const text of blocksOf(path, /^json$/)) expect(() => JSON.parse(text), text).not.toThrow();
  });

  it.each(DOCUMENTS)('%s links to files that exist', (path) => {
    expect(linksOf(path).filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });

  it('lead to anchors that exist, where they cite a paragraph of the specification', () => {
    const anchors = [...read('docs/reference/the-service.md').matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id);
    for (const path of DOCUMENTS) {
      for (const [, id] of read(path).matchAll(/the-service\.md#([\w-]+)/g)) expect([path, ...anchors]).toContain(id);
    }
  });

  // The guides name the file that their reader is about to write; the changelog, files as they were called then.
  const ofToday = DOCUMENTS.filter((path) => !/adding-a-|CHANGELOG/.test(path));

  it.each(ofToday)('%s names paths of documents that exist', (path) => {
    const named = [
      ...read(path).matchAll(
        /(?<![\w/.-])(?:docs|bench|test|src|jobs|reports|config)\/[\w./-]+\.(?:md|ts|yaml|sql)\b/g,
      ),
    ];
    expect([...new Set(named.map(([name]) => name))].filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('are all in the index, but for the decisions, which are a folder', () => {
    const named = linksOf('docs/README.md');
    const expected = inFolder('docs').filter(
      (path) => path !== 'docs/README.md' && !path.startsWith('docs/decisions/'),
    );
    expect(expected.filter((path) => !named.includes(path))).toEqual([]);
  });
});
