/**
 * Readers of values, lists and maps. Each takes the text that was written and says, when it cannot read it, what is
 * allowed; the message completes a sentence that begins with the value: `"5 sec" is not valid; allowed: …`.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isTimezone } from '../src/domain/calendar.ts';
import { Decimal, DecimalSyntaxError } from '../src/domain/decimal.ts';
import { suggestion } from '../src/text/nearest-name.ts';
import { parseDuration, showDuration } from './duration.ts';
import { type Shape, shaped, shapeOf } from './shape.ts';

export type Reader<T> = z.ZodType<T>;

/** What a reader takes, in words, for its message and for the documentation. */
export const ALLOWED = z.registry<{ allowed: string }>();

/**
 * Reads one text.
 * @param allowed what is allowed, as the end of a sentence
 * @param read gives undefined, or a more precise complaint, for a text that is not
 * @param shape what an editor lets pass
 */
export function reader<T>(
  allowed: string,
  read: (text: string) => T | SettingProblem | undefined,
  shape: Shape = { type: ['string', 'number'] },
): Reader<T> {
  const schema = z.unknown().transform((value, context): T => {
    const result = typeof value === 'string' ? read(value.trim()) : undefined;
    if (result !== undefined && !(result instanceof SettingProblem)) return result;
    const verdict = value === undefined || value === null ? 'is missing' : 'is not valid';
    const message = result instanceof SettingProblem ? result.text : `${verdict}; allowed: ${allowed}`;
    context.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });
  return shaped(schema, () => ({ ...shape, description: `Allowed: ${allowed}.` })).register(ALLOWED, { allowed });
}

/** A more precise message, beginning with a verb: `must end in /api`. */
export class SettingProblem {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What `inner` reads, or null for null, an absent value and the words in `none`. */
export function optional<T>(inner: Reader<T>, none: readonly string[] = ['none']): Reader<T | null> {
  const nullable = z.unknown().transform((value, context): T | null => {
    if (value === null || (typeof value === 'string' && none.includes(value.trim()))) return null;
    return delegate(inner, value, context);
  });
  const schema: Reader<T | null> = shaped(nullable.default(null), () => {
    const { type, enum: words } = shapeOf(inner);
    const description = `Allowed: ${ALLOWED.get(schema)?.allowed}.`;
    if (words !== undefined) return { enum: [...words, null, ...none], description };
    // Of any text, `none` is one.
    if (typeof type === 'object') return { type: [...type, 'null'], description };
    return { anyOf: [shapeOf(inner), { enum: [null, ...none] }] };
  });
  return alsoAllowing(schema, inner, none);
}

/** Two forms of one setting. @param isFirst whether a value is meant as the first */
export function either<A, B>(first: Reader<A>, other: Reader<B>, isFirst: (value: unknown) => boolean): Reader<A | B> {
  const schema = z.unknown().transform((value, context): A | B => {
    return isFirst(value) ? delegate(first, value, context) : delegate(other, value, context);
  });
  return shaped(schema, () => ({ anyOf: [shapeOf(first), shapeOf(other)] }));
}

/** One word, or what `inner` reads. YAML 1.1 writes `off` as `false`, so that `spellings` may be needed. */
export function orWord<T, const W extends string>(
  word: W,
  inner: Reader<T>,
  spellings: readonly string[] = [],
): Reader<T | W> {
  const either = z.unknown().transform((value, context): T | W => {
    if (value === word || spellings.some((spelling) => spelling === value)) return word;
    const read = delegate(inner, value, context);
    for (const issue of context.issues as { path: unknown[]; message?: string }[]) {
      const { path, message = '' } = issue;
      const isOfThis = path.length === 0 && /^is not valid; allowed: a (?:list|map with)/.test(message);
      if (isOfThis && !message.endsWith(`, or ${word}`)) issue.message = `${message}, or ${word}`;
    }
    return read;
  });
  const words = [word, ...spellings.map((spelling) => (spelling === 'false' ? false : spelling))];
  const schema = shaped(either, () => ({ anyOf: [{ enum: words }, shapeOf(inner)] }));
  return alsoAllowing(schema, inner, [word]);
}

export const orOff = <T>(inner: Reader<T>): Reader<T | 'off'> => orWord('off', inner, ['false']);

function alsoAllowing<T>(outer: Reader<T>, inner: Reader<unknown>, words: readonly string[]): Reader<T> {
  const known = ALLOWED.get(inner)?.allowed;
  if (known === undefined) return outer;
  const missing = words.filter((word) => !known.endsWith(`or ${word}`));
  return outer.register(ALLOWED, { allowed: [known, ...missing].join(', or ') });
}

type Context = { issues: unknown[] };

/** Runs another schema inside a transform and hands its issues on with their paths, so that all are reported at once. */
export function delegate<T>(inner: Reader<T>, value: unknown, context: Context, at: readonly string[] = []): T {
  const result = inner.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues)
    context.issues.push({ ...issue, path: [...at, ...issue.path], input: value });
  return z.NEVER;
}

export function text(allowed: string, pattern: RegExp): Reader<string> {
  return reader(allowed, (value) => (pattern.test(value) ? value : undefined));
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return reader(
    values.join(', '),
    (value) =>
      values.find((candidate) => candidate === value) ??
      new SettingProblem(`is not valid; allowed: ${values.join(', ')}${meant(value, values)}`),
    { enum: values },
  );
}

function meant(value: string, values: readonly string[]): string {
  const hint = suggestion(value, values);
  return hint.startsWith('did') ? ` (${hint})` : '';
}

export const flag: Reader<boolean> = reader(
  'true or false',
  (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  { type: 'boolean' },
);

export function wholeNumber(min: number, max: number): Reader<number> {
  const read = (value: string) => {
    if (!/^\d{1,9}$/.test(value)) return undefined;
    const number = Number.parseInt(value, 10);
    return number >= min && number <= max ? number : undefined;
  };
  return reader(`a whole number from ${min} to ${max}`, read, { type: 'integer', minimum: min, maximum: max });
}

/** Milliseconds. */
export function duration(min: string, max: string): Reader<number> {
  const least = parseDuration(min) ?? 0;
  const most = parseDuration(max) ?? Number.POSITIVE_INFINITY;
  const read = (value: string) => {
    const ms = parseDuration(value);
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined;
  };
  const examples = ['5s', '15m', '12h', '90d', '400d'].filter((each) => read(each) !== undefined);
  const allowed = `a duration from ${showDuration(least)} to ${showDuration(most)}, such as ${examples.join(', ')}`;
  return reader(allowed, read, { type: 'string', pattern: '^ *[0-9]+ *(ms|s|m|h|d) *$' });
}

/** Exact: every digit that was written counts. */
export function decimal(max: string | null, hint: string): Reader<Decimal> {
  const most = max === null ? null : Decimal.parse(max);
  const range = max === null ? 'of at least 0' : `from 0 to ${max}`;
  return reader(`a decimal number ${range}, ${hint}`, (value) => {
    try {
      const number = Decimal.parse(value);
      return number.isNegative || (most !== null && number.greaterThan(most)) ? undefined : number;
    } catch (error) {
      if (error instanceof DecimalSyntaxError) return undefined;
      throw error;
    }
  });
}

/** An IANA name. An offset such as +02:00 is refused: it has no summer time. */
export const timezone: Reader<string> = reader('an IANA time zone, such as UTC or Europe/Berlin', (value) => {
  if (!/^[A-Za-z]/.test(value)) return undefined;
  if (isTimezone(value)) return value;
  const hint = suggestion(value, Intl.supportedValuesOf('timeZone'));
  return hint.startsWith('did') ? new SettingProblem(`is not an IANA time zone; ${hint}`) : undefined;
});

export const ipAddress: Reader<string> = reader('an IP address of this machine, such as 192.0.2.7', (value) =>
  isIP(value) === 0 ? undefined : value,
);

/**
 * A map with exactly these settings. The message of an unknown one has a line per key, in the order of the issue's
 * `keys`, each with the nearest name.
 */
export function strict<T extends z.core.$ZodLooseShape>(shape: T) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `unknown setting; ${suggestion(key, names)}`).join('\n')
        : `is not valid; allowed: a map with ${names.join(', ')}`,
  });
}

export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  const schema = z.array(item, { error: 'is not valid; allowed: a list' });
  const known = ALLOWED.get(item)?.allowed;
  return known === undefined ? schema : schema.register(ALLOWED, { allowed: `a list; each item ${known}` });
}

/** A list that has at least one item. */
export function filledList<T>(item: Reader<T>): Reader<readonly T[]> {
  const schema = list(item);
  const filled = schema.check(z.minLength(1, { error: 'needs at least one item' }));
  const known = ALLOWED.get(schema)?.allowed;
  return known === undefined
    ? filled
    : filled.register(ALLOWED, { allowed: known.replace('a list', 'a list of at least one') });
}

/** A map from names that the user chooses to values of one sort. Every entry is read, also after a problem in another one. */
export function namedMap<T>(inner: Reader<T>, what: string, isKnown: (name: string) => true | string) {
  const schema = z.unknown().transform((value, context): ReadonlyMap<string, T> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const message = `is not valid; allowed: a map from ${what} to its settings`;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }
    const read = new Map<string, T>();
    for (const [name, entry] of Object.entries(value)) {
      const known = isKnown(name);
      if (known !== true) context.issues.push({ code: 'custom', message: known, path: [name], input: name });
      read.set(name, delegate(inner, entry, context, [name]));
    }
    return read;
  });
  return shaped(schema, () => ({ type: 'object', additionalProperties: shapeOf(inner) }));
}

/** Adds a problem. @param path from the value that is checked */
type Bad = (message: string, path: PropertyKey[], input: unknown) => void;

/** A check of a whole list or map that runs even where parts of it are wrong, so that all problems come at once. */
export function always<T>(run: (value: T, bad: Bad) => void) {
  const check = z.check<T>(({ value, issues }) =>
    run(value, (message, path, input) => issues.push({ code: 'custom', message, path, input })),
  );
  // Only a part's problem has a path here: without one, it is no list or map at all.
  check._zod.def.when = ({ issues }) => !issues.some(({ code, path }) => code === 'invalid_type' && path === undefined);
  return check;
}

/** A check that no two items of a list have the same text in a field. */
export function distinct<T extends object>(field: string & keyof T, message: string) {
  return always<readonly T[]>((value, bad) => {
    const seen = new Set<unknown>();
    for (const [index, item] of value.entries()) {
      const text = item?.[field];
      if (seen.has(text)) bad(message, [index, field], text);
      if (typeof text === 'string') seen.add(text);
    }
  });
}

/** At most so many requests in so long, each as often as stated; or off. */
export function rateLimits(most: number) {
  const limit = strict({ requests: wholeNumber(1, most), per: duration('1s', '7d') });
  return orOff(
    filledList(limit).pipe(z.transform((limits) => limits.map(({ requests, per }) => ({ requests, perMs: per })))),
  );
}
