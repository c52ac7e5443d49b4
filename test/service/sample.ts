/** Recorded bodies, read exactly. */
import { readFileSync } from 'node:fs';
import { type ExactObject, exactJsonText, isExactObject, parseExactJson } from '../../src/service/exact-json.ts';

export function sample(name: string): ExactObject {
  const value = parseExactJson(readFileSync(new URL(`./samples/${name}.json`, import.meta.url), 'utf8'));
  if (!isExactObject(value)) throw new Error(`${name} is not an object`);
  return value;
}

/** A part of a recorded body, as text with every number as it was recorded. */
export function samplePart(name: string, key: string): string {
  return exactJsonText(sample(name)[key] ?? null);
}
