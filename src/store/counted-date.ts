import { sql } from 'kysely';
import { EARLIEST } from '../domain/plausible-date.ts';

const DAY_MS = 86_400_000;

/**
 * The date by which a record `t` of tracked_records belongs to a month: the application's date, else that of its
 * newest readable body, else the time of tracking. An impossible date does not count, because its record would be in
 * no month that is ever closed.
 */
export const COUNTED_DATE = sql<number>`coalesce(${plausible('told_created_at')}, ${plausible('body_created_at')}, t.tracked_at)`;

function plausible(column: string) {
  const date = sql.ref(`t.${column}`);
  return sql`case when ${date} between ${sql.lit(EARLIEST)} and t.tracked_at + ${sql.lit(DAY_MS)} then ${date} end`;
}
