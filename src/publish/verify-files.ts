/** Verifies the files of one set against its manifest, and the rows against each other. */
import { join } from 'node:path';
import { Decimal, sumOf } from '../domain/decimal.ts';
import { codeOf } from '../domain/errors.ts';
import { VERDICTS } from '../domain/finding.ts';
import type { Totals } from '../ports/report-definition.ts';
import { type FileSystem, orNull } from './file-system.ts';
import type { PublicKey } from './keys.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest.ts';
import { profileOf } from './profiles.ts';
import { type ReadBack, type RowLook, readBack, readNumber } from './read-back.ts';
import { checkSignature, SIGNATURE, type SignatureState } from './sign.ts';

export interface VerifiedSet {
  /** The set's folder, or the list of sets where the problem is in the list. */
  path: string;
  runId: string | null;
  /** Of the unpacked pack of a claim: which one its manifest is for. */
  claimId?: string;
  files: number;
  rows: number;
  /** Where it is bad, the first problem says why. */
  signature: SignatureState;
  /** The key that the signature, or else the manifest, names. */
  keyId: string | null;
  /** Problems in words, each with the expected value and the remedy; empty for a good set. */
  problems: readonly string[];
}

type FileEntry = Manifest['files'][number];

const REMEDY = 'restore the set from a backup, or render the run again (tieout report) and compare';

/** The result for a path that is no set: the list, another folder. */
export function nothing(path: string): Omit<VerifiedSet, 'problems'> {
  return { path, runId: null, files: 0, rows: 0, signature: 'unsigned', keyId: null };
}

export async function verifyFiles(
  path: string,
  keys: readonly PublicKey[],
  fileSystem: FileSystem,
): Promise<VerifiedSet> {
  const bytes = orNull(() => fileSystem.readFile(join(path, MANIFEST)));
  if (bytes === null) return { ...nothing(path), problems: [`${MANIFEST} is missing; ${REMEDY}`] };
  const read = readManifest(bytes);
  if ('problem' in read) return { ...nothing(path), problems: [`${MANIFEST}: ${read.problem}; ${REMEDY}`] };
  const { manifest } = read;
  const checks = createRowChecks(manifest);
  const signature = orNull(() => fileSystem.readFile(join(path, SIGNATURE)));
  const signed = checkSignature({ manifest: bytes, namedKey: manifest.signing_key ?? null, file: signature, keys });
  // First: where the signature does not hold, the manifest proves nothing.
  const problems: string[] = signed.problem === null ? [] : [`${SIGNATURE}: ${signed.problem}; ${REMEDY}`];
  let rows = 0;
  let fileProblems = false;
  for (const file of manifest.files) {
    const found = await readOne(path, file, manifest, checks, fileSystem);
    rows += typeof found === 'string' ? 0 : (found.rows ?? 0);
    const problem = typeof found === 'string' ? found : (firstDifference(file, found) ?? checks.problemOf(file.name));
    if (problem === null) continue;
    fileProblems = true;
    problems.push(`${file.name}: ${problem}; ${REMEDY}`);
  }
  // Sums over damaged rows would only repeat the problem.
  if (!fileProblems) problems.push(...checks.problems());
  // What stands in its place and cannot be read is no signature.
  const own = signature === null ? [MANIFEST] : [MANIFEST, SIGNATURE];
  problems.push(
    ...own.flatMap((name) => (isLink(join(path, name), fileSystem) ? [`${name}: ${LINK}; ${REMEDY}`] : [])),
  );
  problems.push(...unlistedFiles(path, own, manifest, fileSystem));
  const { state, keyId } = signed;
  return { path, runId: manifest.run_id, files: manifest.files.length, rows, signature: state, keyId, problems };
}

/** What is read of a file beyond the bytes in its manifest, so that its rows tell the difference; and of any file. */
const BEYOND = 64 * 2 ** 20;
const LARGEST = 64 * 2 ** 30;

/** What a link leads to is not in the set, and may be another file tomorrow. */
const LINK = 'is a link to another file';
const isLink = (path: string, fileSystem: FileSystem) => orNull(() => fileSystem.readLink(path)) !== null;

/** The measured file, or in words why it cannot be read. */
async function readOne(
  path: string,
  file: FileEntry,
  manifest: Manifest,
  checks: RowChecks,
  fileSystem: FileSystem,
): Promise<ReadBack | string> {
  try {
    const profile = profileOf(manifest.profile);
    const found = await readBack(join(path, file.name), file, {
      profile,
      fileSystem,
      most: Math.min(file.bytes, LARGEST) + BEYOND,
      look: (header) => checks.look(file.name, header),
    });
    return isLink(join(path, file.name), fileSystem) ? LINK : found;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'is missing' : `cannot be read: ${(error as Error).message}`;
  }
}

/** The difference that explains most comes first: rows, then totals, then the hash. */
function firstDifference(file: FileEntry, found: ReadBack): string | null {
  if (found.unreadable !== null) return found.unreadable;
  if (found.rows !== file.rows) return `has ${found.rows} rows, the manifest says ${file.rows}`;
  return differentTotal(file, found) ?? differentBytes(file, found);
}

function differentTotal(file: FileEntry, found: ReadBack): string | null {
  const currencies = new Set([...Object.keys(file.totals), ...Object.keys(found.totals)]);
  for (const currency of currencies) {
    for (const column of Object.keys(file.currency_columns)) {
      const [expected, sum] = [ownTotal(file.totals, currency, column), ownTotal(found.totals, currency, column)];
      if (expected !== sum)
        return `${column} in ${currency || 'no currency'} adds up to ${sum ?? 'nothing'}, the manifest says ${expected ?? 'nothing'}`;
    }
  }
  return null;
}

/** Every object has a `constructor` that is not its own, and symbols of assets are names from outside. */
function ownTotal(totals: Totals, currency: string, column: string): string | undefined {
  return Object.hasOwn(totals, currency) ? totals[currency]?.[column] : undefined;
}

function differentBytes(file: FileEntry, found: ReadBack): string | null {
  if (found.bytes !== file.bytes) return `has ${found.bytes} bytes, the manifest says ${file.bytes}`;
  if (found.sha256 === file.sha256) return null;
  return `was changed: its SHA-256 is ${found.sha256}, the manifest says ${file.sha256} (rows and totals agree, so it is a text or the order of rows)`;
}

const MOST_NAMED = 100;

/** A file that no manifest knows is not part of the proof. */
function unlistedFiles(path: string, own: readonly string[], manifest: Manifest, fileSystem: FileSystem): string[] {
  const known = new Set([...own, ...manifest.files.map(({ name }) => name)]);
  const unknown = fileSystem.list(path).filter((name) => !known.has(name));
  const problems = unknown.sort().map((name) => `${name}: is not in the manifest; move it out of the set`);
  const more = problems.length - MOST_NAMED;
  return more > 0 ? [...problems.slice(0, MOST_NAMED), `and ${more} more that are not in the manifest`] : problems;
}

const VARIANCE = 'applied_fee_variance';
const PARTS = ['base_fee_variance', 'network_fee_variance', 'adjustment_variance'];

type RowChecks = ReturnType<typeof createRowChecks>;

function createRowChecks(manifest: Manifest) {
  const problems = new Map<string, string>();
  const verdicts = new Map<string, ReadonlyMap<string, number>>();
  return {
    /** The check of a file's rows. @throws Error where a column that it needs is missing. */
    look: (file: string, header: readonly string[]): RowLook => {
      const table = file.replace(/\.(?:csv|ndjson)$/, '');
      if (table === 'fees') {
        return footing(header, file.endsWith('.csv') ? profileOf(manifest.profile).decimalPoint : '.', (problem) => {
          if (!problems.has(file)) problems.set(file, problem);
        });
      }
      if (table !== 'records') return () => {};
      const counts = new Map<string, number>();
      verdicts.set(file, counts);
      const at = placeOf(header, 'verdict');
      return (cells) => {
        const verdict = cells[at] ?? '';
        counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      };
    },
    /** The first problem of a file, in words; null where there is none. */
    problemOf: (file: string) => problems.get(file) ?? null,
    /** The problems of the set as a whole, after all files were read. */
    problems: () => [
      ...populationProblem(manifest),
      ...[...verdicts].flatMap(([file, counts]) => {
        const names = [...new Set<string>([...VERDICTS, ...counts.keys()])];
        const expected: Readonly<Record<string, number>> = manifest.verdicts;
        const wrong = names.find((verdict) => (counts.get(verdict) ?? 0) !== (expected[verdict] ?? 0));
        if (wrong === undefined) return [];
        return [
          `${file}: the verdict ${wrong || '(empty)'} is there ${counts.get(wrong) ?? 0} times, the manifest says ${expected[wrong] ?? 0}; restore the set from a backup`,
        ];
      }),
    ],
  };
}

/** Exact sums; an unknown part counts as zero, and a row without the variance is not checked. */
function footing(header: readonly string[], point: '.' | ',', tell: (problem: string) => void): RowLook {
  const whole = placeOf(header, VARIANCE);
  const parts = PARTS.map((name) => placeOf(header, name));
  const record = placeOf(header, 'record_id');
  return (cells, row) => {
    const applied = readNumber(cells[whole] ?? '', point);
    if (applied === null) return;
    const sum = sumOf(parts.map((at) => readNumber(cells[at] ?? '', point) ?? Decimal.ZERO));
    if (sum.equals(applied)) return;
    tell(
      `row ${row} (record ${cells[record]}): ${VARIANCE} is ${applied}, but base, network and adjustment variance add up to ${sum}`,
    );
  };
}

function populationProblem({ verdicts, population }: Manifest): string[] {
  const counted = VERDICTS.reduce((sum, verdict) => sum + verdicts[verdict], 0);
  return counted === population
    ? []
    : [
        `${MANIFEST}: the verdicts add up to ${counted}, the population is ${population}; restore the set from a backup`,
      ];
}

function placeOf(header: readonly string[], name: string): number {
  const place = header.indexOf(name);
  if (place === -1) throw new Error(`the header has no column ${name}`);
  return place;
}
