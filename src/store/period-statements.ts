/** Statements about months: begun, filled, staged, sealed. Every write refuses a sealed statement. */

import { sql } from 'kysely';
import { readWritten, type Written } from '../domain/decimal.ts';
import type { PeriodChange } from '../ports/period.ts';
import { PeriodStateError } from '../ports/store/errors.ts';
import type { MonthSet, NewMonthSet, PeriodStore } from '../ports/store/periods.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { seal } from './row-seals.ts';
import { addRows, deleteRows, setRows } from './rows.ts';
import { namesOf, without } from './schema/column.ts';
import { PERIODS } from './schema/periods.ts';
import { readerOf, writerOf } from './schema/places.ts';
import type { RowOf } from './schema/tables.ts';
import { findRow, findRows, reportRange } from './statements.ts';
import { insertRows } from './write-rows.ts';

type Row = RowOf<'period_statements'>;

const { period_statements: STATEMENTS, period_records: RECORDS } = PERIODS;
const readParts = readerOf(STATEMENTS.columns);
const newCells = writerOf(
  without(STATEMENTS.columns, 'statement_key', 'state', 'accepted_open', 'figures', 'folder', 'manifest_sha256'),
);
const RECORD = without(RECORDS.columns, 'statement_key');
const [readRecord, recordCells] = [readerOf(RECORD), writerOf(RECORD)];

/** @param review of a delta; absent where it was only just written */
export function readStatement(row: Row & { reviewed_by?: string | null; reviewed_at?: number | null }): MonthSet {
  const { reviewed_by: by = null, reviewed_at: at = null } = row;
  return {
    ...readParts(row),
    carriedIn: row.carried_in === '' ? null : row.carried_in,
    basis: { breakEvent: row.break_watermark, runs: JSON.parse(row.run_keys) as number[] },
    review: by === null || at === null ? null : { by, at },
  };
}

async function statementRow({ db }: WriteTransaction, statementKey: number): Promise<Row> {
  const row = await findRow(db, 'period_statements', { statement_key: statementKey }, namesOf(STATEMENTS.columns));
  if (row === undefined) throw new RangeError(`no statement has the key ${statementKey}`);
  return row;
}

/** @throws PeriodStateError */
async function openRow(tx: WriteTransaction, statementKey: number, wanted: string): Promise<Row> {
  const row = await statementRow(tx, statementKey);
  if (row.state !== 'open') throw new PeriodStateError(row.period, row.state, wanted);
  return row;
}

async function forgetIn(tx: WriteTransaction, statementKey: number): Promise<void> {
  await deleteRows(tx, 'period_records', { statement_key: statementKey });
  await deleteRows(tx, 'period_statements', { statement_key: statementKey });
}

/** Decimals write themselves as text into JSON. */
function readChanges(cell: string | null): readonly PeriodChange[] {
  const changes = JSON.parse(cell ?? '[]') as readonly Written<PeriodChange>[];
  return changes.map((each) => readWritten<PeriodChange>(each, 'difference'));
}

/** The part of the store that writes statements and reads their records. */
export function statementWriter(engine: Engine) {
  return {
    begin: (statement: NewMonthSet) =>
      engine.write(async (tx) => {
        const { period, type, number } = statement;
        const name = { period, type, number, carried_in: statement.carriedIn ?? '' };
        const known = await findRow(tx.db, 'period_statements', name, ['statement_key', 'state']);
        if (known !== undefined && known.state !== 'open')
          throw new PeriodStateError(period, known.state, 'be stated again');
        if (known !== undefined) await forgetIn(tx, known.statement_key);
        const row = await tx.db
          .insertInto('period_statements')
          .values({ ...newCells(statement), state: 'open' })
          .returningAll()
          .executeTakeFirstOrThrow();
        return readStatement(row);
      }),
    add: (statementKey, records) =>
      engine.write(async (tx) => {
        await openRow(tx, statementKey, 'take more records');
        const rows = records.map((each) => ({ statement_key: statementKey, ...recordCells(each) }));
        await insertRows(tx, 'period_records', rows);
      }),
    stage: (statementKey, figures, acceptedOpen) =>
      engine.write(async (tx) => {
        const row = await openRow(tx, statementKey, 'be staged');
        const staged = { state: 'staged', figures, accepted_open: acceptedOpen } as const;
        await setRows(tx, 'period_statements', { statement_key: statementKey }, staged);
        return readStatement({ ...row, ...staged });
      }),
    forget: (statementKey) =>
      engine.write(async (tx) => {
        const row = await statementRow(tx, statementKey);
        if (row.state !== 'sealed') await forgetIn(tx, statementKey);
      }),
    seal: (statementKeys, { folder, manifestSha256 }) =>
      engine.write(async (tx) => {
        for (const statementKey of statementKeys) {
          const row = await statementRow(tx, statementKey);
          // Idempotent: a process may have died between this commit and its output.
          if (row.state === 'sealed' && row.folder === folder && row.manifest_sha256 === manifestSha256) continue;
          if (row.state !== 'staged') throw new PeriodStateError(row.period, row.state, 'be sealed');
          const placed = { state: 'sealed', folder, manifest_sha256: manifestSha256 } as const;
          await setRows(tx, 'period_statements', { statement_key: statementKey }, placed);
          await seal(tx, `statement ${statementKey}`);
          if (row.type !== 'close') continue;
          const closed = { period: row.period, statement_key: statementKey, state: 'closed' as const };
          await addRows(tx, 'periods', [closed]);
        }
      }),
    records: async (statementKey, after, limit) => {
      const range = reportRange('period_records', { after }, null);
      const isOf = sql`statement_key = ${statementKey} and ${range}`;
      const order = ['kind', 'record_id', { limit }] as const;
      const rows = await findRows(engine.db, 'period_records', isOf, namesOf(RECORD), ...order);
      return rows.map((row) => ({ ...readRecord(row), changes: readChanges(row.changes) }));
    },
  } satisfies Partial<PeriodStore>;
}
