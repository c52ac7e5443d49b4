/** `tieout db prune`: deletes rows past their retention. */

import { pruneNow } from '../../app/retention.ts';
import { command, type Register } from '../context.ts';
import { prunedInWords } from '../output.ts';

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
    .runs(async (session, flags) => {
      const app = await session.app();
      const pruned = await pruneNow(app, flags.dryRun === true);
      if (session.out.json) await session.out.value({ ...pruned, dry_run: flags.dryRun === true });
      else {
        await session.out.line(`${flags.dryRun ? 'Would forget' : 'Forgot'} ${prunedInWords(pruned)}.`);
      }
    });
};
