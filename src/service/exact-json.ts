/**
 * A strict JSON reader for evidence. `JSON.parse` turns 17-digit amounts into doubles, keeps the last of two equal
 * keys and lets `__proto__` through; here numbers stay as written, and texts that two readers could read differently
 * are refused. Nothing of the body gets into an error: it may hold a token.
 */
import { EchoedSecret, ExactNumber } from './wire/exact-number.ts';

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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

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
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.readString();
      case 0x7b: // {
        return this.readObject();
      case 0x5b: // [
        return this.readArray();
      case 0x74: // t
        return this.readWord('true', true);
      case 0x66: // f
        return this.readWord('false', false);
      case 0x6e: // n
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  private readObject(): ExactObject {
    const object = emptyObject();
    this.enter();
    if (this.isNext(0x7d)) return this.leave(object);
    do {
      this.skipSpace();
      const keyAt = this.at;
      if (this.text.charCodeAt(this.at) !== QUOTE) this.fail();
      const key = this.readString();
      if (key in object) throw new ExactJsonError('duplicate-key', keyAt);
      if (!this.isNext(COLON)) this.fail();
      object[key] = this.readValue();
    } while (this.isNext(COMMA));
    if (!this.isNext(0x7d)) this.fail();
    return this.leave(object);
  }

  private readArray(): ExactJson[] {
    const items: ExactJson[] = [];
    this.enter();
    if (this.isNext(0x5d)) return this.leave(items);
    do items.push(this.readValue());
    while (this.isNext(COMMA));
    if (!this.isNext(0x5d)) this.fail();
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

  /** Steps over white space and, where it is next, over `code`. */
  private isNext(code: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  private readWord<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.at++) {
      if (this.text.charCodeAt(this.at) !== word.charCodeAt(i)) this.fail();
    }
    return value;
  }

  private readString(): string {
    const start = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) return this.text.slice(start, this.at++);
      if (code === BACKSLASH) return this.readEscaped(start);
      // Control characters must be escaped; NaN is the end of the text.
      if (!(code >= 0x20)) this.fail();
      this.at++;
    }
  }

  private readEscaped(start: number): string {
    let value = this.text.slice(start, this.at);
    let from = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) return (value + this.text.slice(from, this.at++)).toWellFormed();
      if (!(code >= 0x20)) this.fail();
      this.at++;
      if (code !== BACKSLASH) continue;
      value += this.text.slice(from, this.at - 1) + this.readEscape();
      from = this.at;
    }
  }

  private readEscape(): string {
    const letter = this.text[this.at];
    if (letter === 'u') {
      const hex = this.text.slice(this.at + 1, this.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
        // Half an escape at the very end is a cut body, half an escape anywhere else is not JSON.
        this.at += /^[0-9a-fA-F]*$/.test(hex) ? hex.length + 1 : 1;
        this.fail();
      }
      this.at += 5;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const meaning = ESCAPES.get(letter ?? '');
    if (meaning === undefined) this.fail();
    this.at++;
    return meaning;
  }

  private readNumber(): ExactNumber {
    const start = this.at;
    if (this.text.charCodeAt(this.at) === MINUS) this.at++;
    const wholeAt = this.at;
    const whole = this.skipDigits();
    if (whole > 1 && this.text.charCodeAt(wholeAt) === ZERO) {
      this.at = wholeAt + 1;
      this.fail();
    }
    let fraction = 0;
    if (this.text.charCodeAt(this.at) === POINT) {
      this.at++;
      fraction = this.skipDigits();
    }
    if (whole + fraction > MAX_DIGITS) throw new ExactJsonError('number', start);
    if ((this.text.charCodeAt(this.at) | 0x20) === 0x65) this.readExponent(start, fraction);
    return new ExactNumber(this.text.slice(start, this.at));
  }

  private readExponent(numberAt: number, fraction: number): void {
    const signAt = ++this.at;
    const sign = this.text.charCodeAt(this.at);
    if (sign === PLUS || sign === MINUS) this.at++;
    const digits = this.skipDigits();
    const exponent = Number.parseInt(this.text.slice(signAt, this.at), 10);
    const scale = fraction - exponent;
    if (digits > MAX_EXPONENT_DIGITS || scale > MAX_DIGITS || scale < -MAX_DIGITS) {
      throw new ExactJsonError('number', numberAt);
    }
  }

  /** At least one digit must be there. */
  private skipDigits(): number {
    const start = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (!(code >= ZERO && code <= NINE)) break;
      this.at++;
    }
    if (this.at === start) this.fail();
    return this.at - start;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private fail(): never {
    throw new ExactJsonError(this.at >= this.text.length ? 'truncated' : 'syntax', this.at);
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
