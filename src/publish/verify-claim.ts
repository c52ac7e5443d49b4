/** Verifies the pack of a claim, as a ZIP or unpacked: its signature, and the hash of every file. Nothing but the pack is trusted. */
import { join } from 'node:path';
import { z } from 'zod';
import { counted } from '../text/counts.ts';
import { CsvReader } from './csv-reader.ts';
import { type FileSystem, orNull } from './file-system.ts';
import type { PublicKey } from './keys.ts';
import { MANIFEST, sha256Of } from './manifest.ts';
import { checkSignature, SIGNATURE } from './sign.ts';
import { filesIn, ZipDamagedError } from './unzip.ts';
import type { VerifiedSet } from './verify-files.ts';

const TABLE = 'claim.csv';
/** Every name that a pack can have: none leads out of it. */
const NAME = /^(?:(?:bodies|quotes)\/[0-9a-f]{32}\.json|letter\.txt|claim\.csv)$/;
const FOLDERS = ['bodies', 'quotes'];
/** Of a pack, and of a file in it: a body has 2 MiB at most, and a claim 5,000 breaks. */
const LARGEST = 512 * 2 ** 20;
const LARGEST_FILE = 64 * 2 ** 20;
const REMEDY = 'write the pack again: tieout claims pack';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.strictObject({
  schema_version: z.literal(1),
  claim_id: z.string(),
  opened_at: z.iso.datetime(),
  signing_key: sha256.nullable(),
  files: z.array(z.strictObject({ name: z.string().regex(NAME), bytes: z.int().min(0), sha256 })),
});

/** The files of a pack, from wherever it lies. */
interface Pack {
  names: readonly string[];
  /** Null for what is not there, and for a link. @throws ZipDamagedError; the file system's own errors */
  bytes(name: string): Buffer | null;
}

interface Options {
  keys: readonly PublicKey[];
  requireSigned: boolean;
  fileSystem: FileSystem;
}

/** Null where the path is no pack of a claim: neither a ZIP nor a folder with its manifest. */
export function verifyClaim(path: string, options: Options): VerifiedSet | null {
  const none = { path, runId: null, files: 0, rows: 0, signature: 'unsigned', keyId: null } as const;
  try {
    const pack = path.endsWith('.zip') ? zipped(path, options) : unpacked(path, options);
    return pack === null ? null : { ...none, ...verified(pack, options) };
  } catch (error) {
    if (!(error instanceof ZipDamagedError)) throw error;
    return { ...none, problems: [`${error.message}; ${REMEDY}`] };
  }
}

function zipped(path: string, { fileSystem }: Options): Pack | null {
  const zip = orNull(() => fileSystem.readFile(path, LARGEST));
  if (zip === null) return null;
  const files = filesIn(zip);
  const names = files.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new ZipDamagedError('has one name twice');
  if (files.some(({ size }) => size > LARGEST_FILE))
    throw new ZipDamagedError('has a file that is larger than any of ours');
  if (names.includes('SHA256SUMS'))
    throw new ZipDamagedError('is the evidence of one break: unpack it, and check it with sha256sum -c SHA256SUMS');
  return { names, bytes: (name) => files.find((each) => each.name === name)?.bytes() ?? null };
}

function unpacked(path: string, { fileSystem }: Options): Pack | null {
  const bytes = (name: string) => {
    const isLink = orNull(() => fileSystem.readLink(join(path, name))) !== null;
    return isLink ? null : orNull(() => fileSystem.readFile(join(path, name), LARGEST_FILE));
  };
  const manifest = bytes(MANIFEST);
  if (manifest === null || !isOfClaim(manifest)) return null;
  const inFolder = (folder: string) => orNull(() => fileSystem.list(join(path, folder)));
  const names = fileSystem.list(path).flatMap((name) => {
    const inside = FOLDERS.includes(name) ? inFolder(name) : null;
    return inside === null ? [name] : inside.map((each) => `${name}/${each}`);
  });
  return { names, bytes };
}

/** Cheaper than reading it: the manifest of a set has other words. */
const isOfClaim = (manifest: Buffer) => manifest.includes('"claim_id"') && !manifest.includes('"run_id"');

function verified({ names, bytes }: Pack, { keys, requireSigned }: Options) {
  const text = bytes(MANIFEST);
  const manifest = text === null ? null : manifestOf(text);
  if (text === null || manifest === null)
    return { problems: [`${MANIFEST}: ${text === null ? 'is missing' : 'is not that of a claim'}; ${REMEDY}`] };
  const signed = checkSignature({ manifest: text, namedKey: manifest.signing_key, file: bytes(SIGNATURE), keys });
  const isMissed = requireSigned && signed.state === 'unsigned';
  const problems = [...(signed.problem === null ? [] : [`${SIGNATURE}: ${signed.problem}; ${REMEDY}`])];
  if (isMissed) problems.push(`${SIGNATURE}: not signed: the pack was written without a signing key`);
  for (const file of manifest.files) {
    const found = bytes(file.name);
    if (found === null) problems.push(`${file.name}: is missing; ${REMEDY}`);
    else if (sha256Of(found) !== file.sha256)
      problems.push(
        `${file.name}: was changed: its SHA-256 is ${sha256Of(found)}, the manifest says ${file.sha256}; ${REMEDY}`,
      );
  }
  const known = new Set([MANIFEST, SIGNATURE, ...manifest.files.map(({ name }) => name)]);
  const unknown = names.filter((name) => !known.has(name)).sort();
  if (unknown.length > 0)
    problems.push(
      `${unknown[0]}: ${unknown.length === 1 ? 'is' : `and ${counted(unknown.length - 1, 'more file')} are`} not in the manifest`,
    );
  return {
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
