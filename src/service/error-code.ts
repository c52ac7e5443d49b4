/** The code of an error answer, from either envelope (spec §7, field facts "Errors"). */
import type { Content } from './answer.ts';
import { isExactObject } from './exact-json.ts';

/**
 * The application's `code`; else what the framework's envelope says: `CANNOT_GET` for a path that it does not know,
 * otherwise its `error` or `name`. Null where there is nothing, or nothing fit to be shown.
 * @param secrets which must not come back in it.
 */
export function errorCodeOf(content: Content, secrets: readonly string[]): string | null {
  if (content.type !== 'json' || !isExactObject(content.value)) return null;
  const { code, message, error, name } = content.value;
  const unknownPath = typeof message === 'string' ? UNKNOWN_PATH.exec(message)?.[1] : undefined;
  if (code === undefined && unknownPath !== undefined) return `CANNOT_${unknownPath}`;
  const shown = [code, error, name].find((candidate) => typeof candidate === 'string');
  return shown !== undefined && isShowable(shown, secrets) ? shown : null;
}

/** What the framework says of a path that it does not serve: the base URL is another system's. */
const UNKNOWN_PATH = /^Cannot (GET|POST)\b/;

function isShowable(code: string, secrets: readonly string[]): boolean {
  return /^[\x20-\x7e]{1,120}$/.test(code) && !secrets.some((secret) => code.includes(secret));
}
