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

/** Only those that have rows: emptying a table is a small file of its own to the server. */
export const EMPTY_ALL_TABLES = `
  do $$
  declare
    name text;
    filled text[] := '{}';
    has_rows boolean;
  begin
    for name in select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%'
    loop
      execute format('select exists (select 1 from %I)', name) into has_rows;
      if has_rows then filled := filled || quote_ident(name); end if;
    end loop;
    if filled <> '{}' then execute 'truncate ' || array_to_string(filled, ', ') || ' restart identity cascade'; end if;
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
