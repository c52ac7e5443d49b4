/**
 * One population and two nights, judged in one thread over SQLite, and in several over each engine: what finance opens must depend neither
 * on threads nor on the engine. The server of these tests sorts texts by the rules of a language, so every order that is left to it would show.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { REPORTS } from '../../reports/index.ts';
import { renderRun } from '../../src/app/render-run.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { comparable, type Nights, ODD_IDS, twoNights } from './support/two-nights.ts';
import { PATIENCE } from './support/workspace.ts';

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
const ENGINES = isSwitchedOff() ? ['SQLite'] : ['SQLite', 'PostgreSQL'];

let one: Nights;
beforeAll(async () => {
  one = await twoNights({ 'judging.threads': '1', 'reports.formats': ['csv', 'json'] }, KEY);
}, PATIENCE.hookTimeout);
afterAll(() => one?.world.close());

describe.each(ENGINES)('several threads over %s', (engine) => {
  let database: TestDatabase | null = null;
  let several: Nights;

  beforeAll(async () => {
    if (engine === 'PostgreSQL') database = await makeDatabase();
    const place: Record<string, string> = database === null ? {} : { 'database.url': database.url };
    several = await twoNights({ ...place, 'judging.threads': '2', 'reports.formats': ['csv', 'json'] }, KEY);
  }, PATIENCE.hookTimeout);
  afterAll(async () => {
    await several?.world.close();
    await database?.[Symbol.asyncDispose]();
  });

  it.each(['first', 'second'] as const)('publish the same bytes in the %s night', (night) => {
    const folder = (nights: Nights) => join(nights.world.out, nights[night].folder);
    const files = readdirSync(folder(one)).sort();
    // Each in two formats, besides the manifest and the description.
    expect(files).toHaveLength(2 * REPORTS.length + 2);
    expect(readdirSync(folder(several)).sort()).toEqual(files);
    for (const file of files) {
      const text = (nights: Nights) => comparable(readFileSync(join(folder(nights), file), 'utf8'));
      expect(text(several), file).toBe(text(one));
    }
    expect(several[night].tally).toEqual(one[night].tally);
  });

  it('leave the same breaks and events behind', async () => {
    const life = async ({ world }: Nights) => {
      const { breaks } = world.app.store;
      const listed = await breaks.list({ limit: 500, offset: 0 });
      return Promise.all(
        listed.map(async ({ breakId }) => (await breaks.events(breakId)).map(({ type, after }) => [type, after])),
      );
    };
    const told = await life(one);
    expect(told.flat().length).toBeGreaterThan(5);
    expect(await life(several)).toEqual(told);
  });

  it('sort records by their bytes', () => {
    const rows = several.world.file(several.first.folder, 'records.csv').toString().split('\n');
    const ids = rows.slice(1).map((row) => row.split(',')[3]);
    const odd = ids.filter((id) => ODD_IDS.includes(id ?? ''));
    expect(odd).toEqual(['P-02', 'P01-upper', 'Z01', 'p-02', 'p01-dash', 'p01_underscore', 'p02', 'z01']);
  });

  // On one engine, as each thread loads the program: on the other one thread does it in golden.test.ts.
  if (engine === ENGINES.at(-1))
    it('render the first night again to the byte, after the second', async () => {
      const { world, first } = several;
      const out = join(world.out, 'again');
      const { profile, decimals } = world.app.settings.reports;
      const { folder } = await renderRun(world.app, first.run, { out, published: world.out, profile, decimals });
      const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
      expect(names).toHaveLength(REPORTS.length);
      for (const name of names) {
        expect(readFileSync(join(folder, name)), name).toEqual(readFileSync(join(world.out, first.folder, name)));
      }
    });

  // On one engine: the thread ends before it opens a store.
  if (engine === 'SQLite')
    it('fail where a thread ends without an error', async () => {
      const { world, second } = several;
      const ends = join(world.out, 'ends.mjs');
      writeFileSync(ends, 'process.exit(7);');
      onTestFinished(() => void vi.unstubAllEnvs());
      vi.stubEnv('NODE_OPTIONS', `--import=${ends}`);
      const out = join(world.out, 'ended');
      const { profile, decimals } = world.app.settings.reports;
      await expect(renderRun(world.app, second.run, { out, published: world.out, profile, decimals })).rejects.toThrow(
        'a judging thread ended with 7',
      );
    });
});
