/** A column that may be null from now on, in a table with rows that others refer to. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';

const names = async (engine: Awaited<ReturnType<typeof openSqliteEngine>>, type: string) =>
  (
    await sql<{
      name: string;
    }>`select name from sqlite_schema where type = ${type} and sql is not null order by name`.execute(engine.db)
  ).rows.map(({ name }) => name);

it('keeps rows, keys, references and indexes', async () => {
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
  await engine.db.transaction().execute((tx) => engine.types.makeNullable(tx, 'things', 'owner_key', ['events']));

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
