/** An HTTP answer with its body, and the error code in it; fetch-record.ts decides its meaning for a record. */
import { isUtf8 } from 'node:buffer';
import { KnownSecrets } from '../text/secret-forms.ts';
import { type ExactJson, ExactJsonError, isExactObject, parseExactJson } from './exact-json.ts';
import type { HttpAnswer } from './transport.ts';

/** An answer whose content type and size were checked, before anything of it is read. */
export interface Answer {
  status: number;
  retryAfterMs: number | null;
  /** The bytes received, without their content encoding. */
  bytes: Buffer;
  content: Content;
}

export type Content =
  | { type: 'json'; text: string; value: ExactJson }
  /** Labelled as JSON, but cannot be read in exactly one way. `detail` is a sentence without secrets. */
  | { type: 'unreadable'; text: string; detail: string }
  /** JSON that ends too early. */
  | { type: 'truncated' }
  /** Not from the Service: a page of HTML, another content type, an empty body. */
  | { type: 'foreign'; isPage: boolean };

export function readAnswer({ status, retryAfterMs, contentType, body }: HttpAnswer): Answer {
  return { status, retryAfterMs, bytes: body, content: contentOf(body, contentType) };
}

const JSON_TYPE = /^(application|text)\/([a-z0-9.+-]+\+)?json$/;
const BYTE_ORDER_MARK = '\ufeff';

function contentOf(body: Buffer, contentType: string | null): Content {
  if (contentType !== null && !JSON_TYPE.test(contentType))
    return { type: 'foreign', isPage: isPage(contentType, body) };
  if (!isUtf8(body)) {
    // Decoded byte by byte, so that unreadable bodies are kept unchanged.
    return { type: 'unreadable', text: body.toString('latin1'), detail: 'the body cannot be read: it is not UTF-8' };
  }
  const decoded = body.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  // A proxy may label its HTML page as JSON; an empty body is no JSON either.
  if (/^\s*(<|$)/.test(text)) return { type: 'foreign', isPage: isPage(null, body) };
  try {
    return { type: 'json', text, value: parseExactJson(text) };
  } catch (error) {
    if (!(error instanceof ExactJsonError)) throw error;
    if (error.reason === 'truncated') return { type: 'truncated' };
    const isUnlabelled = contentType === null && error.reason === 'syntax';
    return isUnlabelled ? { type: 'foreign', isPage: false } : { type: 'unreadable', text, detail: error.message };
  }
}

function isPage(contentType: string | null, body: Buffer): boolean {
  return contentType === 'text/html' || /^\s*</.test(body.toString('latin1', 0, 100));
}

/**
 * The application's `code`; else what the framework's envelope says: `CANNOT_GET` for a path that it does not know,
 * otherwise its `error` or `name`. Null without one, or with one unfit to be shown. @param secrets that must not be
 * in it.
 */
export function errorCodeOf(content: Content, secrets: readonly string[]): string | null {
  if (content.type !== 'json' || !isExactObject(content.value)) return null;
  const { code, message, error, name } = content.value;
  const unknownPath = typeof message === 'string' ? UNKNOWN_PATH.exec(message)?.[1] : undefined;
  if (code === undefined && unknownPath !== undefined) return `CANNOT_${unknownPath}`;
  const shown = [code, error, name].find((candidate) => typeof candidate === 'string');
  return shown !== undefined && SHOWABLE.test(shown) && !new KnownSecrets(secrets).isIn(shown) ? shown : null;
}

/** The framework's code for an unknown path: the base URL is another system's. */
const UNKNOWN_PATH = /^Cannot (GET|POST)\b/;

const SHOWABLE = /^[\x20-\x7e]{1,120}$/;
