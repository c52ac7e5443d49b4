/** How full the queue is, counted in the tables of pg-boss, whose columns are part of its interface. */
import type { QueueFigures } from '../ports/queue.ts';
import { QUEUE, QUEUE_SCHEMA } from './names.ts';

/** Runs one statement on whatever connection there is. */
export type RunSql = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

/**
 * Batches that are done are left out: there are thousands of them, kept for a day. The age is by the clock of the server,
 * which is the one that wrote the time.
 */
const COUNT = `
  select
    count(*) filter (where state < 'active')::int as waiting,
    count(*) filter (where state = 'active')::int as active,
    count(*) filter (where state = 'failed')::int as failed,
    (extract(epoch from clock_timestamp() - min(created_on) filter (where state < 'active')) * 1000)::float8 as oldest_ms
  from ${QUEUE_SCHEMA}.job
  where name = $1 and state in ('created', 'retry', 'active', 'failed')`;

/** No such schema, or no such table in it: nobody has opened the queue yet. */
const MISSING = new Set(['3F000', '42P01']);

interface CountRow {
  waiting: number;
  active: number;
  failed: number;
  oldest_ms: number | null;
}

/** @throws an Error of `pg` where the database cannot be asked */
export async function countBatches(run: RunSql): Promise<QueueFigures> {
  const [row] = (await run(COUNT, [QUEUE])).rows as CountRow[];
  return {
    waiting: row?.waiting ?? 0,
    active: row?.active ?? 0,
    failed: row?.failed ?? 0,
    // A clock that was set back makes nothing younger than new.
    oldestWaitingMs: row?.oldest_ms == null ? null : Math.max(0, row.oldest_ms),
  };
}

/** The same where the queue may not have been made yet, which is none at all rather than an empty one. */
export async function countBatchesIfMade(run: RunSql): Promise<QueueFigures | null> {
  try {
    return await countBatches(run);
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING.has(String(error.code))) return null;
    throw error;
  }
}
