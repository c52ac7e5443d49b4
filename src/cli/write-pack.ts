/** Writes a ZIP that somebody asked for, and never over another file. */
import { writeFileSync } from 'node:fs';
import { UsageError } from '../domain/errors.ts';
import { count } from '../text/counts.ts';
import type { Output } from './output.ts';

/** @throws UsageError for a file that exists */
export async function writePack(
  out: Output,
  file: string,
  bytes: Uint8Array,
  named: Record<string, string>,
): Promise<void> {
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(`${file} exists; name another with --file`);
  }
  await out.result({ ...named, file, bytes: bytes.length }, `${file}: ${count(bytes.length)} bytes`);
}
