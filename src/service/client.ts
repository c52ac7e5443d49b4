/**
 * The client of the Service, composed from the parts of this folder; and `tieout service NAME`, which calls any
 * endpoint.
 */
import type { RenamedAsset } from '../domain/asset.ts';
import type { Instant } from '../domain/record.ts';
import type { Limiter } from '../ports/pacing.ts';
import type { RawCall, ServiceClient } from '../ports/service.ts';
import { type Ask, createAsk } from './ask.ts';
import { askQuote } from './ask-quote.ts';
import { askAssets, askCountries, askCurrencies, askMethods } from './ask-reference.ts';
import { HostApiKeyMissingError, InvalidRequestError } from './errors.ts';
import { jsonOf } from './expect-json.ts';
import { fetchRecord } from './fetch-record.ts';
import { KnownTokens } from './known-tokens.ts';
import type { Transport, TransportOptions } from './transport.ts';
import { createUrls, endpointOf, type Urls } from './urls.ts';

export interface ServiceClientOptions extends Pick<TransportOptions, 'timeoutMs' | 'concurrency' | 'serverTime'> {
  /** Ends in `/api` (spec §1). */
  baseUrl: string;
  /** The maker's name in identifiers on the wire: `base<Name>Fee`. */
  identifierName: string;
  /** Assets that quotes may call by another name than the request. */
  renamedAssets?: readonly RenamedAsset[] | undefined;
  /** Null or absent: quotes cannot be requested. */
  hostApiKey?: string | null | undefined;
  /** Assets are listed as for this address. */
  userIp?: string | undefined;
  /** Attempts after the first, for temporary failures. */
  retries: number;
  /** Asked before every request, retries included. */
  limiter: Limiter;
  clock: { now(): Instant; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** From 0 up to 1; spreads retries. */
  random: () => number;
  /** Source address of every connection. */
  localAddress?: string | null | undefined;
  /** The proxy that every connection is a tunnel through. */
  proxy?: string | null | undefined;
  /** Where one sale is read; `{id}` stands for its id. */
  salePath?: string | undefined;
}

/** Opens nothing until the first request; `close` drops every connection. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { baseUrl, salePath, identifierName, limiter, clock, timeoutMs, retries, random, concurrency } = options;
  const transport = openTransport({
    baseUrl,
    timeoutMs,
    concurrency,
    localAddress: options.localAddress ?? undefined,
    proxy: options.proxy ?? undefined,
    serverTime: options.serverTime,
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
    renamedAssets: options.renamedAssets,
    others: new KnownTokens(),
    hostApiKey: options.hostApiKey ?? null,
    userIp: options.userIp,
  };
  return {
    fetchRecord: (ref, how) => fetchRecord(edges, ref, how),
    know: (tokens) => {
      for (const token of tokens) edges.others.add(token);
    },
    quote: (request, how) => askQuote(edges, request, how),
    assets: (how) => askAssets(edges, how),
    methods: (how) => askMethods(edges, how),
    currencies: (how) => askCurrencies(edges, how),
    countries: (how) => askCountries(edges, how),
    raw: (call) => rawCall(edges, call),
    close: () => transport.close(),
  };
}

/**
 * Answers of any status are returned, as long as they are JSON.
 * @throws UnknownEndpointError, InvalidRequestError, HostApiKeyMissingError before anything is sent; NotJsonError,
 * UnreadableAnswerError, ExchangeError, CircuitOpenError (a person waits) otherwise.
 */
async function rawCall(
  { ask, urls, hostApiKey }: { ask: Ask; urls: Urls; hostApiKey: string | null },
  call: RawCall,
): Promise<{ httpStatus: number; body: string }> {
  const endpoint = endpointOf(call.name, call.api);
  const { method } = endpoint;
  let path: string;
  if (call.name === 'purchase' || call.name === 'sale') {
    if (call.id === undefined || call.token === undefined)
      throw new InvalidRequestError(`reading one ${call.name} needs its id and its view token`);
    path = urls.record(call.name, call.id, call.token);
  } else {
    const query = { ...(endpoint.hostApiKey === 'none' ? {} : { hostApiKey: hostApiKey ?? undefined }), ...call.query };
    if (endpoint.hostApiKey === 'required' && query.hostApiKey === undefined) throw new HostApiKeyMissingError();
    if (method === 'POST' && call.body === undefined) throw new InvalidRequestError('a quote needs a request body');
    path = urls.pathTo(endpoint.path, query);
  }
  const asked = await ask({ method, path, body: call.body }, { pace: 'burst', mayWait: false });
  if (asked.type === 'failure') throw asked.failure;
  const { status, content } = asked.answer;
  return { httpStatus: status, body: jsonOf(content, status).text };
}

/** Its libraries load with the first client that a process opens, because most commands send nothing; and not with the first request, whose slot is booked by then and frees within seconds. */
function openTransport(options: TransportOptions): Transport {
  const opened = import('./transport.ts').then(({ createTransport }) => createTransport(options));
  // Handled where it is awaited; a client that sends nothing never awaits it.
  opened.catch(() => undefined);
  return {
    send: async (request) => (await opened).send(request),
    close: async () => (await opened).close(),
  };
}
