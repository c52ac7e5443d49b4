/** `manifest.json`: proves the content of a report set, and names the hash of the manifest published before it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { isTimezone } from '../domain/calendar.ts';
import { PROFILES, type Totals, type WrittenFile } from '../ports/report-definition.ts';
import { type FileSystem, orNull, realFileSystem } from './file-system.ts';

export const MANIFEST = 'manifest.json';

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 of 64 hexadecimal digits');
const instant = z.iso.datetime({ precision: 3 });
const amount = z.string().regex(/^-?\d+(?:\.\d+)?$/, 'must be a plain decimal');

const columnTotals = z.record(z.string(), amount);

/** Not `z.record`, which leaves a key `__proto__` out: symbols of assets are names from outside. */
const totals = z.custom<Totals>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((columns) => columnTotals.safeParse(columns).success),
  'must be an object of totals by currency',
);

/** Keys in this order; later versions add at the end. Instants are ISO 8601 UTC. */
const manifestSchema = z.looseObject({
  schema_version: z.literal(1),
  run_id: z.string(),
  job: z.string(),
  business_date: z.iso.date(),
  revision: z.int().min(1),
  supersedes: z.string().nullable(),
  status: z.enum(['complete', 'incomplete']),
  selection: z.looseObject({ type: z.string() }),
  timezone: z.string().refine(isTimezone, 'must be a time zone that this machine knows'),
  started_at: instant,
  finished_at: instant,
  population: count,
  verdicts: z.object({
    matched: count,
    pending: count,
    break: count,
    unverified: count,
    quarantined: count,
    /** Sets published before this verdict existed counted such records as matched or pending. */
    waived: count.default(0),
  }),
  requests_sent: count,
  rule_set: z.looseObject({ rules: z.record(z.string(), z.string()), sha256 }),
  configuration_sha256: sha256,
  code_version: z.string(),
  files: z.array(
    z.looseObject({
      // A name, never a path: verification must not be led out of the set's folder.
      name: z.string().regex(/^[a-z0-9_][a-z0-9_.-]*$/, 'must be a plain file name'),
      bytes: count,
      /** Null for a document (a workbook, a page). */
      rows: count.nullable(),
      sha256,
      /** Currency → amount column → exact sum of what is printed. */
      totals,
      /** Amount column → the column with its currency. */
      currency_columns: z.record(z.string(), z.string()),
      /** Of a file with rounded amounts: exact sum − sum as printed, where they differ. */
      rounding: z.record(z.string(), z.record(z.string(), amount)).optional(),
    }),
  ),
  /** SHA-256 of the bytes of the manifest published before this one in the same out folder; null for the first. */
  previous_manifest_sha256: sha256.nullable(),
  profile: z.enum(PROFILES),
  decimals: z.enum(['exact', 'minor-units']),
  /** Id of the key that the set is signed with; absent where it is not. */
  signing_key: sha256.optional(),
  /** What each configured source gave the run: lines read = accepted + rejected; `failed` counts files and queries. */
  sources: z
    .array(z.looseObject({ name: z.string(), read: count, accepted: count, rejected: count, failed: count }))
    .optional(),
  /** Tracked records in the population and, by people's decisions, out of it. */
  tracked: count.optional(),
  retracted: count.optional(),
  retracted_by_kind: z.object({ purchase: count, sale: count }).optional(),
  /** In words; absent where the set is complete. */
  incomplete_because: z.array(z.string()).optional(),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** The run's part of the manifest. Further keys go to the end. */
export type ManifestFacts = Omit<
  { [Key in keyof Manifest as string extends Key ? never : Key]: Manifest[Key] },
  'files' | 'previous_manifest_sha256' | 'profile' | 'decimals' | 'schema_version'
> &
  Readonly<Record<string, unknown>>;

/** The publication's part of the manifest. */
interface PublishedFacts extends Pick<Manifest, 'previous_manifest_sha256' | 'profile' | 'decimals' | 'signing_key'> {
  files: readonly WrittenFile[];
}

/**
 * The manifest's text: two spaces, LF, a newline at the end, so that a person may read it and `sha256sum` may check it.
 * Keys come in the schema's order: the same facts give the same bytes.
 */
export function manifestText(facts: ManifestFacts, published: PublishedFacts): string {
  const all: Readonly<Record<string, unknown>> = {
    ...facts,
    ...published,
    schema_version: 1,
    files: published.files.map(({ name, bytes, rows, sha256, totals, currency_columns, rounding }) => {
      return { name, bytes, rows, sha256, totals, currency_columns, ...(rounding === undefined ? {} : { rounding }) };
    }),
  };
  const known = Object.keys(manifestSchema.shape);
  const further = Object.keys(all).filter((key) => !known.includes(key));
  const ordered = Object.fromEntries([...known, ...further].map((key) => [key, all[key]]));
  return `${JSON.stringify(manifestSchema.parse(ordered), null, 2)}\n`;
}

/** A manifest, or in words why the bytes hold none. */
type ReadManifest = { manifest: Manifest } | { problem: string };

/** Ours have some kilobytes; megabytes of brackets take as many seconds. */
const LARGEST = 4 * 2 ** 20;

export function readManifest(bytes: Uint8Array): ReadManifest {
  if (bytes.length > LARGEST) return { problem: `has ${bytes.length} bytes, which is none of ours` };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` };
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return { manifest: parsed.data };
  const issue = parsed.error.issues[0];
  return { problem: `${issue?.path.join('.') || 'the whole'}: ${issue?.message}` };
}

/** The manifest of a set; null where there is none, or none that can be read. */
export function manifestIn(folder: string, fileSystem: FileSystem = realFileSystem): Manifest | null {
  const bytes = orNull(() => fileSystem.readFile(join(folder, MANIFEST)));
  const read = bytes === null ? null : readManifest(bytes);
  return read !== null && 'manifest' in read ? read.manifest : null;
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
