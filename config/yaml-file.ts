/** Reads a YAML settings file into raw values, and remembers on which line each one stands. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
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

class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
}

class Reader {
  readonly lines = new Map<string, number>();
  private values = 0;
  private readonly document: ReturnType<typeof parseDocument>;
  private readonly counter: LineCounter;

  constructor(document: ReturnType<typeof parseDocument>, counter: LineCounter) {
    this.document = document;
    this.counter = counter;
  }

  note(path: Path, node: unknown): void {
    const start = (node as Node | null)?.range?.[0];
    if (start !== undefined) this.lines.set(showPath(path), this.counter.linePos(start).line);
  }

  value(node: unknown, path: Path): RawValue {
    if (++this.values > MAX_VALUES || path.length > MAX_DEPTH) throw new TooManyValuesError();
    if (isAlias(node)) return this.value(node.resolve(this.document), path);
    if (isMap(node)) return this.map(node, path);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.note([...path, index], item);
        return this.value(item, [...path, index]);
      });
    }
    if (!isScalar(node) || node.value === null || node.value === undefined) return null;
    // The text as written, so that no digit is lost; strings have their quotes and escapes resolved.
    if (typeof node.value === 'number' || typeof node.value === 'bigint') return node.source ?? String(node.value);
    return String(node.value);
  }

  private map(node: YAMLMap, path: Path): RawMap {
    const entries = node.items.map((pair): [string, RawValue] => {
      const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : String(pair.key);
      this.note([...path, key], pair.key);
      return [key, this.value(pair.value, [...path, key])];
    });
    // Defines own properties, so that a key named __proto__ is a key like any other.
    return Object.fromEntries(entries);
  }
}

/** Never throws for what a file may hold: its troubles are problems like any other, with their lines. */
export function readYaml(text: string, name: string): YamlFile {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  if (document.errors.length > 0) {
    // Only the message: the library's own picture of the place would show what stands there.
    const problems = document.errors.map((error) => ({
      path: '',
      where: `${name}:${counter.linePos(error.pos[0]).line}`,
      value: null,
      message: `not valid YAML: ${(error.message.split('\n')[0] ?? '').slice(0, 200)}`,
    }));
    return { tree: {}, lineOf: () => undefined, problems };
  }
  const reader = new Reader(document, counter);
  const whole = (message: string): YamlFile => ({
    tree: {},
    lineOf: () => undefined,
    problems: [{ path: '', where: name, value: null, message }],
  });
  try {
    const tree = reader.value(document.contents, []);
    if (tree === null) return { tree: {}, lineOf: () => undefined, problems: [] };
    if (!isRawMap(tree)) return whole('must be a map of settings, such as `out: out`');
    return { tree, lineOf: (path) => reader.lines.get(showPath(path)), problems: [] };
  } catch (error) {
    if (error instanceof TooManyValuesError) return whole('holds far too much, or an alias of itself');
    throw error;
  }
}
