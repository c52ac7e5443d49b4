/** A stored night that several benchmarks read. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measure } from './child.ts';

const GENERATE = fileURLToPath(new URL('../replay/generate.ts', import.meta.url));

/** The folder with its database and CSV files, made once; under another name first, so that half of one is never taken. */
export async function storedNight(records: number): Promise<string> {
  const folder = fileURLToPath(new URL(`../../var/bench/replay-${records}`, import.meta.url));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  console.log(`making a night of ${records} records in ${folder}, once …`);
  await measure([GENERATE, String(records), partial]);
  renameSync(partial, folder);
  return folder;
}
