/** Free space where Tieout writes, and what the last night wrote: metrics, alerts and doctor compare the two. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FINISHED } from '../domain/run.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import type { AppData } from './app.ts';

interface FreeSpace {
  /** Bytes that a user without privileges can write, by `database` and `out`. A database on a server is not seen. */
  free: ReadonlyMap<'database' | 'out', number>;
  /** Of the newest published night; null before the first, or where it was removed. */
  lastNight: number | null;
}

export async function freeSpace({ settings, store }: AppData): Promise<FreeSpace> {
  const address = parseDatabaseUrl(settings.database.url);
  const free = new Map<'database' | 'out', number>();
  if (address.engine === 'sqlite' && address.file !== ':memory:')
    note(free, 'database', dirname(resolve(address.file)));
  note(free, 'out', resolve(settings.out));
  const [newest] = await store.runs.list({ job: 'nightly', state: FINISHED, limit: 1 });
  return { free, lastNight: newest?.publishedTo == null ? null : bytesIn(join(settings.out, newest.publishedTo)) };
}

/** The folder, or where it is not there yet, the first one above it that is. */
export function firstThatIs(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : firstThatIs(dirname(folder));
}

function note(free: Map<'database' | 'out', number>, place: 'database' | 'out', folder: string): void {
  try {
    const { bavail, bsize } = statfsSync(firstThatIs(folder));
    free.set(place, bavail * bsize);
  } catch {
    // What cannot be measured is unknown, not zero.
  }
}

function bytesIn(folder: string): number | null {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return null;
  }
}

/** Two nights have to fit, one beside the other, and the database grows by less than a night's reports. */
export const tooLittle = (free: number, lastNight: number | null): boolean =>
  free < 2 * (lastNight ?? 0) || free < LEAST;
const LEAST = 100 * 1024 * 1024;
