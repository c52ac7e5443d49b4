/**
 * Moves the items of old runs to a file of lines (NDJSON) from which they can be judged again. The file has every row
 * that judging one of these runs reads, without view tokens and texts of evidence. Runs, breaks and their events, and
 * the rows behind closed months stay in the database.
 *
 * Line 1 names the tables with their columns; each further line is a table and one row, `["runs", [1, "nightly-…", …]]`, bytes as
 * `{ "base64": "…" }`; the last line has the number of rows and the SHA-256 of all lines before it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { UsageError } from '../domain/errors.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import { type Cell, dayOf, type Row } from './cells.ts';
import { columnsOf, pagesOf } from './copy.ts';
import type { Engine } from './engine.ts';
import { migrate, requireCurrentSchema } from './migrations/index.ts';
import { IS_WORKED_ON } from './prune.ts';
import { COPIED_TABLES, type TableName } from './schema/tables.ts';

/** Items deleted in one transaction, and rows restored in one. */
const BATCH = 2_000;
const FORMAT = 'tieout archive 1';
/** Sealed, and of no use to judging: they never leave the database. */
const BLANK: readonly string[] = ['token', 'token_fingerprint'];

export interface ArchivedRun {
  runKey: number;
  runId: string;
  items: number;
}

/** Finished runs with a business date before this one that have items and are not behind a closed month. */
export async function archivableRuns(engine: Engine, before: BusinessDate): Promise<readonly ArchivedRun[]> {
  const stated = await engine.db.selectFrom('period_statements').select('run_keys').execute();
  const kept = new Set(stated.flatMap(({ run_keys: keys }) => JSON.parse(keys) as number[]));
  const rows = await engine.db
    .selectFrom('runs')
    .select(['run_key', 'run_id', 'population'])
    .where('business_day', '<', dayOf(before))
    .where('state', 'in', ['complete', 'incomplete', 'aborted'])
    .where('archived_at', 'is', null)
    .orderBy('run_key')
    .execute();
  return rows
    .filter(({ run_key: key }) => !kept.has(key))
    .map(({ run_key: runKey, run_id: runId, population }) => ({ runKey, runId, items: population }));
}

/** The rows that judging the runs reads, by table; other tables are left out. */
function conditions(runs: readonly ArchivedRun[]): Partial<Record<TableName, RawBuilder<unknown>>> {
  const keys = sql.join(runs.map(({ runKey }) => sql.lit(runKey)));
  const records = sql`record_key in (select record_key from run_items where run_key in (${keys}))`;
  const all = sql`1 = 1`;
  // Breaks about payments have no record.
  const breaks = sql`(kind = 'payout' or ${records})`;
  return {
    tracked_records: records,
    contents: records,
    snapshots: records,
    quotes: sql`quote_key <= (select max(quote_watermark) from runs where run_key in (${keys}))`,
    quote_methods: sql`quote_key <= (select max(quote_watermark) from runs where run_key in (${keys}))`,
    reference_contents: all,
    reference_captures: all,
    reference_assets: all,
    reference_methods: all,
    runs: sql`run_key in (${keys})`,
    run_items: sql`run_key in (${keys})`,
    status_changes: sql`run_key in (${keys})`,
    breaks,
    break_events: sql`break_key in (select break_key from breaks where ${breaks})`,
    doubted_runs: sql`run_key in (${keys})`,
    chain_sightings: all,
    chain_answers: all,
    delivery_claims: all,
    payouts: all,
    run_revenue: sql`run_key in (${keys})`,
  };
}

const encode = (cell: Cell): unknown =>
  cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell;
const BYTES = z.object({ base64: z.string() });
const ROW = z.tuple([z.string(), z.array(z.unknown())]);
const HEAD = z.object({
  format: z.literal(FORMAT),
  runs: z.array(z.string()),
  columns: z.record(z.string(), z.array(z.string())),
});
const END = z.object({ rows: z.number(), sha256: z.string() });

/** @throws ArchiveDamagedError */
function decode(cell: unknown): Cell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  return Buffer.from(accepted(BYTES, cell).base64, 'base64');
}

/** The lines of a file. They end with a line feed alone: `node:readline` also ends one at U+2028, which JSON leaves as it is. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of createReadStream(file, 'utf8')) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The lines of an archive, without their newlines. Finished runs do not change, so no lock is held while they are read. */
export async function* archiveLines(engine: Engine, runs: readonly ArchivedRun[]): AsyncGenerator<string> {
  await requireCurrentSchema(engine);
  const columns = await columnsOf(engine);
  const read = conditions(runs);
  const tables = COPIED_TABLES.filter(({ table }) => read[table] !== undefined);
  const hash = createHash('sha256');
  let rows = 0;
  const hashed = (line: string): string => {
    hash.update(`${line}\n`);
    return line;
  };
  const named = Object.fromEntries(tables.map(({ table }) => [table, columns.get(table) ?? []]));
  yield hashed(JSON.stringify({ format: FORMAT, runs: runs.map(({ runId }) => runId), columns: named }));
  for (const copied of tables) {
    const names = named[copied.table] ?? [];
    for await (const page of pagesOf(engine, engine, copied, names, read[copied.table])) {
      for (const row of page) {
        const cells = row.map((cell, at) =>
          BLANK.includes(names[at] ?? '') ? encode(new Uint8Array()) : encode(cell),
        );
        rows++;
        yield hashed(JSON.stringify([copied.table, cells]));
      }
    }
  }
  yield JSON.stringify({ rows, sha256: hash.digest('hex') });
}

/** Items of records with an unresolved break stay, because they explain that break. */
const STANDING = sql`record_key in (select b.record_key from breaks as b where ${IS_WORKED_ON})`;

/**
 * Deletes the items of runs that are in a file, and marks the runs first: one that is interrupted here can be judged
 * from the file alone. Continues where it stopped when it is called again.
 */
export async function forgetItems(engine: Engine, runs: readonly ArchivedRun[], now: Instant): Promise<number> {
  for (const { runKey } of runs) {
    await engine.write(({ db }) =>
      db.updateTable('runs').set({ archived_at: now }).where('run_key', '=', runKey).execute(),
    );
  }
  let deleted = 0;
  const marked = engine.db.selectFrom('runs').select('run_key').where('archived_at', 'is not', null);
  for (const { run_key: runKey } of await marked.execute()) {
    for (let more = BATCH; more === BATCH; deleted += more) {
      more = await engine.write(async ({ db }) => {
        const { numAffectedRows } = await sql`delete from run_items where run_key = ${runKey} and (kind, record_id) in (
          select kind, record_id from run_items where run_key = ${runKey} and not ${STANDING}
          limit ${BATCH})`.execute(db);
        return Number(numAffectedRows ?? 0n);
      });
    }
  }
  return deleted;
}

/** The file is no archive, is cut short, or was changed. Exit code 2. */
export class ArchiveDamagedError extends UsageError {
  constructor(what: string) {
    super(`this is not a complete archive: ${what}`, { remedy: 'take another copy of the file' });
  }
}

/** The ids of the runs in an archive. @throws ArchiveDamagedError unless every line is unchanged. */
export async function checkArchive(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const hash = createHash('sha256');
  let runs: readonly string[] | null = null;
  let held: string | null = null;
  let rows = -1;
  for await (const line of lines) {
    if (held !== null) {
      hash.update(`${held}\n`);
      runs ??= accepted(HEAD, parse(held)).runs;
      rows++;
    }
    held = line;
  }
  const end = runs === null ? null : END.safeParse(parse(held ?? '')).data;
  if (runs === null || end?.rows !== rows) throw new ArchiveDamagedError('its last line is missing');
  if (end.sha256 !== hash.digest('hex')) throw new ArchiveDamagedError('its lines were changed');
  return runs;
}

/** Fills an empty database from a checked archive. @throws ArchiveDamagedError */
export async function restoreArchive(engine: Engine, lines: AsyncIterable<string>): Promise<void> {
  await migrate(engine);
  const known = await columnsOf(engine);
  let columns: ReadonlyMap<string, readonly string[]> | null = null;
  let table = '';
  let rows: Row[] = [];
  const store = async () => {
    const into = table as TableName;
    if (rows.length > 0) await engine.write((tx) => tx.insertMany(into, (columns?.get(into) ?? []) as never, rows));
    rows = [];
  };
  for await (const line of lines) {
    if (columns === null) {
      columns = new Map(Object.entries(accepted(HEAD, parse(line)).columns));
      for (const [of, names] of columns) {
        if (!names.every((name) => known.get(of)?.includes(name)))
          throw new ArchiveDamagedError(`table ${of} has columns that this version does not know`);
      }
    } else if (line.startsWith('[')) {
      const [of, cells] = accepted(ROW, parse(line));
      if (cells.length !== columns.get(of)?.length) throw new ArchiveDamagedError(`a row does not fit table ${of}`);
      if (of !== table || rows.length === BATCH) await store();
      table = of;
      rows.push(cells.map(decode));
    }
  }
  await store();
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ArchiveDamagedError(`a line is not JSON (${cause instanceof Error ? cause.message : 'unknown'})`);
  }
}

function accepted<T>(form: z.ZodType<T>, value: unknown): T {
  const { data, success } = form.safeParse(value);
  if (!success) throw new ArchiveDamagedError(`a line is not one of "${FORMAT}"`);
  return data;
}
