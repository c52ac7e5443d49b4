/** Unpacks an archive of old runs into a database of its own, for as long as a command lasts. */
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../domain/errors.ts';
import type { Releasers } from '../runner/releasers.ts';
import { checkArchive, linesOf, restoreArchive } from '../store/archive-file.ts';
import { openEngine } from '../store/open.ts';
import { counted } from '../text/counts.ts';
import { whyUnreadable } from '../text/unreadable.ts';

interface UnpackedArchive {
  /** The address of the database. */
  url: string;
  /** Ids of the runs that can be judged from it. */
  runs: readonly string[];
}

/** @throws ArchiveDamagedError before anything is unpacked */
export async function unpackArchive(file: string, releasers: Releasers): Promise<UnpackedArchive> {
  requireFile(file);
  await checkArchive(linesOf(file));
  const folder = mkdtempSync(join(tmpdir(), 'tieout-archive-'));
  releasers.push('archive', async () => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'archive.db')}`;
  const engine = await openEngine(url, { create: true, patient: true });
  try {
    return { url, runs: await restoreArchive(engine, linesOf(file)) };
  } finally {
    await engine.close();
  }
}

function requireFile(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw new UsageError(`${file}: ${whyUnreadable(cause)}`, { cause });
  }
  if (!statSync(file).isFile()) throw new UsageError(`there is no file ${file}`);
}

/** @throws UsageError for a run that is in the file only because it saw a break of one that was moved to it */
export function requireInArchive(archive: UnpackedArchive, file: string, runId: string): void {
  if (archive.runs.includes(runId)) return;
  const [first, last] = [archive.runs[0], archive.runs.at(-1)];
  const span = first === undefined ? '' : `: ${first} to ${last}`;
  throw new UsageError(`${runId} is not in ${file}, which has ${counted(archive.runs.length, 'run')}${span}`);
}
