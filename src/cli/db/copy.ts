/** `tieout db copy`: moves a database to the other engine. */

import { UsageError } from '../../domain/errors.ts';
import { count } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';
import { refusePassword } from '../flags.ts';

export const register: Register = (program) => {
  command(program, 'db copy', {
    summary: 'Copy the whole database to a new one, also from SQLite to PostgreSQL or back',
    details:
      'Stop `schedule` and `serve` first. Rows are copied unchanged and compared by hash, table by table; the ' +
      'target must be empty, and gets all tables or none. Tokens stay sealed, so the target needs the same key first: ' +
      'copy the key file beside a SQLite file to the name of the new file with .key at its end; for a server, set ' +
      'TIEOUT_SECRET_KEY to its content. Without --from or --to, that side is `database.url`. Give a password in ' +
      'TIEOUT_DATABASE_URL or in PGPASSWORD, never on the command line.',
    examples: [
      'tieout db copy --from sqlite:var/tieout.db --to postgres://tieout@db.internal/tieout',
      'cp -p var/tieout.db.key copy.db.key && tieout db copy --to sqlite:copy.db',
    ],
  })
    .option('--from <url>', 'database to copy (default: database.url)')
    .option('--to <url>', 'empty database to copy to (default: database.url)')
    .runs(async (session, flags) => {
      if (flags.from === undefined && flags.to === undefined) throw new UsageError('give --from, --to, or both');
      for (const side of ['from', 'to'] as const) {
        await refusePassword(`--${side}`, flags[side], 'give it in PGPASSWORD, or in TIEOUT_DATABASE_URL');
      }
      const { settings } = await session.settings();
      const [{ copyDatabase }, { parseDatabaseUrl }, { openEngine }, { sealerOfDatabase, sealingKeysInUse }] =
        await Promise.all([
          import('../../store/copy.ts'),
          import('../../store/database-url.ts'),
          import('../../store/open.ts'),
          import('../../store/sealing-key.ts'),
        ]);
      const target = flags.to ?? settings.database.url;
      const { sealer } = sealerOfDatabase(target, settings.secretKey, { make: false });
      const from = await openEngine(flags.from ?? settings.database.url, { create: false, patient: true });
      session.releasers.push('source', () => from.close());
      const { keyFile } = parseDatabaseUrl(target);
      // Before a file is made.
      if (sealer === null && keyFile !== null && (await sealingKeysInUse(from)).length > 0)
        throw new UsageError(`${keyFile}: the copy needs the key that seals its tokens`, {
          remedy: `copy the key file of ${from.location} there, or set TIEOUT_SECRET_KEY`,
        });
      const to = await openEngine(target, { create: true, patient: true });
      session.releasers.push('target', () => to.close());
      const tables = await copyDatabase(from, to, { sealer });
      const filled = tables.filter(({ rows }) => rows > 0);
      const words = [
        ...filled.map(({ table, rows, sha256 }) => `${table.padEnd(22)} ${count(rows).padStart(12)}  ${sha256}`),
        `Copied ${from.location} to ${to.location}; every table has the same hash on both sides.`,
      ];
      await session.out.result({ from: from.location, to: to.location, tables }, words.join('\n'));
    });
};
