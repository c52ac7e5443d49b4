/** The file of rejected lines, readable by its owner alone, tokens cut: NDJSON, or CSV where its name ends in `.csv`. */
import { type FileHandle, open } from 'node:fs/promises';
import { csvText } from '../text/csv-text.ts';
import { harmless } from '../text/visible.ts';
import type { RejectedLine } from './contract.ts';

type Row = RejectedLine & { file: string };

export class RejectsFile {
  private readonly handle: FileHandle;
  private readonly textOf: (row: Row) => string;

  private constructor(handle: FileHandle, textOf: (row: Row) => string) {
    this.handle = handle;
    this.textOf = textOf;
  }

  /** Replaces an earlier file. @throws as node:fs does. */
  static async create(path: string): Promise<RejectsFile> {
    const handle = await open(path, 'w', 0o600);
    // An older file keeps its own mode when it is overwritten.
    await handle.chmod(0o600);
    if (!/\.csv$/i.test(path)) return new RejectsFile(handle, ndjsonOf);
    await handle.appendFile('file,line,reason,raw\n');
    return new RejectsFile(handle, csvOf);
  }

  async add(file: string, rejected: RejectedLine): Promise<void> {
    await this.handle.appendFile(this.textOf({ ...rejected, file }));
  }

  /** @throws where the last lines could not be written. */
  async close(): Promise<void> {
    await this.handle.close();
  }
}

function ndjsonOf({ file, line, reason, raw }: Row): string {
  return `${JSON.stringify({ file, line, reason, raw })}\n`;
}

/** A spreadsheet opens it: text that it would run as a formula gets an apostrophe, as in published reports. */
function csvOf({ file, line, reason, raw }: Row): string {
  return csvText([[file, String(line), reason, raw].map(harmless)]);
}
