/** A folder: on this machine, or a mounted share. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import { makeFolders } from '../../ports/folders.ts';
import type { Target } from './target.ts';

export function folderTarget(root: string): Target {
  return {
    read: async (path) => {
      try {
        return await readFile(join(root, path));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      }
    },
    write: async (path, bytes) => {
      const target = join(root, path);
      makeFolders(dirname(target), mkdirSync);
      const temporary = join(dirname(target), `.${randomUUID()}.partial`);
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, target);
    },
    close: async () => {},
  };
}
