/** `tieout db heal-clock`: corrects times in the future, stored while the clock of a machine was wrong. */

import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { openDatabase } from './status.ts';

export const register: Register = (program) => {
  command(program, 'db heal-clock', {
    summary: 'Correct times in the future, stored while the clock was wrong',
    details:
      'Set the clock first: times later than now count as wrong. Runs with such times no longer decide what is due, ' +
      'their records are due again, and leases that end in the future end now. Published sets stay as they are.',
    examples: ['tieout db heal-clock'],
  }).runs(async (session) => {
    const database = await openDatabase(session, { create: false });
    const healed = await database.healClock(session.clock.wall.now());
    if (session.out.json) await session.out.value(healed);
    else {
      const runs = healed.runs.length === 0 ? '' : ` (${healed.runs.join(', ')})`;
      await session.out.line(
        `${counted(healed.runs.length, 'run of the future decides', 'runs of the future decide')} nothing any more${runs}; ${counted(healed.records, 'record is', 'records are')} due again; ${counted(healed.leases, 'lease')} ended.`,
      );
    }
  });
};
