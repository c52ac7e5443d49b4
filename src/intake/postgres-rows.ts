/** Rows of a PostgreSQL query, through a cursor in a read-only transaction: neither side holds the whole answer. */
import pg from 'pg';
import { codeOf } from '../domain/errors.ts';
import type { SqlIntakeSource, SqlRows } from './contract.ts';
import { SourceQueryError, SourceUnavailableError } from './errors.ts';

const PAGE = 1_000;
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds: the store waits for its lock, and a writer before it may take long. */
const STORED_WITHIN = 600_000;
/** For the server's own word that it cancelled a query. */
const GRACE_MS = 500;

type Row = Readonly<Record<string, unknown>>;

/** By what the system or the server says; the server's codes are SQLSTATEs. */
const TROUBLE: Readonly<Record<string, readonly [why: string, remedy?: string]>> = {
  ECONNREFUSED: ['refuses the connection', 'check that it runs and that the port is right'],
  ENOTFOUND: ['is not known by that name', 'check the host'],
  EAI_AGAIN: ['cannot be looked up now', 'check the network, then run again'],
  ETIMEDOUT: ['does not answer', 'check the host, the port and the firewall'],
  ECONNRESET: ['closed the connection', 'look into its log, then run again'],
  '28P01': ['refuses this user or password', 'check those in the source’s url (or PGPASSWORD)'],
  '28000': ['refuses this user', 'check pg_hba.conf and the user in the source’s url'],
  '3D000': ['has no database of that name', 'check the source’s url'],
  '53300': ['has no connection left', 'run again later'],
  '25P03': ['ended the session: rows were not stored in time', 'look at the load of the store, then run again'],
  '57014': ['cancelled the query: no row came in time', 'make the query faster, or look for what it waits for'],
  '57P03': ['is starting up', 'run again in a moment'],
};

/** @param quietMs how long the next rows may take; without end where left out. @throws SourceUnavailableError, SourceQueryError */
export async function postgresRows(source: SqlIntakeSource, quietMs?: number): Promise<SqlRows & AsyncDisposable> {
  const place = placeOf(source.url);
  const client = clientOf(source, place, quietMs);
  // Without a listener, a server that disconnects between two pages would end the whole process.
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost ??= error;
  });
  const failed = (error: unknown) => explain(lost ?? error, source.name, place);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    // Without it the server would go on with the query after this client has given up.
    if (quietMs !== undefined) await client.query(`set local statement_timeout to ${quietMs}`);
    // Between two pages the session idles while rows are stored, for longer than a server may allow a session of the app.
    await client.query(`set local idle_in_transaction_session_timeout to ${STORED_WITHIN}`);
    await client.query("set local datestyle to 'ISO'");
    await client.query(oneStatement(`declare tieout_source no scroll cursor for ${withoutSemicolons(source.query)}`));
    const first = await client.query<Record<string, unknown>>(`fetch forward ${PAGE} from tieout_source`);
    return {
      columns: first.fields.map(({ name }) => name),
      pages: pagesOf(client, first.rows, failed),
      [Symbol.asyncDispose]: () => client.end(),
    };
  } catch (error) {
    await client.end().catch((closing: unknown) => {
      // The first error is thrown; closing a broken connection may fail as well.
      lost ??= closing instanceof Error ? closing : undefined;
    });
    throw failed(error);
  }
}

function clientOf(source: SqlIntakeSource, place: string, quietMs?: number): pg.Client {
  try {
    return new pg.Client({
      connectionString: source.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      ...(quietMs === undefined ? {} : { query_timeout: quietMs + GRACE_MS }),
      keepAlive: true,
      application_name: 'tieout',
      // As text: the driver's own dates would guess a zone for times that have none.
      types: { getTypeParser: () => (text: string) => text },
    });
  } catch (error) {
    // It reads the certificates that the address names.
    throw explain(error, source.name, place);
  }
}

/** The extended protocol takes one statement only, so that nothing can hide behind a semicolon. */
function withoutSemicolons(query: string): string {
  let end = query.length;
  while (end > 0 && /[;\s]/.test(query.charAt(end - 1))) end--;
  return query.slice(0, end);
}

function oneStatement(text: string): pg.QueryConfig {
  return { text, queryMode: 'extended' } as pg.QueryConfig;
}

async function* pagesOf(
  client: pg.Client,
  first: readonly Row[],
  failed: (error: unknown) => unknown,
): AsyncGenerator<readonly Row[]> {
  let page = first;
  while (page.length > 0) {
    yield page;
    if (page.length < PAGE) return;
    try {
      page = (await client.query<Record<string, unknown>>(`fetch forward ${PAGE} from tieout_source`)).rows;
    } catch (error) {
      throw failed(error);
    }
  }
}

/** Host, port and database; never the user, let alone the password. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'PostgreSQL';
  const { hostname, port, pathname } = parsed;
  return `PostgreSQL at ${hostname || 'the local socket'}:${port || '5432'}${pathname}`;
}

function explain(error: unknown, name: string, place: string): unknown {
  // The driver's own error, without a code, where the server wants a password and none is given.
  const isLogin = error instanceof Error && /(SASL|password must be a string)/i.test(error.message);
  const code = codeOf(error) ?? (isLogin ? '28P01' : '');
  const known = TROUBLE[code];
  if (known !== undefined) return new SourceUnavailableError(name, place, known[0], { remedy: known[1], cause: error });
  // Classes 08 and 57 are lost connections and shutdowns; a code of five characters is otherwise about the query.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^(08|57)/.test(code)) {
    // Only classes that speak of the query's own words: an error about data (22…) quotes the value, maybe a token.
    const why = error instanceof Error && /^(42|25|0A)/.test(code) ? error.message : code;
    const remedy =
      code === '42501' ? 'let the user in the source’s url read it: usage of a schema, select on a table' : undefined;
    return new SourceQueryError(name, `${place} refuses its query: ${why}`, { remedy, cause: error });
  }
  const why = `cannot be read (${code === '' ? 'no answer in time, or the connection was lost' : code})`;
  return new SourceUnavailableError(name, place, why, {
    remedy: 'check the url, the server and its log, and how long the query takes',
    cause: error,
  });
}
