/**
 * Cuts out of a text what its own words name as a secret. Every step reads the text once, from left to right, so that the
 * time is linear in its length.
 */
import { endsInSecretName } from './secret-names.ts';

export const MASK = '[secret]';

const BEARER = /(\bBearer\s+)[A-Za-z0-9._~+/=-]+/gi;

/** Passwords of addresses, values behind a secret's name, and bearer tokens. */
export function withoutNamedSecrets(text: string): string {
  return cutNamed(cutUrlPasswords(text)).replace(BEARER, `$1${MASK}`);
}

/** `postgres://user:password@host`: everything from the first colon to the last @ before a blank. */
function cutUrlPasswords(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/\S+/g, (word) => {
    const at = word.lastIndexOf('@');
    for (let scheme = word.indexOf('://'); scheme >= 0 && scheme < at; scheme = word.indexOf('://', scheme + 3)) {
      const user = /[:@/]/g;
      user.lastIndex = scheme + 3;
      const end = user.exec(word);
      if (end?.[0] === ':' && end.index < at) return `${word.slice(0, end.index)}:${MASK}${word.slice(at)}`;
    }
    return word;
  });
}

/** Removes the value after every `=` or `:` that follows a secret's name: `secret=…`, `view_token: …`, `"purchaseViewToken":"…"`. */
function cutNamed(text: string): string {
  let kept = '';
  let from = 0;
  const marks = /[=:]/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (!followsSecretName(text, mark.index)) continue;
    const start = afterBlanks(text, mark.index + 1);
    const end = valueEnd(text, start);
    if (end === start) continue;
    kept += text.slice(from, start) + MASK;
    from = end;
    marks.lastIndex = end;
  }
  return kept + text.slice(from);
}

/** The name before the mark may be in quotes. */
function followsSecretName(text: string, mark: number): boolean {
  let end = mark;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  if (text[end - 1] === '"' || text[end - 1] === "'") end--;
  return endsInSecretName(text.slice(0, end));
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** The end of a text with or without quotes; the end of the input where the closing quote is missing. */
function valueEnd(text: string, start: number): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") {
    const stop = /[\s&'",;)}\]]/g;
    stop.lastIndex = start;
    return stop.exec(text)?.index ?? text.length;
  }
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}
