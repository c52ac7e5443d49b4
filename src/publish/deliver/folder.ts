/** A folder: on this machine, or a mounted share. */
import { constants, mkdirSync } from 'node:fs';
import { open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import { makeFolders } from '../../ports/folders.ts';
import { isPartialOf, partialName, type Target } from './target.ts';

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
      const folder = dirname(target);
      const name = basename(target);
      makeFolders(folder, mkdirSync);
      // A link that others put there would lead into a folder of ours: into another set, or out of the target.
      if ((await realpath(folder)) !== join(await realpath(root), dirname(normalize(path))))
        throw new Error(`${folder} is a link to another folder`);
      const temporary = join(folder, partialName(name));
      const file = await open(temporary, 'wx');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } catch (error) {
        // On a full disk it would take the room that the next attempt needs.
        await rm(temporary, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      await rename(temporary, target).catch(async (error: unknown) => {
        // Another delivery of the same set has written this file, and cleared the attempt.
        if (codeOf(error) !== 'ENOENT' || !(await readFile(target)).equals(bytes)) throw error;
      });
      const left = (await readdir(folder)).filter((entry) => isPartialOf(name, entry));
      await Promise.all(left.map((entry) => rm(join(folder, entry), { force: true })));
    },
    close: async () => {},
  };
}
