/** Documents: every relative link leads to a file and an anchor of the checkout, settings in them are valid, and the index names every document. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { load } from '../config/loading.ts';

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

/** Links `[text](target)` and `![text](target)` that are not addresses, without code blocks: paths from the root, with their anchors. */
function linksOf(path: string): { file: string; anchor: string | null }[] {
  const prose = read(path).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^(https?:|mailto:)/.test(target))
    .map((target) => {
      const [file = '', anchor = null] = target.split('#');
      return { file: file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file)), anchor };
    });
}

/** Anchors of a page, as GitHub makes them of its headings, and those that it writes itself. */
function anchorsOf(path: string): string[] {
  const prose = read(path).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

/** Text of the blocks of a language, in lists too. @param info what may follow the language on the opening line */
const blocksOf = (path: string, language: RegExp, info = /^/) =>
  [...read(path).matchAll(/^( *)```([a-z]+)(?: ([^\n]*))?\n([\s\S]*?)^ *```/gm)]
    .filter(([, , name = '', more = '']) => language.test(name) && info.test(more))
    .map(([, indent = '', , , text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

const isValid = new Ajv({ allowUnionTypes: true, allErrors: true }).compile(
  JSON.parse(read('config/tieout.schema.json')),
);

describe('documents', () => {
  it.each(DOCUMENTS)('%s has examples of settings and answers that parse', (path) => {
    for (const text of blocksOf(path, /^ya?ml$/)) {
      const errors = parseAllDocuments(text).flatMap((each) => each.errors.map(({ message }) => message));
      expect([text, errors]).toEqual([text, []]);
    }
    for (const text of blocksOf(path, /^json$/)) expect(() => JSON.parse(text), text).not.toThrow();
  });

  // Others are price lists, widgets and manifests, and name their file.
  it.each(DOCUMENTS)('%s has settings that the program and the schema accept', (path) => {
    for (const text of blocksOf(path, /^ya?ml$/, /^(tieout\.yaml)?$/)) {
      if (text.startsWith('apiVersion:')) continue;
      expect(() => load({ yaml: text }), `${path}: ${text}`).not.toThrow();
      isValid(parse(text));
      expect([path, isValid.errors ?? []]).toEqual([path, []]);
    }
  });

  it.each(DOCUMENTS)('%s links to files and anchors that exist', (path) => {
    const broken = linksOf(path).filter(
      ({ file, anchor }) =>
        !existsSync(join(ROOT, file)) || (anchor !== null && file.endsWith('.md') && !anchorsOf(file).includes(anchor)),
    );
    expect(broken).toEqual([]);
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
    const named = linksOf('docs/README.md').map(({ file }) => file);
    const expected = inFolder('docs').filter(
      (path) => path !== 'docs/README.md' && !path.startsWith('docs/decisions/'),
    );
    expect(expected.filter((path) => !named.includes(path))).toEqual([]);
  });
});
