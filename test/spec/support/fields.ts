/** Bodies looked at field by field, as the tables of the specification list them. */
import { expect } from 'vitest';
import type { Normalised } from '../../../src/service/drift.ts';
import { asObject } from '../../sandbox/a-sandbox.ts';

export type FieldType = 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object' | 'absent';

export function typeOf(value: unknown): FieldType {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const type = typeof value;
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'object') return type;
  throw new TypeError(`nothing that JSON has: ${type}`);
}

/** `fieldAt(body, 'crypto.assetInfo.symbol')`; undefined where any part of the way is missing. */
export function fieldAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => asObject(value)[name], body);
}

/** A row's type is one word, or several with `or` between them. */
export function expectType(body: unknown, path: string, type: string): void {
  expect(type.split(' or '), `${path} is ${typeOf(fieldAt(body, path))}`).toContain(typeOf(fieldAt(body, path)));
}

/** What a reading complains of: `fiatValue missing`; nothing where it succeeded. */
export function complaints(reading: Normalised<unknown>): readonly string[] {
  return reading.ok ? [] : reading.drift.map(({ field, problem }) => `${field} ${problem}`);
}

/** What a reading gives as plain JSON: amounts and units as text. @throws where it drifted. */
export function plain(reading: Normalised<unknown>): unknown {
  if (!reading.ok) throw new Error(`drifted: ${complaints(reading).join(', ')}`);
  return JSON.parse(JSON.stringify(reading.value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)));
}
