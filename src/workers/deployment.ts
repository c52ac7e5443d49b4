/**
 * What must be the same on every machine that works on a run. A worker with the address of another environment would ask
 * a Service that knows none of the records, and each would be stored as missing.
 */
import { createHash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import type { Deployment } from '../ports/queue.ts';

/** @param facts by the name of the setting, as a person would look for it; any JSON. Only their hashes leave the process. */
export function deploymentOf(facts: Readonly<Record<string, unknown>>): Deployment {
  const hash = (value: unknown) =>
    createHash('sha256')
      .update(stringify(value) ?? '')
      .digest('hex')
      .slice(0, 16);
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, hash(value)]));
}

/** Names of what differs, or is known to one side only; in order. */
export function differencesBetween(a: Deployment, b: Deployment): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name]).sort();
}
