/** The declarations of the tables say what the migrations make. */
import { afterAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrations/index.ts';
import { openEngine } from '../../src/store/open.ts';
import { indexStatements, tableStatements } from '../../src/store/schema/make.ts';
import { TABLE_NAMES } from '../../src/store/schema/tables.ts';
import { ENGINES } from '../store/support/engines.ts';
import { structureOf } from './structure.ts';

it.each(ENGINES)(
  'a database made from the declarations has the same structure on $name',
  async (each) => {
    await using old = await each.place();
    await using made = await each.place();
    const migrated = await openEngine(old.url, { create: true });
    const declared = await openEngine(made.url, { create: true });
    try {
      await migrate(migrated);
      for (const table of TABLE_NAMES) {
        for (const statement of tableStatements(declared.types, table)) await statement.execute(declared.db);
        for (const statement of indexStatements(table)) await statement.execute(declared.db);
      }
      expect(await structureOf(declared)).toEqual(await structureOf(migrated));
    } finally {
      await migrated.close();
      await declared.close();
    }
  },
  120_000,
);

afterAll(() => Promise.all(ENGINES.map((each) => each.close())));
