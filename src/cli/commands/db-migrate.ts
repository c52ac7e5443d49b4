/** `tieout db migrate`: brings the database's schema up to date. */
import { command, type Register } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export const register: Register = (program, context) => {
  command(program, 'db migrate', {
    summary: 'Make the database, or bring its schema up to date',
    details: 'Safe to run at any time and by several processes at once.',
    examples: ['tieout db migrate', 'tieout db backup before.db && tieout db migrate'],
  }).action((_flags: unknown, self) =>
    context.run(self, async (session) => {
      const applied = await (await session.upkeep({ create: true })).migrate();
      if (session.out.json) await session.out.value({ applied });
      else if (applied.length === 0) await session.out.line('The database is up to date.');
      else for (const name of applied) await session.out.line(`applied ${name}`);
      return EXIT.clean;
    }),
  );
};
