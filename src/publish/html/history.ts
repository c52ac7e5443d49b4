/** The earlier runs of a job, as their manifests tell them: proven by the chain, and cheap to read. */
import { join } from 'node:path';
import { z } from 'zod';
import { Decimal } from '../../domain/decimal.ts';
import type { PastRun } from '../../ports/html-view.ts';
import type { Totals } from '../../ports/report-definition.ts';
import { type FileSystem, orNull } from '../file-system.ts';
import { MANIFEST, readManifest, type SetFacts } from '../manifest.ts';
import { parseSetPath, setPaths } from '../set-path.ts';

const openBreaks = z.looseObject({ open: z.int().min(0) });

/**
 * The last revision of each business date before `until`, of one job, oldest first. A manifest that cannot be read is left
 * out: to find it is what verification is for.
 *
 * @param out the folder with the published sets; null where there is none.
 */
export function pastRuns(
  out: string | null,
  { job, until, most }: { job: string; until: string; most: number },
  fileSystem: FileSystem,
): PastRun[] {
  if (out === null) return [];
  const newest = new Map<string, { path: string; revision: number }>();
  for (const path of setPaths(out, fileSystem)) {
    const name = parseSetPath(path);
    if (name === null || 'period' in name || name.job !== job || name.businessDate >= until) continue;
    const known = newest.get(name.businessDate);
    if (known === undefined || known.revision < name.revision) newest.set(name.businessDate, { path, ...name });
  }
  const dates = [...newest.keys()].sort().slice(-most);
  return dates.flatMap((date) => {
    const bytes = orNull(() => fileSystem.readFile(join(out, newest.get(date)?.path ?? '', MANIFEST)));
    const read = bytes === null ? null : readManifest(bytes);
    if (read === null || 'problem' in read) return [];
    const { manifest } = read;
    const fees = manifest.files.find(({ name }) => name === 'fees.csv');
    return [pastRun(manifest, fees?.totals ?? {}, manifest.breaks)];
  });
}

/** @param totals of `fees.csv`. @param breaks what the manifest says of the work list, if anything. */
export function pastRun(facts: SetFacts, totals: Totals, breaks: unknown): PastRun {
  const counted = openBreaks.safeParse(breaks);
  const fees = new Map<string, { quoted: Decimal; variance: Decimal }>();
  for (const [currency, { quoted_applied_fee: quoted, applied_fee_variance: variance }] of Object.entries(totals)) {
    if (quoted === undefined || variance === undefined) continue;
    fees.set(currency, { quoted: Decimal.parse(quoted), variance: Decimal.parse(variance) });
  }
  return {
    runId: facts.run_id,
    businessDate: facts.business_date,
    population: facts.population,
    verdicts: facts.verdicts,
    openBreaks: counted.success ? counted.data.open : null,
    fees,
  };
}
