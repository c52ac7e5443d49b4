/** `tieout quotes import`: stores quotes that the app captured. */
import { command, type Register } from '../context.ts';
import { importExitCode, printImport } from '../intake/import-files.ts';

export const register: Register = (program) => {
  command(program, 'quotes import', {
    summary: 'Store quotes that the app captured',
    details:
      'Files are NDJSON, one quote a line: quote_id, direction (onramp or offramp), api_version (v1 or v3), ' +
      'captured_at, and request and response exactly as the Service has them. A dash reads standard input. A bad ' +
      'line is reported with its number and reason, and does not stop the import; the command then exits with 1.',
    examples: ['tieout quotes import quotes.ndjson', 'tail -n 1000 quotes.ndjson | tieout quotes import -'],
  })
    .argument('<file...>', 'files to read, or - for standard input')
    .option('--rejects <file>', 'write rejected lines there, with their reasons: CSV for a name in .csv, else NDJSON')
    .runs(async (session, files, flags) => {
      const [{ importQuotes }, { readQuotes }, { parseQuoteLine }, { importFiles }] = await Promise.all([
        import('../../intake/import.ts'),
        import('../../intake/read-quotes.ts'),
        import('../../service/quote-line.ts'),
        import('../intake/import-files.ts'),
      ]);
      const reports = await importFiles(session, files, flags.rejects, {
        read: async function* (chunks) {
          yield* chunks;
        },
        store: ({ store, terms, clock }, chunks, name, options) =>
          importQuotes(
            readQuotes(chunks, name, (text) =>
              parseQuoteLine(text, terms.identifierName, { ...terms, now: clock.wall.now() }),
            ),
            { ...options, quotes: store.quotes, now: clock.wall.now },
          ),
      });
      await printImport(session.out, reports);
      return importExitCode(reports);
    });
};
