/**
 * Addresses are built here and nowhere else: from the configured base, a validated id and an encoded query. An address
 * that came in a body is never called.
 */
import { isRecordId, isViewToken, type Kind } from '../domain/record.ts';
import { endpointOf } from './endpoints.ts';
import { InvalidRequestError } from './errors/request-errors.ts';

export type Query = Readonly<Record<string, string | undefined>>;

export interface Urls {
  /** A path below the base with a query; fields without a value are left out. */
  pathTo(path: string, query?: Query): string;
  /** @throws InvalidRequestError for an id or a token that cannot be right; it would change the path, or be echoed. */
  record(kind: Kind, id: string, token: string): string;
}

export interface UrlOptions {
  /** Ends in `/api` (spec §1). */
  baseUrl: string;
  /** Some deployments read sales below `/host-api/v3`. */
  salePath?: string | undefined;
}

export function createUrls({ baseUrl, salePath = endpointOf('sale', 'v3').path }: UrlOptions): Urls {
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const templates: Readonly<Record<Kind, string>> = { purchase: endpointOf('purchase', 'v1').path, sale: salePath };
  const pathTo = (path: string, query: Query = {}) => `${base}${path}${queryText(query)}`;
  return {
    pathTo,
    record(kind, id, token) {
      if (!isRecordId(id)) throw new InvalidRequestError('the record id has characters that no id of the Service has');
      if (!isViewToken(token)) throw new InvalidRequestError('the view token has characters that no view token has');
      return pathTo(templates[kind].replace('{id}', id), { secret: token });
    },
  };
}

function queryText(query: Query): string {
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encode(name)}=${encode(value)}`],
  );
  return fields.length === 0 ? '' : `?${fields.join('&')}`;
}

/** Half a surrogate pair would throw. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
