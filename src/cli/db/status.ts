/** `tieout db status`: what the database is, holds and lacks. */

import { EXIT } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';

export const register: Register = (program, context) => {
  command(program, 'db status', {
    summary: 'Print what the database holds, and whether it is sound',
    details: 'Exits with 4 where the integrity check finds something.',
    examples: ['tieout db status', 'tieout db status --json'],
  }).action((_flags: unknown, self) =>
    context.run(self, async (session) => {
      const status = await (await session.upkeep({ create: false })).status();
      const { out } = session;
      if (out.json) await out.value(status);
      else {
        await out.pairs([
          ['engine', status.engine],
          ['location', status.location],
          ['integrity', status.integrity],
          ['migrations', `${status.applied.length} applied, ${status.pending.length} pending`],
          ...Object.entries(status.counts),
        ]);
        if (status.pending.length > 0)
          await out.line(`\nRun \`tieout db migrate\` to apply ${status.pending.join(', ')}.`);
      }
      return status.integrity === 'ok' ? EXIT.clean : EXIT.unavailable;
    }),
  );
};
