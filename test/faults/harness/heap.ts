/** What a snapshot of a process's heap calls its things: names of objects, classes and functions, and of their properties. */
import { readFileSync } from 'node:fs';

/** The format of V8; only the fields that are read here. */
interface Snapshot {
  snapshot: {
    meta: {
      node_fields: string[];
      node_types: [string[], ...unknown[]];
      edge_fields: string[];
      edge_types: [string[], ...unknown[]];
    };
  };
  nodes: number[];
  edges: number[];
  strings: string[];
}

/** Nodes of these kinds are values: their name is what they hold. A process that uses a token does hold it for a while. */
const VALUES = new Set(['string', 'concatenated string', 'sliced string', 'number', 'symbol', 'bigint']);

/** Environment that makes a child write its heap to a file as it ends. */
export function heapTo(file: string): Record<string, string> {
  const preload = new URL('../children/heap-at-end.ts', import.meta.url);
  return { NODE_OPTIONS: `--import ${preload.href}`, TIEOUT_FAULTS_HEAP: file };
}

/** Each name once. */
export function namesInHeap(file: string): ReadonlySet<string> {
  const { snapshot, nodes, edges, strings } = JSON.parse(readFileSync(file, 'utf8')) as Snapshot;
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta;
  const names = new Set<string>();
  const [type, name] = [node_fields.indexOf('type'), node_fields.indexOf('name')];
  for (let at = 0; at < nodes.length; at += node_fields.length) {
    if (!VALUES.has(node_types[0][nodes[at + type] ?? -1] ?? '')) names.add(strings[nodes[at + name] ?? -1] ?? '');
  }
  const [edgeType, edgeName] = [edge_fields.indexOf('type'), edge_fields.indexOf('name_or_index')];
  const named = new Set(
    ['context', 'property', 'internal', 'shortcut', 'weak'].map((word) => edge_types[0].indexOf(word)),
  );
  for (let at = 0; at < edges.length; at += edge_fields.length) {
    if (named.has(edges[at + edgeType] ?? -1)) names.add(strings[edges[at + edgeName] ?? -1] ?? '');
  }
  return names;
}
