/** A run judged in several threads publishes the bytes that one thread publishes, stages the same events, and replays alike. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { renderRun } from '../../src/app/render-run.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { comparable, type Nights, twoNights } from './support/two-nights.ts';
import { PATIENCE } from './support/workspace.ts';

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
const ENGINES = isSwitchedOff() ? ['SQLite'] : ['SQLite', 'PostgreSQL'];

describe.each(ENGINES)('several threads over %s', (engine) => {
  let database: TestDatabase | null = null;
  let one: Nights;
  let several: Nights;

  beforeAll(async () => {
    if (engine === 'PostgreSQL') database = await makeDatabase();
    one = await twoNights({ 'judging.threads': '1', 'reports.formats': ['csv', 'json'] }, KEY);
    const place: Record<string, string> = database === null ? {} : { 'database.url': database.url };
    several = await twoNights({ ...place, 'judging.threads': '2', 'reports.formats': ['csv', 'json'] }, KEY);
  }, PATIENCE.hookTimeout);
  afterAll(async () => {
    await one?.world.close();
    await several?.world.close();
    await database?.[Symbol.asyncDispose]();
  });

  it.each(['first', 'second'] as const)('publish the same bytes in the %s night', (night) => {
    const folder = (nights: Nights) => join(nights.world.out, nights[night].folder);
    const files = readdirSync(folder(one)).sort();
    expect(files).toContain('records.ndjson');
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

  it('replay the night to the byte', async () => {
    const { world, second } = several;
    const out = join(world.out, 'again');
    const { profile, decimals } = world.app.settings.reports;
    const { folder } = await renderRun(world.app, second.run, { out, published: world.out, profile, decimals });
    const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      expect(readFileSync(join(folder, name)), name).toEqual(readFileSync(join(world.out, second.folder, name)));
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
