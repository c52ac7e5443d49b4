/** `tieout service NAME`: any endpoint, its answer unchanged. */

import type { RawCall } from '../ports/service.ts';
import type { Ask } from './ask.ts';
import { endpointOf } from './endpoints.ts';
import { HostApiKeyMissingError, InvalidRequestError } from './errors/request-errors.ts';
import { jsonOf } from './expect-json.ts';
import type { Urls } from './urls.ts';

export interface RawEdges {
  ask: Ask;
  urls: Urls;
  hostApiKey: string | null;
}

/**
 * Answers of any status are returned, as long as they are JSON.
 * @throws UnknownEndpointError, InvalidRequestError, HostApiKeyMissingError before anything is sent; NotJsonError,
 * UnreadableAnswerError, ExchangeError, CircuitOpenError (a person waits) otherwise.
 */
export async function rawCall(edges: RawEdges, call: RawCall): Promise<{ httpStatus: number; body: string }> {
  const asked = await edges.ask(requestOf(edges, call), { pace: 'burst', mayWait: false });
  if (asked.type === 'failure') throw asked.failure;
  const { status, content } = asked.answer;
  return { httpStatus: status, body: jsonOf(content, status).text };
}

function requestOf({ urls, hostApiKey }: RawEdges, call: RawCall) {
  const endpoint = endpointOf(call.name, call.api);
  if (call.name === 'purchase' || call.name === 'sale') {
    if (call.id === undefined || call.token === undefined) {
      throw new InvalidRequestError(`reading one ${call.name} needs its id and its view token`);
    }
    return { method: endpoint.method, path: urls.record(call.name, call.id, call.token) };
  }
  const query = { ...(endpoint.hostApiKey === 'none' ? {} : { hostApiKey: hostApiKey ?? undefined }), ...call.query };
  if (endpoint.hostApiKey === 'required' && query.hostApiKey === undefined) throw new HostApiKeyMissingError();
  if (endpoint.method === 'POST' && call.body === undefined)
    throw new InvalidRequestError('a quote needs a request body');
  return { method: endpoint.method, path: urls.pathTo(endpoint.path, query), body: call.body };
}
