/** A folder: on this machine, or a mounted share. */
import { randomUUID } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { open, realpath, rename } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import { makeFolders } from '../../ports/folders.ts';
import type { Target } from './target.ts';

export function folderTarget(root: string): Target {
  return {
    read: async (path, most) => {
      // Other writers of the folder may put a pipe or a device in its place. Opening a pipe without O_NONBLOCK would wait for ever.
      const file = await open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      });
      if (file === null) return null;
      try {
        if (!(await file.stat()).isFile()) throw new Error(`${join(root, path)} is no file`);
        return Buffer.concat(await file.createReadStream({ end: most, autoClose: false }).toArray());
      } finally {
        await file.close();
      }
    },
    write: async (path, bytes) => {
      const target = join(root, path);
      makeFolders(dirname(target), mkdirSync);
      // A link that others put there would lead into a folder of ours: into another set, or out of the target.
      if ((await realpath(dirname(target))) !== join(await realpath(root), dirname(normalize(path))))
        throw new Error(`${dirname(target)} is a link to another folder`);
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
