/** `tieout db migrate`: brings the database's schema up to date. */

import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';
import { openDatabase } from './status.ts';

export const register: Register = (program) => {
  command(program, 'db migrate', {
    summary: 'Create the database, or bring its schema up to date',
    details:
      'Safe to run at any time and by several processes at once. With the sealing key it also seals rows that were stored before seals existed. With ' +
      'workers.enabled it also creates the queue.',
    examples: ['tieout db migrate', 'tieout db backup before.db && tieout db migrate'],
  }).runs(async (session) => {
    const { settings } = await session.settings();
    const { sealerOfDatabase } = await import('../../store/sealing-key.ts');
    const { sealer } = sealerOfDatabase(settings.database.url, settings.secretKey, { make: false });
    const { applied, isUnsealed } = await (await openDatabase(session, { create: true, sealer })).migrate();
    await makeQueue(session);
    if (session.out.json) await session.out.value({ applied, unsealed: isUnsealed });
    else if (applied.length === 0) await session.out.line('The database is up to date.');
    else for (const name of applied) await session.out.line(`applied ${name}`);
    if (isUnsealed) {
      session.screen.write(
        'Rows of before are not under the keyed seal yet: run it once more with the sealing key (TIEOUT_SECRET_KEY).\n',
      );
    }
  });
};

/** Made here, so that coordinators and workers need no right to make a schema, only to use its tables. */
async function makeQueue(session: Session): Promise<void> {
  const loaded = await session.settings();
  const { workers, database } = loaded.settings;
  if (!workers.enabled || !database.url.startsWith('postgres')) return;
  const { openQueue } = await import('../../app/queue.ts');
  const queue = await openQueue(loaded.settings, await session.log(loaded));
  await queue.close();
}
