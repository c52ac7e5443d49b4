/** The engines that every contract test runs against. A second engine is one more entry. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store, Upkeep } from '../../../src/store/contract.ts';
import { openStore } from '../../../src/store/open.ts';
import { createSealer } from '../../../src/store/sealing.ts';

/** 32 bytes of the same value, in base64: different letters make different keys. */
export function testKey(letter: string): string {
  return Buffer.alloc(32, letter).toString('base64');
}

export const SEALER = createSealer([testKey('a')]);

/** An empty database with everything that goes with it; removed when disposed of. */
export interface OpenedStore extends AsyncDisposable {
  store: Store;
  upkeep: Upkeep;
}

export interface TestEngine {
  name: string;
  open(): Promise<OpenedStore>;
}

export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'tieout-store-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function openSqlite(): Promise<OpenedStore> {
  const folder = temporaryFolder();
  const opened = await openStore({ url: `sqlite:${join(folder.path, 'tieout.db')}`, sealer: SEALER });
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened.store.close();
      folder[Symbol.dispose]();
    },
  };
}

export const ENGINES: readonly TestEngine[] = [{ name: 'SQLite', open: openSqlite }];
