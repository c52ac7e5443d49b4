/** The last steps of a publication, which others can see: place the set, list it, point `latest` at it. */
import { dirname, join } from 'node:path';
import { type Link, readChain, tipOf, unlisted, writeChain } from './chain.ts';
import { type FileSystem, orNull, syncFolder, writePrivateFile } from './file-system.ts';
import { moveLatest } from './latest.ts';
import { MANIFEST, readManifest, sha256Of } from './manifest.ts';
import { SIGNATURE, type Signer } from './sign.ts';

export interface FinishedSet {
  out: string;
  /** The set's path in the out folder. */
  path: string;
  /** The temporary folder, with everything in it but the manifest. */
  temporary: string;
  /** The manifest's text, given the hash of the one before it and the key that it is signed with. */
  manifest: (previous: string | null, signingKey: string | null) => string;
  /** Null where sets are not signed. */
  signer: Signer | null;
  movesLatest: boolean;
  suffix: string;
  fileSystem: FileSystem;
}

/**
 * Puts the set in its place with one rename, after which it is published. Doing it again with the same set changes nothing.
 * @returns the chain with the set in it, for `listSet`.
 * @throws Error where the place is taken by another set; ChainDamagedError; the file system's own errors.
 */
export function placeSet(set: FinishedSet): Link[] {
  const { out, path, fileSystem } = set;
  const listed = readChain(out, fileSystem);
  // A publication before this one may have put its set in place and not lived to list it.
  const links = [...listed, ...unlisted(out, listed, fileSystem)];
  const known = links.find((link) => link.path === path);
  const previous = known === undefined ? tipOf(links) : known.previous;
  const there = orNull(() => fileSystem.readFile(join(out, path, MANIFEST)));
  // What is in place already keeps its signature, or its lack of one: the key may have changed since a crash.
  const text = set.manifest(previous, there === null ? (set.signer?.keyId ?? null) : keyNamedBy(there));
  const sha256 = sha256Of(text);
  const published = there === null ? known?.sha256 : sha256Of(there);
  if (published !== undefined && published !== sha256) {
    throw new Error(
      `${join(out, path)} was published before with other content, and a published set is never changed; a new look at that date is a new revision`,
    );
  }
  // A crash after the rename leaves the very same set; one that was listed and has gone missing since is put back.
  if (there === null) moveIntoPlace(set, text);
  else fileSystem.remove(set.temporary);
  return known === undefined ? [...links, { path, sha256, previous }] : links;
}

function keyNamedBy(manifest: Uint8Array): string | null {
  const read = readManifest(manifest);
  return 'problem' in read ? null : (read.manifest.signing_key ?? null);
}

function moveIntoPlace({ out, path, temporary, signer, fileSystem }: FinishedSet, manifest: string): void {
  const target = join(out, path);
  const bytes = Buffer.from(manifest, 'utf8');
  if (signer !== null)
    writePrivateFile(fileSystem, join(temporary, SIGNATURE), Buffer.from(signer.sign(bytes), 'utf8'));
  // Last of all: a folder with a manifest is a whole set.
  writePrivateFile(fileSystem, join(temporary, MANIFEST), bytes);
  syncFolder(fileSystem, temporary);
  fileSystem.rename(temporary, target);
  syncFolder(fileSystem, dirname(target));
}

/** Writes the chain and moves `latest`; what a crash leaves undone here, the next publication does. */
export function listSet({ out, path, movesLatest, suffix, fileSystem }: FinishedSet, links: readonly Link[]): void {
  writeChain(out, links, suffix, fileSystem);
  if (movesLatest) moveLatest(out, path, links, suffix, fileSystem);
}
