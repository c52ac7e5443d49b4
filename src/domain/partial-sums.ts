/**
 * Adds up sums that threads computed over their own ranges of records. A sum is any value built of counts, decimals,
 * texts, lists, maps and plain objects of them.
 */
import { Decimal } from './decimal.ts';

/**
 * `whole` with `part` added: counts and decimals are summed, an unknown (null, absent) leaves the other side, maps and
 * objects are joined key by key, lists place by place, and texts and booleans, which name what is counted, stay as they are.
 */
export function addPartial<T>(whole: T, part: T): T {
  return add(whole, part) as T;
}

/** Adds a part to the sum of its key. */
export function addTo<Key, T>(sums: Map<Key, T>, key: Key, part: T): void {
  const known = sums.get(key);
  sums.set(key, known === undefined ? part : addPartial(known, part));
}

function add(whole: unknown, part: unknown): unknown {
  if (part === null || part === undefined) return whole;
  if (whole === null || whole === undefined) return part;
  if (typeof whole === 'number' && typeof part === 'number') return whole + part;
  if (whole instanceof Decimal && part instanceof Decimal) return whole.plus(part);
  if (whole instanceof Map && part instanceof Map) {
    for (const [key, value] of part) whole.set(key, add(whole.get(key), value));
    return whole;
  }
  if (Array.isArray(whole) && Array.isArray(part))
    return Array.from({ length: Math.max(whole.length, part.length) }, (_, i) => add(whole[i], part[i]));
  if (typeof whole === 'object' && typeof part === 'object') {
    const sums: Record<string, unknown> = { ...whole };
    for (const [key, value] of Object.entries(part)) sums[key] = add(sums[key], value);
    return sums;
  }
  return whole;
}

/**
 * Restores decimals from their two fields, which are left after copying between threads. Changes the value in place.
 */
export function reviveDecimals<T>(copied: T): T {
  return revive(copied) as T;
}

function revive(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Map) {
    for (const [key, each] of value) value.set(key, revive(each));
    return value;
  }
  const { unscaled, scale } = value as { unscaled?: unknown; scale?: unknown };
  if (typeof unscaled === 'bigint' && typeof scale === 'number') return Decimal.of(unscaled, scale);
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) fields[key] = revive(fields[key]);
  return value;
}
