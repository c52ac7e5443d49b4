/**
 * The chain of manifests of an out folder. `manifests.ndjson` lists the sets in the order in which they were published;
 * each manifest names the hash of the one before it, so neither an edited, a removed nor a reordered set goes unnoticed.
 */

import { join } from 'node:path';
import { z } from 'zod';
import { UnavailableError } from '../domain/errors.ts';
import { type FileSystem, orNull, replaceFile } from './file-system.ts';
import { MANIFEST, readManifest, sha256Of } from './manifest.ts';
import { setPaths } from './set-path.ts';

export const CHAIN = 'manifests.ndjson';

const linkSchema = z.strictObject({ path: z.string(), sha256: z.string(), previous: z.string().nullable() });

/** One published set: its path in the out folder, its manifest's SHA-256, and that of the manifest before it. */
export type Link = z.infer<typeof linkSchema>;

/** Thrown where the list of published sets cannot be read; publishing on top of it would hide the damage. */
export class ChainDamagedError extends UnavailableError {}

/** The links in order; none where nothing was published yet. @throws ChainDamagedError */
export function readChain(out: string, fileSystem: FileSystem): Link[] {
  const text = orNull(() => fileSystem.readFile(join(out, CHAIN)))?.toString('utf8') ?? '';
  const lines = text.split('\n');
  // The list is replaced as a whole, so an unfinished line was not left by a crash.
  if (lines.pop() !== '') throw damaged(out, lines.length + 1, undefined);
  return lines.map((line, i) => {
    try {
      return linkSchema.parse(JSON.parse(line));
    } catch (error) {
      throw damaged(out, i + 1, error);
    }
  });
}

function damaged(out: string, line: number, cause: unknown): ChainDamagedError {
  return new ChainDamagedError(`${join(out, CHAIN)}:${line} is not a link of the chain of manifests`, {
    remedy: 'restore the file from a backup',
    cause,
  });
}

/**
 * Sets that are published and not listed, as far as they follow the last link: their process ended between the rename and
 * the list. Without a list, the whole chain is rebuilt from the hashes that the manifests name.
 */
export function unlisted(out: string, links: readonly Link[], fileSystem: FileSystem): Link[] {
  const listed = new Set(links.map(({ path }) => path));
  const found = setPaths(out, fileSystem)
    .filter((path) => !listed.has(path))
    .flatMap((path) => {
      const bytes = orNull(() => fileSystem.readFile(join(out, path, MANIFEST)));
      if (bytes === null) return [];
      const read = readManifest(bytes);
      if ('problem' in read) return [];
      return [{ path, sha256: sha256Of(bytes), previous: read.manifest.previous_manifest_sha256 }];
    });
  const followers: Link[] = [];
  for (let tip = tipOf(links); ; ) {
    const next = found.find((link) => link.previous === tip && !followers.includes(link));
    if (next === undefined) return followers;
    followers.push(next);
    tip = next.sha256;
  }
}

export function tipOf(links: readonly Link[]): string | null {
  return links.at(-1)?.sha256 ?? null;
}

/** After a crash there is the old list or the new one, never half a line. */
export function writeChain(out: string, links: readonly Link[], suffix: string, fileSystem: FileSystem): void {
  replaceFile(out, CHAIN, links.map((link) => `${JSON.stringify(link)}\n`).join(''), suffix, fileSystem);
}
