/** SQLite behind the Engine interface. SQL that only SQLite has is here. */
import { existsSync, linkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Compilable, Kysely, sql } from 'kysely';
import { BackupExistsError, DatabaseUnavailableError } from '../../ports/store/errors.ts';
import { namedColumns, type Row } from '../cells.ts';
import type { ColumnTypes } from '../column-types.ts';
import type { Engine, WriteTransaction } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';
import { makeNullable, reorderUnique } from './definitions.ts';
import { SqliteHandle, sqliteDialect } from './handle.ts';
import { makePartial, makePrivateFile, makePrivateFolder, syncToDisk } from './private-file.ts';
import { SQLITE_WORDS } from './words.ts';

const TYPES: Omit<ColumnTypes, 'makeNullable' | 'reorderUnique'> = {
  key: sql`integer primary key`,
  risingKey: sql`integer primary key autoincrement`,
  // SQLite's default collation compares bytewise.
  id: sql`text`,
  text: sql`text`,
  integer: sql`integer`,
  real: sql`real`,
  bytes: sql`blob`,
  computed: sql`virtual`,
  storage: () => null,
  end: sql`strict`,
  clustered: sql`strict, without rowid`,
};

const COLUMNS = `select t.name, c.name from sqlite_schema as t, pragma_table_info(t.name) as c where t.type = 'table'`;

function insertText(table: string, columns: readonly string[], skipKnown: boolean): string {
  const slots = columns.map(() => '?').join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${slots})${skipKnown ? ' on conflict do nothing' : ''}`;
}

function updateText(table: string, keys: readonly string[], columns: readonly string[]): string {
  const sets = columns.map((column) => `${column} = ?`).join(', ');
  const conditions = keys.map((key) => `${key} = ?`).join(' and ');
  return `update ${table} set ${sets} where ${conditions}`;
}

const inList: Engine['inList'] = (column, values) =>
  sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;

function readRows(handle: SqliteHandle, query: Compilable): readonly Row[] {
  const compiled = query.compile();
  return handle.arrays(compiled.sql, compiled.parameters);
}

function readEach<T>(handle: SqliteHandle, query: Compilable, read: (row: Row) => T): T[] {
  const compiled = query.compile();
  return handle.eachArray(compiled.sql, compiled.parameters, read);
}

/** Switching a new database to WAL takes an exclusive lock, for which two processes that start at once compete. */
const OPEN_ATTEMPTS = 10;
const OPEN_PAUSE_MS = 50;

interface SqliteOptions {
  create: boolean;
  cacheKib?: number | undefined;
}

/** Opens the file; a missing one is made, private, where `create` allows it. @throws DatabaseUnavailableError */
async function openHandle(file: string, { create, cacheKib }: SqliteOptions): Promise<SqliteHandle> {
  if (file !== ':memory:' && !existsSync(file)) {
    if (!create) throw new DatabaseUnavailableError(file, 'missing');
    try {
      makePrivateFolder(dirname(file));
      makePrivateFile(file);
    } catch (error) {
      throw new DatabaseUnavailableError(file, 'cannot-open', error);
    }
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return new SqliteHandle(file, cacheKib);
    } catch (error) {
      const busy = error instanceof DatabaseUnavailableError && error.reason === 'busy';
      if (!busy || attempt >= OPEN_ATTEMPTS) throw error;
      await pause(OPEN_PAUSE_MS);
    }
  }
}

/** A copy appears under its name only when it is whole, and never over another file. */
function copyDatabase(handle: SqliteHandle, path: string): void {
  if (existsSync(path)) throw new BackupExistsError(path);
  makePrivateFolder(dirname(path));
  // VACUUM INTO takes an empty file as it is, so the copy is private from its first byte.
  const partial = makePartial(path);
  try {
    handle.prepare('vacuum into ?').run([partial]);
    syncToDisk(partial);
    // A link, unlike a rename, fails where another process has made the file meanwhile.
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new BackupExistsError(path);
    throw error;
  } finally {
    rmSync(partial, { force: true });
  }
  syncToDisk(dirname(path));
}

/** @param file a path, or `:memory:` for a database that ends with the process. @throws DatabaseUnavailableError */
export async function openSqliteEngine(file: string, options: SqliteOptions): Promise<Engine> {
  const handle = await openHandle(file, options);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle) });

  // While a transaction of this process is open, the connection would show uncommitted rows: readers wait for its end.
  const inTurn = async <T>(read: () => T): Promise<T> =>
    handle.inTransaction ? db.connection().execute(async () => read()) : read();
  const rows: Engine['rows'] = (query) => inTurn(() => readRows(handle, query));
  const each: Engine['each'] = (query, read) => inTurn(() => readEach(handle, query, read));

  const write: Engine['write'] = (work) =>
    db.transaction().execute(async (transaction) => {
      const sent: Promise<unknown>[] = [];
      const tx: WriteTransaction = {
        db: transaction,
        sealer: engine.sealer,
        inList,
        rows: async (query) => readRows(handle, query),
        each: async (query, read) => readEach(handle, query, read),
        insertMany: async (table, columns, lines, given) => {
          handle.runEach(insertText(table, columns, given?.skipKnown ?? false), lines);
        },
        // The generated key is the row id.
        insertForKeys: async (table, _key, columns, lines) => handle.runEach(insertText(table, columns, false), lines),
        // The transaction holds the write lock of the file: no other row comes in between.
        reserveKeys: async (table, key, count) => {
          const [newest] = handle.arrays(`select coalesce(max("${key}"), 0) from "${table}"`, []);
          return Array.from({ length: count }, (_, index) => Number(newest?.[0] ?? 0) + 1 + index);
        },
        run: async (statement) => {
          const { sql: text, parameters } = statement.compile();
          handle.prepare(text).run(parameters);
        },
        lockRows: async () => undefined,
        send: (statements) => void sent.push(...statements),
        updateMany: async (table, keys, columns, lines) => {
          // The statement has the columns before the keys, and better-sqlite3 has no numbered parameters.
          const ordered = lines.map((line) => [...line.slice(keys.length), ...line.slice(0, keys.length)]);
          handle.runEach(updateText(table, keys, columns), ordered);
        },
      };
      const result = await work(tx);
      await Promise.all(sent);
      // Before the commit: a commit into a removed file would be lost, and its run would look good.
      handle.requireInPlace();
      return result;
    });

  const engine: Engine = {
    name: 'sqlite',
    sealer: null,
    location: file,
    db,
    types: {
      ...TYPES,
      makeNullable: (...change) => handle.withWritableSchema(() => makeNullable(...change)),
      reorderUnique: (...change) => handle.withWritableSchema(() => reorderUnique(...change)),
    },
    words: SQLITE_WORDS,
    clock: null,
    rows,
    unordered: rows,
    each,
    write,
    // SQLite has one write lock for the whole file.
    writeShared: write,
    writeAs: (_name, work) => write(work),
    unindexed: (column) => sql`+${sql.ref(column)}`,
    inList,
    // SQLite takes the tables of a cross join in the order of the text.
    lookUps: (json, fields, tables) => {
      const joins = tables.map(({ table, as, on }) => sql`cross join ${sql.table(table)} as ${sql.ref(as)} on ${on}`);
      return sql`(with e as materialized (select ${fields} from json_each(${json})) select * from e) as w
        ${sql.join(joins, sql` `)}`;
    },
    // SQLite continues after the highest key.
    continueKeys: async () => undefined,
    analyze: async () => undefined,
    tables: async () => namedColumns(handle.arrays(COLUMNS, [])),
    // A process that holds the file's lock for long makes writers fail after their wait; no reader can see that.
    isBlocked: async () => false,
    integrity: async () =>
      handle
        .arrays('pragma quick_check(10)', [])
        .map((row) => row[0])
        .join('; '),
    actors: async () =>
      handle
        .arrays(`select name || ' on ' || tbl_name from sqlite_schema where type = 'trigger' order by name`, [])
        .map(([name]) => `trigger ${name}`),
    copyTo: (path) => db.connection().execute(async () => copyDatabase(handle, path)),
    close: async () => {
      await db.destroy();
      handle.close();
    },
  };
  return engine;
}
