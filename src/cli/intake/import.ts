/** `tieout import`: stores ids with their tokens. */
import { userInfo } from 'node:os';
import { Option } from 'commander';
import { KINDS, type Kind } from '../../domain/record.ts';
import type { FileFormat } from '../../intake/contract.ts';
import { command, type Register } from '../context.ts';
import { importExitCode, printImport } from './import-files.ts';

interface ImportFlags {
  kind?: Kind;
  format?: FileFormat;
  rejects?: string;
  replaceTokens?: boolean;
}

export const register: Register = (program, context) => {
  command(program, 'import', {
    details:
      'Files are CSV with a header, or NDJSON, with kind, id and view_token, and optionally created_at, host_reference, ' +
      'quote_id, expected_status, and what the app showed the user: shown_total and shown_fee. A dash reads standard input. Importing the same lines again changes nothing; a bad ' +
      'line is reported with its number and reason, and never stops the rest.',
    examples: [
      'tieout import ids.csv',
      'gunzip -c sales.ndjson.gz | tieout import - --kind sale --rejects rejected.ndjson',
    ],
  })
    .argument('<file...>', 'files to read, or - for standard input')
    .addOption(new Option('--kind <kind>', 'kind of lines that have none').choices(KINDS))
    .addOption(
      new Option('--format <format>', 'instead of telling it by extension or content').choices(['csv', 'ndjson']),
    )
    .option(
      '--rejects <file>',
      'write rejected lines there, with their reasons, tokens cut out: CSV for a name in .csv, else NDJSON',
    )
    .option('--replace-tokens', 'let other view tokens replace the stored ones; who and which file is kept')
    .action((files: string[], flags: ImportFlags, self) =>
      context.run(self, async (session) => {
        const [{ importTracked }, { readTrackedFile }, { importFiles }] = await Promise.all([
          import('../../intake/import.ts'),
          import('../../intake/read-tracked-file.ts'),
          import('./import-files.ts'),
        ]);
        const app = await session.app();
        const reports = await importFiles(session, files, flags.rejects, (chunks, name, options) =>
          importTracked(
            readTrackedFile(chunks, {
              name,
              format: flags.format ?? null,
              kind: flags.kind ?? null,
              statuses: app.settings.statuses,
            }),
            {
              ...options,
              tracked: app.store.tracked,
              now: app.clock.wall.now,
              ...(flags.replaceTokens
                ? { replacing: { actor: userInfo().username, reason: `import --replace-tokens ${name}` } }
                : {}),
            },
          ),
        );
        await printImport(session.out, reports);
        return importExitCode(reports);
      }),
    );
};
