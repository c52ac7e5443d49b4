/** Opens the queue that the coordinator of a run and its workers share. */
import type { Settings } from '../../config/settings.ts';
import { UsageError } from '../domain/errors.ts';
import { packageOrRemedy } from '../domain/optional-package.ts';
import type { Log } from '../ports/log.ts';
import type { BatchQueue, Deployment } from '../ports/queue.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import { deploymentOf } from '../workers/deployment.ts';
import { codeVersion } from './version.ts';

/** Longest time that a statement of the queue may take: a claim that is not renewed for longer may have lapsed. */
const QUEUE_ANSWER_MS = 20_000;

/** Loads pg-boss when called. @throws UsageError for a SQLite file or without pg-boss, DatabaseUnavailableError */
export async function openQueue({ database, workers }: Settings, log: Log): Promise<BatchQueue> {
  const address = parseDatabaseUrl(database.url);
  if (address.engine !== 'postgres') {
    throw new UsageError('Workers share a run through PostgreSQL, and database.url is a SQLite file', {
      remedy: 'set database.url to postgres://…, or workers.enabled to false: one process over SQLite needs no workers',
    });
  }
  const [{ openPgBossQueue }, { translateError }, { boundConnections }] = await Promise.all([
    packageOrRemedy(() => import('../workers/pg-boss-queue.ts'), 'workers.enabled', 'pg-boss@12'),
    import('../store/postgres/translate-error.ts'),
    import('../store/postgres/bounded-connections.ts'),
  ]);
  return openPgBossQueue({
    url: address.url,
    heartbeatMs: workers.heartbeat,
    onError: ({ message }) => log.warn(`queue: ${message}`),
    translate: (error) => translateError(error, address.location),
    connections: boundConnections(QUEUE_ANSWER_MS),
  });
}

/** The facts that the coordinator of a run and its workers must have in common. */
export function deploymentOfSettings({ service, statuses }: Settings): Deployment {
  return deploymentOf({
    'service.url': service.url,
    'service.salePath': service.salePath,
    'service.identifierName': service.identifierName,
    statuses: { purchase: [...statuses.purchase.values()], sale: [...statuses.sale.values()] },
    version: codeVersion(),
  });
}
