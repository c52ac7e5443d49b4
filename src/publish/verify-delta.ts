/** Verifies what a delta hangs on: the sealed set of its month, or the delta before it, must be the very one it names. */
import { join } from 'node:path';
import { z } from 'zod';
import { CHAIN } from './chain.ts';
import { type FileSystem, orNull } from './file-system.ts';
import { MANIFEST, readManifest, sha256Of } from './manifest.ts';
import { parseSetPath } from './set-path.ts';

/** Of a delta's manifest: what it is a delta to. */
export const deltaOfSchema = z.object({ path: z.string(), manifest_sha256: z.string() });
export type DeltaOf = z.infer<typeof deltaOfSchema>;

export function deltaProblem(out: string, set: string, fileSystem: FileSystem): string[] {
  const bytes = orNull(() => fileSystem.readFile(join(set, MANIFEST)));
  const read = bytes === null ? null : readManifest(bytes);
  if (read === null || 'problem' in read || read.manifest.delta_of === undefined) return [];
  const parsed = deltaOfSchema.safeParse(read.manifest.delta_of);
  if (!parsed.success || parseSetPath(parsed.data.path) === null) {
    return [`${MANIFEST}: delta_of does not name a set; restore the set from a backup`];
  }
  const { path, manifest_sha256: named } = parsed.data;
  const sealed = orNull(() => fileSystem.readFile(join(out, path, MANIFEST)));
  if (sealed === null) {
    // A delta that was handed on alone cannot be compared; in its own out folder, what it hangs on must be there.
    const isAtHome = orNull(() => fileSystem.readFile(join(out, CHAIN))) !== null;
    return isAtHome ? [`${MANIFEST}: is a delta to ${path}, which is gone; restore it from a backup`] : [];
  }
  const found = sha256Of(sealed);
  if (found === named) return [];
  return [
    `${MANIFEST}: is a delta to ${path} with the manifest ${named}, but that set's manifest is ${found}; one of the two was changed: restore both from a backup`,
  ];
}
