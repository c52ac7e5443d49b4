/** A look at the queue for whoever only watches: no worker, no coordinator, and none of pg-boss's upkeep. */
import pg from 'pg';
import type { QueueFigures } from '../ports/queue.ts';
import { countBatchesIfMade } from './figures.ts';

export interface QueueWatch {
  /** Null where nobody has opened the queue yet. @throws an Error of `pg` where the database cannot be asked */
  figures(): Promise<QueueFigures | null>;
  close(): Promise<void>;
}

/** Whoever scrapes waits ten seconds, as a rule. */
const PATIENCE_MS = 5_000;

/** Connects when it is first asked. @param url `postgres://…`, with its password; never shown */
export function watchQueue(url: string): QueueWatch {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    allowExitOnIdle: true,
    application_name: 'tieout queue watch',
  });
  // An idle connection that the server closes is replaced at the next look; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    figures: () => countBatchesIfMade((text, values) => pool.query(text, values)),
    close: () => pool.end(),
  };
}
