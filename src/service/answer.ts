/** An HTTP answer with its body read: what it is, before anybody asks what it means. */
import { isUtf8 } from 'node:buffer';
import { type ExactJson, ExactJsonError, parseExactJson } from './exact-json.ts';
import type { HttpAnswer } from './transport.ts';

export interface Answer {
  status: number;
  retryAfterMs: number | null;
  /** The bytes received, without their content encoding. */
  bytes: Buffer;
  content: Content;
}

export type Content =
  | { type: 'json'; text: string; value: ExactJson }
  /** JSON by its label, and cannot be read in exactly one way. `detail` is a sentence without secrets. */
  | { type: 'unreadable'; text: string; detail: string }
  /** JSON that ends too early. */
  | { type: 'truncated' }
  /** Not the Service's: a page of HTML, another content type, nothing at all. */
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
    // Read byte by byte, so that nothing is lost of what cannot be read.
    return { type: 'unreadable', text: body.toString('latin1'), detail: 'the body cannot be read: it is not UTF-8' };
  }
  const decoded = body.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  // A proxy's page that is labelled JSON is still a proxy's page; and nothing at all is no JSON.
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
