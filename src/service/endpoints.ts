/** The thirteen endpoints of the Service (spec §4) by the names that `tieout service NAME` gives them. */
import type { RawCall } from '../ports/service.ts';
import { UnknownEndpointError } from './errors/request-errors.ts';

export type EndpointName = RawCall['name'];
export type ApiVersion = RawCall['api'];

export interface Endpoint {
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
