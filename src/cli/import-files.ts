/** The walk over the files of an import: progress, rejects file, one report a file. */
import { statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { UsageError } from '../domain/errors.ts';
import type { ImportSummary } from '../intake/contract.ts';
import { UnreadableFileError } from '../intake/errors.ts';
import type { ImportOptions } from '../intake/in-batches.ts';
import { openInput } from '../intake/open-input.ts';
import { RejectsFile } from '../intake/rejects-file.ts';
import type { FileReport } from './import-report.ts';
import type { Session } from './session.ts';

/** Reads and stores one file. */
export type ImportOne = (
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  options: ImportOptions,
) => Promise<ImportSummary>;

/**
 * @param files paths, or `-` for standard input
 * @throws UsageError for `-` given twice; whatever the store throws. A file that cannot be read is a report.
 */
export async function importFiles(
  session: Session,
  files: readonly string[],
  rejects: string | undefined,
  importOne: ImportOne,
): Promise<FileReport[]> {
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('standard input (-) can be read once only');
  const rejectsFile = rejects === undefined ? undefined : await createRejects(rejects);
  if (rejectsFile !== undefined) session.releasers.push(`--rejects ${rejects}`, () => rejectsFile.close());
  const progress = session.screen.start({ label: 'Importing', total: sizeOf(files) });
  const reports: FileReport[] = [];
  let bytes = 0;
  let lines = 0;
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for (const file of files) {
    const name = file === '-' ? '(standard input)' : file;
    const before = lines;
    try {
      const input = file === '-' ? standardInput(session) : openInput(file);
      const summary = await importOne(counted(input), file, {
        signal: session.signal,
        onProgress: (done) => {
          lines = before + done;
          progress.update(bytes, `${lines} lines`);
        },
        ...(rejectsFile === undefined ? {} : { onRejected: (line) => rejectsFile.add(name, line) }),
      });
      reports.push({ file: name, summary });
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      session.screen.write(`tieout: ${error.message}\n`);
      reports.push({ file: name, error });
    }
  }
  progress.stop();
  return reports;
}

/** Somebody who has piped nothing in yet can still stop it. */
function standardInput({ world, signal }: Session): AsyncIterable<Uint8Array> {
  return addAbortSignal(signal, world.stdin);
}

async function createRejects(path: string): Promise<RejectsFile> {
  try {
    return await RejectsFile.create(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`--rejects ${path}: cannot be written (${code})`, { cause: error });
  }
}

/** Bytes to come; 0, which shows no bar, where standard input makes that unknowable. */
function sizeOf(files: readonly string[]): number {
  if (files.includes('-')) return 0;
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
