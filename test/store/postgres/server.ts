/**
 * One PostgreSQL for a whole run of the tests, started by the first file that needs it: the others pay nothing. Files
 * run in several processes at once, so they agree through the folder that the global set-up has made.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childSeconds } from '../../../.ci/totals.mjs';
import { findBinaries, NoPostgresError } from './binaries.ts';

/** Names the folder; set by the global set-up. */
export const FOLDER_VARIABLE = 'TIEOUT_TEST_POSTGRES_FOLDER';
const START_SECONDS = 60;
const PORT_ATTEMPTS = 3;

/** True where the environment asks for tests of SQLite alone. */
export function isSwitchedOff(): boolean {
  return process.env.TIEOUT_TEST_POSTGRES === 'off';
}

/**
 * The address of a server on which databases may be made and dropped, as its superuser.
 * @throws NoPostgresError
 */
export async function serverUrl(): Promise<string> {
  const given = process.env.TIEOUT_TEST_POSTGRES_URL;
  if (given !== undefined && given !== '') return given;
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new NoPostgresError('the tests were started without their global set-up');
  const [address, failure] = [join(folder, 'address'), join(folder, 'failure')];
  if (firstToCome(folder)) await startInto(folder);
  for (let waited = 0; waited < START_SECONDS * 20; waited++) {
    if (existsSync(address)) return readFileSync(address, 'utf8');
    if (existsSync(failure)) throw new NoPostgresError(readFileSync(failure, 'utf8'));
    await pause(50);
  }
  throw new NoPostgresError(`the server did not start within ${START_SECONDS} s`);
}

function firstToCome(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch {
    return false;
  }
}

/** Writes a file that is whole from its first moment: others are waiting to read it. */
function tell(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}.partial`), text, { mode: 0o600 });
  renameSync(join(folder, `${name}.partial`), join(folder, name));
}

async function startInto(folder: string): Promise<void> {
  try {
    tell(folder, 'address', await startServer(folder));
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim();
    tell(folder, 'failure', said || (error instanceof Error ? error.message : String(error)));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Texts sort by the rules of a language there, as they may on a user's server: a query that relies on bytewise order
 * has to say so. Nothing is synced: the data are gone when the tests end.
 */
export async function startServer(folder: string): Promise<string> {
  const { run, user } = findBinaries(folder);
  const password = randomBytes(12).toString('hex');
  const [home, secret] = [join(folder, 'server'), join(folder, 'password')];
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  chmodSync(folder, 0o711);
  if (user !== null) for (const path of [home, secret]) chownSync(path, user.uid, user.gid);
  const data = join(home, 'data');
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const login = ['--auth=scram-sha-256', '--username=tieout_test', `--pwfile=${secret}`];
  // A strong derivation guards nothing here, and each of hundreds of connections would pay for it.
  run('initdb', ['-D', data, '--no-sync', '-c', 'scram_iterations=1', ...locale, ...login]);
  rmSync(secret);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'full_page_writes=off'];
    const flags = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`), '-c shared_buffers=32MB'].join(' ');
    try {
      run('pg_ctl', ['-D', data, '-w', '-l', join(home, 'log'), '-o', flags, 'start']);
      return `postgres://tieout_test:${password}@127.0.0.1:${port}/postgres`;
    } catch (error) {
      // Another process may have taken the port since it was chosen.
      if (attempt >= PORT_ATTEMPTS) throw error;
    }
  }
}

/** Starts a server that was stopped again, on the port that it had. */
export function startAgain(folder: string): void {
  const home = join(folder, 'server');
  // Without `-o`, a restart takes the options of the last start, which the server has written down.
  findBinaries(folder).run('pg_ctl', ['-D', join(home, 'data'), '-w', '-l', join(home, 'log'), 'restart']);
}

/**
 * Processor seconds of the server of a folder, its ended sessions included: it is no child of the tests, which would count them. 0 where
 * there is none, or the system does not say it.
 */
export function processorSecondsOf(folder: string): number {
  try {
    const [pid] = readFileSync(join(folder, 'server', 'data', 'postmaster.pid'), 'utf8').split('\n');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11);
    return (Number(user) + Number(system)) / 100 + childSeconds(stat);
  } catch {
    return 0;
  }
}

/** Stops the server of a folder, where there is one. */
export function stopServer(folder: string): void {
  const data = join(folder, 'server', 'data');
  if (!existsSync(join(data, 'postmaster.pid'))) return;
  findBinaries(folder).run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
}
