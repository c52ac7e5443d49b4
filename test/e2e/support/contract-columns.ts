/**
 * The columns that finance spreadsheets depend on, as the golden files have them: names and order do not change, additions
 * go to the end. `npm run generate` writes the golden files; a change of a header shows in their difference.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const STANDARD = fileURLToPath(new URL('../../golden/standard/', import.meta.url));

export const REPORT_NAMES = readdirSync(STANDARD)
  .filter((file) => file.endsWith('.csv'))
  .map((file) => file.replace('.csv', ''));

export function columnsOf(report: string): readonly string[] {
  return readFileSync(`${STANDARD}${report}.csv`, 'utf8').split('\n', 1).join('').split(',');
}

/** Keys of `manifest.json` that the outside reads; the verdicts are the six counts, `rule_set` has its hash. */
export const MANIFEST_KEYS = [
  'schema_version',
  'run_id',
  'job',
  'business_date',
  'revision',
  'supersedes',
  'status',
  'selection',
  'timezone',
  'started_at',
  'finished_at',
  'population',
  'verdicts',
  'requests_sent',
  'rule_set',
  'configuration_sha256',
  'code_version',
  'files',
  'previous_manifest_sha256',
] as const;
