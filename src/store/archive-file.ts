/**
 * The file of an archive, and a database filled from it.
 *
 * Line 1 names the tables with their columns; each further line is a table and one row, `["runs", [1, "nightly-…", …]]`, bytes as
 * `{ "base64": "…" }`; the last line has the number of rows and the SHA-256 of all lines before it.
 */

import { createHash } from 'node:crypto';
import { createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { TieoutError, UsageError } from '../domain/errors.ts';
import { isWithinJsonLimits } from '../text/json-limits.ts';
import type { Cell, Row } from './cells.ts';
import type { Engine } from './engine.ts';
import type { TableName } from './schema/tables.ts';
import { changeRows, migrate, VERSION } from './schema/upgrade.ts';
import { insertRows, type NewRow } from './write-rows.ts';

export const FORMAT = 'tieout archive 2';
/** Its files lack the later runs that saw their breaks; `restoreArchive` puts a name in the place of each. */
const OLDER_FORMAT = 'tieout archive 1';

export const encode = (cell: Cell): unknown =>
  cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell;
const BYTES = z.object({ base64: z.string() });
export const ROW = z.tuple([z.string(), z.array(z.unknown())]);
export const HEAD = z.object({
  format: z.enum([FORMAT, OLDER_FORMAT]),
  /** The version of the schema that it was read with; files of the older format lack it. */
  schema: z.string().default('0026-contents-by-record'),
  runs: z.array(z.string()),
  columns: z.record(z.string(), z.array(z.string())),
});
const END = z.object({ rows: z.number(), sha256: z.string() });

/** @throws ArchiveDamagedError */
export function decode(cell: unknown): Cell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  return Buffer.from(accepted(BYTES, cell).base64, 'base64');
}

/** The first bytes of a gzip file. */
const GZIP = Buffer.from([0x1f, 0x8b]);
/** A body has 2 MiB, a list of assets a few more; both are deflated. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The text of a file, which is packed where its first bytes say so. */
async function* textOf(file: string): AsyncGenerator<string> {
  const descriptor = openSync(file, 'r');
  const first = Buffer.alloc(GZIP.length);
  readSync(descriptor, first, 0, first.length, 0);
  const bytes = createReadStream(file, { fd: descriptor, start: 0 });
  if (!first.equals(GZIP)) return yield* bytes.setEncoding('utf8');
  try {
    // `pipeline` passes an error of the first stream on to the reader of the second.
    yield* pipeline(bytes, createGunzip(), () => {}).setEncoding('utf8');
  } catch (cause) {
    throw new ArchiveDamagedError('it cannot be unpacked', cause);
  }
}

/** The lines of a file. They end with a line feed alone: `node:readline` also ends one at U+2028, which JSON leaves as it is. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const piece of textOf(file)) {
    // A line that goes on is only kept: looking at it again with each piece would take quadratic time.
    const [first = '', ...further] = piece.split('\n');
    begun.push(first);
    length += first.length;
    if (length > LONGEST_LINE) throw new ArchiveDamagedError('a line is too long');
    const last = further.pop();
    if (last === undefined) continue;
    yield begun.join('');
    yield* further;
    [begun, length] = [[last], last.length];
  }
  if (length > 0) yield begun.join('');
}

/** The file is no archive, is cut short, or was changed. Exit code 2. */
export class ArchiveDamagedError extends UsageError {
  constructor(what: string, cause?: unknown) {
    super(`this is not a complete archive: ${what}`, { remedy: 'take another copy of the file', cause });
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

/** Rows restored in one transaction, and characters of their lines: a packed file of a few megabytes may hold thousands of lines of 64 MiB. */
const BATCH = { rows: 2_000, held: 16 * 1024 * 1024 };

/**
 * Fills an empty database from a checked archive; its rows are changed as those of a database of that version are.
 * @returns the ids of the runs that can be judged from it. @throws ArchiveDamagedError
 */
export async function restoreArchive(engine: Engine, lines: AsyncIterable<string>): Promise<readonly string[]> {
  let head: z.infer<typeof HEAD> | null = null;
  let table = '';
  let [rows, held]: [Row[], number] = [[], 0];
  const runs = new Set<Cell>();
  const store = async () => {
    const into = table as TableName;
    const names = head?.columns[into] ?? [];
    if (rows.length > 0) {
      const added = engine.write(async (tx) => {
        const lost = into === 'break_events' ? laterRuns(rows, names, runs) : [];
        await insertRows(tx, 'runs', lost);
        await tx.insertMany(into, names as never, rows);
      });
      await added.catch(doesNotFit(into));
    }
    if (into === 'runs') for (const row of rows) runs.add(row[names.indexOf('run_key')] ?? null);
    [rows, held] = [[], 0];
  };
  for await (const line of lines) {
    if (head === null) {
      head = accepted(HEAD, parse(line));
      if (head.schema > VERSION)
        throw new ArchiveDamagedError(`a newer version of Tieout wrote it (schema ${head.schema})`);
      await migrate(engine);
      const known = await engine.tables();
      for (const [of, names] of Object.entries(head.columns)) {
        if (!names.every((name) => known.get(of)?.includes(name)))
          throw new ArchiveDamagedError(`table ${of} has columns that this version does not know`);
      }
    } else if (line.startsWith('[')) {
      const [of, cells] = accepted(ROW, parse(line));
      if (cells.length !== named(head.columns, of)?.length)
        throw new ArchiveDamagedError(`a row does not fit table ${of}`);
      if (of !== table || rows.length === BATCH.rows || held > BATCH.held) await store();
      table = of;
      held += line.length;
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

const LATER_RUN = {
  job: 'unknown',
  state: 'complete',
  selection: '{"type":"all"}',
  timezone: 'UTC',
  terms: '',
  rules_hash: '',
  config_hash: '',
  code_version: '',
  requests_sent: 0,
  planned: 1,
  population: 0,
  observed: 0,
} as const;

/** Rows in the place of later runs, which files of the older format lack although their events refer to them. */
function laterRuns(events: readonly Row[], names: readonly string[], known: Set<Cell>): readonly NewRow<'runs'>[] {
  const cellOf = (event: Row, name: string) => Number(event[names.indexOf(name)] ?? 0);
  return events.flatMap((event) => {
    const [runKey, at] = [cellOf(event, 'run_key'), cellOf(event, 'at')];
    if (runKey === 0 || known.has(runKey)) return [];
    known.add(runKey);
    const name = { run_key: runKey, run_id: `not-in-this-archive-${runKey}`, revision: runKey };
    const dated = { business_day: cellOf(event, 'last_seen_day'), started_at: at, as_of: at, archived_at: at };
    return [{ ...LATER_RUN, ...name, ...dated }];
  });
}

/** A row has a cell for each column; the first line names each run. Sixty million empty objects would take the memory of a machine. */
const MOST_VALUES = 100_000;

export function parse(line: string): unknown {
  if (!isWithinJsonLimits(line, MOST_VALUES)) throw new ArchiveDamagedError('a line has more values than a row');
  try {
    return JSON.parse(line);
  } catch (cause) {
    // The parser's own message would quote the line.
    throw new ArchiveDamagedError('a line is not JSON', cause);
  }
}

export function accepted<T>(form: z.ZodType<T>, value: unknown): T {
  const { data, success } = form.safeParse(value);
  if (!success) throw new ArchiveDamagedError(`a line is not one of "${FORMAT}"`);
  return data;
}
