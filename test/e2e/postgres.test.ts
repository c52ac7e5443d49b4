/** The command line over a PostgreSQL database: the commands of an engineer on call, and the messages when they fail. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeDatabase, onServer, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { firstNight, IDS, QUOTES, referenceAnswers } from './support/population.ts';
import { type Finished, openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const KEY = Buffer.alloc(32, 9).toString('base64');

describe.skipIf(isSwitchedOff())('on PostgreSQL', () => {
  let database: TestDatabase;
  let service: RecordServer;
  let workspace: Workspace;
  /** Everything that any command said. */
  const said: string[] = [];

  beforeAll(async () => {
    database = await makeDatabase();
    service = await startRecordServer();
    for (const [path, answer] of Object.entries(referenceAnswers())) service.paths.set(path, answer);
    for (const [id, answer] of Object.entries(firstNight())) service.answers.set(id, answer);
    workspace = openWorkspace(service.url);
    workspace.write('ids.csv', IDS);
    workspace.write('quotes.ndjson', QUOTES.join('\n'));
  });
  afterAll(async () => {
    workspace?.remove();
    await service?.close();
    await database?.[Symbol.asyncDispose]();
  });

  const password = () => new URL(database.url).password;
  const withoutPassword = () => {
    const url = new URL(database.url);
    url.password = '';
    return url.href;
  };

  async function tieout(args: string, env: Record<string, string> = {}): Promise<Finished> {
    const settings = { TIEOUT_DATABASE_URL: database.url, TIEOUT_SECRET_KEY: KEY, ...env };
    const finished = await workspace.tieout(args.split(' '), { env: settings });
    said.push(finished.out, finished.err);
    return finished;
  }

  it('makes its tables, takes ids and quotes in, and runs a night', async () => {
    expect(await tieout('db migrate')).toMatchObject({ code: 0 });
    expect(await tieout('import ids.csv -q')).toMatchObject({ code: 0 });
    expect(await tieout('quotes import quotes.ndjson -q')).toMatchObject({ code: 0 });
    const run = await tieout('run --date 2026-11-19 --json');
    // One record of the population cannot be reached, so the night is incomplete.
    expect(run.code).toBe(3);
    expect(JSON.parse(run.out)).toMatchObject({ population: 18 });
    expect(workspace.csv('2026-11-19/nightly-r1', 'records').rows).toHaveLength(18);
  });

  it('audits one record, replays a run, and renders it again', async () => {
    expect((await tieout('audit --id p01-matched --json')).code).not.toBe(4);
    const replay = await tieout('replay nightly-2026-11-19-r1 --json');
    expect(replay).toMatchObject({ code: 0 });
    expect(await tieout('report nightly-2026-11-19-r1 --out again')).toMatchObject({ code: 0 });
  });

  it('lists breaks, and keeps a decision about one', async () => {
    const list = await tieout('breaks list --json');
    const { breaks } = JSON.parse(list.out) as { breaks: { break_id: string }[] };
    const id = breaks[0]?.break_id ?? '';
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(await tieout(`breaks ack ${id.slice(0, 12)} --reason known`)).toMatchObject({ code: 0 });
    expect((await tieout(`breaks show ${id.slice(0, 12)}`)).out).toContain('acknowledged');
  });

  it('prints its state and address, without user or password', async () => {
    const status = await tieout('db status');
    expect(status).toMatchObject({ code: 0 });
    const { port, pathname } = new URL(database.url);
    expect(status.out).toContain(`127.0.0.1:${port}${pathname}`);
    expect(status.out).toMatch(/engine\s+postgres/);
    expect(status.out).toMatch(/tracked_records\s+18/);
    expect(await tieout('db prune --dry-run')).toMatchObject({ code: 0 });
    expect(await tieout('db migrate')).toMatchObject({ code: 0, out: 'The database is up to date.\n' });
  });

  it('points to pg_dump for a backup', async () => {
    const backup = await tieout('db backup copy.db');
    expect(backup.code).toBe(2);
    expect(backup.err).toContain('pg_dump');
  });

  it('copies itself to a file, which then renders the run to the same bytes', async () => {
    const copy = await tieout('db copy --to sqlite:copy.db --json', { TIEOUT_SECRET_KEY: KEY });
    expect(copy).toMatchObject({ code: 0 });
    const env = { TIEOUT_DATABASE_URL: 'sqlite:copy.db' };
    expect(await tieout('report nightly-2026-11-19-r1 --out copied', env)).toMatchObject({ code: 0 });
    for (const name of ['records', 'breaks', 'fees', 'totals', 'ageing']) {
      const path = `2026-11-19/nightly-r1/${name}.csv`;
      expect(workspace.read(`copied/${path}`), name).toBe(workspace.read(`out/${path}`));
    }
  });

  it('takes the password from PGPASSWORD', async () => {
    const env = { TIEOUT_DATABASE_URL: withoutPassword(), PGPASSWORD: password() };
    // The driver reads it from the environment of its process.
    expect(await workspace.process(['db', 'status'], { env: { ...env, TIEOUT_SECRET_KEY: KEY } })).toMatchObject({
      code: 0,
    });
  });

  it('refuses a password on the command line', async () => {
    const copy = await tieout(`db copy --from ${database.url} --to sqlite:other.db`);
    expect(copy.code).toBe(2);
    expect(copy.err).toContain('PGPASSWORD');
  });

  it('needs a key from the settings before it begins, and none to read', async () => {
    const keyless = { TIEOUT_SECRET_KEY: '' };
    for (const command of ['run --date 2026-11-20', 'import ids.csv', 'serve']) {
      const refused = await tieout(command, keyless);
      expect([command, refused.code]).toEqual([command, 2]);
      expect(refused.err).toContain('TIEOUT_SECRET_KEY');
    }
    expect((await tieout('runs list', keyless)).out).not.toContain('nightly-2026-11-20');
    expect(await tieout('report nightly-2026-11-19-r1 --out keyless', keyless)).toMatchObject({ code: 0 });
  });

  it('explains why a server refuses the connection', async () => {
    const wrong = new URL(database.url);
    wrong.password = 'not-the-password';
    const refused = await tieout('db status', { TIEOUT_DATABASE_URL: wrong.href });
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('refuses this user or password');
    const nowhere = await tieout('db status', { TIEOUT_DATABASE_URL: `${database.url}_missing` });
    expect(nowhere.code).toBe(4);
    expect(nowhere.err).toContain('createdb');
    const closed = await tieout('runs list', { TIEOUT_DATABASE_URL: 'postgres://tieout:hush@127.0.0.1:1/tieout' });
    expect(closed.code).toBe(4);
    expect(closed.err).toContain('does not answer');
    expect(refused.err + nowhere.err + closed.err).not.toMatch(/not-the-password|hush/);
  });

  it('leaves a database alone that belongs to another program', async () => {
    await using other = await makeDatabase();
    await onServer(other.url, 'create table somebody_elses (n int)');
    const refused = await tieout('runs list', { TIEOUT_DATABASE_URL: other.url });
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('belongs to another program');
  });

  it('never says the password, the key or a token', () => {
    const all = said.join('\n');
    expect(all).not.toContain(password());
    expect(all).not.toContain(KEY);
    expect(all).not.toMatch(/tok-[ps]\d\d/);
  });
});
