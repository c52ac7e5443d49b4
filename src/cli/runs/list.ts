/** `tieout runs list`: the run ledger, newest first. */

import { isoInstant } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import { positiveNumber } from '../flags.ts';
import { shown } from '../output.ts';
import { runAsJson } from './report.ts';

export const register: Register = (program) => {
  command(program, 'runs list', {
    summary: 'List runs, newest first',
    examples: ['tieout runs list', 'tieout runs list --job nightly --limit 7 --json'],
  })
    .option('--job <name>', 'only runs of this job')
    .option('--limit <n>', 'number of rows at most', positiveNumber, 30)
    .runs(async (session, flags) => {
      const app = await session.app();
      const runs = await app.store.runs.list(flags);
      const { out } = session;
      if (out.json) return out.value({ runs: runs.map(runAsJson) });
      if (runs.length === 0) await out.line('No runs.');
      await out.table(
        [
          { title: 'run', cell: (run) => run.runId },
          { title: 'state', cell: (run) => run.state },
          { title: 'population', cell: (run) => String(run.population), align: 'right' },
          { title: 'matched', cell: (run) => shown(run.verdicts?.matched ?? null), align: 'right' },
          { title: 'pending', cell: (run) => shown(run.verdicts?.pending ?? null), align: 'right' },
          { title: 'breaks', cell: (run) => shown(run.verdicts?.break ?? null), align: 'right' },
          { title: 'unverified', cell: (run) => shown(run.verdicts?.unverified ?? null), align: 'right' },
          { title: 'quarantined', cell: (run) => shown(run.verdicts?.quarantined ?? null), align: 'right' },
          { title: 'waived', cell: (run) => shown(run.verdicts?.waived ?? null), align: 'right' },
          { title: 'requests', cell: (run) => String(run.requestsSent), align: 'right' },
          { title: 'finished', cell: (run) => (run.finishedAt === null ? '' : isoInstant(run.finishedAt)) },
        ],
        runs,
      );
    });
};
