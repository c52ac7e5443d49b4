/** Opens a file as a stream of bytes, with errors that say what to do. */
import { createReadStream } from 'node:fs';
import { UnreadableFileError } from './errors.ts';

const CHUNK = 256 * 1024;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the files in it',
  EACCES: 'may not be read by this user',
};

/** @throws UnreadableFileError while reading. */
export async function* openInput(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UnreadableFileError(path, WHY[code] ?? `cannot be read (${code})`, error);
  }
}
