/** `tieout db migrate|check|status|backup`: the schema of the database, its integrity, its content, a copy of it. */

import { EXIT } from '../../domain/errors.ts';
import type { Upkeep } from '../../ports/store/store.ts';
import { count, counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';
import type { Session } from '../session.ts';
import { writing } from '../write-file.ts';

export const register: Register = (program) => {
  command(program, 'db migrate', {
    summary: 'Create the database, or bring its schema up to date',
    details:
      'Safe to run at any time and by several processes at once. With the sealing key it also seals rows that were stored before seals existed. With ' +
      'workers.enabled it also creates the queue.',
    examples: ['tieout db migrate', 'tieout db backup before.db && tieout db migrate'],
  }).runs(async (session) => {
    const { applied, isUnsealed } = await (await openDatabase(session, { create: true, isSealing: true })).migrate();
    await makeQueue(session);
    const done = applied.map((name) => `applied ${name}`).join('\n') || 'The database is up to date.';
    await session.out.result({ applied, unsealed: isUnsealed }, done);
    if (isUnsealed) {
      session.screen.write(
        'Rows of before are not under the keyed seal yet: run it once more with the sealing key (TIEOUT_SECRET_KEY).\n',
      );
    }
  });

  command(program, 'db check', {
    summary: 'Find rows of the database that were changed outside Tieout',
    details:
      'Compares figures with their keyed digests, breaks with their histories, findings, decisions and reviews with ' +
      'their keyed seals, and closed months with their sealed sets; opens each view token, unreadable body and ' +
      "attachment; checks the file's integrity. Exits with 1 if a check fails. A body or an attachment that was deleted is not " +
      'found: retention deletes bodies too, and their hashes stay. ' +
      'Figures stored before digests were introduced are counted as unchecked.',
    examples: ['tieout db check', 'tieout db check --json'],
  }).runs(async (session) => {
    const [{ periodEdges }, { problemsOfSet }] = await Promise.all([
      import('../../app/periods.ts'),
      import('../../periods/status.ts'),
    ]);
    const app = await session.app();
    const { integrity } = await app.upkeep.status();
    const { checked, unchecked, problems: rows } = await app.upkeep.check(session.signal);
    const problems = [...(integrity === 'ok' ? [] : [`integrity: ${integrity}`]), ...rows];
    for (const { period } of await app.store.periods.list())
      problems.push(...(await problemsOfSet(periodEdges(app), await app.store.periods.statements(period))));
    const sum = `${counted(checked, 'body', 'bodies')} checked, ${count(unchecked)} without a digest; ${counted(problems.length, 'problem')}`;
    await session.out.result({ checked, unchecked, problems }, [...problems, sum].join('\n'));
    return problems.length > 0 ? EXIT.breaks : EXIT.clean;
  });

  command(program, 'db status', {
    summary: 'Print the content of the database, and check its integrity',
    details: 'Exits with 4 if the integrity check fails.',
    examples: ['tieout db status', 'tieout db status --json'],
  }).runs(async (session) => {
    const status = await (await openDatabase(session)).status();
    const { out } = session;
    await out.result(snakeCase(status), [
      ['engine', status.engine],
      ['location', status.location],
      ['integrity', status.integrity],
      ['migrations', `${status.applied.length} applied, ${status.pending.length} pending`],
      ...Object.entries(status.counts),
    ]);
    if (!out.json && status.pending.length > 0)
      await out.line(`\nRun \`tieout db migrate\` to apply ${status.pending.join(', ')}.`);
    return status.integrity === 'ok' ? EXIT.clean : EXIT.unavailable;
  });

  command(program, 'db backup', {
    summary: 'Copy the database to a file, consistently, while others write',
    details:
      'Never overwrites. The copy holds sealed tokens without their key: keep the key, or the key file beside the ' +
      'database, in another place.',
    examples: ['tieout db backup backups/tieout-2026-11-20.db'],
  })
    .argument('<file>', 'file to write; must not exist')
    .runs(async (session, file) => {
      const database = await openDatabase(session);
      await writing(file, () => database.backup(file));
      await session.out.result({ backup: file }, `The database was copied to ${file}.`);
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

/**
 * Opens the database with any version of the schema; without a key most upkeep needs none.
 * @param create makes a missing one, for `tieout db migrate`
 */
export async function openDatabase(session: Session, { create = false, isSealing = false } = {}): Promise<Upkeep> {
  const { settings } = await session.settings();
  const { url } = settings.database;
  const [{ openUpkeep }, { sealerOfDatabase }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../store/sealing-key.ts'),
  ]);
  const sealer = isSealing ? sealerOfDatabase(url, settings.secretKey, { make: false }).sealer : null;
  const upkeep = await openUpkeep({ url, sealer, create });
  session.releasers.push('database', () => upkeep.close());
  return upkeep;
}
