/** Verifies the unpacked pack of a claim: its signature, and the hash of every file. Nothing but the pack is trusted. */
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { counted } from '../text/counts.ts';
import { CsvReader } from './csv-reader.ts';
import { type FileSystem, orNull } from './file-system.ts';
import type { PublicKey } from './keys.ts';
import { MANIFEST, sha256Of } from './manifest.ts';
import { checkSignature, SIGNATURE } from './sign.ts';
import type { VerifiedSet } from './verify-files.ts';

const TABLE = 'claim.csv';
/** Every name that a pack can have: none leads out of it. */
const NAME = /^(?:(?:bodies|quotes)\/[0-9a-f]{32}\.json|letter\.txt|claim\.csv)$/;
const FOLDERS = ['bodies', 'quotes'];
/** A body has 2 MiB at most, and the table of a claim 5,000 breaks. */
const LARGEST_FILE = 64 * 2 ** 20;
const REMEDY = 'write the pack again: tieout claims pack';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.strictObject({
  schema_version: z.literal(1),
  claim_id: z.string(),
  opened_at: z.iso.datetime(),
  signing_key: sha256.nullable(),
  files: z
    .array(z.strictObject({ name: z.string().regex(NAME), bytes: z.int().min(0), sha256 }))
    // A file named a million times would be read a million times, and a pack without its table proves nothing.
    .refine((files) => new Set(files.map(({ name }) => name)).add(TABLE).size === files.length),
});

interface Options {
  keys: readonly PublicKey[];
  requireSigned: boolean;
  fileSystem: FileSystem;
}

/** Null where the folder is no unpacked claim. @throws the file system's own errors */
export function verifyClaim(path: string, options: Options): VerifiedSet | null {
  const { fileSystem } = options;
  const isLink = (name: string) => orNull(() => fileSystem.readLink(join(path, name))) !== null;
  /** Null for what is not there, and for a link or what is in a linked folder. */
  const bytes = (name: string) => {
    return isLink(name) || isLink(dirname(name))
      ? null
      : orNull(() => fileSystem.readFile(join(path, name), LARGEST_FILE));
  };
  const manifest = bytes(MANIFEST);
  if (manifest === null || !isOfClaim(manifest)) return null;
  const names = fileSystem.list(path).flatMap((name) => {
    const inside = FOLDERS.includes(name) ? orNull(() => fileSystem.list(join(path, name))) : null;
    return inside === null ? [name] : inside.map((each) => `${name}/${each}`);
  });
  return { path, runId: null, ...verified(manifest, names, bytes, options) };
}

/** Cheaper than reading it: the manifest of a set has other words. */
const isOfClaim = (manifest: Buffer) => manifest.includes('"claim_id"') && !manifest.includes('"run_id"');

function verified(
  text: Buffer,
  names: readonly string[],
  bytes: (name: string) => Buffer | null,
  { keys, requireSigned }: Options,
) {
  const manifest = manifestOf(text);
  if (manifest === null) {
    const problems = [`${MANIFEST}: is not that of a claim; ${REMEDY}`];
    return { files: 0, rows: 0, signature: 'unsigned' as const, keyId: null, problems };
  }
  const signature = bytes(SIGNATURE);
  const signed = checkSignature({ manifest: text, namedKey: manifest.signing_key, file: signature, keys });
  const isMissed = requireSigned && signed.state === 'unsigned';
  const problems = signed.problem === null ? [] : [`${SIGNATURE}: ${signed.problem}; ${REMEDY}`];
  if (isMissed) problems.push(`${SIGNATURE}: not signed: the pack was written without a signing key`);
  for (const file of manifest.files) {
    const found = bytes(file.name);
    if (found === null) problems.push(`${file.name}: is missing; ${REMEDY}`);
    else if (sha256Of(found) !== file.sha256)
      problems.push(
        `${file.name}: was changed: its SHA-256 is ${sha256Of(found)}, the manifest says ${file.sha256}; ${REMEDY}`,
      );
  }
  // A pipe or a link in the place of a signature is none, and no more part of the pack than any other.
  const own = signature === null ? [MANIFEST] : [MANIFEST, SIGNATURE];
  const known = new Set([...own, ...manifest.files.map(({ name }) => name)]);
  const unknown = names.filter((name) => !known.has(name)).sort();
  if (unknown.length > 0)
    problems.push(
      `${unknown[0]}: ${unknown.length === 1 ? 'is' : `and ${counted(unknown.length - 1, 'more file')} are`} not in the manifest`,
    );
  return {
    claimId: manifest.claim_id,
    files: manifest.files.length,
    // Of damaged rows, none is counted: the hash says that they are.
    rows: problems.length > 0 ? 0 : rowsOf(bytes(TABLE)),
    signature: isMissed ? ('bad' as const) : signed.state,
    keyId: signed.keyId,
    problems,
  };
}

function manifestOf(bytes: Buffer): z.infer<typeof manifestSchema> | null {
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(bytes.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Without the header. */
function rowsOf(table: Buffer | null): number {
  if (table === null) return 0;
  const reader = new CsvReader({ delimiter: ',', lineEnd: '\n' });
  return reader.push(table.toString('utf8')).length + reader.end().length - 1;
}
