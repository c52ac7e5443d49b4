/** `tieout report`: renders a stored run again, in any format and profile. */
import { Option } from 'commander';
import { PROFILES, type ProfileName } from '../../publish/contract.ts';
import { command, type Register } from '../context.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { renderRun } from '../render-run.ts';
import { judgedRun } from './replay.ts';

interface ReportFlags {
  format: string;
  profile?: ProfileName;
}

export const register: Register = (program, context) => {
  command(program, 'report', {
    summary: 'Render a stored run again, for another spreadsheet program',
    details: 'Never touches what was published: give a folder of its own with --out.',
    examples: ['tieout report nightly-2026-11-20-r1 --profile excel-eu --out for-accounting'],
  })
    .argument('<run>', 'its id, as `tieout runs list` prints it')
    .addOption(new Option('--format <formats>', 'csv; a comma between several').default('csv'))
    .addOption(new Option('--profile <profile>', 'spelling of CSV files').choices(PROFILES))
    .action((runId: string, flags: ReportFlags, self) =>
      context.run(self, async (session) => {
        const unknown = flags.format.split(',').find((format) => format.trim() !== 'csv');
        if (unknown !== undefined) throw new UsageError(`--format ${unknown}: only csv can be rendered so far`);
        const out = self.optsWithGlobals().out as string | undefined;
        if (out === undefined)
          throw new UsageError('give the folder to render into with --out; published sets are never changed');
        const app = await session.app();
        const run = await judgedRun(app, runId);
        const { profile, decimals } = app.settings.reports;
        const { folder } = await renderRun(app, run, { out, profile: flags.profile ?? profile, decimals });
        if (session.out.json) await session.out.value({ run_id: run.runId, folder });
        else await session.out.line(`Rendered into ${folder}`);
        return EXIT.clean;
      }),
    );
};
