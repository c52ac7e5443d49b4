import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, outputOf } from '../e2e/support/workspace.ts';
import { commandIn } from '../support/command-in.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { runEnvironment } from '../support/run-folder.ts';

inThisOrder();

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LAUNCHER = join(ROOT, 'src/cli/tieout.js');
const folder = mkdtempSync(join(tmpdir(), 'tieout-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface ProcessOptions {
  /** Called when the process has started; standard input then stays open. */
  onStart?: (child: ReturnType<typeof spawn>) => void;
}

/** The real thing: the launcher, in a folder of its own, with nothing of this environment but the PATH. */
function tieout(args: readonly string[], options: ProcessOptions = {}): Promise<Finished> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...runEnvironment() },
  });
  if (options.onStart === undefined) child.stdin.end();
  else options.onStart(child);
  return outputOf(child);
}

/** The same where the process is not what is tested. */
const inProcess = (args: readonly string[], options: { stdin?: string; env?: Record<string, string> } = {}) =>
  commandIn(folder, args, options);

describe('the launcher', () => {
  it('shows help', async () => {
    const { code, out, err } = await tieout(['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Usage: tieout');
  });

  it.each([0, 1])('does not end as a plugin wants that calls process.exit(%i)', async (wanted) => {
    writeFileSync(join(folder, 'exit.mjs'), `process.exit(${wanted});`);
    writeFileSync(join(folder, 'exit.yaml'), 'plugins: ["./exit.mjs"]\n');
    const { code, err } = await tieout(['config', 'check', '--config', 'exit.yaml']);
    expect([code, err]).toEqual([4, 'tieout: a plugin ended the process before the command was done\n']);
  });

  it('says in words what fails behind the command, and not with the exit code of breaks', async () => {
    writeFileSync(join(folder, 'late.mjs'), "Promise.reject(new Error('too late')); throw null;");
    writeFileSync(join(folder, 'late.yaml'), 'plugins: ["./late.mjs"]\n');
    const { code, err } = await tieout(['config', 'check', '--config', 'late.yaml']);
    expect(code).toBe(4);
    expect(err).toContain('late.mjs cannot be loaded: null\n');
    expect(err).toContain('tieout: unexpected error: Error: too late\n');
    expect(err).not.toContain('Node.js v');
  });

  it('says that the disk is full, where help is written to it', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, '--help'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect([status, stderr.toString()]).toEqual([
      4,
      'tieout: the disk is full (ENOSPC); free some space, then run the command again\n',
    ]);
  });

  it('runs from a folder whose name has a meaning in addresses', () => {
    const checkout = join(folder, 'a b #1 %41? é');
    for (const part of ['src', 'reports', 'config', 'package.json'])
      cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(checkout, 'src/cli/tieout.js'), '--help']);
    expect([status, stderr.toString()]).toEqual([0, '']);
    expect(stdout.toString()).toContain('Usage: tieout');
  });

  it('ends with 2 for usage and settings', async () => {
    expect(await tieout(['nope'])).toEqual({
      code: 2,
      out: '',
      err: "tieout: unknown command 'nope'\n`tieout --help` lists the commands.\n",
    });
    writeFileSync(join(folder, 'bad.yaml'), 'out: out\nservice: { guard: 5 sec }\n');
    expect(await tieout(['config', 'check', '--config', 'bad.yaml'])).toEqual({
      code: 2,
      out: '',
      err:
        'tieout: 1 problem in the settings:\n' +
        '  service.guard (bad.yaml:2): "5 sec" is not valid; allowed: a duration from 0s to 1m, such as 5s\n',
    });
  });

  it('ends quietly when its reader has gone', async () => {
    const { code, err } = await tieout(['config', 'check', '--json'], {
      onStart: (child) => child.stdout?.destroy(),
    });
    expect([code, err]).toEqual([0, '']);
  });
});

describe('tieout import', () => {
  beforeAll(() => {
    writeFileSync(
      join(folder, 'ids.csv'),
      'kind,id,view_token,created_at\npurchase,abc,k3yTh4tOpens1,2026-10-13T10:02:00Z\npurchase,a b,k3yTh4tOpens2,\nsale,def,k3yTh4tOpens3,\n',
    );
  });

  it('stores ids, reports rejected lines, and changes nothing the second time', async () => {
    const first = await inProcess(['import', 'ids.csv', '--rejects', 'rejects.ndjson', '-q']);
    expect(first.code).toBe(1);
    expect(first.out).toBe(
      'ids.csv: 2 added, 0 unchanged, 1 rejected\n  line 3: id may have only letters, digits, - and _, at most 64 (found a b)\n',
    );
    expect(readFileSync(join(folder, 'rejects.ndjson'), 'utf8')).toBe(
      '{"file":"ids.csv","line":3,"reason":"id may have only letters, digits, - and _, at most 64 (found a b)","raw":"purchase,a b,[cut],"}\n',
    );
    expect(statSync(join(folder, 'rejects.ndjson')).mode & 0o777).toBe(0o600);
    const second = await inProcess(['import', 'ids.csv', '--json', '-q']);
    expect(JSON.parse(second.out)).toMatchObject({
      files: [{ file: 'ids.csv', added: 0, unchanged: 2, rejected_count: 1 }],
      total: { added: 0, updated: 0, unchanged: 2, rejected_count: 1, conflict_count: 0 },
    });
    for (const { out, err } of [first, second]) expect(out + err).not.toContain('k3yTh4tOpens');
  });

  it('reads standard input', async () => {
    const stdin = '{"id":"ghi","view_token":"t"}\n';
    expect(await inProcess(['import', '-', '--kind', 'sale', '-q'], { stdin })).toMatchObject({
      code: 0,
      out: '(standard input): 1 added, 0 unchanged, 0 rejected\n',
    });
  });

  it('goes on with the next file, and ends with 2, where one cannot be read', async () => {
    const { code, out, err } = await inProcess(['import', 'none.csv', 'ids.csv', '-q']);
    expect(code).toBe(2);
    expect(err).toBe('tieout: none.csv: there is no such file\n');
    expect(out).toContain('ids.csv: 0 added, 2 unchanged, 1 rejected\n');
  });

  it('ends with 1 where lines were rejected, even all of them', async () => {
    const { code } = await inProcess(['import', '-', '-q'], { stdin: 'kind,id,view_token\nrefund,a,t\n' });
    expect(code).toBe(1);
  });
});

describe('tieout db', () => {
  it('says that there is no database, and how to make one', async () => {
    const env = { TIEOUT_DATABASE_URL: 'sqlite:elsewhere/none.db' };
    const status = await inProcess(['db', 'status'], { env });
    expect(status.code).toBe(4);
    expect(status.err).toContain('`tieout db migrate`');
    expect((await inProcess(['db', 'migrate'], { env })).code).toBe(0);
    expect(await inProcess(['db', 'migrate'], { env })).toEqual({
      code: 0,
      out: 'The database is up to date.\n',
      err: '',
    });
    expect((await inProcess(['db', 'status', '--json'], { env })).code).toBe(0);
  });

  it('copies itself, and never over something', async () => {
    const env = { TIEOUT_DATABASE_URL: 'sqlite:copied/tieout.db' };
    await inProcess(['db', 'migrate'], { env });
    expect(await inProcess(['db', 'backup', 'copy.db'], { env })).toMatchObject({ code: 0, err: '' });
    const again = await inProcess(['db', 'backup', 'copy.db'], { env });
    expect(again.code).toBe(2);
    expect(again.err).toContain('copy.db');
  });
});
