/**
 * The form in which a body may be kept: as received, with every view token cut out. Works on the text, as a body that
 * cannot be parsed is kept too.
 */
import { createHash } from 'node:crypto';
import type { ReceivedBody } from '../ports/service.ts';

const CUT = '[cut]';
const TOKEN_FIELDS = new Set(['purchaseViewToken', 'saleViewToken']);

/** Replacing something shorter wherever it occurs would eat the evidence; tokens have 16 characters. */
const SHORTEST_CUT_ANYWHERE = 6;

/** @param bytes as received, without their content encoding. @param token the one that was sent, or null. */
export function receivedBody(bytes: Buffer, text: string, token: string | null): ReceivedBody {
  return { sha256: sha256Of(bytes), evidence: cutTokens(text, token) };
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Cuts the values of the token fields, and the given token wherever and however it is written. */
export function cutTokens(text: string, token: string | null): string {
  let kept = '';
  let from = 0;
  const literals = /"(?:[^"\\]|\\.)*"/gs;
  for (let match = literals.exec(text); match !== null; match = literals.exec(text)) {
    const [literal] = match;
    const end = match.index + literal.length;
    const value = TOKEN_FIELDS.has(decoded(literal)) ? valueAfter(text, end) : null;
    if (value !== null) {
      kept += `${text.slice(from, value.start)}"${CUT}"`;
      from = value.end;
      literals.lastIndex = from;
    } else {
      const cut = cutLiteral(literal, token);
      if (cut === literal) continue;
      kept += text.slice(from, match.index) + cut;
      from = end;
    }
  }
  return cutPlain(kept + text.slice(from), token);
}

/** What stands after a key and its colon; null where the literal is no key, or nothing is there to cut. */
function valueAfter(text: string, keyEnd: number): { start: number; end: number } | null {
  const colon = /\s*:\s*/y;
  colon.lastIndex = keyEnd;
  if (!colon.test(text)) return null;
  const start = colon.lastIndex;
  if (text.startsWith('null', start)) return null;
  return { start, end: valueEnd(text, start) };
}

/** The end of a JSON value of any type; the end of the text where the value is not finished. */
function valueEnd(text: string, start: number): number {
  const parts = /"(?:[^"\\]|\\.)*"?|[[{]|[\]}]|,|[^"[\]{},]+/gs;
  parts.lastIndex = start;
  let depth = 0;
  for (let match = parts.exec(text); match !== null; match = parts.exec(text)) {
    const [part] = match;
    if (part === '[' || part === '{') depth++;
    else if (part === ']' || part === '}') depth--;
    // A closing bracket or a comma at this level belongs to the object around the value.
    if (depth < 0 || (depth === 0 && part === ',')) return match.index;
    if (depth === 0) return match.index + part.trimEnd().length;
  }
  return text.length;
}

function cutLiteral(literal: string, token: string | null): string {
  if (token === null) return literal;
  const text = decoded(literal);
  if (text === token) return `"${CUT}"`;
  return literal.includes('\\') && text.includes(token) ? JSON.stringify(cutPlain(text, token)) : literal;
}

function cutPlain(text: string, token: string | null): string {
  if (token === null || token.length < SHORTEST_CUT_ANYWHERE) return text;
  const cut = text.replaceAll(token, CUT);
  const encoded = encodeURIComponent(token);
  return encoded === token ? cut : cut.replaceAll(encoded, CUT);
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
