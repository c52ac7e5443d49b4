/** The walk over the files of an import: progress, rejects file, one report a file. */
import { statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { App } from '../../app/app.ts';
import { EXIT, type ExitCode, UsageError } from '../../domain/errors.ts';
import type { ImportSummary, RejectedLine } from '../../intake/contract.ts';
import { UnreadableFileError } from '../../intake/errors.ts';
import type { ImportOptions } from '../../intake/import.ts';
import { openInput, withContent } from '../../intake/lines.ts';
import { openRejects } from '../../intake/rejects-file.ts';
import { counted } from '../../text/counts.ts';
import { type Output, snakeCase } from '../output.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';
import { writing } from '../write-file.ts';

/** The two steps of an import: `read` needs no database. */
interface ImportSteps<T> {
  read(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<T>;
  store(app: App, items: AsyncIterable<T>, name: string, options: ImportOptions): Promise<ImportSummary>;
}

/**
 * @param files paths, or `-` for standard input
 * @throws UsageError for `-` given twice; and the errors of the store. A file that cannot be read is part of the report.
 */
export async function importFiles<T>(
  session: Session,
  files: readonly string[],
  rejects: string | undefined,
  { read, store }: ImportSteps<T>,
): Promise<FileReport[]> {
  if (files.filter((file) => file === '-').length > 1) throw new UsageError('standard input (-) can be read once only');
  const rejectsFile = rejects === undefined ? undefined : await writing(rejects, () => openRejects(rejects));
  if (rejectsFile !== undefined) session.releasers.push(`--rejects ${rejects}`, () => rejectsFile.close());
  const progress = session.screen.start({ label: 'Importing', total: sizeOf(files) });
  const reports: FileReport[] = [];
  let app: App | null = null;
  let bytes = 0;
  let lines = 0;
  async function* metered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for (const file of files) {
    const name = file === '-' ? '(standard input)' : file;
    const before = lines;
    try {
      // The same items, once there is a first one.
      const items = read(metered(withContent(file === '-' ? standardInput(session) : openInput(file), name)), file);
      const first = await items.next();
      const input = (async function* () {
        if (!first.done) yield first.value;
        yield* items;
      })();
      // Not before one can be read: a database is made where there is none.
      app ??= await session.app();
      const summary = await store(app, input, file, {
        signal: session.signal,
        onProgress: (done) => {
          lines = before + done;
          progress.update(bytes, counted(lines, 'line'));
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

/** A signal ends the wait for input. */
function standardInput({ world, signal }: Session): AsyncIterable<Uint8Array> {
  return addAbortSignal(signal, world.stdin);
}

/** Bytes to come; 0, which shows no bar, where standard input makes that unknowable. */
function sizeOf(files: readonly string[]): number {
  if (files.includes('-')) return 0;
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

type FileReport = { file: string; summary: ImportSummary } | { file: string; error: Error };

/** The next run opens a break for each conflict, so the work list has all of them. */
const CONFLICTS_LISTED = 20;

export async function printImport(out: Output, reports: readonly FileReport[]): Promise<void> {
  if (out.json) {
    await out.value({ files: reports.map(asJson), total: countsAsJson(totalOf(reports)) });
    return;
  }
  for (const report of reports) {
    if ('error' in report) continue;
    await out.line(`${printable(report.file)}: ${counts(report.summary)}`);
    await printLines(out, report.summary);
  }
  if (reports.length > 1) await out.line(`total: ${counts(totalOf(reports))}`);
}

const COUNTS = ['added', 'updated', 'unchanged', 'rejectedCount', 'conflictCount'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

function counts(count: Counts): string {
  const parts = [`${count.added} added`, `${count.unchanged} unchanged`, `${count.rejectedCount} rejected`];
  if (count.updated > 0) parts.splice(1, 0, `${count.updated} updated`);
  if (count.conflictCount > 0) parts.push(`${count.conflictCount} in conflict`);
  return parts.join(', ');
}

async function printLines(out: Output, summary: ImportSummary): Promise<void> {
  for (const note of summary.notes) await out.line(`  ${printable(note)}`);
  // No run reports a rejected line, so each is printed here, as far as the summary keeps them.
  for (const text of rejections(summary.rejected)) await out.line(out.paint('yellow', `  ${text}`));
  const untold = summary.rejectedCount - summary.rejected.length;
  if (untold > 0) await out.line(`  … and ${untold} more rejected; --rejects FILE writes them all`);
  for (const { line, detail } of summary.conflicts.slice(0, CONFLICTS_LISTED))
    await out.line(out.paint('red', printable(`  line ${line}: ${detail}`)));
  if (summary.conflictCount > CONFLICTS_LISTED)
    await out.line(`  … and ${summary.conflictCount - CONFLICTS_LISTED} more in conflict`);
}

/** Lines in a row that are wrong in the same way are one: a CSV that is named .ndjson is wrong in each of them. */
function rejections(rejected: readonly RejectedLine[]): string[] {
  const runs: { first: number; last: number; reason: string }[] = [];
  for (const { line, reason } of rejected) {
    const run = runs.at(-1);
    if (run?.reason === reason && run.last + 1 === line) run.last = line;
    else runs.push({ first: line, last: line, reason });
  }
  return runs.map(({ first, last, reason }) =>
    printable(`${first === last ? `line ${first}` : `lines ${first} to ${last}`}: ${reason}`),
  );
}

/** Of all files that could be read. */
function totalOf(reports: readonly FileReport[]): Counts {
  const read = reports.flatMap((report) => ('summary' in report ? report.summary : []));
  const sum = (name: keyof Counts) => read.reduce((total, summary) => total + summary[name], 0);
  return Object.fromEntries(COUNTS.map((name) => [name, sum(name)])) as Counts;
}

function asJson(report: FileReport): unknown {
  if ('error' in report) return { file: report.file, error: report.error.message };
  const { rejected, conflicts, notes, ...summary } = report.summary;
  const printed = rejected.map(({ line, reason, raw }) => ({ line, reason, raw }));
  return { file: report.file, ...countsAsJson(summary), rejected: printed, conflicts, notes };
}

const countsAsJson = (counts: Counts) => snakeCase(Object.fromEntries(COUNTS.map((name) => [name, counts[name]])));

/**
 * No run reports rejected lines, so the exit code does (1); the other lines are stored. An unreadable file is a usage
 * error (2).
 */
export function importExitCode(reports: readonly FileReport[]): ExitCode {
  if (reports.some((report) => 'error' in report)) return EXIT.usage;
  return totalOf(reports).rejectedCount > 0 ? EXIT.breaks : EXIT.clean;
}
