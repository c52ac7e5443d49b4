/** `tieout db prune`: forgets what is past its retention. */

import { pruneNow } from '../../app/retention.ts';
import { command, type Register } from '../context.ts';
import { prunedInWords } from '../output.ts';

export const register: Register = (program, context) => {
  command(program, 'db prune', {
    summary: 'Forget evidence texts and deliveries that are older than `retention` keeps them',
    details:
      'Figures, hashes, runs and the story of every break stay, so each run can still be replayed; only the texts behind the\n' +
      'hashes go, and snapshots and figures that nothing refers to since their runs were archived. Evidence of a standing\n' +
      'break, of a claim under way and of a closed month is kept at any age.',
    examples: ['tieout db prune --dry-run', 'tieout db prune'],
  })
    .option('--dry-run', 'tell what would be forgotten, and forget nothing')
    .action((flags: { dryRun?: boolean }, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        const pruned = await pruneNow(app, flags.dryRun === true);
        if (session.out.json) await session.out.value({ ...pruned, dry_run: flags.dryRun === true });
        else {
          await session.out.line(`${flags.dryRun ? 'Would forget' : 'Forgot'} ${prunedInWords(pruned)}.`);
        }
      }),
    );
};
