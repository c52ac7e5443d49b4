/** Makes empty databases for tests. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { serverUrl } from './server.ts';

export interface TestDatabase extends AsyncDisposable {
  /** As the superuser of the server. */
  url: string;
}

/** Runs statements on a database, as they are. */
export async function onServer<T extends object>(url: string, ...statements: string[]): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly T[] = [];
    for (const statement of statements) rows = (await client.query<T>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Deletes without looking at references, and counts keys from 1 again: TRUNCATE makes new files for a table and each of its
 * indexes, which costs more than most tests. A function, because a session plans its statements once.
 */
const MAKE_EMPTY_ALL_TABLES = `
  do $$
  declare
    statements text;
  begin
    select string_agg(format(
        case relkind when 'r' then 'delete from %I.%I;' else 'perform setval(%3$L::regclass, 1, false);' end,
        'public', relname, 'public.' || quote_ident(relname)), ' ' order by relname)
      into statements from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and relname not like 'kysely%';
    create schema if not exists testing;
    execute format('create or replace function testing.empty_all_tables() returns void language plpgsql as %L',
      'begin set local session_replication_role = replica; ' || statements || ' set local session_replication_role = origin; end');
  end $$`;

/** After `makeEmptiable`, in any session of a superuser. */
export const EMPTY_ALL_TABLES = 'select testing.empty_all_tables()';

/** For a database that has its tables. */
export async function makeEmptiable(url: string): Promise<void> {
  await onServer(url, MAKE_EMPTY_ALL_TABLES);
}

function withDatabase(url: string, name: string): string {
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.href;
}

/**
 * @param options further words of CREATE DATABASE.
 * @throws NoPostgresError
 */
export async function makeDatabase(options = ''): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `tieout_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name} ${options}`);
  return {
    url: withDatabase(server, name),
    [Symbol.asyncDispose]: async () => {
      await onServer(server, `drop database ${name} with (force)`);
    },
  };
}
