/**
 * The thirteen endpoints (spec §4) by the names that `tieout service NAME` gives them, and the URLs of requests. Only
 * this file builds URLs: from the configured base, a validated id and an encoded query. An address in a body is never
 * called.
 */
import { isRecordId, isViewToken, type Kind } from '../domain/record.ts';
import type { RawCall } from '../ports/service.ts';
import { withoutSlashes } from '../text/url-path.ts';
import { InvalidRequestError, UnknownEndpointError } from './errors.ts';

export type Query = Readonly<Record<string, string | undefined>>;

/** Every address that is called: built from the settings and checked ids, never taken from a body. */
export type Urls = ReturnType<typeof createUrls>;

/** @param options `baseUrl` ends in `/api` (spec §1); some deployments read sales below `/host-api/v3` */
export function createUrls({
  baseUrl,
  salePath = endpointOf('sale', 'v3').path,
}: {
  baseUrl: string;
  salePath?: string | undefined;
}) {
  const base = withoutSlashes(new URL(baseUrl).pathname);
  const templates: Readonly<Record<Kind, string>> = { purchase: endpointOf('purchase', 'v1').path, sale: salePath };
  /** A path below the base with a query; fields without a value are left out. */
  const pathTo = (path: string, query: Query = {}) => `${base}${path}${queryText(query)}`;
  return {
    pathTo,
    /** @throws InvalidRequestError for an id or a token that cannot be right; it would change the path, or be echoed. */
    record(kind: Kind, id: string, token: string) {
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
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

export type EndpointName = RawCall['name'];
type ApiVersion = RawCall['api'];

interface Endpoint {
  method: 'GET' | 'POST';
  /** Below the base; `{id}` stands for a record's id. */
  path: string;
  /** Whether the integration key goes along (spec §5). */
  hostApiKey: 'none' | 'optional' | 'required';
}

const reads = (path: string, hostApiKey: Endpoint['hostApiKey'] = 'none'): Endpoint => ({
  method: 'GET',
  path,
  hostApiKey,
});
const quotes = (path: string): Endpoint => ({ method: 'POST', path, hostApiKey: 'required' });

const ENDPOINTS: Readonly<Record<EndpointName, Partial<Readonly<Record<ApiVersion, Endpoint>>>>> = {
  assets: {
    v1: reads('/host-api/assets', 'optional'),
    v2: reads('/host-api/v2/assets', 'optional'),
    v3: reads('/host-api/v3/assets', 'optional'),
  },
  'offramp-assets': { v3: reads('/host-api/v3/offramp/assets', 'optional') },
  'payment-methods': { v3: reads('/host-api/v3/payment-methods') },
  'payout-methods': { v3: reads('/host-api/v3/payout-methods') },
  currencies: { v3: reads('/host-api/v3/currencies') },
  countries: { v1: reads('/host-api/countries') },
  quote: { v1: quotes('/host-api/quote'), v3: quotes('/host-api/v3/onramp/quote/all') },
  'offramp-quote': { v3: quotes('/host-api/v3/offramp/quote/all') },
  purchase: { v1: reads('/host-api/purchase/{id}') },
  // Its path has no version, and the specification counts it among v3; deployments differ (`service.salePath`).
  sale: { v3: reads('/host-api/offramp/sale/{id}') },
};

/** @throws UnknownEndpointError where that version does not have it. */
export function endpointOf(name: EndpointName, api: ApiVersion): Endpoint {
  const endpoint = ENDPOINTS[name][api];
  if (endpoint === undefined) throw new UnknownEndpointError(name, api, apisOf(name));
  return endpoint;
}

/** The versions that have an endpoint, oldest first: the last one is the one to use. */
export function apisOf(name: EndpointName): readonly ApiVersion[] {
  return (['v1', 'v2', 'v3'] as const).filter((api) => ENDPOINTS[name][api] !== undefined);
}
