/**
 * One population, two nights, two databases: what finance opens must not depend on the engine that the figures lie in. The
 * server of these tests sorts texts by the rules of a language, so every order that is left to it would show.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { renderRun } from '../../src/app/render-run.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { comparable, type Nights, ODD_IDS, twoNights } from './support/two-nights.ts';
import { PATIENCE } from './support/workspace.ts';

describe.skipIf(isSwitchedOff())('SQLite and PostgreSQL', () => {
  let database: TestDatabase;
  let sqlite: Nights;
  let postgres: Nights;

  beforeAll(async () => {
    database = await makeDatabase();
    const key = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    sqlite = await twoNights({}, key);
    postgres = await twoNights({ 'database.url': database.url }, key);
  }, PATIENCE.hookTimeout);
  afterAll(async () => {
    await sqlite?.world.close();
    await postgres?.world.close();
    await database?.[Symbol.asyncDispose]();
  });

  it.each(['first', 'second'] as const)('publish the same bytes in the %s night', (night) => {
    const files = readdirSync(join(sqlite.world.out, sqlite[night].folder)).sort();
    expect(files).toHaveLength(REPORTS.length + 2);
    expect(readdirSync(join(postgres.world.out, postgres[night].folder)).sort()).toEqual(files);
    for (const name of files) {
      const texts = [sqlite, postgres].map((nights) => nights.world.file(nights[night].folder, name).toString());
      const [one, other] = name === 'manifest.json' ? texts.map(comparable) : texts;
      expect(other, name).toBe(one);
    }
  });

  it('sort records by their bytes', () => {
    const rows = postgres.world.file(postgres.first.folder, 'records.csv').toString().split('\n');
    const ids = rows.slice(1).map((row) => row.split(',')[3]);
    const odd = ids.filter((id) => ODD_IDS.includes(id ?? ''));
    expect(odd).toEqual(['P-02', 'P01-upper', 'Z01', 'p-02', 'p01-dash', 'p01_underscore', 'p02', 'z01']);
  });

  it('render the first night again to the byte, after the second', async () => {
    const { world, first } = postgres;
    const out = join(world.out, 'again');
    const rendered = await renderRun(world.app, first.run, { out, profile: 'standard', decimals: 'exact' });
    const files = readdirSync(rendered.folder).filter((name) => name.endsWith('.csv'));
    expect(files).toHaveLength(REPORTS.length);
    for (const name of files) {
      expect(world.file(join('again', rendered.folder.slice(out.length)), name).toString()).toBe(
        world.file(first.folder, name).toString(),
      );
    }
  });
});
