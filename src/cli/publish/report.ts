/** `tieout report`: renders a stored run or a closed month again, in any format and profile. */
import { join } from 'node:path';
import { REPORT_FORMATS, type ReportFormat } from '../../../config/reports.ts';
import { UsageError } from '../../domain/errors.ts';
import { PROFILES } from '../../ports/report-definition.ts';
import { command, type Register } from '../context.ts';
import { makeOutFolder } from '../write-file.ts';
import { judgedRun } from './replay.ts';

/** Ids of runs never have this form. */
const MONTH = /^\d{4}-\d{2}$/;

export const register: Register = (program) => {
  command(program, 'report', {
    details:
      'Never changes a published set or an earlier rendering: writes to the folder of --out, or to `rendered` in the out ' +
      'folder; where that has the run in another form, to a folder of its own in it, such as `rendered/excel-csv`.',
    examples: [
      'tieout report nightly-2026-11-20-r1 --format xlsx,html --out for-the-board',
      'tieout report nightly-2026-11-20-r1 --profile excel-eu --out for-accounting',
      'tieout report 2026-10 --format xlsx,html --out for-accounting',
    ],
  })
    .argument('<run>', 'its id, as `tieout runs list` prints it, or a closed month as 2026-10')
    .option(
      '--format <formats>',
      `${REPORT_FORMATS.join(', ')}, separated by commas; csv is always included`,
      String,
      'csv',
    )
    .choice('--profile <profile>', 'dialect of the CSV files', PROFILES)
    .runs(async (session, runId, flags) => {
      const formats = readFormats(flags.format);
      const { OtherRenderingError, outFolders, renderClosedPeriod, renderRun } = await import(
        '../../app/render-run.ts'
      );
      const { published, own } = outFolders(await session.publishedOut(), session.flags.out);
      const app = await session.app({ judgesOnly: true });
      const { profile: usual, decimals } = app.settings.reports;
      const profile = flags.profile ?? usual;
      const run = MONTH.test(runId) ? null : await judgedRun(app, runId);
      const render = async (out: string) => {
        if (run !== null || (await app.store.periods.get(runId)) !== null) await makeOutFolder(out);
        const options = { out, published, profile, decimals, formats };
        return run === null
          ? renderClosedPeriod(app, runId, options, session.signal)
          : (await renderRun(app, run, options)).folder;
      };
      const usualFolder = join(published, 'rendered');
      const folder = await render(own ?? usualFolder).catch((error: unknown) => {
        if (own !== undefined || !(error instanceof OtherRenderingError)) throw error;
        return render(join(usualFolder, [profile, ...formats].join('-')));
      });
      await session.out.result({ run_id: runId, folder }, `Rendered into ${folder}`);
    });
};

/** @throws UsageError for an unknown format. */
function readFormats(text: string): ReportFormat[] {
  return text.split(',').map((part) => {
    const format = REPORT_FORMATS.find((each) => each === part.trim());
    if (format === undefined)
      throw new UsageError(`--format ${part.trim() || '(empty)'}: choose from ${REPORT_FORMATS.join(', ')}`);
    return format;
  });
}
