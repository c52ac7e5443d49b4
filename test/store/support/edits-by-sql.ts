/**
 * Each column of each table of a filled database, changed by SQL: `db check` finds it, or the schema says why it decides nothing. The walk takes
 * a second on SQLite and many on a server: over PostgreSQL it is among the long tests.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Claim } from '../../../src/domain/claim.ts';
import type { Upkeep } from '../../../src/ports/store/store.ts';
import { openStore, openUpkeep } from '../../../src/store/open.ts';
import { COMPARED, OWNED, ROWS, SUM } from '../../../src/store/schema/column.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../../src/store/schema/tables.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { SEALER, type TestEngine, temporaryFolder } from './engines.ts';
import { fill, NOW } from './filled.ts';

/** A database that is edited behind the program's back, and `filled`, a schema beside it with the rows as they were. */
interface Edited extends AsyncDisposable {
  url: string;
  /** Statements one after the other; references between tables are not looked at. */
  edit(sql: string): Promise<void>;
  read(sql: string): Promise<readonly Record<string, unknown>[]>;
}

async function sqliteEdited(folder: string): Promise<Edited> {
  const [path, filled] = [join(folder, 'tieout.db'), join(folder, 'filled.db')];
  copyFileSync(filled, path);
  const file = openSqliteFile(path);
  file.exec(`pragma foreign_keys = off; attach '${filled}' as filled`);
  return {
    url: `sqlite:${path}`,
    edit: async (sql) => file.exec(sql),
    read: async (sql) => file.prepare(sql).all(),
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

async function postgresEdited(url: string): Promise<Edited> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const copies = TABLE_NAMES.map((table) => `create table filled.${table} as table public.${table}`);
  await client.query(`set session_replication_role = replica; create schema filled; ${copies.join(';')}`);
  return {
    url,
    edit: async (sql) => void (await client.query(sql)),
    read: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

export function editsAreFound({ name: engine, place }: TestEngine): void {
  const isSqlite = engine === 'SQLite';
  const folder = temporaryFolder();
  const filled = join(folder.path, 'filled.db');
  // One for all tests, which put back what they change: opening and preparing cost more than a check.
  let upkeep: Upkeep;
  let file: Edited;
  const opened = new AsyncDisposableStack();
  const types = new Map<string, string>();
  beforeAll(async () => {
    const { url } = isSqlite ? { url: `sqlite:${filled}` } : opened.use(await place());
    const { store } = await openStore({ url, sealer: SEALER });
    await fill(store);
    await store.close();
    file = opened.use(await (isSqlite ? sqliteEdited(folder.path) : postgresEdited(url)));
    upkeep = await openUpkeep({ url: file.url, sealer: SEALER, create: false });
    opened.defer(() => upkeep.close());
    const columns = isSqlite
      ? `select m.name as table_name, c.name, c.type, c.hidden from sqlite_master as m, pragma_table_xinfo(m.name) as c where m.type = 'table'`
      : `select table_name, column_name as name, data_type as type, is_generated from information_schema.columns where table_schema = 'public' order by ordinal_position`;
    for (const { table_name: table, name, type, hidden, is_generated: generated } of await file.read(columns))
      if (!Number(hidden ?? 0) && generated !== 'ALWAYS') types.set(`${table}.${name}`, String(type).toLowerCase());
  });
  afterAll(async () => {
    await opened.disposeAsync();
    folder[Symbol.dispose]();
  });

  const columnsOf = (table: string) =>
    [...types.keys()].flatMap((each) => (each.startsWith(`${table}.`) ? [each.slice(table.length + 1)] : []));

  /** Another value of the same type, whatever it is, and of no other row; null becomes one. */
  function another(table: string, column: string): string {
    const type = types.get(`${table}.${column}`);
    if (type === 'blob') return "x'00'";
    if (type === 'bytea') return "'\\x00'";
    return type === 'text' ? `'x' || coalesce(${column}, '')` : `-1 - coalesce(${column}, 0)`;
  }

  /** As they were, the tables that a statement names. */
  async function restore(sql: string): Promise<void> {
    for (const table of TABLE_NAMES.filter((name) => sql.includes(name))) {
      const names = columnsOf(table).map((name) => `"${name}"`);
      const into = isSqlite ? '' : 'overriding system value';
      await file.edit(
        `delete from ${table}; insert into ${table} (${names}) ${into} select ${names} from filled.${table}`,
      );
    }
  }

  async function problemsAfter(sql: string): Promise<readonly string[]> {
    await file.edit(sql);
    try {
      return (await upkeep.check()).problems;
    } finally {
      await restore(sql);
    }
  }

  /** What the program does to a claim, and what is edited before and after it; then all is as it was. */
  async function aroundAnUpdate(before: string, state: 'sent' | 'recovered', after: (claim: Claim) => string) {
    await file.edit(before);
    const { store } = await openStore({ url: file.url, sealer: SEALER });
    try {
      const [claim] = await store.claims.list({ limit: 1 });
      if (claim === undefined) throw new Error('no claim');
      const event = { at: NOW, state, reason: 'x', name: 'Ann', account: 'a', proof: 'stated' } as const;
      await store.claims.update({ ...claim, state }, [], event, claim.events, []);
      const updated = (await upkeep.check()).problems;
      await file.edit(after(claim));
      return [updated, (await upkeep.check()).problems];
    } finally {
      await store.close();
      await restore(TABLE_NAMES.join());
    }
  }

  const sealed = TABLE_NAMES.flatMap((table) =>
    Object.keys(TABLES[table].columns)
      .filter((column) => isGuarded(table, column))
      .map((column) => [table, column] as const),
  );
  it.each(sealed)('of %s.%s is found', async (table, column) => {
    expect(await file.read(`select 1 from ${table} limit 1`)).toHaveLength(1);
    const sql = `update ${isSqlite ? 'or replace ' : ''}${table} set ${column} = ${another(table, column)}`;
    expect(await problemsAfter(sql)).not.toEqual([]);
  });

  it('that makes an empty text of none is found', { timeout: 120_000 }, async () => {
    const unseen: string[] = [];
    for (const [table, column] of sealed.filter(([table, column]) => types.get(`${table}.${column}`) === 'text')) {
      if ((await file.read(`select 1 from ${table} where ${column} is null limit 1`)).length === 0) continue;
      const sql = `update ${table} set ${column} = '' where ${column} is null`;
      if ((await problemsAfter(sql)).length === 0) unseen.push(`${table}.${column}`);
    }
    expect(unseen).toEqual([]);
  });

  const FILLED = [...new Set(sealed.map(([table]) => table))];
  it.each(FILLED)('that deletes the rows of %s is found, also with their seals', async (table) => {
    expect(await problemsAfter(`delete from ${table}`)).not.toEqual([]);
    const seals = `delete from sealed_rows where table_name = '${table}'`;
    expect(await problemsAfter(`${seals}; delete from ${table}`)).not.toEqual([]);
  });

  const COPY = `insert into access_acts (at, name, account, proof, action, subject, outcome, detail)
    select at, name, account, proof, action, subject, outcome, detail from access_acts where`;
  const DIGESTS = "(select digest from sealed_rows where table_name = 'access_acts' order by digest limit 1)";
  it('that deletes an act with its seal and copies another act with its own is found', async () => {
    // Of two acts one is deleted: the seals of both are tried, because a digest does not say whose it is.
    const seals = `update sealed_rows set n = 2 where table_name = 'access_acts' and digest`;
    const deleted = `delete from sealed_rows where table_name = 'access_acts' and digest`;
    for (const [act, is] of [
      ['period.close', '='],
      ['period.close', '<>'],
      ['period.open', '='],
      ['period.open', '<>'],
    ]) {
      const other = is === '=' ? '<>' : '=';
      const forged = `${seals} ${is} ${DIGESTS}; ${deleted} ${other} ${DIGESTS};
        delete from access_acts where action <> '${act}'; ${COPY} action = '${act}'`;
      expect(await problemsAfter(forged)).not.toEqual([]);
    }
  });

  it.each(["key_id = 'none'", "digest = ''", 'n = -1', 'n = 1e15'])(
    'of seals themselves (%s) hides nothing',
    async (set) => {
      expect(
        await problemsAfter(
          `update claims set title = 'other'; update sealed_rows set ${set} where table_name = 'claims'`,
        ),
      ).not.toEqual([]);
    },
  );

  it.each(["'none'", 'null'])('of the key (%s) of the seals of runs, findings and statements is found', async (key) => {
    const forged = await problemsAfter(`update row_seals set key_id = ${key} where name not like 'rows%'`);
    expect(forged.length).toBeGreaterThan(4);
  });

  it('that puts a row back as it was, with its seal, is found', async () => {
    const kept = "create temporary table kept as select digest from sealed_rows where table_name = 'claims'";
    const [updated, forged] = await aroundAnUpdate(
      kept,
      'recovered',
      ({ state, events }) => `update claims set state = '${state}', events = ${events};
        update sealed_rows set digest = (select digest from kept) where table_name = 'claims'`,
    );
    expect(updated).toEqual([]);
    expect(forged).toEqual(['claims: seals were added or taken out by other means than Tieout']);
  });

  it.each(['verdicts', 'population', 'terms', 'state', 'business_day', 'as_of', 'quote_watermark'])(
    'of runs.%s is found',
    async (column) => {
      const value = column === 'state' ? "'incomplete'" : another('runs', column);
      expect(await problemsAfter(`update runs set ${column} = ${value}`)).not.toEqual([]);
    },
  );

  it.each(['figures', 'stated_by', 'manifest_sha256', 'accepted_open'])(
    'of period_statements.%s is found',
    async (column) => {
      expect(await problemsAfter(`update period_statements set ${column} = 'x'`)).not.toEqual([]);
    },
  );

  it.each(['outcome', 'content_key', 'shown_fee', 'expected_status', 'quote_key'])(
    'of run_items.%s is found',
    async (column) => {
      const value = column === 'outcome' ? "'verified'" : column.endsWith('key') ? '99' : "'9'";
      expect(await problemsAfter(`update run_items set ${column} = ${value}`)).not.toEqual([]);
    },
  );

  it('behind the first thousand rows of a table is found', async () => {
    const cells = columnsOf('status_changes').filter((name) => name !== 'change_key');
    const more = `insert into status_changes (${cells}) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
      select ${cells} from (select * from status_changes limit 1), n; delete from row_seals where name like 'sum %'`;
    await file.edit(more);
    await upkeep.reseal();
    expect((await upkeep.check()).problems).toEqual([]);
    const last = 'delete from status_changes where change_key = (select max(change_key) from status_changes)';
    await file.edit(last);
    expect((await upkeep.check()).problems).toEqual([
      'status_changes: rows were changed, added or deleted by other means than Tieout',
    ]);
    await restore(more);
  });

  it('is not covered up by a change that the program makes afterwards', async () => {
    const [updated] = await aroundAnUpdate("update claims set title = 'other'", 'sent', () => '');
    expect(updated?.join()).toContain('claims: claim_key');
  });

  it.each(
    isSqlite
      ? []
      : [
          ['a table whose rows count as those of breaks', 'create table evil () inherits (breaks)', 'drop table evil'],
          ['a rule', 'create rule evil as on delete to breaks do instead nothing', 'drop rule evil on breaks'],
          [
            'hidden rows',
            'alter table breaks enable row level security',
            'alter table breaks disable row level security',
          ],
          [
            'a function that is called in place of one of the system',
            "create function coalesce_of(text, varchar) returns text language sql as 'select null'",
            'drop function coalesce_of',
          ],
          [
            'an operator',
            'create operator <-> (leftarg = text, rightarg = text, function = texteq)',
            'drop operator <-> (text, text)',
          ],
        ],
  )('by which others see other rows is found: %s', async (_, sql, back) => {
    await file.edit(sql);
    const { problems } = await upkeep.check();
    await file.edit(back);
    expect(problems).toEqual([expect.stringContaining('was made by other means than Tieout')]);
  });

  it('that was put back leaves no problem', async () => {
    expect((await upkeep.check()).problems).toEqual([]);
  });
}

/** Whether `db check` finds a change of the column; of any other, its declaration says why it decides nothing. */
function isGuarded(table: TableName, column: string): boolean {
  const { seal, columns } = TABLES[table];
  return [ROWS, SUM, OWNED, COMPARED].includes(seal) && columns[column]?.is.underSeal !== 'never';
}
