/** A widget configuration as integrators write it (spec §2.11), and the conversion of its values to text. */
import { parameterOf } from './parameters.ts';

/** A configuration before it is checked: from a file, a URL or a caller in JavaScript, with any name and any value. */
export type RawWidgetConfig = Readonly<Record<string, unknown>>;

/** True for what is left out of a URL: null, undefined, an empty text, an empty list. */
export function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The value of an own property; never an inherited one. */
export function given(config: RawWidgetConfig, name: string): unknown {
  return Object.hasOwn(config, name) ? config[name] : undefined;
}

/**
 * The text that a value has in a URL, lists joined by commas; null where it is left out; undefined where it has none
 * (objects, functions, NaN). Numbers are written without an exponent.
 */
export function valueText(value: unknown): string | null | undefined {
  if (isLeftOut(value)) return null;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (!Array.isArray(value)) return undefined;
  // One level: no parameter takes a list of lists, and a list that contains itself would never end.
  const items = value.map((item) => (Array.isArray(item) ? undefined : valueText(item)));
  return items.some((item) => item === undefined) ? undefined : items.filter((item) => item !== null).join(',') || null;
}

/** `1e21` is no amount for a reader that expects digits. Null where digits are lost already. */
function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value) : undefined;
  const text = String(value);
  return text.includes('e') ? undefined : text;
}

/** Items of a comma-joined or real list, as written; none for a value that is left out or no list. */
export function listItems(value: unknown): readonly string[] {
  const text = valueText(value);
  return text === null || text === undefined ? [] : text.split(',');
}

/** A text from a URL or a file in the parameter's own type, where that is a list or a boolean; all else stays text. */
export function typedValue(name: string, text: string): string | boolean | readonly string[] {
  const type = parameterOf(name)?.type;
  if (type === 'flow-list') return text.split(',');
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
