/** `tieout db reseal|heal-clock`: changes the sealing key; corrects times that a wrong clock stored. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../../domain/errors.ts';
import { readKeyFile } from '../../store/sealing-key.ts';
import { counted } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { openDatabase } from './upkeep.ts';

export const register: Register = (program) => {
  command(program, 'db reseal', {
    summary: 'Seal all view tokens again, with the configured sealing key',
    details:
      'Give the new key as usual (TIEOUT_SECRET_KEY, or the key file beside the database, which is made if there ' +
      'is none), and the old one in a file of mode 0600. Stop the other processes first. It works batch by batch: ' +
      'after an interruption, run it again in the same way. Keep the old key until it has finished, and for as long ' +
      'as you keep old backups.',
    examples: [
      'mv var/tieout.db.key old.key && tieout db reseal --old-key-file old.key',
      'TIEOUT_SECRET_KEY_FILE=new.key tieout db reseal --old-key-file old.key',
    ],
  })
    .requiredOption('--old-key-file <file>', 'file with the key that seals the tokens now')
    .runs(async (session, flags) => {
      const oldKey = readKeyFile(flags.oldKeyFile);
      if (oldKey === null) throw new UsageError(`--old-key-file ${flags.oldKeyFile}: there is no such file`);
      const [{ sealerOfDatabase }, { createSealer, WrongKeyError }, { openUpkeep }] = await Promise.all([
        import('../../store/sealing-key.ts'),
        import('../../store/sealing.ts'),
        import('../../store/open.ts'),
      ]);
      const { settings } = await session.settings();
      const { url } = settings.database;
      const old = createSealer([oldKey]);
      const known = sealerOfDatabase(url, settings.secretKey, { make: false, older: [oldKey] }).sealer ?? old;
      const before = await openUpkeep({ url, sealer: known, create: false });
      // Before a key file is made: beside a key that cannot open the old seals it would be of no use.
      const { sealingKeys: sealedWith } = await before.status().finally(() => before.close());
      const missing = sealedWith.filter((keyId) => !known.knows(keyId));
      if (missing.length > 0) throw new WrongKeyError(missing);
      const { sealer } = sealerOfDatabase(url, settings.secretKey, { make: true, older: [oldKey] });
      if (sealer?.keyId === old.keyId) {
        throw new UsageError(
          'the key in --old-key-file is the one that is configured now; configure the new one first',
        );
      }
      const upkeep = await openUpkeep({ url, sealer, create: false });
      session.releasers.push('database', () => upkeep.close());
      const renewed = await upkeep.reseal(async () => {
        // Queries of an embedded database never yield to the event loop: without a turn, no signal is handled.
        await nextTurn();
        session.signal.throwIfAborted();
      });
      const { sealingKeys } = await upkeep.status();
      const done = `${counted(renewed, 'seal was', 'seals were')} renewed; all is sealed with key ${sealingKeys.join(', ')}.`;
      await session.out.result({ renewed, sealing_keys: sealingKeys }, done);
    });

  command(program, 'db heal-clock', {
    summary: 'Correct times in the future, stored while the clock was wrong',
    details:
      'Set the clock first: times later than now count as wrong. Runs with such times no longer decide what is due, ' +
      'their records are due again, and leases that end in the future end now. Published sets stay as they are.',
    examples: ['tieout db heal-clock'],
  }).runs(async (session) => {
    const database = await openDatabase(session, { isSealing: true });
    const healed = await database.healClock(session.clock.wall.now());
    const runs = healed.runs.length === 0 ? '' : ` (${healed.runs.join(', ')})`;
    await session.out.result(
      healed,
      `${counted(healed.runs.length, 'run of the future decides', 'runs of the future decide')} nothing any more${runs}; ${counted(healed.records, 'record is', 'records are')} due again; ${counted(healed.leases, 'lease')} ended.`,
    );
  });
};
