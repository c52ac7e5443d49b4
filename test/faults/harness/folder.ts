/** A folder for one row, gone after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  path: string;
  /** Removes something in it, if it is there. */
  empty(name: string): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'tieout-faults-'));
  return {
    path,
    empty: (name) => rmSync(join(path, name), { recursive: true, force: true }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
