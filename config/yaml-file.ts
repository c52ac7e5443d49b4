/** Reads a YAML settings file into raw values, and remembers on which line each one stands. */
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { ConfigProblem } from './problems.ts';
import { isRawMap, type Path, type RawMap, type RawValue, showPath } from './raw.ts';

export interface YamlFile {
  tree: RawMap;
  /** The line of a value (of its key, in a map), counted from 1; undefined where the file does not have it. */
  lineOf: (path: Path) => number | undefined;
  problems: readonly ConfigProblem[];
}

/** Far more than any settings need; they stop aliases that multiply or contain themselves. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 20;
/** Its faults alone would take minutes to read. */
const MAX_LENGTH = 512 * 1024;
const MAX_FAULTS = 100;
/** Names and values as the file has them, aliases not followed. */
const MAX_NODES = 2 * MAX_VALUES;

class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
}

function readTree(document: ReturnType<typeof parseDocument>, counter: LineCounter) {
  const lines = new Map<string, number>();
  /** Messages by their lines. */
  const faults = new Map<number, string>();
  let values = 0;
  const targets = targetsIn(document);

  const lineAt = (node: unknown): number | undefined => {
    const start = (node as Node | null)?.range?.[0];
    return start === undefined ? undefined : counter.linePos(start).line;
  };

  const note = (path: Path, node: unknown) => {
    const line = lineAt(node);
    if (line !== undefined) lines.set(showPath(path), line);
  };

  const rawOf = (node: unknown, path: Path): RawValue => {
    if (++values > MAX_VALUES || path.length > MAX_DEPTH) throw new TooManyValuesError();
    if (isAlias(node)) {
      const target = targets.get(node);
      if (target !== undefined) return rawOf(target, path);
      faults.set(lineAt(node) ?? 1, `no anchor before the alias *${node.source}`.slice(0, 200));
      return null;
    }
    if (isMap(node)) return mapOf(node, path);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        note([...path, index], item);
        return rawOf(item, [...path, index]);
      });
    }
    if (!isScalar(node) || node.value === null || node.value === undefined) return null;
    // The text as written, so that no digit is lost; strings have their quotes and escapes resolved.
    if (typeof node.value === 'number' || typeof node.value === 'bigint') return node.source ?? String(node.value);
    return String(node.value);
  };

  const mapOf = (node: YAMLMap, path: Path): RawMap => {
    const names = new Set<string>();
    const entries = node.items.map((pair): [string, RawValue] => {
      // A collection is not put into words: of keys within keys that takes twice as long for each level.
      const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : '';
      if (!isScalar(pair.key) && pair.key !== null)
        faults.set(lineAt(pair.key) ?? 1, 'a name must be a text, and no list, map or alias');
      else if (names.has(key)) faults.set(lineAt(pair.key) ?? 1, 'Map keys must be unique');
      names.add(key);
      note([...path, key], pair.key);
      return [key, rawOf(pair.value, [...path, key])];
    });
    // Defines own properties, so that a key named __proto__ is a key like any other.
    return Object.fromEntries(entries);
  };

  return { lines, faults, tree: rawOf(document.contents, []) };
}

/** For each alias the last node before it that has its anchor. @throws TooManyValuesError */
function targetsIn(document: ReturnType<typeof parseDocument>): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  let nodes = 0;
  visit(document, {
    Node: (_key, node) => {
      if (++nodes > MAX_NODES) throw new TooManyValuesError();
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    },
  });
  return targets;
}

/** null for a text of some thousand levels: the library calls itself for each, and two of its parts let the stack's end through. */
function parsed(text: string, lineCounter: LineCounter): ReturnType<typeof parseDocument> | null {
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
    return document.errors.some(({ message }) => message.startsWith('Maximum call stack')) ? null : document;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Never throws because of a file's content: syntax errors are problems like any other, with their lines. */
export function readYaml(text: string, name: string): YamlFile {
  const counter = new LineCounter();
  const whole = (message: string): YamlFile => ({
    tree: {},
    lineOf: () => undefined,
    problems: [{ path: '', where: name, value: null, message }],
  });
  if (text.length > MAX_LENGTH) return whole('is longer than 512 KiB');
  // A bare CR is a line break of YAML, which the library does not know. It compares each name with each other of its map.
  const document = parsed(text.replace(/\r\n?/g, '\n'), counter);
  if (document === null) return whole('is nested far too deep');
  const faulty = (faults: readonly (readonly [line: number, message: string])[]): YamlFile => ({
    tree: {},
    lineOf: () => undefined,
    problems: faults.map(([line, message]) => ({
      path: '',
      where: `${name}:${line}`,
      value: null,
      message: `not valid YAML: ${message}`,
    })),
  });
  // `!env NAME` would be the text NAME: the library only warns of a tag that it does not know.
  const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
  if (errors.length > 0) {
    // Only the message: the library's own picture of the place would show what stands there.
    return faulty(
      errors
        .slice(0, MAX_FAULTS)
        .map((error) => [counter.linePos(error.pos[0]).line, (error.message.split('\n')[0] ?? '').slice(0, 200)]),
    );
  }
  try {
    const { lines, faults, tree } = readTree(document, counter);
    if (faults.size > 0) return faulty([...faults]);
    if (tree === null) return { tree: {}, lineOf: () => undefined, problems: [] };
    if (!isRawMap(tree)) return whole('must be a map of names and values, one `name: value` a line');
    return { tree, lineOf: (path) => lines.get(showPath(path)), problems: [] };
  } catch (error) {
    if (error instanceof TooManyValuesError) return whole('holds far too much, or an alias of itself');
    throw error;
  }
}
