/**
 * The form in which a body may be kept: as received, without any view token. Works on the text, because a body that
 * cannot be parsed is kept too. The text is read from left to right a fixed number of times, so that the time is
 * linear in its length, also for hostile bodies.
 */
import { hash } from 'node:crypto';
import type { ReceivedBody } from '../ports/service.ts';
import { KnownSecrets } from '../text/secret-forms.ts';
import { type ExactJson, emptyObject, isExactObject } from './exact-json.ts';
import { EchoedSecret, ExactNumber } from './wire/exact-number.ts';

/** In a kept body, in place of a token. */
export const CUT = '[cut]';

/** What must not be in a kept body. */
interface BodySecrets {
  /** Takes longer than all else that is done with a body, so it is called only where `areAbsent` is false. */
  known: () => KnownSecrets;
  /** True where a search would surely find none of them in the text. */
  areAbsent: (text: string) => boolean;
}

function ofToken(token: string | null): BodySecrets {
  return { known: () => new KnownSecrets(token === null ? [] : [token]), areAbsent: () => false };
}

/** @param bytes as received, without their content encoding. @param token the one that was sent, or null. */
export function receivedBody(
  bytes: Buffer,
  text: string,
  token: string | null,
  secrets: BodySecrets = ofToken(token),
): { body: ReceivedBody; isEchoed: boolean } {
  const { kept, isEchoed } = cutFrom(text, token, secrets);
  return { body: { sha256: sha256Of(bytes), evidence: kept }, isEchoed };
}

export function sha256Of(bytes: Buffer): string {
  return hash('sha256', bytes);
}

/** Removes the values of the token fields, and the given token anywhere, in any encoding. */
export function cutTokens(text: string, token: string | null): string {
  return cutFrom(text, token, ofToken(token)).kept;
}

/** @returns isEchoed: whether a secret stands outside the token fields. */
function cutFrom(
  text: string,
  token: string | null,
  { known, areAbsent }: BodySecrets,
): { kept: string; isEchoed: boolean } {
  const plain = cutLiterals(text, null);
  if (areAbsent(plain)) return { kept: cutNamed(plain), isEchoed: false };
  const secrets = known();
  const isEchoed = secrets.isIn(plain);
  // Nearly every body has its token in the token fields only, and no escapes that could hide it.
  const isClean = !isEchoed && !plain.includes('\\') && !plain.includes(`"${token}"`);
  if (isClean) return { kept: cutNamed(plain), isEchoed };
  const rest = cutNamed(cutLiterals(plain, (literal) => cutLiteral(literal, token, secrets)));
  return { kept: secrets.isIn(rest) ? secrets.cut(rest, CUT) : rest, isEchoed };
}

/** The text without the values of its token fields, and with `cut`, where given, applied to every other string literal. */
function cutLiterals(text: string, cut: ((literal: string) => string) | null): string {
  // The names of token fields end with an `n`; only escapes can hide it.
  const hasEscapes = text.includes('\\');
  let kept = '';
  let from = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = literalEnd(text, start);
    if (end < 0) break;
    const mayBeToken = hasEscapes || text[end - 2] === 'n' || text[end - 2] === 'N';
    const value = mayBeToken && isTokenField(decoded(text.slice(start, end))) ? valueAfter(text, end) : null;
    if (value !== null) {
      kept += `${text.slice(from, value.start)}"${CUT}"`;
      from = value.end;
    } else if (cut !== null) {
      const literal = text.slice(start, end);
      const rest = cut(literal);
      if (rest !== literal) {
        kept += text.slice(from, start) + rest;
        from = end;
      }
    }
    start = text.indexOf('"', Math.max(from, end));
  }
  return kept + text.slice(from);
}

/** The position behind the closing quote; −1 where there is none. */
function literalEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return -1;
}

/** The value after a key and its colon; null where the literal is no key, or there is nothing to remove. */
function valueAfter(text: string, keyEnd: number): { start: number; end: number } | null {
  const colon = afterBlanks(text, keyEnd);
  if (text[colon] !== ':') return null;
  const start = afterBlanks(text, colon + 1);
  if (text.startsWith('null', start)) return null;
  return { start, end: valueEnd(text, start) };
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return at;
}

/** The end of a JSON value of any type; the end of the text where the value is not finished. */
function valueEnd(text: string, start: number): number {
  const marks = /["[\]{},]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const { index } = mark;
    let end = index + 1;
    if (mark[0] === '"') {
      end = literalEnd(text, index);
      if (end < 0) return text.length;
      marks.lastIndex = end;
    } else if (mark[0] === '[' || mark[0] === '{') depth++;
    else if (mark[0] !== ',') depth--;
    // A closing bracket or a comma at this level belongs to the object around the value.
    if (depth < 0 || (depth === 0 && mark[0] === ',')) return start + text.slice(start, index).trimEnd().length;
    if (depth === 0) return end;
  }
  return text.length;
}

function cutLiteral(literal: string, token: string | null, secrets: KnownSecrets): string {
  if (token === null) return literal;
  const text = decoded(literal);
  if (text === token) return `"${CUT}"`;
  return literal.includes('\\') && secrets.isIn(text) ? JSON.stringify(secrets.cut(text, CUT)) : literal;
}

/**
 * Token fields inside a string (a quoted body, an address with `secret=`), and those of a text that is no JSON.
 */
function cutNamed(text: string): string {
  return text.replace(
    /(?:view_?token\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}["']?|[?&]secret=)([^"'\\\s,&<>{}\]]{1,512})/gi,
    (found: string, value: string) =>
      value === 'null' || value === '[cut' ? found : `${found.slice(0, -value.length)}${CUT}`,
  );
}

/** The value of a string literal; the literal itself where its escapes are not JSON's. */
function decoded(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : literal;
  } catch {
    return literal.slice(1, -1);
  }
}

/** The specification has `purchaseViewToken`, SDK events have `saleViewToken`; other spellings hold a token just as well. */
const isTokenField = (name: string): boolean => /view_?token$/i.test(name);

/**
 * The value with an `EchoedSecret` for each scalar outside a token field that has one of the secrets in it, however encoded: no report,
 * log or column may contain it. Its field is then drift, because its real value is unknown.
 */
export function withoutEchoes(value: ExactJson, known: KnownSecrets): ExactJson {
  if (typeof value === 'string') return known.isIn(value) ? new EchoedSecret() : value;
  if (value instanceof ExactNumber) return known.isIn(value.text) ? new EchoedSecret() : value;
  if (Array.isArray(value)) return value.map((item) => withoutEchoes(item, known));
  if (!isExactObject(value)) return value;
  const object = emptyObject();
  for (const [name, field] of Object.entries(value)) {
    const isOwn = isTokenField(name) && typeof field === 'string';
    object[known.cut(name, CUT)] = isOwn ? field : withoutEchoes(field, known);
  }
  return object;
}
