/** Corrects times in the future that a run under a wrong clock has stored. */
import type { Upkeep } from '../ports/store/store.ts';
import { dayOf } from './cells.ts';
import type { Engine } from './engine.ts';

/** Clocks of several machines may differ by this much. */
const SLACK_MS = 5 * 60_000;
/** The longest lease that can be configured. */
const LONGEST_LEASE_MS = 3_600_000;

export const healClock =
  (engine: Engine): Upkeep['healClock'] =>
  (now) =>
    engine.write(async ({ db }) => {
      const runs = await db
        .selectFrom('runs')
        .select(['run_key', 'run_id'])
        .where((row) => row.or([row('started_at', '>', now + SLACK_MS), row('finished_at', '>', now + SLACK_MS)]))
        .where('run_key', 'not in', (doubted) => doubted.selectFrom('doubted_runs').select('run_key'))
        .execute();
      for (const { run_key } of runs) await db.insertInto('doubted_runs').values({ run_key }).execute();
      // Tomorrow is a possible day of a record already: business days may be ahead of UTC.
      const tomorrow = dayOf(new Date(now).toISOString().slice(0, 10)) + 1;
      const verified = await db
        .updateTable('tracked_records')
        .set({ last_verified_day: null })
        .where('last_verified_day', '>', tomorrow)
        .executeTakeFirst();
      const ended = await db
        .updateTable('tracked_records')
        .set({ terminal_day: tomorrow - 1 })
        .where('terminal_day', '>', tomorrow)
        .executeTakeFirst();
      const leases = await db
        .updateTable('leases')
        .set({ holder: null, held_until: 0 })
        .where('held_until', '>', now + LONGEST_LEASE_MS)
        .executeTakeFirst();
      return {
        runs: runs.map(({ run_id }) => run_id),
        records: Math.max(Number(verified.numUpdatedRows), Number(ended.numUpdatedRows)),
        leases: Number(leases.numUpdatedRows),
      };
    });
