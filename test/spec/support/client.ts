/** The product's client before a sandbox, over HTTP: each side shows that the other keeps to the specification. */

import type { RawCall, ServiceClient } from '../../../src/ports/service.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { ServiceClientOptions } from '../../../src/service/client.ts';
import { asList, asObject, type Json } from '../../sandbox/a-sandbox.ts';
import { clientUnderTest } from '../../service/client-under-test.ts';

export function clientOf(sandbox: Sandbox, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  // A machine that is busy with other tests may take longer than one exchange normally may.
  return clientUnderTest(sandbox.url, { hostApiKey: sandbox.hostApiKey, timeoutMs: 20_000, retries: 0, ...options })
    .client;
}

export interface Called {
  status: number;
  body: Json;
  list: Json[];
}

/** One call as `tieout service` makes it. */
export async function call(
  client: ServiceClient,
  name: RawCall['name'],
  api: RawCall['api'],
  rest: Partial<Omit<RawCall, 'name' | 'api'>> = {},
): Promise<Called> {
  const { httpStatus, body } = await client.raw({ name, api, query: {}, ...rest });
  const parsed: unknown = JSON.parse(body);
  return { status: httpStatus, body: asObject(parsed), list: asList(parsed) };
}
