/** `tieout db prune`: forgets what is past its retention. */

import { EXIT } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import { count } from '../output.ts';

export const register: Register = (program, context) => {
  command(program, 'db prune', {
    summary: 'Forget evidence texts and deliveries that are older than `retention` keeps them',
    details:
      'Figures, hashes, runs and the story of every break stay, so each run can still be replayed; only the texts behind the\n' +
      'hashes go. Evidence of a standing break is kept at any age.',
    examples: ['tieout db prune --dry-run', 'tieout db prune'],
  })
    .option('--dry-run', 'tell what would be forgotten, and forget nothing')
    .action((flags: { dryRun?: boolean }, self) =>
      context.run(self, async (session) => {
        const app = await session.app();
        const { snapshots, events } = app.settings.retention;
        const now = app.clock.wall.now();
        const before = {
          snapshots: snapshots === null ? null : now - snapshots,
          events: events === null ? null : now - events,
        };
        const pruned = await app.upkeep.prune(before, flags.dryRun === true);
        if (session.out.json) await session.out.value({ ...pruned, dry_run: flags.dryRun === true });
        else {
          const verb = flags.dryRun ? 'Would forget' : 'Forgot';
          await session.out.line(
            `${verb} ${count(pruned.bodies)} evidence texts, ${count(pruned.sealedBodies)} sealed bodies and ${count(pruned.deliveries)} deliveries.`,
          );
        }
        return EXIT.clean;
      }),
    );
};
