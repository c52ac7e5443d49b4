/** For calls that need a usable answer or an error: quotes and reference data. */
import { RequestRejectedError } from '../ports/service-errors.ts';
import { type Content, errorCodeOf } from './answer.ts';
import type { LastAttempt } from './ask.ts';
import {
  NotJsonError,
  RedirectedError,
  ServerFailureError,
  TruncatedBodyError,
  UnreadableAnswerError,
} from './errors.ts';
import type { ExactJson } from './exact-json.ts';

/** @param secrets that no error may repeat. @throws ExchangeError, or the error class of what the answer is instead. */
export function expectJson(last: LastAttempt, secrets: readonly string[]) {
  if (last.type === 'failure') throw last.failure;
  const { status, content, bytes } = last.answer;
  const code = errorCodeOf(content, secrets);
  if (status >= 500) throw new ServerFailureError(status, last.attempts);
  if (status === 429) throw new RequestRejectedError(status, code ?? 'RATE_LIMITED');
  if (status >= 400) throw content.type === 'json' ? new RequestRejectedError(status, code) : new NotJsonError(status);
  if (status >= 300) throw new RedirectedError(status);
  return { ...jsonOf(content, status), bytes };
}

/** With the body as received. @throws UnreadableAnswerError, TruncatedBodyError, NotJsonError for a body that is no JSON, with any status. */
export function jsonOf(content: Content, status: number): { value: ExactJson; text: string } {
  switch (content.type) {
    case 'json':
      return { value: content.value, text: content.text };
    case 'unreadable':
      throw new UnreadableAnswerError(content.detail);
    case 'truncated':
      throw new TruncatedBodyError(null);
    case 'foreign':
      throw new NotJsonError(status);
    default:
      return content satisfies never;
  }
}
