/** `tieout init`: the first settings of a deployment, each answer tried, and a first night with them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { WorldOptions } from '../cli/world.ts';
import { commandIn } from '../support/command-in.ts';
import { readCsv } from './support/csv.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

let sandbox: Sandbox;
let tracked: { kind: string; id: string; view_token: string }[];
let folder: string;

beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 5, rateLimits: 'off' });
  const answer = await fetch(`${sandbox.url.replace(/\/api$/, '')}/sandbox/tracked`);
  tracked = readCsv(await answer.text()).rows.map(({ kind = '', id = '', view_token = '' }) => ({
    kind,
    id,
    view_token,
  }));
});
afterAll(() => sandbox.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-init-'));
  const database = new Database(join(folder, 'app.db'));
  database.exec('create table orders (kind text, service_id text, token text)');
  for (const { kind, id, view_token } of tracked) {
    database.prepare('insert into orders values (?, ?, ?)').run(kind, id, view_token);
  }
  database.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tieout = (args: readonly string[], options: WorldOptions = {}) =>
  commandIn(folder, args, { ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const QUERY = 'select kind, service_id as id, token as view_token from orders';
const flags = () => ['init', '--service', sandbox.url, '--rate-limits', 'off', '--sql', 'sqlite:app.db'];

describe('tieout init', () => {
  it('without a terminal: tries what the flags say, writes it, and the next commands are a first night', async () => {
    const { code, out, err } = await tieout([...flags(), '--query', QUERY, '--timezone', 'Europe/Warsaw']);
    expect(err).toMatch(/the Service answers with \d+ currencies/);
    for (const { id } of tracked.slice(0, 3)) expect(err).toContain(id);
    expect(err).toMatch(/can be read/);
    expect(code, err).toBe(0);
    for (const { view_token: token } of tracked) expect(out + err).not.toContain(token);
    expect(out).toBe('Wrote tieout.yaml, tieout.crontab\nNext:\n  npx tieout run reference-data\n  npx tieout run\n');
    expect(read('tieout.yaml')).toMatch(/^# yaml-language-server: \$schema=\S+config\/tieout\.schema\.json\n/);
    expect(parse(read('tieout.yaml'))).toEqual({
      service: { url: sandbox.url, rateLimits: 'off' },
      sources: [{ name: 'app', type: 'sql', url: 'sqlite:app.db', query: QUERY }],
      timezone: 'Europe/Warsaw',
    });
    expect(statSync(join(folder, 'tieout.yaml')).mode & 0o777).toBe(0o600);
    expect(read('tieout.crontab')).toContain(`15 4 * * *  cd '${folder}' && npx tieout run -q`);
    // Cron knows no PATH of a shell: without this line it finds an older Node, or none.
    expect(read('tieout.crontab')).toContain(`\nPATH=${dirname(process.execPath)}:`);
    expect((await tieout(['run', 'reference-data'])).code).toBe(0);
    expect((await tieout(['tracked', 'list'])).out).toBe('Nothing is tracked; `tieout import` adds ids.\n');
    expect((await tieout(['payouts', 'match'])).out).toContain('No month has a share of the host');
    mkdirSync(join(folder, 'empty'));
    const verified = await tieout(['verify', 'empty']);
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('this is not a report set')]);
    expect(verified.out).not.toContain('was changed after it was published');
    const night = await tieout(['run', '--json']);
    expect([0, 1], night.err).toContain(night.code);
    expect(existsSync(join(folder, 'out/latest/records.csv'))).toBe(true);
    const listed = await tieout(['tracked', 'list', '--json']);
    const all = JSON.parse(listed.out) as { tracked: { id: string }[]; more: boolean };
    expect(all.tracked.map(({ id }) => id).sort()).toEqual(tracked.map(({ id }) => id).sort());
    expect(all.more).toBe(false);
    const first = await tieout(['tracked', 'list', '--limit', '2', '--json']);
    expect(JSON.parse(first.out)).toEqual({ tracked: all.tracked.slice(0, 2), more: true });
    for (const command of [
      'verify out',
      'db status',
      'db prune --dry-run',
      'tracked list',
      'breaks list',
      'runs list',
    ]) {
      const printed = await tieout([...command.split(' '), '--json']);
      const names = [...printed.out.matchAll(/^ *"([^"]+)":/gm)].map(([, name]) => name);
      expect([command, names.length > 0, names.filter((name) => name?.match(/[A-Z]/))]).toEqual([command, true, []]);
    }
    const two = await tieout(['tracked', 'list', '--limit', '2']);
    expect(two.out.trim().split('\n')).toHaveLength(3);
    expect(two.err).toContain('Only the first 2');
  });

  it('tries the database of the environment, which the first night will use', async () => {
    const env = { TIEOUT_DATABASE_URL: 'sqlite:elsewhere.db' };
    const { code, err } = await tieout([...flags(), '--query', QUERY], { env });
    expect(code, err).toBe(0);
    expect(err).toContain('the first import or run creates sqlite:elsewhere.db');
  });

  it('reads that variable, and the others, from files that the environment names', async () => {
    writeFileSync(join(folder, 'url'), 'sqlite:elsewhere.db\n');
    writeFileSync(join(folder, 'api-key'), 'sandbox-host-key\n');
    const env = { TIEOUT_DATABASE_URL_FILE: join(folder, 'url'), TIEOUT_HOST_API_KEY_FILE: join(folder, 'api-key') };
    const { code, err } = await tieout([...flags(), '--query', QUERY], { env: { ...env, TIEOUT_CONFIG: 'new.yaml' } });
    expect(code, err).toBe(0);
    expect(err).toContain('the first import or run creates sqlite:elsewhere.db');
    expect(existsSync(join(folder, 'new.yaml'))).toBe(true);
  });

  it('names that variable where its address is none, without its password', async () => {
    const env = { TIEOUT_DATABASE_URL: 'postgres://u:S3cretPassw0rd@' };
    const { code, err } = await tieout([...flags(), '--query', QUERY], { env });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^tieout: TIEOUT_DATABASE_URL: .*is not valid; allowed: /ms),
    ]);
    expect(err).not.toContain('S3cret');
  });

  it('never overwrites', async () => {
    writeFileSync(join(folder, 'tieout.yaml'), 'out: mine\n');
    const { code, err } = await tieout([...flags(), '--query', QUERY]);
    expect([code, err]).toEqual([2, expect.stringContaining('tieout.yaml is there already')]);
    expect(read('tieout.yaml')).toBe('out: mine\n');
    writeFileSync(join(folder, 'tieout.crontab'), 'mine\n');
    const other = await tieout(['init', '--service', sandbox.url, '--webhooks', '--offline', '--config', 'other.yaml']);
    expect([other.code, other.out]).toEqual([
      0,
      expect.stringContaining('Kept tieout.crontab, which existed before\n'),
    ]);
    expect(read('tieout.crontab')).toBe('mine\n');
  });

  // What needs no trial is among the mistakes of mistakes.ts.
  it.each([
    [['--service', 'http://127.0.0.1:1/api'], 4, /Service/],
    [['--sql', 'sqlite:none.db'], 4, /--sql: .*none\.db\): cannot be opened/],
    [['--query', 'select service_id as id from orders'], 2, /lacks kind, view_token|lacks/],
    [['--query', 'select missing from orders'], 2, /no such column: missing/],
    [
      ['--query', "select 'purchase' as kind, 'x1' as id, 'wrong-token' as view_token"],
      2,
      /--query: purchase x1 is not known there/,
    ],
    [['--database', 'sqlite:app.db/night.db'], 2, /--database: \S+app\.db is not a folder/],
  ])('%j ends with %i and writes nothing', async (wrong, exit, message) => {
    const { code, err } = await tieout([...flags(), '--query', QUERY, ...wrong]);
    expect(err).toMatch(message);
    expect(code).toBe(exit);
    expect(existsSync(join(folder, 'tieout.yaml'))).toBe(false);
  });

  it('names what is missing where there is no terminal', async () => {
    const { code, err } = await tieout(['init', '--sql', 'sqlite:app.db']);
    expect([code, err]).toEqual([2, expect.stringContaining('--service, --query: missing')]);
  });

  it('in a terminal: asks again after a wrong answer, and Enter takes the default', async () => {
    const typed = ['http://127.0.0.1:1/api', sandbox.url, '', 'ids.csv', '', '', 'none'];
    const lines = tracked.map(({ kind, id, view_token }) => `${kind},${id},${view_token}`);
    writeFileSync(join(folder, 'ids.csv'), ['kind,id,view_token', ...lines, ''].join('\n'));
    const stdin = `${typed.join('\n')}\n`;
    const { code, err, out } = await tieout(['init', '--rate-limits', 'off'], { stdin, tty: true });
    expect(code, err).toBe(0);
    expect(err.match(/Base address of the Service/g)).toHaveLength(2);
    expect(out).toContain('Wrote tieout.yaml\n');
    expect(parse(read('tieout.yaml'))).toEqual({
      service: { url: sandbox.url, rateLimits: 'off' },
      sources: [{ name: 'app', type: 'file', path: 'ids.csv' }],
    });
  });

  it('in a terminal: asks for another address where the typed one cannot be read', async () => {
    const typed = ['sqlite:none.db', 'sqlite:app.db', QUERY, '', '', 'none'];
    const stdin = `${typed.join('\n')}\n`;
    const { code, err } = await tieout(['init', '--service', sandbox.url, '--rate-limits', 'off'], {
      stdin,
      tty: true,
    });
    expect(code, err).toBe(0);
    expect(err.match(/The app's database/g)).toHaveLength(2);
    expect(parse(read('tieout.yaml'))).toMatchObject({ sources: [{ url: 'sqlite:app.db', query: QUERY }] });
  });

  it('makes a key for PostgreSQL, and units for systemd; offline it tries nothing', async () => {
    const database = ['--database', 'postgres://tieout@db.example/tieout?sslkey=/etc/tieout/client.pem'];
    const postgres = [...database, '--schedule', 'systemd', '--offline', '--config', 'night.yaml'];
    const { code, out, err } = await tieout([...flags(), '--query', QUERY, ...postgres]);
    expect(code, err).toBe(0);
    expect(out).toContain('TIEOUT_SECRET_KEY_FILE=tieout.key npx tieout run --config night.yaml\n');
    expect(read('tieout-nightly.service')).toContain('npx tieout --config night.yaml run\n');
    expect(Buffer.from(read('tieout.key'), 'base64')).toHaveLength(32);
    expect(statSync(join(folder, 'tieout.key')).mode & 0o777).toBe(0o600);
    expect(read('tieout-nightly.service')).toContain(`WorkingDirectory=${folder}`);
    expect(read('tieout-nightly.timer')).toContain('OnCalendar=*-*-* 04:15:00\n');
    // A night is judged by the limits and methods of each record's hour.
    expect(read('tieout-reference-data.service')).toContain('npx tieout --config night.yaml run reference-data\n');
    expect(read('tieout-reference-data.timer')).toContain('OnCalendar=hourly\n');
    expect(read('night.yaml')).not.toContain(read('tieout.key').trim());
  });
});
