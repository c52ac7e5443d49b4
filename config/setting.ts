/**
 * What a schema says of a setting besides how it is read: its default and its documentation. The defaults, the variables,
 * the masking of secrets, the texts of `tieout config check` and config/example.yaml are all read from here.
 */
import { z } from 'zod';
import type { RawMap, RawValue } from './raw.ts';
import { ALLOWED, type Reader, strict } from './readers.ts';
import { type Shape, shapeOf } from './shape.ts';

interface About {
  /** Sentences for the person who sets it, with the unit where the value does not carry one. */
  text: string;
  /** The text in the file; null for no value. Undefined for a section, whose settings have defaults themselves. */
  fallback?: RawValue;
  /** What the reader takes, in words; null where the text says it. */
  allowed?: string | null;
}

interface Options {
  /** The environment variable that sets it. `<name>_FILE` names a file with the value, where that may be a secret. */
  env?: { name: string; file?: boolean };
  /** `secret`: never read from the file and never shown. `path`: an address whose path is a credential, so only the host is shown. */
  hide?: 'secret' | 'path';
  /** A value for the documentation, as YAML, where the default shows none. */
  example?: string;
}

export interface Setting extends About, Options {
  path: readonly string[];
}

/** Not a zod registry: its types recurse without end over the recursive type of a default. */
const ABOUT = new WeakMap<z.core.$ZodType, About & Options>();

/** @param fallback the default, as it would stand in the file */
export function setting<T>(fallback: RawValue, reader: Reader<T>, text: string, options: Options = {}) {
  const schema = reader.prefault(fallback);
  ABOUT.set(schema, { text, fallback, allowed: ALLOWED.get(reader)?.allowed ?? null, ...options });
  return schema;
}

export function section<T extends z.core.$ZodLooseShape>(text: string, shape: T) {
  const schema = strict(shape);
  ABOUT.set(schema, { text });
  return schema;
}

function entriesOf(schema: unknown): readonly (readonly [string, z.core.$ZodType])[] {
  return schema instanceof z.ZodObject ? Object.entries<z.core.$ZodType>(schema.shape) : [];
}

/** Every section and setting of a schema, in its order, a section before what is in it. */
export function* settingsOf(schema: unknown, path: readonly string[] = []): Generator<Setting> {
  for (const [name, inner] of entriesOf(schema)) {
    const about = ABOUT.get(inner);
    if (about === undefined) throw new RangeError(`the setting ${[...path, name].join('.')} is not documented`);
    yield { path: [...path, name], ...about };
    yield* settingsOf(inner, [...path, name]);
  }
}

/** The defaults of a schema as one tree, written as a settings file would have them. */
export function defaultsOf(schema: unknown): RawMap {
  return Object.fromEntries(
    entriesOf(schema).map(([name, inner]) => [
      name,
      ABOUT.get(inner)?.fallback ?? (inner instanceof z.ZodObject ? defaultsOf(inner) : null),
    ]),
  );
}

/** The schema with the texts of its settings, as a JSON Schema. */
export function describedShape(schema: z.core.$ZodType): Shape {
  const about = ABOUT.get(schema);
  const properties = entriesOf(schema).map(([name, inner]) => [name, describedShape(inner)]);
  // Secrets are read from the environment alone.
  const { required, ...shape }: Shape = about?.hide === 'secret' ? { not: {} } : shapeOf(schema);
  return {
    ...shape,
    // What a section leaves out has its default.
    ...(properties.length === 0 && required !== undefined ? { required } : {}),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(about === undefined ? {} : { description: [about.text, shape.description ?? []].flat().join(' ') }),
  };
}
