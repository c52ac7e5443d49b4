/**
 * An empty SQLite database with the whole schema, made once in a run of the tests and copied from then on: its migrations take
 * longer than most tests. What tests the migrations starts from no file.
 */
import { copyFileSync, existsSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/store/open.ts';
import { migrate } from '../../src/store/schema/upgrade.ts';
import { runFolder } from './run-folder.ts';

let original: Promise<string> | null = null;

/** Workers that begin at once each make one; the last to be whole takes the name, and all are the same. */
async function make(): Promise<string> {
  const folder = runFolder() ?? mkdtempSync(join(tmpdir(), 'tieout-empty-'));
  const shared = join(folder, 'empty-database.db');
  if (existsSync(shared)) return shared;
  const own = join(mkdtempSync(join(folder, 'empty-')), 'tieout.db');
  const engine = await openEngine(`sqlite:${own}`, { create: true });
  try {
    await migrate(engine);
  } finally {
    await engine.close();
  }
  renameSync(own, shared);
  return shared;
}

/** @param path of a file that does not exist; the copy is private, as the original is. */
export async function copyEmptyDatabase(path: string): Promise<void> {
  original ??= make();
  copyFileSync(await original, path);
}
