/** The file of rejected lines: NDJSON, readable by its owner alone, tokens cut. */
import { type FileHandle, open } from 'node:fs/promises';
import type { RejectedLine } from './contract.ts';

export class RejectsFile {
  private readonly handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Replaces what was there before. @throws as node:fs does. */
  static async create(path: string): Promise<RejectsFile> {
    const handle = await open(path, 'w', 0o600);
    // An older file keeps its own mode when it is overwritten.
    await handle.chmod(0o600);
    return new RejectsFile(handle);
  }

  async add(file: string, { line, reason, raw }: RejectedLine): Promise<void> {
    await this.handle.appendFile(`${JSON.stringify({ file, line, reason, raw })}\n`);
  }

  /** @throws where the last lines could not be written. */
  async close(): Promise<void> {
    await this.handle.close();
  }
}
