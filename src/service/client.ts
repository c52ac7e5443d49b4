/** The Service as a client: puts the parts of this folder together. */
import type { Instant } from '../domain/record.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { ServiceClient } from '../ports/service.ts';
import { createAsk } from './ask.ts';
import { askQuote } from './ask-quote.ts';
import { askAssets, askCurrencies, askMethods } from './ask-reference.ts';
import { fetchRecord } from './fetch-record.ts';
import { rawCall } from './raw-call.ts';
import { createTransport } from './transport.ts';
import { createUrls } from './urls.ts';

export interface ServiceClientOptions {
  /** Ends in `/api` (spec §1). */
  baseUrl: string;
  /** The maker's name in identifiers on the wire: `base<Name>Fee`. */
  identifierName: string;
  /** Null or absent: quotes cannot be asked for. */
  hostApiKey?: string | null | undefined;
  /** Assets are listed as this address would see them. */
  userIp?: string | undefined;
  /** One deadline for each exchange. */
  timeoutMs: number;
  /** Attempts after the first, for troubles that may pass. */
  retries: number;
  /** Asked before every request, retries included. */
  limiter: Limiter;
  clock: { now(): Instant; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** From 0 up to 1; spreads retries. */
  random: () => number;
  /** Requests in flight at once. */
  concurrency: number;
  /** Source address of every connection. */
  localAddress?: string | null | undefined;
  /** Where one sale is read; `{id}` stands for its id. */
  salePath?: string | undefined;
}

/** Opens nothing until the first request; `close` drops every connection. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { baseUrl, salePath, identifierName, limiter, clock, timeoutMs, retries, random, concurrency } = options;
  const transport = createTransport({
    baseUrl,
    timeoutMs,
    concurrency,
    localAddress: options.localAddress ?? undefined,
  });
  const edges = {
    ask: createAsk({
      transport,
      limiter,
      policy: { retries, timeoutMs, random },
      sleep: (ms, signal) => clock.sleep(ms, signal),
    }),
    urls: createUrls({ baseUrl, salePath }),
    now: () => clock.now(),
    identifierName,
    hostApiKey: options.hostApiKey ?? null,
    userIp: options.userIp,
  };
  return {
    fetchRecord: (ref, how) => fetchRecord(edges, ref, how),
    quote: (request, how) => askQuote(edges, request, how),
    assets: (how) => askAssets(edges, how),
    methods: (how) => askMethods(edges, how),
    currencies: (how) => askCurrencies(edges, how),
    raw: (call) => rawCall(edges, call),
    close: () => transport.close(),
  };
}
