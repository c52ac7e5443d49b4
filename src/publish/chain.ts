/**
 * The chain of manifests of an out folder. `manifests.ndjson` lists them in the order in which they were published; each
 * manifest names the hash of the one before it, so neither an edited, a removed nor a reordered set goes unnoticed.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { FileSystem } from './file-system.ts';
import { MANIFEST, manifestSchema, sha256Of } from './manifest.ts';

export const CHAIN = 'manifests.ndjson';

const linkSchema = z.object({ path: z.string(), sha256: z.string(), previous: z.string().nullable() });
export type Link = z.infer<typeof linkSchema>;

/** Thrown where the list of published sets cannot be read; publishing on top of it would hide the damage. */
export class ChainDamagedError extends Error {
  override readonly name = 'ChainDamagedError';
}

/** The links in order; none where nothing was published yet. @throws ChainDamagedError */
export function readChain(out: string, fileSystem: FileSystem): Link[] {
  const path = join(out, CHAIN);
  if (!fileSystem.existsSync(path)) return [];
  const lines = fileSystem.readFileSync(path, 'utf8').split('\n');
  // A crash while appending leaves an unfinished last line; that set is found again by `unlisted`.
  lines.pop();
  return lines.map((line, i) => {
    try {
      return linkSchema.parse(JSON.parse(line));
    } catch (error) {
      throw new ChainDamagedError(`${path}:${i + 1}: not a link of the chain of manifests; restore it from a backup`, {
        cause: error,
      });
    }
  });
}

/** A set that was renamed into place by a process that died before listing it: it follows the last link. */
export function unlisted(out: string, links: readonly Link[], fileSystem: FileSystem): Link | null {
  const tip = links.at(-1)?.sha256 ?? null;
  const listed = new Set(links.map(({ path }) => path));
  for (const path of setFolders(out, fileSystem)) {
    if (listed.has(path)) continue;
    const bytes = fileSystem.readFileSync(join(out, path, MANIFEST));
    const manifest = manifestSchema.safeParse(JSON.parse(bytes.toString('utf8')));
    if (manifest.success && manifest.data.previous_manifest_sha256 === tip) {
      return { path, sha256: sha256Of(bytes), previous: tip };
    }
  }
  return null;
}

/** Appends one link durably, completing an unfinished line first. */
export function appendLink(out: string, link: Link, fileSystem: FileSystem): void {
  const path = join(out, CHAIN);
  const text = fileSystem.existsSync(path) ? fileSystem.readFileSync(path, 'utf8') : '';
  const unfinished = text.length - (text.lastIndexOf('\n') + 1);
  const file = fileSystem.openSync(path, unfinished > 0 ? 'w' : 'a', 0o600);
  try {
    if (unfinished > 0) fileSystem.writeSync(file, text.slice(0, text.lastIndexOf('\n') + 1));
    fileSystem.writeSync(file, `${JSON.stringify(link)}\n`);
    fileSystem.fsyncSync(file);
  } finally {
    fileSystem.closeSync(file);
  }
}

/** `2026-11-20/nightly-r1`, for every folder below `out` that has a manifest; in order of name. */
export function setFolders(out: string, fileSystem: FileSystem): string[] {
  if (!fileSystem.existsSync(out)) return [];
  const folders: string[] = [];
  for (const date of fileSystem.readdirSync(out).sort()) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) continue;
    for (const name of fileSystem.readdirSync(join(out, date)).sort()) {
      if (name.startsWith('.')) continue;
      if (fileSystem.existsSync(join(out, date, name, MANIFEST))) folders.push(`${date}/${name}`);
    }
  }
  return folders;
}
