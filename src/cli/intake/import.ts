/** `tieout import`: stores ids with their tokens. */
import { KINDS } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import { statedActor } from '../person.ts';
import { importExitCode, printImport } from './import-files.ts';

export const register: Register = (program) => {
  command(program, 'import', {
    details:
      'Files are CSV with a header, or NDJSON, with kind, id and view_token, and optionally created_at, ' +
      'host_reference, quote_id, expected_status, and the amounts that the app showed: shown_total and shown_fee. A ' +
      'dash reads standard input. Importing the same lines again changes nothing: what is stored of a record ' +
      'stays, except its expected status; missing facts are filled in. Another view token for a stored record is a conflict: the stored one stays, and the next night opens TRACKING_CONFLICT. A bad line is reported with its number and reason, and does not stop the import; the command then exits with 1.',
    examples: [
      'tieout import ids.csv',
      'gunzip -c sales.ndjson.gz | tieout import - --kind sale --rejects rejected.ndjson',
    ],
  })
    .argument('<file...>', 'files to read, or - for standard input')
    .choice('--kind <kind>', 'kind of the lines that state none', KINDS)
    .choice('--format <format>', 'format of the files (default: by extension or content)', ['csv', 'ndjson'])
    .option(
      '--rejects <file>',
      'write rejected lines there, with their reasons, tokens cut out: CSV for a name in .csv, else NDJSON',
    )
    .option('--replace-tokens', 'replace stored view tokens with those in the file; user and file are recorded')
    .runs(async (session, files, flags) => {
      const [{ importTracked }, { readTrackedFile }, { importFiles }] = await Promise.all([
        import('../../intake/import.ts'),
        import('../../intake/read-tracked-file.ts'),
        import('./import-files.ts'),
      ]);
      const { statuses } = (await session.settings()).settings;
      const reports = await importFiles(session, files, flags.rejects, {
        read: (chunks, name) =>
          readTrackedFile(chunks, { name, format: flags.format ?? null, kind: flags.kind ?? null, statuses }),
        store: (app, items, name, options) =>
          importTracked(items, {
            ...options,
            tracked: app.store.tracked,
            now: app.clock.wall.now,
            ...(flags.replaceTokens
              ? { replacing: { actor: statedActor(undefined).name, reason: `import --replace-tokens ${name}` } }
              : {}),
          }),
      });
      await printImport(session.out, reports);
      return importExitCode(reports);
    });
};
