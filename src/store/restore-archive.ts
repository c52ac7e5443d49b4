/** Fills a database from the file of an archive. */
import type { z } from 'zod';
import { TieoutError } from '../domain/errors.ts';
import { ArchiveDamagedError, accepted, decode, HEAD, parse, ROW } from './archive-file.ts';
import { type Cell, columns, type Row } from './cells.ts';
import { columnsOf } from './copy.ts';
import type { Engine } from './engine.ts';
import type { TableName } from './schema/tables.ts';
import { changeRows, migrate, VERSION } from './schema/upgrade.ts';

/** Rows restored in one transaction. */
const BATCH = 2_000;

/**
 * Fills an empty database from a checked archive; its rows are changed as those of a database of that version are.
 * @returns the ids of the runs that can be judged from it. @throws ArchiveDamagedError
 */
export async function restoreArchive(engine: Engine, lines: AsyncIterable<string>): Promise<readonly string[]> {
  let head: z.infer<typeof HEAD> | null = null;
  let table = '';
  let rows: Row[] = [];
  const runs = new Set<Cell>();
  const store = async () => {
    const into = table as TableName;
    const names = head?.columns[into] ?? [];
    if (rows.length > 0) {
      const added = engine.write(async (tx) => {
        const lost = into === 'break_events' ? laterRuns(rows, names, runs) : [];
        if (lost.length > 0) await tx.insertMany('runs', LATER_RUN, lost);
        await tx.insertMany(into, names as never, rows);
      });
      await added.catch(doesNotFit(into));
    }
    if (into === 'runs') for (const row of rows) runs.add(row[names.indexOf('run_key')] ?? null);
    rows = [];
  };
  for await (const line of lines) {
    if (head === null) {
      head = accepted(HEAD, parse(line));
      if (head.schema > VERSION)
        throw new ArchiveDamagedError(`a newer version of Tieout wrote it (schema ${head.schema})`);
      await migrate(engine);
      const known = await columnsOf(engine);
      for (const [of, names] of Object.entries(head.columns)) {
        if (!names.every((name) => known.get(of)?.includes(name)))
          throw new ArchiveDamagedError(`table ${of} has columns that this version does not know`);
      }
    } else if (line.startsWith('[')) {
      const [of, cells] = accepted(ROW, parse(line));
      if (cells.length !== named(head.columns, of)?.length)
        throw new ArchiveDamagedError(`a row does not fit table ${of}`);
      if (of !== table || rows.length === BATCH) await store();
      table = of;
      rows.push(cells.map(decode));
    }
  }
  await store();
  await engine.write((tx) => changeRows(tx, head?.schema ?? VERSION)).catch(doesNotFit('of its version'));
  return head?.runs ?? [];
}

/** A hand that writes hashes which fit can still write what no table takes. */
const doesNotFit = (table: string) => (cause: unknown) => {
  throw cause instanceof TieoutError ? cause : new ArchiveDamagedError(`a row does not fit table ${table}`, cause);
};

const named = (columns: Readonly<Record<string, readonly string[]>>, table: string) =>
  Object.hasOwn(columns, table) ? columns[table] : undefined;

const LATER_RUN = columns(
  'run_key run_id job business_day revision state selection timezone started_at as_of terms rules_hash config_hash',
  'code_version requests_sent planned population observed archived_at',
);

/** Rows in the place of later runs, which files of the older format lack although their events refer to them. */
function laterRuns(events: readonly Row[], names: readonly string[], known: Set<Cell>): readonly Row[] {
  const lost: Row[] = [];
  const [key, day, at] = ['run_key', 'last_seen_day', 'at'].map((name) => names.indexOf(name));
  for (const event of events) {
    const runKey = event[key ?? -1] ?? null;
    if (runKey === null || known.has(runKey)) continue;
    known.add(runKey);
    const time = event[at ?? -1] ?? 0;
    const dated = [runKey, `not-in-this-archive-${runKey}`, 'unknown', event[day ?? -1] ?? 0, runKey, 'complete'];
    lost.push([...dated, '{"type":"all"}', 'UTC', time, time, '', '', '', '', 0, 1, 0, 0, time]);
  }
  return lost;
}
