/**
 * Refusals of a request, as status and a few fixed words. Before authentication the answer gives no reason; after it, it
 * names the problem of the body, never its content.
 */
import type { Log } from '../../ports/log.ts';
import type { IntakeEndpoint, IntakeResult } from './contract.ts';

/** Thrown by a route where a request is not taken. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly statusCode: number;
  readonly result: IntakeResult;
  constructor(statusCode: number, result: IntakeResult, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.result = result;
  }
}

export const unauthorized = () => new RefusedError(401, 'unauthorized', 'unauthorized');
export const closed = () => new RefusedError(404, 'closed', 'not found');
export const malformed = (problem: string) =>
  new RefusedError(400, 'malformed', `the body cannot be taken: ${problem.replace(/^the body cannot be read: /, '')}`);
export const overloaded = () => new RefusedError(429, 'limited', 'too many large requests');
export const limited = () => new RefusedError(429, 'limited', 'too many requests');
export const tooComplex = () => new RefusedError(400, 'malformed', 'the body has too many values, or nests too deeply');
export const tooLarge = () => new RefusedError(413, 'too-large', 'the body is larger than 256 KiB');
export const inPieces = () => malformed('it comes in too many pieces');
export const notJson = () => new RefusedError(415, 'unsupported', 'the body must be application/json');
export const encoded = () => new RefusedError(415, 'unsupported', 'the body must not be compressed');
export const untracked = () =>
  new RefusedError(422, 'untracked', 'the record is not tracked, and the body has no view token to track it by');
export const conflicting = () => new RefusedError(409, 'conflict', 'this id is stored with other content, which stays');
/** A failure of the server: it was not acknowledged, so it is sent again. */
export const UNAVAILABLE = { statusCode: 503, message: 'try again later' };

/** Refusals for fastify's own errors, by their codes. */
const BY_CODE: Readonly<Record<string, () => RefusedError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new RefusedError(400, 'malformed', 'the length of the body differs from Content-Length'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new RefusedError(400, 'malformed', 'the body is empty'),
};

/** The refusal for an error; null for a failure of the server, after which the sender should repeat the request. */
export function refusalOf(error: unknown): RefusedError | null {
  if (error instanceof RefusedError) return error;
  if (typeof error !== 'object' || error === null) return null;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  if (known !== undefined) return known();
  if (statusCode === 429) return limited();
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new RefusedError(statusCode, 'malformed', 'bad request');
  return null;
}

const MINUTE_MS = 60_000;

/**
 * One line for the first refusal, then at most one a minute with counts: a refused sender repeats itself, and a flood
 * would fill the log. No text of the sender's is in it.
 */
export function refusalLines(log: Pick<Log, 'warn'>) {
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    if (counts.size > 0) log.warn(`refused: ${[...counts].map(([what, times]) => `${times} ${what}`).join(', ')}`);
    timer = counts.size > 0 ? setTimeout(tell, MINUTE_MS).unref() : undefined;
    counts.clear();
  };
  return {
    count(endpoint: IntakeEndpoint, { statusCode, result }: RefusedError): void {
      const what = `${endpoint} ${result} (${statusCode})`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (timer === undefined) tell();
    },
    end(): void {
      clearTimeout(timer);
      tell();
      clearTimeout(timer);
    },
  };
}
