/** `tieout db prune|archive`: deletes rows past their retention; moves the records of old runs to a file that `replay` reads. */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pruneNow } from '../../app/wiring.ts';
import { UsageError } from '../../domain/errors.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { prunedInWords, snakeCase } from '../output.ts';
import { readDate } from '../runs/run-job.ts';
import { makeFolder, writing } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'db prune', {
    summary: 'Delete evidence texts and deliveries older than `retention`',
    details:
      'Deletes the texts behind the hashes and, once their runs are archived, also snapshots and figures that nothing refers to and ' +
      'captures of reference data that no run is judged by. Figures, hashes, runs and the history of every break stay, so each run can still be replayed. ' +
      'Evidence of an unresolved break, of a claim under way and of a closed month is kept at any age.',
    examples: ['tieout db prune --dry-run', 'tieout db prune'],
  })
    .option('--dry-run', 'print what would be deleted; delete nothing')
    .runsOnApp(async (app, { out }, { dryRun = false }) => {
      const pruned = await pruneNow(app, dryRun);
      const done = `${dryRun ? 'Would forget' : 'Forgot'} ${prunedInWords(pruned)}.`;
      await out.result(snakeCase({ ...pruned, dryRun }), done);
    });

  command(program, 'db archive', {
    summary: 'Move the records of old runs to a file that `tieout replay` can read',
    details:
      'The file (NDJSON, packed where its name ends in .gz; 0600) has all rows that judging these runs reads and their evidence, without view tokens. ' +
      'Before any row is deleted, the file is restored into a throw-away database and every run in it is judged ' +
      'again: its reports must equal the published ones, byte for byte. The database keeps the runs ' +
      'themselves, every break with its history, the records of unresolved breaks, and of each record its last row and ' +
      'those that a closed month was stated from. `tieout replay RUN --archive FILE` judges an archived run again.',
    examples: [
      'tieout db archive --before 2026-01-01 --dry-run',
      'tieout db archive --before 2026-01-01 --file archive/2025.ndjson.gz',
    ],
  })
    .option('--before <date>', 'runs with an earlier business date (required)')
    .option('--file <path>', 'file to write; must not exist; required without --dry-run')
    .option('--dry-run', 'print the runs that would be moved; move none')
    .runs(async (session, { file, dryRun = false, ...flags }) => {
      const before = readDate('--before', flags.before);
      if (before === null) throw new UsageError('give --before DATE');
      if (file === undefined && !dryRun) throw new UsageError('give --file PATH, or --dry-run');
      if (file !== undefined && existsSync(file))
        throw new UsageError(`${file} exists already`, { remedy: 'choose another name' });
      const app = await session.app({ judgesOnly: true });
      const [{ archivableRuns, forgetItems }, { openEngine }, { sealerOfDatabase }, { writeArchive }] =
        await Promise.all([
          import('../../store/archive.ts'),
          import('../../store/open.ts'),
          import('../../store/sealing-key.ts'),
          import('../../app/archive-runs.ts'),
        ]);
      const { database, secretKey } = app.settings;
      const engine = await openEngine(database.url, { create: false, patient: true });
      engine.sealer = sealerOfDatabase(database.url, secretKey, { make: false }).sealer;
      session.releasers.push('archived database', () => engine.close());
      // Before a file is made: what stays of a run is sealed.
      if (!dryRun) app.requireKey();
      const found = await archivableRuns(engine, before);
      if (!dryRun && file !== undefined) await makeFolder(dirname(file));
      const { runs, left } =
        dryRun || file === undefined
          ? { runs: found, left: [] }
          : await writing(file, () => writeArchive(app, { engine, runs: found, file, signal: session.signal }));
      const written = dryRun || runs.length === 0 ? null : (file ?? null);
      // Also without a run to write: deleting continues where an interrupted call stopped.
      const deleted = dryRun ? 0 : await forgetItems(engine, runs, session.clock.wall.now());
      const moved = { runs: runs.map(({ runId }) => runId), records: deleted, file: written, left };
      const nothing =
        deleted > 0
          ? `${counted(deleted, 'record')} deleted here that an earlier archive has.`
          : `No run before ${before} has records to be moved.`;
      const done = dryRun
        ? `Would move ${counted(runs.length, 'run')}: ${moved.runs.join(', ')}.`
        : `Moved ${counted(runs.length, 'run')} to ${written}, judged again from there to the same bytes; ${counted(deleted, 'record')} deleted here.`;
      await session.out.result({ ...moved, dry_run: dryRun }, runs.length === 0 ? nothing : done);
      if (!session.out.json && left.length > 0)
        await session.out.line(
          `Left here, as \`tieout replay\` does not give the published reports: ${left.join(', ')}.`,
        );
    });
};
