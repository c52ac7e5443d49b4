/** Unpacks an archive of old runs into a database of its own, for as long as a command lasts. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../domain/errors.ts';
import type { Releasers } from '../runner/releasers.ts';
import { checkArchive, linesOf, restoreArchive } from '../store/archive.ts';
import { openEngine } from '../store/open.ts';

/** @returns the address of the database. @throws ArchiveDamagedError before anything is unpacked */
export async function unpackArchive(file: string, releasers: Releasers): Promise<string> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  await checkArchive(linesOf(file));
  const folder = mkdtempSync(join(tmpdir(), 'tieout-archive-'));
  releasers.push('archive', async () => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'archive.db')}`;
  const engine = await openEngine(url, { create: true, patient: true });
  try {
    await restoreArchive(engine, linesOf(file));
  } finally {
    await engine.close();
  }
  return url;
}
