/**
 * Reads the large files of a rendered set back side by side, each in a thread of its own: one after the other they take a
 * quarter of the time of a replay of all reports.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ProfileName, WrittenFile } from '../ports/report-definition.ts';
import { realFileSystem } from '../publish/file-system.ts';
import { profileOf } from '../publish/profiles.ts';
import { type ReadBack, readBack } from '../publish/read-back.ts';

/** Bytes that take longer to read back than a thread takes to start. */
const LARGE = 32 * 1024 * 1024;

/** What a thread is started with. */
export interface ReadBackOrder {
  path: string;
  file: WrittenFile;
  profile: ProfileName;
}

/**
 * @param large bytes from which on a file has a thread of its own.
 * @throws the file system's own errors.
 */
export function readBackApart(order: ReadBackOrder, large = LARGE): Promise<ReadBack> {
  const { path, file, profile } = order;
  if (file.bytes < large) return readBack(path, file, { profile: profileOf(profile), fileSystem: realFileSystem });
  return new Promise((resolve, reject) => {
    const entry = new URL(`./read-back-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(entry, { workerData: order });
    thread.on('message', resolve);
    thread.on('error', reject);
    // After an answer this rejects nothing; without one the caller would wait for ever.
    thread.on('exit', (code) => reject(new Error(`the thread that reads ${path} back ended with ${code}`)));
  });
}
