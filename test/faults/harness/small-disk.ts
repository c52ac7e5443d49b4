/** A disk of its own that can be filled and made read-only: a tmpfs, which only root may mount. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  path: string;
  /** Leaves this many bytes free, in whole blocks. */
  fill(leaveFree: number): void;
  /** Gives back all that `fill` took. */
  free(): void;
  setReadOnly(readOnly: boolean): void;
}

/** Null where this machine does not let us mount: the row then says so. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.platform !== 'linux') return null;
  const path = mkdtempSync(join(tmpdir(), 'tieout-disk-'));
  const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' }).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', path)) {
    rmdirSync(path);
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: (leaveFree) => {
      rmSync(filler, { force: true });
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - Math.ceil(leaveFree / bsize) * bsize)));
    },
    free: () => rmSync(filler, { force: true }),
    setReadOnly: (readOnly) => {
      if (!mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`, path)) throw new Error(`${path} cannot be remounted`);
    },
    [Symbol.dispose]: () => {
      // Lazily: a child that has just died may still have a file open there.
      spawnSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}
