/** Exact JSON as text again: for bodies that are stored apart from the line they came in. */
import { type ExactJson, isExactObject } from './exact-json.ts';
import { ExactNumber } from './wire/exact-number.ts';

/** Prints a value back: compact, keys in their order, every number as it was written. */
export function exactJsonText(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(exactJsonText).join(',')}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${exactJsonText(field)}`);
  return `{${fields.join(',')}}`;
}
