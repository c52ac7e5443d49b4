/** Under a Node that is too old the launcher hands over to the one that `npm ci` brought, and is as transparent as a shell. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../e2e/support/workspace.ts';
import { runEnvironment } from '../support/run-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OLD_NODE = fileURLToPath(new URL('./support/old-node.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tieout-launcher-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Launched {
  launcher: ChildProcess;
  ended: Promise<{ code: number | null; err: string }>;
}

function launch(
  args: readonly string[],
  cli = join(ROOT, 'src/cli/tieout.js'),
  env: Record<string, string> = {},
): Launched {
  const launcher = spawn(process.execPath, ['--import', OLD_NODE, cli, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...runEnvironment(), ...env },
  });
  let err = '';
  launcher.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return { launcher, ended: new Promise((resolve) => launcher.on('close', (code) => resolve({ code, err }))) };
}

/** A command that waits for its input, with the pid of the process that does the work. */
async function waiting(name: string): Promise<Launched & { pid: number }> {
  const rejects = join(folder, name);
  const launched = launch(['import', '-', '-q', '--rejects', rejects]);
  await until('it waits for input', () => existsSync(rejects));
  const { pid } = launched.launcher;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return { ...launched, pid: Number(child) };
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('the launcher under an old Node', () => {
  it('passes exit codes on', async () => {
    expect((await launch(['--help']).ended).code).toBe(0);
    expect((await launch(['nope']).ended).code).toBe(2);
  });

  it.each([
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
    ['SIGABRT', 134],
  ] as const)('ends with %s of its child as a shell does: %i', async (signal, code) => {
    const { pid, ended } = await waiting(`${signal}.ndjson`);
    process.kill(pid, signal);
    expect((await ended).code).toBe(code);
  });

  it('passes a signal on, and the code that the child ends with', async () => {
    const { launcher, ended } = await waiting('term.ndjson');
    launcher.kill('SIGTERM');
    expect(await ended).toEqual({ code: 143, err: expect.stringContaining('tieout: stopped') });
  });

  it('takes its child with it when it is killed', async () => {
    const { launcher, pid } = await waiting('orphan.ndjson');
    launcher.kill('SIGKILL');
    await until('the child has ended', () => !isAlive(pid));
  });
});

it.runIf(process.platform === 'linux').each([
  ['this Node', []],
  ['an old one', ['--import', OLD_NODE]],
])('ends under %s when npx is killed, whose shell passes no signal on', async (name, old) => {
  const rejects = join(folder, `${name}.npx.ndjson`);
  const args = [process.execPath, ...old, join(ROOT, 'src/cli/tieout.js'), 'import', '-', '-q', '--rejects', rejects];
  // Held open here: the end of its input would end the command too.
  const input = join(folder, `${name}.npx.fifo`);
  spawnSync('mkfifo', [input]);
  const held = openSync(input, 'r+');
  // A shell that runs something afterwards does not hand itself over to the command.
  const shell = spawn('sh', ['-c', `${args.map((each) => `'${each}'`).join(' ')}; true`], {
    cwd: folder,
    stdio: [held, 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...runEnvironment(), npm_command: 'exec' },
  });
  let err = '';
  shell.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise((resolve) => shell.on('close', resolve));
  await until('it waits for input', () => existsSync(rejects));
  const [command] = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').trim().split(' ');
  shell.kill('SIGTERM');
  // The error output closes with the last process that has it.
  await ended;
  closeSync(held);
  expect(err).toContain('tieout: stopped');
  expect(isAlive(Number(command))).toBe(false);
});

/** A real Node that is too old, where this machine has one besides: the suite runs under a newer one. */
const oldNode = (process.env.PATH ?? '')
  .split(':')
  .concat('/usr/bin', '/usr/local/bin')
  .map((each) => join(each, 'node'))
  .find(
    (node) => existsSync(node) && Number(/v(\d+)/.exec(spawnSync(node, ['--version']).stdout.toString())?.[1]) < 24,
  );

it.runIf(oldNode !== undefined)('hands over from a real Node that is too old', () => {
  const { status, stdout, stderr } = spawnSync(oldNode ?? '', [join(ROOT, 'src/cli/tieout.js'), '--version']);
  expect([status, stderr.toString()]).toEqual([0, '']);
  expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+/);
});

describe('the oldest Node', () => {
  const stated = () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
    const manifest = JSON.parse(read('package.json')) as {
      engines: { node: string };
      devDependencies: { node: string };
    };
    return { read, engines: manifest.engines.node, bundled: manifest.devDependencies.node };
  };

  it('is reported in one sentence, with exit code 2, where there is no other', async () => {
    const bare = join(folder, 'bare');
    mkdirSync(join(bare, 'src/cli'), { recursive: true });
    for (const name of readdirSync(join(ROOT, 'src/cli')).filter((each) => each.endsWith('.js'))) {
      copyFileSync(join(ROOT, 'src/cli', name), join(bare, 'src/cli', name));
    }
    writeFileSync(join(bare, 'package.json'), readFileSync(join(ROOT, 'package.json')));
    expect(await launch([], join(bare, 'src/cli/tieout.js')).ended).toEqual({
      code: 2,
      err: 'tieout needs Node 24 or newer, and this is Node 20.11.0: install a newer one, or run `npm ci` in the checkout, which brings it.\n',
    });
  });

  it('is reported as well where the Node that `npm ci` brought is too old itself: it starts no third one', async () => {
    const started = launch(['--version'], undefined, { TIEOUT_LAUNCHED: '1' });
    const { code, err } = await started.ended;
    expect([code, err]).toEqual([2, expect.stringMatching(/^tieout needs Node 24 or newer/)]);
  });

  it('is the same everywhere', () => {
    const { read, engines, bundled } = stated();
    expect(engines).toBe('>=24');
    expect(bundled).toMatch(/^24\./);
    const told = ['README.md', 'docs/reference/library.md', 'docs/deploy/tieout-schedule.service'].map((path) => [
      path,
      [...read(path).matchAll(/Node (?:≥ )?(\d+)(?:\.\d+)? ?(?:or newer|\.|;|,|`|\))/g)].map(([, version]) => version),
    ]);
    for (const [path, versions] of told) expect([path, ...new Set(versions)]).toEqual([path, '24']);
  });
});
