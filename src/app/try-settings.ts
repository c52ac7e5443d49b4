/** Tries settings before they are written down: the Service, a source of ids, one record of it, the database. Stores nothing. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RawMap } from '../../config/raw.ts';
import type { Settings } from '../../config/settings.ts';
import { UnavailableError, UsageError } from '../domain/errors.ts';
import { postgresRows } from '../intake/postgres-rows.ts';
import { firstOf } from '../intake/sources.ts';
import { sqliteRows } from '../intake/sqlite-rows.ts';
import type { ServiceClient } from '../ports/service.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import { readKeyFile } from '../store/sealing-key.ts';
import { counted } from '../text/counts.ts';
import { problemOf } from './doctor-service.ts';
import { firstThatIs } from './free-space.ts';
import { openFor } from './library/open.ts';
import { settingsWithoutDatabase, type TieoutSettings } from './library/settings.ts';
import { withClient } from './open-client.ts';

type Env = Readonly<Record<string, string | undefined>>;

function loadedOf(raw: RawMap, env: Env, origin?: string) {
  const withoutUrl = { ...env, TIEOUT_DATABASE_URL: undefined };
  return settingsWithoutDatabase({ settings: raw as TieoutSettings, env: withoutUrl }, origin);
}

/** The settings that these values make with the defaults. @param origin the flag of the last one @throws ConfigError, KeyFileError */
export function settingsOfTrial(raw: RawMap, env: Env, origin?: string, keyFile?: string): Settings {
  const secretKey = keyFile === undefined ? null : readKeyFile(keyFile);
  return loadedOf(secretKey === null ? raw : { ...raw, secretKey }, env, origin).settings;
}

async function trying<T>(raw: RawMap, env: Env, work: (client: ServiceClient) => Promise<T>) {
  // In memory: the configured database is not touched.
  const { app, close } = await openFor(loadedOf({ ...raw, database: {} }, env));
  try {
    return await withClient(app, app.limiter, work);
  } finally {
    await close();
  }
}

/** In words, what the Service answers. @throws as its client does */
export async function tryService(raw: RawMap, env: Env): Promise<string> {
  return trying(raw, env, async (client) => {
    const { currencies } = await client.currencies({ pace: 'burst' });
    return `the Service answers with ${counted(currencies.length, 'currency', 'currencies')}`;
  });
}

/** The first three records of the only source. @throws where it cannot be read, or gives nothing that could be stored */
export async function trySource(raw: RawMap, env: Env): Promise<{ records: TrackedInput[]; says: string[] }> {
  const [source] = settingsOfTrial(raw, env).sources;
  if (source === undefined) return { records: [], says: [] };
  const items = await firstOf(source, 3);
  const records = items.flatMap((item) => (item.type === 'good' ? [item.value] : []));
  const refused = items.flatMap((item) => (item.type === 'rejected' ? [item] : []));
  const rejected = [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, rows]) => `row ${rows.map(({ line }) => line).join(', ')}: ${reason}`,
  );
  const notes = items.flatMap((item) => (item.type === 'note' ? [item.text] : []));
  if (records.length === 0 && rejected.length > 0)
    throw new UsageError(`no row can be stored: ${rejected.join('; ')}`, { remedy: 'change the query or the file' });
  const rows = records.map((each) =>
    [
      each.kind,
      each.id,
      'with its view token',
      each.createdAt === null || each.createdAt === undefined ? [] : new Date(each.createdAt).toISOString(),
    ]
      .flat()
      .join('  '),
  );
  return { records, says: [...rows, ...rejected, ...notes] };
}

/**
 * Fetches one record. Another maker's name in its body is no problem: it is returned.
 * @throws UnavailableError where no server answers, UsageError for an answer that is no record
 */
export async function tryRecord(
  raw: RawMap,
  env: Env,
  { kind, id, token }: TrackedInput,
): Promise<{ says: string; otherName?: string }> {
  return trying(raw, env, async (client) => {
    const result = await client.fetchRecord({ kind, id, token }, { pace: 'burst' });
    if (result.outcome === 'quarantined' && result.otherName !== undefined)
      return { says: `the fees of ${kind} ${id} are named base${result.otherName}Fee`, otherName: result.otherName };
    const problem = problemOf(result);
    if (problem !== null) {
      const isAnswer =
        result.outcome === 'quarantined' || (result.outcome === 'unreachable' && result.httpStatus !== null);
      throw new (isAnswer ? UsageError : UnavailableError)(`${kind} ${id} ${problem}`);
    }
    return { says: `${kind} ${id} can be read` };
  });
}

/** Connects to PostgreSQL, or reads an SQLite file. @param name of the source in errors @throws SourceUnavailableError, SourceQueryError */
export async function tryAddress(name: string, url: string): Promise<string> {
  const source = { type: 'sql', name, url, kind: null } as const;
  if (url.startsWith('sqlite:')) {
    await using _ = await sqliteRows({ ...source, query: 'select name from sqlite_schema' });
    return `${url} can be read`;
  }
  await using _ = await postgresRows({ ...source, query: 'select 1 as one' });
  return 'PostgreSQL answers';
}

/** The same, or finds the folder for an SQLite file that is yet to be made. @throws also UsageError */
export async function tryDatabase(url: string): Promise<string> {
  const path = url.startsWith('sqlite:') ? resolve(url.slice('sqlite:'.length)) : null;
  if (path === null || existsSync(path)) return tryAddress('database', url);
  const folder = firstThatIs(dirname(path));
  try {
    if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is not a folder`);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${folder} cannot be written to`, { cause: error });
  }
  return `the first import or run creates ${url}`;
}
