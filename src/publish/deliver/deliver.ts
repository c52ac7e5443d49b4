/**
 * Delivers a published set: its files first, the signature and the manifest after them, and the pointer to the newest set last.
 * A reader who takes only sets that have a manifest never sees half of one. A delivery that was interrupted goes on where it
 * ended, and one that is complete changes nothing.
 */
import { join } from 'node:path';
import { UnavailableError } from '../../domain/errors.ts';
import { orNull, realFileSystem } from '../file-system.ts';
import { MANIFEST, type Manifest, readManifest, sha256Of } from '../manifest.ts';
import { parseSetPath } from '../set-path.ts';
import { SIGNATURE } from '../sign.ts';
import type { Target } from './target.ts';

const LONGEST_POINTER = 64 * 1024;
const LONGEST_MANIFEST = 16 * 2 ** 20;

/** What `latest.json` says; `path` is the set's folder. */
interface Pointer {
  path: string;
  business_date: string;
  revision: number;
  manifest_sha256: string;
}

/**
 * @param set the set's path in the out folder
 * @returns how many files were sent; 0 where everything was there
 * @throws UnavailableError; the target's own errors
 */
export async function deliverFiles(out: string, set: string, target: Target): Promise<number> {
  const { manifest, bytes } = manifestOf(out, set);
  let sent = 0;
  const put = async (path: string, content: Uint8Array) => {
    await target.write(path, content);
    sent++;
  };
  const there = await target.read(`${set}/${MANIFEST}`, bytes.length);
  if (there !== null && !Buffer.from(there).equals(bytes)) {
    throw new UnavailableError(`another set is there as ${set}, and a delivered set is never changed`, {
      remedy: 'give each out folder a target of its own',
    });
  }
  if (there === null) {
    for (const { name, sha256 } of manifest.files) {
      const content = await provenFile(out, set, { name, sha256 });
      const known = await target.read(`${set}/${name}`, content.length);
      if (known === null || sha256Of(known) !== sha256) await put(`${set}/${name}`, content);
    }
    const signature = orNull(() => realFileSystem.readFile(join(out, set, SIGNATURE)));
    if (signature !== null) await put(`${set}/${SIGNATURE}`, signature);
    await put(`${set}/${MANIFEST}`, bytes);
  }
  await point(manifest, set, sha256Of(bytes), target, put);
  return sent;
}

/** A file of the set as it was published. @throws UnavailableError where it was changed since, or is another's */
export async function provenFile(
  out: string,
  set: string,
  { name, sha256 }: Pick<Manifest['files'][number], 'name' | 'sha256'>,
): Promise<Buffer> {
  const content = realFileSystem.readFile(join(out, set, name), Number.POSITIVE_INFINITY);
  if (sha256Of(content) === sha256) return content;
  throw new UnavailableError(`${set}/${name} is not what its manifest says; run tieout verify`);
}

export function manifestOf(out: string, set: string): { manifest: Manifest; bytes: Buffer } {
  const bytes = orNull(() => realFileSystem.readFile(join(out, set, MANIFEST)));
  const read = bytes === null ? null : readManifest(bytes);
  if (bytes === null || read === null || 'problem' in read)
    throw new UnavailableError(`${join(out, set)} has no manifest that can be read; run tieout verify`);
  return { manifest: read.manifest, bytes: Buffer.from(bytes) };
}

/** `latest.json`, for audits `latest-audit.json`: never back to an older set. Sets of months have none. */
async function point(
  { job, business_date, revision }: Manifest,
  path: string,
  manifest_sha256: string,
  target: Target,
  put: (path: string, content: Uint8Array) => Promise<void>,
): Promise<void> {
  const name = job === 'nightly' ? 'latest.json' : `latest-${job}.json`;
  const pointer: Pointer = { path, business_date, revision, manifest_sha256 };
  const there = await target.read(name, LONGEST_POINTER);
  const read = there === null ? null : pointerIn(Buffer.from(there).toString('utf8'));
  // One that names no set of the target, as after a forged date, would keep every later set from being pointed to.
  const known = read !== null && (await isThere(read, target)) ? read : null;
  const isNewer =
    known?.business_date === business_date ? revision > known.revision : business_date > (known?.business_date ?? '');
  if (!isNewer) return;
  await put(name, Buffer.from(`${JSON.stringify(pointer)}\n`));
}

async function isThere({ path, manifest_sha256 }: Pointer, target: Target): Promise<boolean> {
  if (typeof path !== 'string' || parseSetPath(path) === null) return false;
  const manifest = await target.read(`${path}/${MANIFEST}`, LONGEST_MANIFEST);
  return manifest !== null && sha256Of(manifest) === manifest_sha256;
}

function pointerIn(text: string): Pointer | null {
  try {
    const value = JSON.parse(text) as Pointer;
    return typeof value.business_date === 'string' && typeof value.revision === 'number' ? value : null;
  } catch {
    return null;
  }
}
