/**
 * One HTTP endpoint of a chain. Its address may hold a key, so no error and no reason here names more than what went wrong. What
 * it answers is the text of a stranger: bytes, depth and time are bounded, and redirects are not followed.
 */
import pLimit from 'p-limit';
import { UnavailableError } from '../../domain/errors.ts';
import type { Limiter } from '../../ports/pacing.ts';
import { extentOf } from '../../text/json-limits.ts';
import { percentDecoded } from '../../text/percent-decoded.ts';
import { KnownSecrets } from '../../text/secret-forms.ts';
import { withoutSlashes } from '../../text/url-path.ts';

interface EndpointOptions {
  url: string;
  /** What of the address is its key, where the settings tell. */
  key?: string | null;
  timeoutMs: number;
  /** Requests in flight. */
  concurrency: number;
  /** Null: the endpoint has no limits. */
  limiter: Limiter | null;
  retries?: number;
}

/** A receipt of a batched payout to a thousand addresses has half a megabyte. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 40;
/** 4 MiB of `0,` would take seconds, in which no lease is renewed. */
const MAX_VALUES = 500_000;
const PAUSE_MS = 250;
/** Requests in a row that failed for good: from then on an endpoint that hangs would only cost the night its time. */
const GIVEN_UP_AFTER = 5;

/** `body` is undefined for the 404 of a path: `null` is a body that something other than the API may have sent. */
export type Received =
  | { ok: true; body: unknown }
  /** `isTooMuch`: less in one request may be answered. */
  | { ok: false; reason: string; isTooMuch?: boolean };

/** What an answer takes beyond its bytes, for each of its values, once it is read. */
const BYTES_A_VALUE = 64;

/** Thrown where the answers of `within` hold more than was allowed; about fewer transactions they may not. Exit code 4. */
export class TooMuchAtOnceError extends UnavailableError {}

export type HttpEndpoint = ReturnType<typeof httpEndpoint>;

/** What is asked below the address: without a path by JSON-RPC. */
interface Asked {
  path?: string;
  body?: string;
  as?: 'json' | 'text';
}

/** An endpoint on another machine. Its answers are limited in size and time. */
export function httpEndpoint(options: EndpointOptions) {
  const { url, limiter, timeoutMs, retries = 2 } = options;
  const inFlight = pLimit(options.concurrency);
  /** Cut out of its answers, which become evidence. */
  const keys = new KnownSecrets([...keysIn(url), options.key ?? '']);
  /** In a row, each after its retries. */
  let failures = 0;
  let sent = 0;
  let budget: { left: number; stop: AbortController } | null = null;

  const spend = (bytes: number): void => {
    if (budget === null) return;
    budget.left -= bytes;
    if (budget.left < 0) budget.stop.abort();
    budget.stop.signal.throwIfAborted();
  };

  /** Integers beyond 2^53 stay exact: they come as text. */
  const parse = (text: string): Received => {
    const { depth, further: values } = extentOf(text, (read) => read.depth <= MAX_DEPTH && read.further <= MAX_VALUES);
    spend(values * BYTES_A_VALUE);
    if (depth > MAX_DEPTH) return { ok: false, reason: `answered with more than ${MAX_DEPTH} levels of nesting` };
    if (values > MAX_VALUES)
      return { ok: false, reason: `answered with more than ${MAX_VALUES} values`, isTooMuch: true };
    try {
      return { ok: true, body: JSON.parse(text, exactly) };
    } catch {
      return { ok: false, reason: 'answered with text that is no JSON' };
    }
  };

  const once = async ({ path, body, as = 'json' }: Asked, signal: AbortSignal) => {
    const ended = (received: Received, transient = false) => ({ received, transient });
    await limiter?.acquire({ pace: 'burst', signal });
    sent++;
    try {
      const response = await fetch(path === undefined ? url : `${withoutSlashes(url)}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const isUnknown = response.status === 404 && path !== undefined;
      if (!response.ok && !isUnknown) {
        await response.body?.cancel();
        const { status } = response;
        const isTooMuch = status === 400 || status === 413;
        return ended({ ok: false, reason: `answered HTTP ${status}`, isTooMuch }, status === 429 || status >= 500);
      }
      // Of a 404 too: a body that is left unread keeps its connection, beyond those that are counted as in flight.
      const whole = await readBounded(response, spend);
      if (whole === null) return ended({ ok: false, reason: 'answered with more than 4 MiB', isTooMuch: true });
      const text = keys.cut(whole, '[key]');
      if (isUnknown) return ended({ ok: true, body: undefined });
      return ended(as === 'text' ? { ok: true, body: text } : parse(text));
    } catch (error) {
      signal.throwIfAborted();
      const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
      const reason = timedOut ? `gave no answer within ${timeoutMs / 1000} s` : 'could not be reached';
      return ended({ ok: false, reason }, true);
    }
  };

  return {
    /** Requests sent since this was made. */
    sent: () => sent,
    /**
     * All answers to what is asked meanwhile may hold so many bytes together: they are kept until the last has come.
     * @throws TooMuchAtOnceError
     */
    async within<T>(bytes: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const stop = new AbortController();
      budget = { left: bytes, stop };
      try {
        return await work(AbortSignal.any([signal, stop.signal]));
      } catch (error) {
        signal.throwIfAborted();
        if (stop.signal.aborted) throw new TooMuchAtOnceError(`an endpoint's answers hold more than ${bytes} bytes`);
        throw error;
      } finally {
        budget = null;
      }
    },
    /** Never throws but for an abort. */
    ask: (request: Asked, signal: AbortSignal) =>
      inFlight(async (): Promise<Received> => {
        for (let attempt = 0; ; attempt++) {
          if (failures >= GIVEN_UP_AFTER)
            return { ok: false, reason: `was given up after ${GIVEN_UP_AFTER} failures in a row` };
          const { received, transient } = await once(request, signal);
          if (!transient) failures = 0;
          else if (attempt >= retries) failures++;
          if (!transient || attempt >= retries) return received;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** attempt));
          signal.throwIfAborted();
        }
      }),
  };
}

/** Null where there is more than may be kept; the rest is not read. */
async function readBounded(response: Response, spend: (bytes: number) => void): Promise<string | null> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    spend(piece.byteLength);
    if (bytes > MAX_BYTES) return null;
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  return pieces.join('') + decoder.decode();
}

/** The third argument of a reviver is the source text of a value (Node 22 and newer). */
function exactly(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined ? source : value;
}

/** A shorter part of an address is a word, such as the version or the name of the chain. */
const SHORTEST_KEY = 16;

/** What can be the key of an address whose settings do not tell: a part of its path or query. `fetch` takes no user and password. */
function keysIn(url: string): readonly string[] {
  const { pathname, search } = new URL(url);
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= SHORTEST_KEY);
  return parts.flatMap((part) => [part, percentDecoded(part)]);
}
