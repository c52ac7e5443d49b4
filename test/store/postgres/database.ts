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
 * indexes, which costs more than most tests.
 */
export const EMPTY_ALL_TABLES = `
  do $$
  declare
    name text;
  begin
    set local session_replication_role = replica;
    for name in select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%'
    loop
      execute format('delete from %I', name);
    end loop;
    for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'
    loop
      perform setval(quote_ident(name)::regclass, 1, false);
    end loop;
  end $$`;

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
