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
    details: 'Never changes a published set: writes to the folder of --out, or to `rendered` in the out folder.',
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
      const { outFolders, renderClosedPeriod, renderRun } = await import('../../app/render-run.ts');
      const { published, own } = outFolders(await session.publishedOut(), session.flags.out);
      const out = own ?? join(published, 'rendered');
      const app = await session.app({ judgesOnly: true });
      const { profile, decimals } = app.settings.reports;
      const run = MONTH.test(runId) ? null : await judgedRun(app, runId);
      if (run !== null || (await app.store.periods.get(runId)) !== null) await makeOutFolder(out);
      const options = { out, published, profile: flags.profile ?? profile, decimals, formats };
      const folder =
        run === null
          ? await renderClosedPeriod(app, runId, options, session.signal)
          : (await renderRun(app, run, options)).folder;
      await session.out.result({ run_id: runId, folder }, `Rendered into ${folder}`);
    });
};

/** @throws UsageError for an unknown format. */
function readFormats(text: string): ReportFormat[] {
  return text.split(',').map((part) => {
    const format = REPORT_FORMATS.find((each) => each === part.trim());
    if (format === undefined) {
      throw new UsageError(`--format ${part.trim() || '(empty)'}: choose from ${REPORT_FORMATS.join(', ')}`);
    }
    return format;
  });
}
