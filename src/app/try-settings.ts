/** Tries settings before they are written down: the Service, a source of ids, one record of it, the database. Stores nothing. */
import type { RawMap } from '../../config/raw.ts';
import type { Settings } from '../../config/settings.ts';
import { UnavailableError } from '../domain/errors.ts';
import { postgresRows } from '../intake/postgres-rows.ts';
import { firstOf } from '../intake/sources.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { problemOf } from './doctor-service.ts';
import { openFor } from './library/open.ts';
import { settingsWithoutDatabase, type TieoutSettings } from './library/settings.ts';
import { openClient } from './open-client.ts';

class TrialFailedError extends UnavailableError {}

type Env = Readonly<Record<string, string | undefined>>;

function loadedOf(raw: RawMap, env: Env, origin?: string) {
  const withoutUrl = { ...env, TIEOUT_DATABASE_URL: undefined };
  return settingsWithoutDatabase({ settings: raw as TieoutSettings, env: withoutUrl }, origin);
}

/** The settings that these values make with the defaults. @param origin the flag of the last one @throws ConfigError */
export function settingsOfTrial(raw: RawMap, env: Env, origin?: string): Settings {
  return loadedOf(raw, env, origin).settings;
}

async function withClient<T>(raw: RawMap, env: Env, work: (client: ReturnType<typeof openClient>) => Promise<T>) {
  // In memory: whatever database is named is not touched.
  const { app, close } = await openFor(loadedOf({ ...raw, database: {} }, env));
  try {
    const client = openClient(app, app.limiter);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  } finally {
    await close();
  }
}

/** In words, what the Service answers. @throws as its client does */
export async function tryService(raw: RawMap, env: Env): Promise<string> {
  return withClient(raw, env, async (client) => {
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
  const rejected = items.flatMap((item) => (item.type === 'rejected' ? [`row ${item.line}: ${item.reason}`] : []));
  const notes = items.flatMap((item) => (item.type === 'note' ? [item.text] : []));
  if (records.length === 0 && rejected.length > 0) {
    throw new TrialFailedError(`no row can be stored: ${rejected.join('; ')}`, {
      remedy: 'change the query or the file',
    });
  }
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
 * @throws TrialFailedError where it cannot be read
 */
export async function tryRecord(
  raw: RawMap,
  env: Env,
  { kind, id, token }: TrackedInput,
): Promise<{ says: string; otherName?: string }> {
  return withClient(raw, env, async (client) => {
    const result = await client.fetchRecord({ kind, id, token }, { pace: 'burst' });
    if (result.outcome === 'quarantined' && result.otherName !== undefined) {
      return { says: `the fees of ${kind} ${id} are named base${result.otherName}Fee`, otherName: result.otherName };
    }
    const problem = problemOf(result);
    if (problem !== null) throw new TrialFailedError(`${kind} ${id} ${problem}`);
    return { says: `${kind} ${id} can be read` };
  });
}

/** Connects to PostgreSQL; an SQLite file is made by the first command. @throws SourceUnavailableError */
export async function tryDatabase(url: string): Promise<string> {
  if (url.startsWith('sqlite:')) return `${url} is made by the first command`;
  await using _ = await postgresRows({ type: 'sql', name: 'database', url, query: 'select 1 as one', kind: null });
  return 'PostgreSQL answers';
}
