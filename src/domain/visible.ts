/**
 * Characters that command a terminal or turn the direction of writing: a text that holds them is shown otherwise than it is
 * stored. Tabs and line breaks are not among them.
 */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EVERY = new RegExp(UNSEEN.source, 'gu');

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** Each of them as its code: `\x1b`, `\u202e`. */
export function visible(text: string): string {
  if (!hasUnseen(text)) return text;
  return text.replace(EVERY, (mark) => escapeOf(mark, mark < '\u0100' ? '\\x' : '\\u'));
}

/** For JSON, where the escape is another spelling of the same text. */
export function visibleJson(json: string): string {
  return hasUnseen(json) ? json.replace(EVERY, (mark) => escapeOf(mark, '\\u', 4)) : json;
}

function escapeOf(mark: string, prefix: '\\x' | '\\u', digits = prefix === '\\x' ? 2 : 4): string {
  return prefix + mark.charCodeAt(0).toString(16).padStart(digits, '0');
}
