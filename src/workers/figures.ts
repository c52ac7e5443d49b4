/** How full the queue is: counted in the tables of pg-boss, whose columns are part of its public interface. */
import pg from 'pg';
import { codeOf } from '../domain/errors.ts';
import type { QueueFigures } from '../ports/queue.ts';

/** Apart from the tables of Tieout, so that backups and roles can treat it separately. */
export const QUEUE_SCHEMA = 'tieout_queue';
/** Holds the batches of all runs. */
export const QUEUE = 'tieout-fetch';

type RunSql = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

/** Leaves out finished batches: thousands are kept for a day. The age is by the server's clock, which wrote `created_on`. */
const COUNT = `
  select
    count(*) filter (where state < 'active')::int as waiting,
    count(*) filter (where state = 'active')::int as active,
    count(*) filter (where state = 'failed')::int as failed,
    (extract(epoch from clock_timestamp() - min(created_on) filter (where state < 'active')) * 1000)::float8 as "oldestWaitingMs"
  from ${QUEUE_SCHEMA}.job
  where name = $1 and state in ('created', 'retry', 'active', 'failed')`;

/** No such schema, or no such table: the queue has not been made yet. */
const MISSING = new Set(['3F000', '42P01']);

/** @throws an Error of `pg` where the database cannot be asked */
export async function countBatches(run: RunSql): Promise<QueueFigures> {
  const [row] = (await run(COUNT, [QUEUE])).rows as QueueFigures[];
  return {
    waiting: row?.waiting ?? 0,
    active: row?.active ?? 0,
    failed: row?.failed ?? 0,
    // Negative after the server's clock was set back.
    oldestWaitingMs: row?.oldestWaitingMs == null ? null : Math.max(0, row.oldestWaitingMs),
  };
}

export interface QueueWatch {
  /** Null where the queue has not been made yet. @throws an Error of `pg` if the database cannot be asked */
  figures(): Promise<QueueFigures | null>;
  close(): Promise<void>;
}

/** Half of the usual timeout of a scrape. */
const PATIENCE_MS = 5_000;

/**
 * For processes that only read figures: no worker, no coordinator, and none of the upkeep of pg-boss. Connects at the first call.
 * @param url `postgres://…`, with its password; never shown
 */
export function watchQueue(url: string): QueueWatch {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    allowExitOnIdle: true,
    application_name: 'tieout queue watch',
  });
  // The pool replaces a connection that the server closed. Without a listener, the `error` event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    figures: () =>
      countBatches((text, values) => pool.query(text, values)).catch((error: unknown) => {
        if (MISSING.has(codeOf(error) ?? '')) return null;
        throw error;
      }),
    close: () => pool.end(),
  };
}
