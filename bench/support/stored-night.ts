/** A stored night that several benchmarks read. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, TIEOUT } from './child.ts';

const GENERATE = fileURLToPath(new URL('../replay/generate.ts', import.meta.url));

/** The folder with its database and CSV files, made once; under another name first, so that half of one is never taken. */
export async function storedNight(records: number): Promise<string> {
  const folder = fileURLToPath(new URL(`../../var/bench/replay-${records}`, import.meta.url));
  if (existsSync(folder)) {
    // An earlier version may have made it.
    await measure([TIEOUT, 'db', 'migrate', '-q'], {
      env: { TIEOUT_DATABASE_URL: `sqlite:${join(folder, 'tieout.db')}` },
    });
    return folder;
  }
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  console.log(`making a night of ${records} records in ${folder}, once …`);
  await measure([GENERATE, String(records), partial]);
  renameSync(partial, folder);
  return folder;
}
