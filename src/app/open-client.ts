/** The client of the Service, as configured. */
import type { Limiter } from '../ports/pacing.ts';
import type { ServiceClient } from '../ports/service.ts';
import { createServiceClient } from '../service/client.ts';
import { ServiceNotConfiguredError, type Wiring } from './wiring.ts';

type Edges = Pick<Wiring, 'settings' | 'clock' | 'random' | 'serverTime'>;

/** @throws ServiceNotConfiguredError */
export function openClient({ settings, clock, random, serverTime }: Edges, limiter: Limiter): ServiceClient {
  const { service } = settings;
  if (service.url === null) throw new ServiceNotConfiguredError();
  return createServiceClient({
    ...service,
    baseUrl: service.url,
    timeoutMs: service.timeout,
    renamedAssets: settings.renamedAssets,
    limiter,
    serverTime,
    clock: clock.wall,
    random,
  });
}

/** Work with a client that is closed at its end. @throws ServiceNotConfiguredError */
export async function withClient<T>(
  edges: Edges,
  limiter: Limiter,
  work: (client: ServiceClient) => Promise<T>,
): Promise<T> {
  const client = openClient(edges, limiter);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
