/** Judges runs from an archive, as `tieout replay RUN --archive FILE` does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../../src/app/app.ts';
import { compareWithPublished, renderRun } from '../../../src/app/render-run.ts';
import { requireInArchive, unpackArchive } from '../../../src/app/unpack-archive.ts';
import { createSystemClock } from '../../../src/runner/clock.ts';
import { Releasers } from '../../../src/runner/releasers.ts';
import { openStore } from '../../../src/store/open.ts';

/** The published files that differ when these runs are judged from the file, each with its run. */
export async function differencesFrom(
  { settings }: Pick<App, 'settings'>,
  file: string,
  runIds: readonly string[],
): Promise<readonly string[]> {
  const releasers = new Releasers();
  const folder = mkdtempSync(join(tmpdir(), 'tieout-from-file-'));
  releasers.push('rendered', async () => rmSync(folder, { recursive: true, force: true }));
  try {
    const unpacked = await unpackArchive(file, releasers);
    const { store } = await openStore({ url: unpacked.url, sealer: null });
    releasers.push('store', () => store.close());
    const found: string[] = [];
    for (const runId of runIds) {
      requireInArchive(unpacked, file, runId);
      const run = await store.runs.get(runId);
      if (run?.publishedTo == null) throw new Error(`${runId} was not published`);
      const out = join(folder, runId);
      const judged = await renderRun({ store, settings, clock: createSystemClock() }, run, {
        out,
        profile: 'standard',
        decimals: 'exact',
      });
      const differing = await compareWithPublished(join(settings.out, run.publishedTo), judged.folder);
      found.push(...differing.map((each) => `${runId}: ${each}`));
    }
    return found;
  } finally {
    await releasers.release();
  }
}
