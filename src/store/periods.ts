/** Closed months: which there are, what they rest on, and the way to everything that is kept of them. */

import type { ClosedPeriod, PeriodStore } from '../ports/store/periods.ts';
import type { Engine } from './engine.ts';
import {
  DATE,
  lastLooks,
  readMembers,
  readReadings,
  readRunByKey,
  readStates,
  readStatusChanges,
  statedLooks,
} from './period-looks.ts';
import { readStatement, statementWriter } from './period-statements.ts';
import { countTouched } from './period-touched.ts';

async function closedPeriods(engine: Engine, period: string | null): Promise<readonly ClosedPeriod[]> {
  let query = engine.db
    .selectFrom('periods as p')
    .innerJoin('period_statements as s', 's.statement_key', 'p.statement_key')
    .selectAll('s')
    .select(['p.state as life', 'p.reviewed_by', 'p.reviewed_at'])
    .orderBy('p.period');
  if (period !== null) query = query.where('p.period', '=', period);
  return (await query.execute()).map((row) => ({
    period: row.period,
    timezone: row.timezone,
    state: row.life,
    closedBy: row.stated_by,
    closedAt: row.stated_at,
    acceptedOpen: row.accepted_open,
    reviewedBy: row.reviewed_by,
    reviewedAt: row.reviewed_at,
    folder: row.folder ?? '',
    manifestSha256: row.manifest_sha256 ?? '',
    figures: row.figures ?? '{}',
  }));
}

export function periodStore(engine: Engine): PeriodStore {
  return {
    list: () => closedPeriods(engine, null),
    get: async (period) => (await closedPeriods(engine, period))[0] ?? null,
    review: (period, by, at) =>
      engine.write(async ({ db }) => {
        const [result] = await db
          .updateTable('periods')
          .set({ state: 'reviewed', reviewed_by: by, reviewed_at: at })
          .where('period', '=', period)
          .where('state', '=', 'closed')
          .execute();
        return Number(result?.numUpdatedRows ?? 0n) === 1;
      }),
    statements: async (period) => {
      const rows = await engine.db
        .selectFrom('period_statements')
        .selectAll()
        .where('period', '=', period)
        .orderBy('statement_key')
        .execute();
      return rows.map(readStatement);
    },
    span: async () => {
      const [row] = await engine.rows(
        engine.db
          .selectFrom('tracked_records as t')
          .select([(eb) => eb.fn.min(DATE).as('first'), (eb) => eb.fn.max(DATE).as('last')]),
      );
      const [first, last] = [row?.[0] as number | null, row?.[1] as number | null];
      return first === null || last === null ? null : { first, last };
    },
    // In one transaction: a run that settles meanwhile must count with its looks and its events, or with neither.
    basis: (since) =>
      engine.write(async (tx) => {
        const [event] = await tx.rows(
          tx.db.selectFrom('break_events').select((eb) => eb.fn.max('event_key').as('newest')),
        );
        const runs = await tx.rows(
          tx.db
            .selectFrom('runs')
            .select('run_key')
            .where('state', 'in', ['settled', 'complete', 'incomplete'])
            .where((eb) => eb.or([eb('started_at', '>=', since), eb('as_of', '>=', since)]))
            .orderBy('run_key'),
        );
        return { breakEvent: (event?.[0] as number | null) ?? 0, runs: runs.map((row) => row[0] as number) };
      }),
    members: readMembers(engine),
    looks: lastLooks(engine),
    looksOf: statedLooks(engine),
    run: readRunByKey(engine),
    statusChanges: readStatusChanges(engine),
    states: readStates(engine),
    readings: readReadings(engine),
    ...statementWriter(engine),
    touched: countTouched(engine),
  };
}
