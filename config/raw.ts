/**
 * Settings before they are read: every scalar is the text as written. Flags and environment are text anyway;
 * numbers from the YAML file keep their source text too, so that `1e-9` never passes through binary floating point and
 * one reader per setting serves all four layers.
 */

export type RawValue = string | null | readonly RawValue[] | RawMap;
export interface RawMap {
  readonly [key: string]: RawValue;
}

export type Path = readonly (string | number)[];

export function isRawMap(value: RawValue | undefined): value is RawMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRawList(value: RawValue | undefined): value is readonly RawValue[] {
  return Array.isArray(value);
}

/** `sources[0].url`; the empty path is the whole file. */
export function showPath(path: Path): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text;
}

/** The value at a path, or undefined where there is none. */
export function rawAt(tree: RawValue, path: Path): RawValue | undefined {
  let value: RawValue | undefined = tree;
  for (const step of path) {
    if (isRawList(value) && typeof step === 'number') value = value[step];
    // Own properties only: a setting named `constructor` must not find the object's own machinery.
    else if (isRawMap(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** A map with one value at a path, for a flag or a variable. */
export function rawWith(path: Path, value: RawValue): RawMap {
  const [first, ...rest] = path;
  if (first === undefined) throw new RangeError('a setting needs a path');
  return Object.fromEntries([[String(first), rest.length === 0 ? value : rawWith(rest, value)]]);
}

/** One line in YAML's flow style: `[{requests: 100, per: 1m}]`. */
export function showRaw(value: RawValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (isRawList(value)) return `[${value.map(showRaw).join(', ')}]`;
  const entries = Object.entries(value as RawMap).map(([key, item]) => `${key}: ${showRaw(item)}`);
  return `{${entries.join(', ')}}`;
}
