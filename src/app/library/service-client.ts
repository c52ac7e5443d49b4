/** The Service as a client for programs: paced, retried, with every body read exactly. */

import type { ServiceClient } from '../../ports/service.ts';
import { openClient } from '../open-client.ts';
import { openFor } from './open.ts';
import { type SettingsSource, settingsWithoutDatabase, usePluginsOf } from './settings.ts';

/**
 * A client for all endpoints of spec §4, held to the limits of the settings (100 a minute and 1,000 in 15 minutes unless
 * they say otherwise). Processes that name the same `database.url` and `service.egress` share one allowance, through
 * crashes too; without a database only the requests of this client are counted. Call `close()` at the end.
 *
 * `fetchRecord` never throws for what the Service answers: its outcome is `verified`, `quarantined` or `unreachable`.
 * @throws ConfigError, ServiceNotConfiguredError
 * @example
 * const client = await createServiceClient({ settings: { service: { url: 'https://…/api' } } });
 * const result = await client.fetchRecord({ kind: 'purchase', id, token }, { pace: 'burst' });
 */
export async function createServiceClient(source: SettingsSource): Promise<ServiceClient> {
  await usePluginsOf(source.settings);
  const { app, close } = await openFor(settingsWithoutDatabase(source));
  try {
    const client = openClient(app, app.limiter);
    return {
      ...client,
      close: async () => {
        await client.close();
        await close();
      },
    };
  } catch (error) {
    await close(error);
    throw error;
  }
}
