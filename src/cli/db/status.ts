/** `tieout db status`: engine, content and missing migrations of the database. */

import { EXIT } from '../../domain/errors.ts';
import type { Upkeep } from '../../ports/store/store.ts';
import type { Sealer } from '../../store/sealing.ts';
import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';

export const register: Register = (program) => {
  command(program, 'db status', {
    summary: 'Print the content of the database, and check its integrity',
    details: 'Exits with 4 if the integrity check fails.',
    examples: ['tieout db status', 'tieout db status --json'],
  }).runs(async (session) => {
    const status = await (await openDatabase(session, { create: false })).status();
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
  });
};

/**
 * Opens the database with any version of the schema; without a key most upkeep needs none.
 * @param create makes a missing one, for `tieout db migrate`
 */
export async function openDatabase(
  session: Session,
  { create, sealer = null }: { create: boolean; sealer?: Sealer | null },
): Promise<Upkeep> {
  const { settings } = await session.settings();
  const { openUpkeep } = await import('../../store/open.ts');
  const upkeep = await openUpkeep({ url: settings.database.url, sealer, create });
  session.releasers.push('database', () => upkeep.close());
  return upkeep;
}
