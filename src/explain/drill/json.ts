/** JSON whose numbers stay as they are written: a planted change must be the only difference of two bodies. */
import { Decimal } from '../../domain/decimal.ts';

/** A number as written. */
export class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A body whose numbers are still the text that was received. */
export type Json = null | boolean | string | Exact | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** @throws SyntaxError */
export function readJson(text: string): Json {
  const keep: Reviver = (_, value, { source }) => (typeof value === 'number' ? new Exact(source ?? `${value}`) : value);
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown) as Json;
}

export function writeJson(value: Json): string {
  if (value instanceof Exact) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}:${writeJson(each)}`)
    .join(',')}}`;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

/** Undefined where the path leads nowhere. */
export function valueAt(root: Json, path: string): Json | undefined {
  let value: Json | undefined = root;
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** A number, or the digits of one in a string; null for anything else. */
export function numberAt(root: Json, path: string): Decimal | null {
  const value = valueAt(root, path);
  const text = value instanceof Exact ? value.text : value;
  return typeof text === 'string' && /^-?\d[\d.eE+-]*$/.test(text) ? Decimal.parse(text) : null;
}

/** A copy with another value at the path; without the field for undefined. Null where its object is not there. */
export function withValue(root: Json, path: string, value: Json | undefined): Json | null {
  const [name = '', ...rest] = path.split('.');
  if (!isObject(root)) return null;
  const { [name]: was, ...others } = root;
  if (rest.length === 0) return value === undefined ? others : { ...root, [name]: value };
  if (was === undefined) return null;
  const inner = withValue(was, rest.join('.'), value);
  return inner === null ? null : { ...root, [name]: inner };
}
