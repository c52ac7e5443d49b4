/**
 * From a body to fields that can be trusted, or to the list of everything that is wrong with it. All drifts are
 * reported at once, so that a change of the Service is visible in full.
 */
import type { z } from 'zod';
import type { Drift } from '../domain/snapshot.ts';
import { isExactObject } from './exact-json.ts';
import { EchoedSecret, isWireNumber, numberText } from './wire/exact-number.ts';
import { baseFeeField, fromWireNames, suggestedName, wireFieldPath } from './wire/identifier-name.ts';

/** A normalised value, or why there is none. */
export type Normalised<T> = { ok: true; value: T } | { ok: false; drift: readonly Drift[] };

/** The reading with another value made of it. */
export function mapped<T, U>(reading: Normalised<T>, to: (value: T) => U): Normalised<U> {
  return reading.ok ? { ok: true, value: to(reading.value) } : reading;
}

/** A body that was read, or each field of it that could not be. */
export interface WireReading {
  /** The maker's name in identifiers on the wire. */
  identifierName: string;
  /** Prefix of paths in drifts: `response` gives `response.asset.decimals`. */
  prefix?: string;
}

/** Checks a body against its wire schema, in the specification's names. */
export function readWire<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  { identifierName, prefix = '' }: WireReading,
): Normalised<z.output<Schema>> {
  const named = fromWireNames(body, identifierName);
  const result = schema.safeParse(named);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    drift: result.error.issues.map((issue) => driftOf(issue, { named, body }, identifierName, prefix)),
  };
}

/** `appliedFee: expected a number, found a string (…)`. */
export function driftInWords({ field, expected, found, hint }: Drift): string {
  return `${field}: expected ${expected}, found ${found}${hint === null ? '' : ` (${hint})`}`;
}

function driftOf(
  issue: z.core.$ZodIssue,
  { named, body }: { named: unknown; body: unknown },
  identifierName: string,
  prefix: string,
): Drift {
  const value = valueAt(named, issue.path);
  // As received: a hint uses the names on the wire.
  const parent = valueAt(body, issue.path.slice(0, -1));
  const problem = value === undefined ? 'missing' : isImproper(issue) ? 'value' : 'type';
  return {
    field: wireFieldPath(pathText(prefix, issue.path), identifierName),
    problem,
    found: wrongWord(issue, value) ?? (problem === 'value' ? improperValue(value) : kindOf(value)),
    expected: issue.message,
    hint: problem === 'missing' ? missingHint(parent, issue.path.at(-1), identifierName) : null,
  };
}

/** Set by the refinements of wire/scalars.ts: the right type, and yet it cannot be true. */
function isImproper(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.problem === 'value';
}

/** A wrong word where one of a few is expected, if it is too short for a secret. */
function wrongWord(issue: z.core.$ZodIssue, value: unknown): string | null {
  const isShort = typeof value === 'string' && /^[a-z0-9]{1,10}$/i.test(value);
  return issue.code === 'invalid_value' && isShort ? `"${value}"` : null;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value) && typeof key === 'number') return value[key];
    return isExactObject(value) && typeof key === 'string' && Object.hasOwn(value, key) ? value[key] : undefined;
  }, body);
}

/** `assets[3].decimals`; for the whole body, this text. */
function pathText(prefix: string, path: readonly PropertyKey[]): string {
  let text = prefix;
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text === '' ? 'body' : text;
}

/** The type of a value, never its text: strings can be secrets. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isWireNumber(value)) return 'a number';
  if (value instanceof EchoedSecret) return 'the view token';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : 'a string';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}

/** Numbers are shown, because `-0.43` is clearer than "a negative number". */
function improperValue(value: unknown): string {
  if (isWireNumber(value)) return numberText(value).slice(0, 60);
  if (typeof value === 'string' && /^-?\d[\d.]{0,30}$/.test(value)) return `"${value}"`;
  return kindOf(value);
}

function missingHint(parent: unknown, key: PropertyKey | undefined, identifierName: string): string | null {
  if (!isExactObject(parent) || typeof key !== 'string') return null;
  if (key === 'baseServiceFee') {
    const name = suggestedName(parent);
    return name === null || name === identifierName
      ? null
      : `the body has ${baseFeeField(name)}: set service.identifierName to ${name}`;
  }
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const similar = Object.keys(parent).find((other) => other !== key && plain(other) === plain(key));
  return similar === undefined ? null : `the body has ${similar}`;
}
