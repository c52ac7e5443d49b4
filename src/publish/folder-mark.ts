/** `.tieout-folder.json` names the out folder and the database that publishes to it, so that a lost database is noticed. */
import { join } from 'node:path';
import { z } from 'zod';
import { type FileSystem, orNull, replaceFile } from './file-system.ts';

const FOLDER_MARK = '.tieout-folder.json';

const markSchema = z.object({ folder_id: z.string().min(1), database_id: z.string().min(1) });

interface FolderMark {
  folderId: string;
  databaseId: string;
}

/** Null where there is none, and where it cannot be read: the sets of the folder are then compared one by one. */
export function readFolderMark(out: string, fileSystem: FileSystem): FolderMark | null {
  const text = orNull(() => fileSystem.readFile(join(out, FOLDER_MARK)))?.toString('utf8');
  if (text === undefined) return null;
  try {
    const { folder_id: folderId, database_id: databaseId } = markSchema.parse(JSON.parse(text));
    return { folderId, databaseId };
  } catch {
    return null;
  }
}

/** Replaces the mark, durably. @param suffix names this process */
export function writeFolderMark(out: string, mark: FolderMark, suffix: string, fileSystem: FileSystem): void {
  const text = `${JSON.stringify({ folder_id: mark.folderId, database_id: mark.databaseId })}\n`;
  replaceFile(out, FOLDER_MARK, text, suffix, fileSystem);
}
