/**
 * Readers of single settings. Each takes the text that was written and says, when it cannot read it, what is allowed;
 * the message completes a sentence that begins with the value: `"5 sec" is not valid; allowed: …`.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { Decimal, DecimalSyntaxError } from '../src/domain/decimal.ts';
import { suggestion } from '../src/domain/nearest-name.ts';
import { parseDuration, showDuration } from './duration.ts';

export type Leaf<T> = z.ZodType<T>;

/**
 * A setting that is one text.
 * @param allowed what is allowed, as the end of a sentence
 * @param read gives undefined, or a more precise complaint, for what is not
 */
export function leaf<T>(allowed: string, read: (text: string) => T | Complaint | undefined): Leaf<T> {
  return z.unknown().transform((value, context): T => {
    const result = typeof value === 'string' ? read(value.trim()) : undefined;
    if (result !== undefined && !(result instanceof Complaint)) return result;
    const verdict = value === undefined || value === null ? 'is missing' : 'is not valid';
    const message = result instanceof Complaint ? result.text : `${verdict}; ${allowed}`;
    context.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });
}

/** A more precise message, beginning with a verb: `must end in /api`. */
export class Complaint {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The same, where nothing is an answer too: `null`, `none` or leaving it out. */
export function optional<T>(inner: Leaf<T>, none: readonly string[] = ['none']): Leaf<T | null> {
  const nullable = z.unknown().transform((value, context): T | null => {
    if (value === null || (typeof value === 'string' && none.includes(value.trim()))) return null;
    return delegate(inner, value, context);
  });
  return nullable.default(null);
}

/** `off`, or what `inner` reads. YAML's older readers write `off` as `false`. */
export function orOff<T>(inner: Leaf<T>): Leaf<T | 'off'> {
  return z.unknown().transform((value, context): T | 'off' => {
    if (value === 'off' || value === 'false') return 'off';
    return delegate(inner, value, context);
  });
}

/** `auto`, or what `inner` reads. */
export function orAuto<T>(inner: Leaf<T>): Leaf<T | 'auto'> {
  return z.unknown().transform((value, context): T | 'auto' => {
    if (value === 'auto') return 'auto';
    return delegate(inner, value, context);
  });
}

type Context = { issues: unknown[] };

/** Runs another schema inside a transform and hands its issues on with their paths, so that all are reported at once. */
export function delegate<T>(inner: Leaf<T>, value: unknown, context: Context, at: readonly string[] = []): T {
  const result = inner.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues)
    context.issues.push({ ...issue, path: [...at, ...issue.path], input: value });
  return z.NEVER;
}

export function text(allowed: string, pattern: RegExp): Leaf<string> {
  return leaf(allowed, (value) => (pattern.test(value) ? value : undefined));
}

export function oneOf<const T extends string>(values: readonly T[]): Leaf<T> {
  return leaf(
    `allowed: ${values.join(', ')}`,
    (value) =>
      values.find((candidate) => candidate === value) ??
      new Complaint(`is not valid; allowed: ${values.join(', ')}${meant(value, values)}`),
  );
}

function meant(value: string, values: readonly string[]): string {
  const hint = suggestion(value, values);
  return hint.startsWith('did') ? ` (${hint})` : '';
}

export const flag: Leaf<boolean> = leaf('allowed: true or false', (value) =>
  value === 'true' ? true : value === 'false' ? false : undefined,
);

export function wholeNumber(min: number, max: number): Leaf<number> {
  return leaf(`allowed: a whole number from ${min} to ${max}`, (value) => {
    if (!/^\d{1,9}$/.test(value)) return undefined;
    const number = Number.parseInt(value, 10);
    return number >= min && number <= max ? number : undefined;
  });
}

/** Milliseconds. */
export function duration(min: string, max: string): Leaf<number> {
  const least = parseDuration(min) ?? 0;
  const most = parseDuration(max) ?? Number.POSITIVE_INFINITY;
  const allowed = `allowed: a duration from ${showDuration(least)} to ${showDuration(most)}, such as 5s, 15m, 120h or 400d`;
  return leaf(allowed, (value) => {
    const ms = parseDuration(value);
    return ms !== undefined && ms >= least && ms <= most ? ms : undefined;
  });
}

/** Exact: every digit that was written counts. */
export function decimal(max: string | null, hint: string): Leaf<Decimal> {
  const most = max === null ? null : Decimal.parse(max);
  const range = max === null ? 'of at least 0' : `from 0 to ${max}`;
  return leaf(`allowed: a decimal number ${range}, ${hint}`, (value) => {
    try {
      const number = Decimal.parse(value);
      return number.isNegative || (most !== null && number.greaterThan(most)) ? undefined : number;
    } catch (error) {
      if (error instanceof DecimalSyntaxError) return undefined;
      throw error;
    }
  });
}

/** An IANA name; an offset such as +02:00 is none, for it knows no summer time. */
export const timezone: Leaf<string> = leaf('allowed: an IANA time zone, such as UTC or Europe/Berlin', (value) => {
  try {
    if (!/^[A-Za-z]/.test(value)) return undefined;
    new Intl.DateTimeFormat('en', { timeZone: value });
    return value;
  } catch {
    const hint = suggestion(value, Intl.supportedValuesOf('timeZone'));
    return hint.startsWith('did') ? new Complaint(`is not an IANA time zone; ${hint}`) : undefined;
  }
});

export const ipAddress: Leaf<string> = leaf('allowed: an IP address of this machine, such as 192.0.2.7', (value) =>
  isIP(value) === 0 ? undefined : value,
);
