/** `manifest.json`: proves what a report set contains, and hangs on the manifest published before it. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PROFILES } from './contract.ts';

export const MANIFEST = 'manifest.json';

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime({ precision: 3 });

/** Keys in this order; later versions add at the end. Instants are ISO 8601 UTC. */
export const manifestSchema = z.looseObject({
  schema_version: z.literal(1),
  run_id: z.string(),
  job: z.string(),
  business_date: z.iso.date(),
  revision: z.int().min(1),
  supersedes: z.string().nullable(),
  status: z.enum(['complete', 'incomplete']),
  selection: z.unknown(),
  timezone: z.string(),
  started_at: instant,
  finished_at: instant,
  population: count,
  verdicts: z.object({ matched: count, pending: count, break: count, unverified: count, quarantined: count }),
  requests_sent: count,
  rule_set: z.looseObject({ rules: z.record(z.string(), z.string()), sha256 }),
  configuration_sha256: sha256,
  code_version: z.string(),
  files: z.array(
    z.looseObject({
      name: z.string().regex(/^[a-z0-9_.-]+$/),
      bytes: count,
      rows: count,
      sha256,
      /** Currency → amount column → exact sum. */
      totals: z.record(z.string(), z.record(z.string(), z.string())),
    }),
  ),
  /** SHA-256 of the bytes of the manifest published before this one in the same out folder; null for the first. */
  previous_manifest_sha256: sha256.nullable(),
  profile: z.enum(PROFILES),
  decimals: z.enum(['exact', 'minor-units']),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Two spaces, LF, a newline at the end: a person may read it and `sha256sum` may check it. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
