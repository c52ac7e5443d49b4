/** Changes of a table that has rows, to which others refer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';

const names = async (engine: Awaited<ReturnType<typeof openSqliteEngine>>, type: string) =>
  (
    await sql<{
      name: string;
    }>`select name from sqlite_schema where type = ${type} and sql is not null order by name`.execute(engine.db)
  ).rows.map(({ name }) => name);

it('a column that may be null from now on keeps rows, keys, references and indexes', async () => {
  const engine = await openSqliteEngine(':memory:', { create: true });
  const run = (text: string) => sql.raw(text).execute(engine.db);
  await run('create table owners (owner_key integer primary key) strict');
  await run(
    'create table things (thing_key integer primary key, owner_key integer not null references owners, name text not null, unique (name)) strict',
  );
  await run(
    'create table events (event_key integer primary key autoincrement, thing_key integer not null references things, what text) strict',
  );
  await run("create index things_named on things (name) where name <> 'x'");
  await run('create index events_of on events (thing_key, event_key)');
  await run('alter table things add column added text');
  await run('insert into owners values (1)');
  await run("insert into things values (5, 1, 'a', 'later')");
  await run("insert into events values (7, 5, 'seen')");

  await expect(run("insert into things values (6, null, 'b', null)")).rejects.toThrow();
  await engine.db.transaction().execute((tx) => engine.types.makeNullable(tx, 'things', 'owner_key'));

  await run("insert into things values (6, null, 'b', null)");
  await run("insert into events (thing_key, what) values (6, 'new')");
  const { rows } =
    await sql`select e.event_key, t.name, t.owner_key, t.added from events as e join things as t using (thing_key) order by 1`.execute(
      engine.db,
    );
  expect(rows).toEqual([
    { event_key: 7, name: 'a', owner_key: 1, added: 'later' },
    { event_key: 8, name: 'b', owner_key: null, added: null },
  ]);
  expect(await names(engine, 'index')).toEqual(['events_of', 'things_named']);
  expect(await names(engine, 'table')).toEqual(['events', 'owners', 'sqlite_sequence', 'things']);
  // References hold as before, and to the new table.
  await expect(run("insert into events (thing_key, what) values (99, 'none')")).rejects.toThrow();
  await expect(run("insert into things values (8, 99, 'c', null)")).rejects.toThrow();
  await expect(run("insert into things values (9, 1, 'a', null)")).rejects.toThrow();
  expect(await engine.integrity()).toBe('ok');
  await engine.close();
});

it('a unique constraint in another order is searched in that order, holds, and is seen by other connections', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-rebuild-'));
  const file = join(folder, 'tieout.db');
  const engine = await openSqliteEngine(file, { create: true });
  const run = (text: string) => sql.raw(text).execute(engine.db);
  await run(
    'create table things (thing_key integer primary key, name text not null, owner integer not null, unique (name, owner)) strict',
  );
  await run('create table events (event_key integer primary key, thing_key integer not null references things) strict');
  await run("insert into things values (5, 'a', 1), (6, 'a', 2)");
  await run('insert into events values (1, 5)');
  // Only a database of Tieout is opened.
  await run('create table kysely_migration (name text) strict');
  const other = await openSqliteEngine(file, { create: false });
  /** A statement that is only explained does not notice a new schema: one that runs goes before it, and none is prepared twice. */
  const plan = async (owner: number) => {
    const query = sql`select name from things where owner = ${sql.lit(owner)}`;
    await query.execute(other.db);
    return (await sql<{ detail: string }>`explain query plan ${query}`.execute(other.db)).rows[0]?.detail;
  };
  const reorder = (from: readonly string[], to: readonly string[]) =>
    engine.db.transaction().execute((tx) => engine.types.reorderUnique(tx, 'things', from, to));
  expect(await plan(1)).toMatch(/^SCAN/);

  await expect(reorder(['owner'], ['name'])).rejects.toThrow('things has no unique (owner)');
  await reorder(['name', 'owner'], ['owner', 'name']);

  expect(await plan(2)).toMatch(/^SEARCH things USING COVERING INDEX \S+ \(owner=\?\)$/);
  await expect(run("insert into things values (7, 'a', 2)")).rejects.toThrow(/UNIQUE/);
  await expect(run('delete from things where thing_key = 5')).rejects.toThrow(/FOREIGN KEY/);
  await expect(run("update sqlite_schema set sql = ''")).rejects.toThrow(/may not be modified/);
  expect([await engine.integrity(), await other.integrity()]).toEqual(['ok', 'ok']);
  await engine.close();
  await other.close();
  rmSync(folder, { recursive: true });
});
