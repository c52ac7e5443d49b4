/**
 * A strict JSON reader for evidence. `JSON.parse` turns 17-digit amounts into doubles, keeps the last of two equal
 * keys and lets `__proto__` through; here numbers stay as written, and texts that two readers could read differently
 * are refused. Nothing of the body gets into an error: it may hold a token.
 */
import { EchoedSecret, ExactNumber } from './wire/exact-number.ts';

/** JSON whose numbers stay text: no amount passes through binary floating point. */
export type ExactJson = null | boolean | string | ExactNumber | EchoedSecret | ExactJson[] | ExactObject;

/** Inherits nothing, so that `__proto__` and `constructor` are keys like any other. */
export interface ExactObject {
  [key: string]: ExactJson;
}

/** `truncated`: the text ends too early, so another attempt may succeed. The others would fail again. */
type ExactJsonReason = 'syntax' | 'truncated' | 'duplicate-key' | 'number' | 'depth';

const MEANING: Readonly<Record<ExactJsonReason, string>> = {
  syntax: 'it is not JSON',
  truncated: 'it ends too early',
  'duplicate-key': 'an object has the same key twice',
  number: 'a number cannot be kept exactly',
  depth: 'it is nested too deeply',
};

/** Thrown for a body that cannot be read in exactly one way. */
export class ExactJsonError extends Error {
  override readonly name = 'ExactJsonError';
  readonly reason: ExactJsonReason;
  /** Characters before the error. */
  readonly position: number;
  constructor(reason: ExactJsonReason, position: number) {
    super(`the body cannot be read: ${MEANING[reason]} (at character ${position})`);
    this.reason = reason;
    this.position = position;
  }
}

/** Bodies of the Service nest four levels; anything near this depth is an attack on the stack. */
const MAX_DEPTH = 64;

/**
 * Reads one JSON value and nothing after it. A lone surrogate becomes U+FFFD, as it
 * does in every file and database: what is compared must be what is kept.
 * @throws ExactJsonError with the position, for everything else.
 */
export function parseExactJson(text: string): ExactJson {
  return new Reader(text).readAll();
}

const NO_FIELDS: object = Object.freeze(Object.create(null));

/** An object whose prototype is null itself would be a hash table to V8; one with this prototype is read in half the time. */
export function emptyObject(): ExactObject {
  return Object.create(NO_FIELDS);
}

/** True for a JSON object; false for lists, numbers and scalars. */
export function isExactObject(value: unknown): value is ExactObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber) &&
    !(value instanceof EchoedSecret)
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /(?:\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})?/y;
const DIGITS = /\d*/y;

/** The same bounds as Decimal.parse, so that every number read here can be calculated with. */
const MAX_DIGITS = 120;
const MAX_EXPONENT_DIGITS = 6;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  readAll(): ExactJson {
    const value = this.readValue();
    this.skipSpace();
    if (this.at < this.text.length) throw new ExactJsonError('syntax', this.at);
    return value;
  }

  private readValue(): ExactJson {
    this.skipSpace();
    switch (this.text[this.at]) {
      case '"':
        return this.readString();
      case '{':
        return this.readObject();
      case '[':
        return this.readArray();
      case 't':
        return this.readWord('true', true);
      case 'f':
        return this.readWord('false', false);
      case 'n':
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): ExactObject {
    const object = emptyObject();
    this.enter();
    if (this.isNext('}')) return this.leave(object);
    do {
      this.skipSpace();
      const keyAt = this.at;
      if (this.text[this.at] !== '"') this.fail();
      const key = this.readString();
      if (key in object) throw new ExactJsonError('duplicate-key', keyAt);
      if (!this.isNext(':')) this.fail();
      object[key] = this.readValue();
    } while (this.isNext(','));
    if (!this.isNext('}')) this.fail();
    return this.leave(object);
  }

  private readArray(): ExactJson[] {
    const items: ExactJson[] = [];
    this.enter();
    if (this.isNext(']')) return this.leave(items);
    do items.push(this.readValue());
    while (this.isNext(','));
    if (!this.isNext(']')) this.fail();
    return this.leave(items);
  }

  private enter(): void {
    if (this.depth++ >= MAX_DEPTH) throw new ExactJsonError('depth', this.at);
    this.at++;
  }

  private leave<T>(value: T): T {
    this.depth--;
    return value;
  }

  /** Steps over white space and, where it is next, over `mark`. */
  private isNext(mark: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private readWord<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.at++)
      if (this.text.charCodeAt(this.at) !== word.charCodeAt(i)) this.fail();
    return value;
  }

  private readString(): string {
    const start = this.at++;
    do this.skip(PLAIN);
    while (this.skip(ESCAPE) !== '');
    if (this.text[this.at] !== '"') {
      if (this.text[this.at] === '\\') this.stepIntoEscape();
      this.fail();
    }
    const literal = this.text.slice(start, ++this.at);
    return literal.includes('\\') ? (JSON.parse(literal) as string).toWellFormed() : literal.slice(1, -1);
  }

  /** Half an escape at the very end is a cut body, half an escape anywhere else is not JSON. */
  private stepIntoEscape(): void {
    if (this.text[++this.at] !== 'u') return;
    const hex = this.text.slice(this.at + 1, this.at + 5);
    this.at += /^[0-9a-fA-F]*$/.test(hex) ? hex.length + 1 : 1;
  }

  private readNumber(): ExactNumber {
    const start = this.at;
    if (this.text[start] === '-') this.at++;
    const wholeAt = this.at;
    const whole = this.digits();
    if (whole.length > 1 && whole.startsWith('0')) this.fail(wholeAt + 1);
    let fraction = 0;
    if (this.text[this.at] === '.') {
      this.at++;
      fraction = this.digits().length;
    }
    if (whole.length + fraction > MAX_DIGITS) throw new ExactJsonError('number', start);
    if ('eE'.includes(this.text[this.at] ?? '.')) {
      this.at++;
      const sign = '+-'.includes(this.text[this.at] ?? '.') ? this.text[this.at++] : '';
      const exponent = this.digits();
      const scale = fraction - Number.parseInt(`${sign}${exponent}`, 10);
      if (exponent.length > MAX_EXPONENT_DIGITS || Math.abs(scale) > MAX_DIGITS)
        throw new ExactJsonError('number', start);
    }
    return new ExactNumber(this.text.slice(start, this.at));
  }

  /** At least one must be there. */
  private digits(): string {
    const digits = this.skip(DIGITS);
    if (digits === '') this.fail();
    return digits;
  }

  private skipSpace(): void {
    while (' \n\r\t'.includes(this.text[this.at] ?? '.')) this.at++;
  }

  /** The expression is sticky, and matches at least nothing. */
  private skip(expression: RegExp): string {
    expression.lastIndex = this.at;
    const [found = ''] = expression.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }

  private fail(at = this.at): never {
    throw new ExactJsonError(at >= this.text.length ? 'truncated' : 'syntax', at);
  }
}

/** Prints a value back: compact, keys in their order, every number as it was written. */
export function exactJsonText(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(exactJsonText).join(',')}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${exactJsonText(field)}`);
  return `{${fields.join(',')}}`;
}
