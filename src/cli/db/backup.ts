/** `tieout db backup`: a consistent copy while others write. */

import { command, type Register } from '../context.ts';
import { writing } from '../write-file.ts';
import { openDatabase } from './status.ts';

export const register: Register = (program) => {
  command(program, 'db backup', {
    summary: 'Copy the database to a file, consistently, while others write',
    details:
      'Never overwrites. The copy holds sealed tokens without their key: keep the key, or the key file beside the ' +
      'database, in another place.',
    examples: ['tieout db backup backups/tieout-2026-11-20.db'],
  })
    .argument('<file>', 'file to write; must not exist')
    .runs(async (session, file) => {
      const database = await openDatabase(session, { create: false });
      await writing(file, () => database.backup(file));
      await session.out.result({ backup: file }, `The database was copied to ${file}.`);
    });
};
