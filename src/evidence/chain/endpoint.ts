/**
 * One HTTP endpoint of a chain. Its address may hold a key, so no error and no reason here names more than what went wrong. What
 * it answers is the text of a stranger: bytes, depth and time are bounded, and redirects are not followed.
 */
import pLimit from 'p-limit';
import { UnavailableError } from '../../domain/errors.ts';
import type { Limiter } from '../../ports/pacing.ts';
import { percentDecoded } from '../../text/percent-decoded.ts';
import { KnownSecrets } from '../../text/secret-forms.ts';

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

/** An endpoint on another machine. Its answers are limited in size and time. */
export class HttpEndpoint {
  readonly #options: EndpointOptions;
  readonly #inFlight: ReturnType<typeof pLimit>;
  /** Cut out of its answers, which become evidence. */
  readonly #keys: KnownSecrets;
  /** In a row, each after its retries. */
  #failures = 0;
  /** Requests sent since this was made. */
  sent = 0;
  #budget: { left: number; stop: AbortController } | null = null;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#keys = new KnownSecrets([...keysIn(options.url), options.key ?? '']);
    this.#inFlight = pLimit(options.concurrency);
  }

  /**
   * All answers to what is asked meanwhile may hold so many bytes together: they are kept until the last has come.
   * @throws TooMuchAtOnceError
   */
  async within<T>(bytes: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    this.#budget = { left: bytes, stop };
    try {
      return await work(AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (stop.signal.aborted) throw new TooMuchAtOnceError(`an endpoint's answers hold more than ${bytes} bytes`);
      throw error;
    } finally {
      this.#budget = null;
    }
  }

  #spend(bytes: number): void {
    if (this.#budget === null) return;
    this.#budget.left -= bytes;
    if (this.#budget.left < 0) this.#budget.stop.abort();
    this.#budget.stop.signal.throwIfAborted();
  }

  /** @param path below the address; absent for JSON-RPC. Never throws but for an abort. */
  ask(request: { path?: string; body?: string; as?: 'json' | 'text' }, signal: AbortSignal): Promise<Received> {
    return this.#inFlight(async () => {
      const { retries = 2 } = this.#options;
      for (let attempt = 0; ; attempt++) {
        if (this.#failures >= GIVEN_UP_AFTER) {
          return { ok: false, reason: `was given up after ${GIVEN_UP_AFTER} failures in a row` };
        }
        const { received, transient } = await this.#once(request, signal);
        if (!transient) this.#failures = 0;
        else if (attempt >= retries) this.#failures++;
        if (!transient || attempt >= retries) return received;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** attempt));
        signal.throwIfAborted();
      }
    });
  }

  async #once(
    { path, body, as = 'json' }: { path?: string; body?: string; as?: 'json' | 'text' },
    signal: AbortSignal,
  ): Promise<{ received: Received; transient: boolean }> {
    const { url, limiter, timeoutMs } = this.#options;
    await limiter?.acquire({ pace: 'burst', signal });
    this.sent++;
    try {
      const response = await fetch(path === undefined ? url : `${withoutSlash(url)}${path}`, {
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
        const reason = `answered HTTP ${status}`;
        return { received: { ok: false, reason, isTooMuch }, transient: status === 429 || status >= 500 };
      }
      // Of a 404 too: a body that is left unread keeps its connection, beyond those that are counted as in flight.
      const whole = await readBounded(response, (bytes) => this.#spend(bytes));
      if (whole === null)
        return { received: { ok: false, reason: 'answered with more than 4 MiB', isTooMuch: true }, transient: false };
      const text = this.#keys.cut(whole, '[key]');
      if (isUnknown) return { received: { ok: true, body: undefined }, transient: false };
      return { received: as === 'text' ? { ok: true, body: text } : this.#parse(text), transient: false };
    } catch (error) {
      signal.throwIfAborted();
      const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
      const reason = timedOut ? `gave no answer within ${timeoutMs / 1000} s` : 'could not be reached';
      return { received: { ok: false, reason }, transient: true };
    }
  }

  /** Integers beyond 2^53 stay exact: they come as text. */
  #parse(text: string): Received {
    const { depth, values } = extentOf(text);
    this.#spend(values * BYTES_A_VALUE);
    if (depth > MAX_DEPTH) return { ok: false, reason: `answered with more than ${MAX_DEPTH} levels of nesting` };
    if (values > MAX_VALUES)
      return { ok: false, reason: `answered with more than ${MAX_VALUES} values`, isTooMuch: true };
    try {
      return { ok: true, body: JSON.parse(text, exactly) };
    } catch {
      return { ok: false, reason: 'answered with text that is no JSON' };
    }
  }
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

/** The deepest nesting of a JSON text and the number of its values but for the first of each list, read without recursion. */
function extentOf(text: string): { depth: number; values: number } {
  let depth = 0;
  let values = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i++;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === 93 || code === 125) depth--;
    else if (code === 44) values++;
  }
  return { depth: deepest, values };
}

/** A shorter part of an address is a word, such as the version or the name of the chain. */
const SHORTEST_KEY = 16;

/** What can be the key of an address whose settings do not tell: a part of its path or query. `fetch` takes no user and password. */
function keysIn(url: string): readonly string[] {
  const { pathname, search } = new URL(url);
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= SHORTEST_KEY);
  return parts.flatMap((part) => [part, percentDecoded(part)]);
}

/** One slash at the end of a configured address is usual; without this it would be doubled. */
function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
