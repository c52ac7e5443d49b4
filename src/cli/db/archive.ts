/** `tieout db archive`: moves the records of old runs to a file that `replay` reads. */
import { createWriteStream, existsSync, linkSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { counted } from '../../domain/counts.ts';
import { UsageError } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import { readDate } from '../runs/run-job.ts';

interface ArchiveFlags {
  before?: string;
  file?: string;
  dryRun?: boolean;
}

export const register: Register = (program, context) => {
  command(program, 'db archive', {
    summary: 'Move the records of old runs to a file that `tieout replay` can read',
    details:
      'The file (NDJSON, 0600) has all rows that judging these runs reads, without view tokens and texts of ' +
      'evidence. It is written, read back and checked before any row is deleted. The database keeps the runs ' +
      'themselves, every break with its history, the records of unresolved breaks, and the runs behind a closed ' +
      'month. `tieout replay RUN --archive FILE` judges an archived run again.',
    examples: [
      'tieout db archive --before 2026-01-01 --dry-run',
      'tieout db archive --before 2026-01-01 --file archive/2025.ndjson',
    ],
  })
    .option('--before <date>', 'runs with an earlier business date')
    .option('--file <path>', 'file to write; must not exist')
    .option('--dry-run', 'print the runs that would be moved; move none')
    .action((flags: ArchiveFlags, self) =>
      context.run(self, async (session) => {
        const { file } = flags;
        const before = readDate('--before', flags.before);
        const dryRun = flags.dryRun === true;
        if (before === null) throw new UsageError('give --before DATE');
        if (file === undefined && !dryRun) throw new UsageError('give --file PATH, or --dry-run');
        if (file !== undefined && existsSync(file)) throw new UsageError(`${file} exists already`);
        const { settings } = await session.settings();
        const [{ archivableRuns, archiveLines, checkArchive, forgetItems, linesOf }, { openEngine }] =
          await Promise.all([import('../../store/archive.ts'), import('../../store/open.ts')]);
        const engine = await openEngine(settings.database.url, { create: false, patient: true });
        session.releasers.push('database', () => engine.close());
        const runs = await archivableRuns(engine, before);
        const written = dryRun || runs.length === 0 ? null : (file ?? null);
        if (written !== null) {
          const partial = `${written}.partial`;
          rmSync(partial, { force: true });
          try {
            const lines = Readable.from(withNewlines(archiveLines(engine, runs)));
            await pipeline(lines, createWriteStream(partial, { mode: 0o600, flush: true }), { signal: session.signal });
            await checkArchive(linesOf(partial));
            linkSync(partial, written);
          } finally {
            rmSync(partial, { force: true });
          }
        }
        // Also without a run to write: deleting continues where an interrupted call stopped.
        const deleted = dryRun ? 0 : await forgetItems(engine, runs, session.clock.wall.now());
        const moved = { runs: runs.map(({ runId }) => runId), records: deleted, file: written };
        if (session.out.json) await session.out.value({ ...moved, dry_run: dryRun });
        else if (deleted > 0 && runs.length === 0)
          await session.out.line(`${counted(deleted, 'record')} deleted here that an earlier archive has.`);
        else if (runs.length === 0) await session.out.line(`No run before ${before} has records to be moved.`);
        else if (dryRun) await session.out.line(`Would move ${counted(runs.length, 'run')}: ${moved.runs.join(', ')}.`);
        else
          await session.out.line(
            `Moved ${counted(runs.length, 'run')} to ${written}; ${counted(deleted, 'record')} deleted here.`,
          );
      }),
    );
};

async function* withNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
