/**
 * Verifies published sets as an auditor would: hashes, row counts, totals, footing, verdict counts and the chain. Trusts
 * nothing but the files, and names the first thing of each kind that does not hold.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { Decimal } from '../domain/decimal.ts';
import { CHAIN, ChainDamagedError, readChain, setFolders } from './chain.ts';
import type { ReportDefinition } from './contract.ts';
import { realFileSystem } from './file-system.ts';
import { MANIFEST, type Manifest, manifestSchema, sha256Of } from './manifest.ts';
import { profileOf } from './profiles.ts';
import { amountColumns } from './publication.ts';
import { type ParsedRow, readBack, readNumber } from './read-back.ts';

export interface VerifiedSet {
  /** The set's folder, as a path. */
  path: string;
  runId: string | null;
  files: number;
  rows: number;
  /** What does not hold, in words with what was expected; none is good. */
  problems: readonly string[];
}

/**
 * @param path one set, a date's folder, or a whole out folder.
 * @param definitions the reports, for which columns are amounts.
 */
export async function verifySets(
  path: string,
  definitions: readonly ReportDefinition<never>[],
): Promise<readonly VerifiedSet[]> {
  const out = outFolderOf(path);
  const sets = setsBelow(path, out);
  const verified: VerifiedSet[] = [];
  for (const set of sets) {
    const one = await verifyOne(set, definitions);
    verified.push({ ...one, problems: [...one.problems, ...chainProblemsOf(set, out)] });
  }
  if (resolve(path) === out) {
    const problems = wholeChainProblems(out);
    if (problems.length > 0) verified.push({ path: join(out, CHAIN), runId: null, files: 0, rows: 0, problems });
  }
  return verified;
}

/** The out folder that a path belongs to: itself, or its parents where dates and sets lie. */
function outFolderOf(path: string): string {
  const full = resolve(path);
  for (const candidate of [full, dirname(full), dirname(dirname(full))]) {
    if (realFileSystem.existsSync(join(candidate, CHAIN))) return candidate;
  }
  return full;
}

function setsBelow(path: string, out: string): string[] {
  const full = resolve(path);
  if (realFileSystem.existsSync(join(full, MANIFEST))) return [full];
  const below = setFolders(out, realFileSystem)
    .map((set) => join(out, set))
    .filter((set) => full === out || set.startsWith(`${full}/`));
  if (below.length > 0) return below;
  return [full];
}

async function verifyOne(path: string, definitions: readonly ReportDefinition<never>[]): Promise<VerifiedSet> {
  const nothing = { path, runId: null, files: 0, rows: 0 };
  let manifest: Manifest;
  try {
    const text = realFileSystem.readFileSync(join(path, MANIFEST), 'utf8');
    const parsed = manifestSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return { ...nothing, problems: [`${MANIFEST}: ${issue?.path.join('.')}: ${issue?.message}`] };
    }
    manifest = parsed.data;
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'is missing: this is no report set'
        : `cannot be read: ${(error as Error).message}`;
    return { ...nothing, problems: [`${MANIFEST} ${why}`] };
  }
  const problems: string[] = [];
  const verdicts = new Map<string, number>();
  let rows = 0;
  for (const file of manifest.files) {
    const definition = definitions.find((each) => each.file === file.name);
    const checks = rowChecks(file.name, manifest, verdicts);
    try {
      const amounts = definition === undefined ? new Map<string, string>() : amountColumns(definition);
      const found = await readBack(join(path, file.name), profileOf(manifest.profile), amounts, checks.row);
      rows += found.rows;
      const problem = firstDifference(file, found, definition) ?? checks.problem();
      if (problem !== null) problems.push(`${file.name}: ${problem}`);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      problems.push(
        `${file.name}: ${missing ? 'is missing' : `cannot be read as CSV of profile ${manifest.profile}: ${(error as Error).message}`}`,
      );
    }
  }
  problems.push(...populationProblems(manifest, verdicts), ...strangers(path, manifest));
  return { path, runId: manifest.run_id, files: manifest.files.length, rows, problems };
}

function firstDifference(
  file: Manifest['files'][number],
  found: Awaited<ReturnType<typeof readBack>>,
  definition: ReportDefinition<never> | undefined,
): string | null {
  const expectedHeader = definition?.columns.map(({ name }) => name);
  if (expectedHeader !== undefined && expectedHeader.join() !== found.header.join()) {
    return `the header is not that of the report: found ${found.header.join(', ')}`;
  }
  if (found.rows !== file.rows) return `has ${found.rows} rows, the manifest says ${file.rows}`;
  if (definition !== undefined) {
    const total = differentTotal(file.totals, found.totals);
    if (total !== null) return total;
  }
  if (found.sha256 !== file.sha256) return `has SHA-256 ${found.sha256}, the manifest says ${file.sha256}`;
  if (found.bytes !== file.bytes) return `has ${found.bytes} bytes, the manifest says ${file.bytes}`;
  return null;
}

type Sums = Readonly<Record<string, Readonly<Record<string, string>>>>;

function differentTotal(expected: Sums, found: Sums): string | null {
  for (const currency of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const wanted = expected[currency] ?? {};
    const got = found[currency] ?? {};
    for (const column of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
      if (wanted[column] !== got[column]) {
        return `${column} in ${currency || 'no currency'} adds up to ${got[column] ?? 'nothing'}, the manifest says ${wanted[column] ?? 'nothing'}`;
      }
    }
  }
  return null;
}

/** Checks across the columns of a row, by file. */
function rowChecks(name: string, manifest: Manifest, verdicts: Map<string, number>) {
  let problem: string | null = null;
  const row = (cells: ParsedRow, line: number): void => {
    if (name === 'records.csv') {
      const verdict = cells.verdict ?? '';
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    } else if (name === 'fees.csv' && problem === null && !foots(cells, manifest)) {
      problem = `line ${line}: applied_fee_variance ${cells.applied_fee_variance} is not the sum of base, network and adjustment variance (record ${cells.record_id})`;
    }
  };
  return { row, problem: () => problem };
}

function foots(cells: ParsedRow, manifest: Manifest): boolean {
  const number = (name: string) => readNumber(cells[name], profileOf(manifest.profile));
  const applied = number('applied_fee_variance');
  if (applied === null) return true;
  const parts = ['base_fee_variance', 'network_fee_variance', 'adjustment_variance'].map(number);
  return parts.reduce<Decimal>((sum, part) => sum.plus(part ?? Decimal.ZERO), Decimal.ZERO).equals(applied);
}

function populationProblems(manifest: Manifest, found: ReadonlyMap<string, number>): string[] {
  const problems: string[] = [];
  const counted = Object.values(manifest.verdicts).reduce((sum, count) => sum + count, 0);
  if (counted !== manifest.population) {
    problems.push(`${MANIFEST}: the verdicts add up to ${counted}, the population is ${manifest.population}`);
  }
  if (!manifest.files.some(({ name }) => name === 'records.csv')) return problems;
  for (const [verdict, count] of Object.entries(manifest.verdicts)) {
    const rows = found.get(verdict) ?? 0;
    if (rows !== count) problems.push(`records.csv: has ${rows} records ${verdict}, the manifest says ${count}`);
  }
  return problems;
}

/** A CSV that no manifest knows is not part of the proof. */
function strangers(path: string, manifest: Manifest): string[] {
  const known = new Set(manifest.files.map(({ name }) => name));
  return realFileSystem
    .readdirSync(path)
    .filter((name) => name.endsWith('.csv') && !known.has(name))
    .map((name) => `${name}: is not in the manifest`);
}

function chainProblemsOf(set: string, out: string): string[] {
  if (!realFileSystem.existsSync(join(out, CHAIN)) || !realFileSystem.existsSync(join(set, MANIFEST))) return [];
  const path = `${basename(dirname(set))}/${basename(set)}`;
  const links = withoutDamage(() => readChain(out, realFileSystem));
  if (typeof links === 'string') return [];
  const index = links.findIndex((link) => link.path === path);
  const link = links[index];
  if (link === undefined) return [`${CHAIN}: does not list this set`];
  const bytes = realFileSystem.readFileSync(join(set, MANIFEST));
  if (sha256Of(bytes) !== link.sha256)
    return [`${MANIFEST}: was changed after publication: the chain holds ${link.sha256}`];
  const before = links[index - 1]?.sha256 ?? null;
  if (link.previous !== before) return [`${CHAIN}: the link of this set does not follow the one before it`];
  return [];
}

/** Every listed set must be there, every link must follow the one before it, and every set must be listed. */
function wholeChainProblems(out: string): string[] {
  const links = withoutDamage(() => readChain(out, realFileSystem));
  if (typeof links === 'string') return [links];
  const problems: string[] = [];
  let previous: string | null = null;
  for (const link of links) {
    if (link.previous !== previous) problems.push(`the link of ${link.path} does not follow the one before it`);
    if (!realFileSystem.existsSync(join(out, link.path, MANIFEST)))
      problems.push(`${link.path} was published and is gone`);
    previous = link.sha256;
  }
  return problems;
}

function withoutDamage<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainDamagedError) return error.message;
    throw error;
  }
}
