/** The program's own sources as syntax trees, for tests that hold for every file. */
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';

export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [property: string]: unknown;
}

export interface SourceFile {
  path: string;
  text: string;
  lineOf: (node: SyntaxNode) => number;
  /** Every node of the file, parents first. */
  nodes: readonly SyntaxNode[];
}

let read: readonly SourceFile[] | null = null;

export function sourceFiles(): readonly SourceFile[] {
  read ??= globSync('{src,config,jobs,reports}/**/*.ts').sort().map(readSource);
  return read;
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const nodes: SyntaxNode[] = [];
  collect(parseAst(text, { lang: 'ts' }, path), nodes);
  return { path, text, nodes, lineOf: (node) => text.slice(0, node.start).split('\n').length };
}

function collect(value: unknown, nodes: SyntaxNode[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, nodes);
  else if (isNode(value)) {
    nodes.push(value);
    for (const [name, child] of Object.entries(value)) if (name !== 'parent') collect(child, nodes);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
