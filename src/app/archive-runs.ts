/**
 * Moves old runs to a file. Before a row is deleted, the file is restored into a throw-away store, and each of its runs
 * is judged there: the reports must be those that were published, byte for byte.
 */
import { createWriteStream, existsSync, linkSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { UnavailableError } from '../domain/errors.ts';
import { Releasers } from '../runner/releasers.ts';
import { type ArchivedRun, archiveLines } from '../store/archive.ts';
import type { Engine } from '../store/engine.ts';
import { openStore } from '../store/open.ts';
import { makePartial, syncToDisk } from '../store/sqlite/private-file.ts';
import type { App, AppData } from './app.ts';
import { compareWithPublished, renderRun, spellingOf } from './render-run.ts';
import { unpackArchive } from './unpack-archive.ts';
import { codeVersion } from './version.ts';

interface Archived {
  runs: readonly ArchivedRun[];
  /** Ids of runs that stay, because already here their reports are not the published ones. */
  left: readonly string[];
}

/**
 * Writes the file, judges it, and only then gives it its name. Deletes nothing.
 * @throws ArchiveDiffersError where a run gives other reports from the file than from the database.
 */
export async function writeArchive(
  app: App,
  { engine, runs, file, signal }: { engine: Engine; runs: readonly ArchivedRun[]; file: string; signal: AbortSignal },
): Promise<Archived> {
  const partial = makePartial(file);
  const left: string[] = [];
  try {
    for (let kept = runs; ; kept = runs.filter(({ runId }) => !left.includes(runId))) {
      if (kept.length === 0) return { runs: [], left };
      rmSync(partial, { force: true });
      const lines = Readable.from(withNewlines(archiveLines(engine, kept)));
      const packed = file.endsWith('.gz') ? createGzip() : new PassThrough();
      await pipeline(lines, packed, createWriteStream(partial, { mode: 0o600, flush: true }), { signal });
      const changed = await changedBefore(app, partial);
      if (changed.length === 0) {
        linkSync(partial, file);
        // The rows are deleted next: a name that a power failure takes would take them along.
        syncToDisk(dirname(file));
        return { runs: kept, left };
      }
      left.push(...changed);
    }
  } finally {
    rmSync(partial, { force: true });
  }
}

async function* withNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** The runs of a file whose reports are not the published ones, neither from it nor from the database. */
async function changedBefore(app: App, file: string): Promise<readonly string[]> {
  const releasers = new Releasers();
  try {
    const { url, runs } = await unpackArchive(file, releasers);
    const { store } = await openStore({ url, sealer: null });
    releasers.push('throw-away store', () => store.close());
    const restored = {
      clock: app.clock,
      store,
      settings: { ...app.settings, database: { ...app.settings.database, url } },
    };
    const changed: string[] = [];
    for (const runId of runs) {
      // Else one that is judged for a day looks like one that was left.
      utimesSync(file, new Date(), new Date());
      const folder = mkdtempSync(join(tmpdir(), 'tieout-judged-'));
      releasers.push('judged again', async () => rmSync(folder, { recursive: true, force: true }));
      if (!(await isAsPublished(app, restored, runId, folder))) changed.push(runId);
      rmSync(folder, { recursive: true, force: true });
    }
    return changed;
  } finally {
    await releasers.release();
  }
}

/** @throws ArchiveDiffersError */
async function isAsPublished(here: AppData, restored: AppData, runId: string, folder: string): Promise<boolean> {
  const run = await restored.store.runs.get(runId);
  if (run === null) throw new ArchiveDiffersError(runId, 'the run is missing in it');
  const { profile, decimals } = spellingOf(here.settings.out, run) ?? here.settings.reports;
  const spelling = { profile, decimals };
  const judged = await renderRun(restored, run, { ...spelling, out: join(folder, 'file') });
  const folderOfSet = run.publishedTo === null ? null : join(here.settings.out, run.publishedTo);
  const published = folderOfSet !== null && existsSync(folderOfSet) ? folderOfSet : null;
  if (published !== null && (await compareWithPublished(published, judged.folder)).length === 0) return true;
  const again = await renderRun(here, run, { ...spelling, out: join(folder, 'database') });
  const differences = await compareWithPublished(again.folder, judged.folder);
  if (differences.length > 0) throw new ArchiveDiffersError(runId, differences.join('; '));
  // Another version may judge otherwise, and says so at each replay; the same one never does.
  return published === null || run.codeVersion !== codeVersion();
}

/** The file does not give the reports that the database gives. Nothing was deleted. */
class ArchiveDiffersError extends UnavailableError {
  constructor(runId: string, differences: string) {
    super(`${runId}, judged from the file, is not what the database gives (${differences}), so nothing was deleted`, {
      remedy: 'check the disk of the file and of the temporary folder; if it persists, report it with this message',
    });
  }
}
