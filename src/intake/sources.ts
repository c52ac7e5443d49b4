/** Reads the configured sources: files by path or glob, and SQL queries. One bad file or database stops only itself. */
import { existsSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import type { SourceFigures } from '../domain/run.ts';
import type { StatusModel } from '../domain/status.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import type { FileIntakeSource, ImportSummary, IntakeItem, IntakeSource } from './contract.ts';
import { SourceQueryError, SourceUnavailableError, UnreadableFileError } from './errors.ts';
import { importTracked, type TrackedImport } from './import.ts';
import { openInput, withContent } from './lines.ts';
import { readPluginSource } from './plugin-source.ts';
import { readTrackedFile } from './read-tracked-file.ts';
import { readSqlSource } from './sql-source.ts';

/** A night waits no longer for the next rows of a query or plugin: later dates wait behind it. */
const QUIET_MS = 600_000;

/** One file of a source, or the answer of its query. */
interface SourcePart {
  /** `inbox/2026-11-20.csv`, or the source's own name. */
  name: string;
  items: AsyncIterable<IntakeItem<TrackedInput>>;
}

/** The parts in a steady order; nothing is opened before its items are read. */
async function* partsOf(source: IntakeSource, statuses?: StatusModel, quietMs?: number): AsyncGenerator<SourcePart> {
  if (source.type === 'sql') {
    yield { name: source.name, items: readSqlSource(source, statuses, quietMs) };
    return;
  }
  if (source.type === 'plugin') {
    yield { name: source.name, items: readPluginSource(source, statuses, quietMs) };
    return;
  }
  for (const path of await filesOf(source)) {
    // NDJSON has no header: in a source that may be empty, a file without lines means that there are no new records.
    if (source.optional === true && statSync(path, { throwIfNoEntry: false })?.size === 0) continue;
    yield {
      name: path,
      items: readTrackedFile(withContent(openFile(path), path), {
        name: path,
        format: source.format,
        kind: source.kind,
        statuses,
      }),
    };
  }
}

/** A pipe that nothing writes to, or /dev/zero, would hold the night for ever. */
async function* openFile(path: string): AsyncGenerator<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFIFO() || found?.isCharacterDevice())
    throw new UnreadableFileError(path, 'is a pipe or a device', { remedy: 'read it with `tieout import`' });
  yield* openInput(path);
}

/** A plain path is taken as it is, so that a missing file is an error that names it, unless the source is optional. */
async function filesOf({ path, optional = false }: FileIntakeSource): Promise<string[]> {
  if (!/[*?[\]{}]/.test(path)) return optional && !existsSync(path) ? [] : [path];
  const found: string[] = [];
  for await (const entry of glob(path, { withFileTypes: true }))
    if (entry.isFile()) found.push(`${entry.parentPath}/${entry.name}`);
  return found.sort();
}

interface SourceReport {
  source: string;
  parts: readonly PartReport[];
  /** The same in figures, for the ledger and the manifest. */
  figures: SourceFigures;
}

interface PartReport {
  name: string;
  /** Of the lines that were read. */
  summary: ImportSummary;
  /** Why it could not be read to its end; the lines before are stored. Null where it was. */
  error: IntakeFailure | null;
}

type IntakeFailure = UnreadableFileError | SourceUnavailableError | SourceQueryError;

/** Imports everything that a source has. @throws only what the store throws, and when aborted. */
export async function importSource(
  source: IntakeSource,
  options: TrackedImport & { statuses?: StatusModel | undefined; maxDurationMs?: number | null },
): Promise<SourceReport> {
  const parts: PartReport[] = [];
  const quietMs = Math.min(options.maxDurationMs ?? QUIET_MS, QUIET_MS);
  const endsAt = options.now() + (options.maxDurationMs ?? Number.POSITIVE_INFINITY);
  async function* untilTheEnd<T>(items: AsyncIterable<T>, name: string): AsyncGenerator<T> {
    for await (const item of items) {
      if (options.now() > endsAt)
        throw new SourceUnavailableError(source.name, name, 'has not come to its end within the time of the run', {
          remedy: 'bound what it gives, or raise schedule.maxDuration',
        });
      yield item;
    }
  }
  for await (const { name, items } of partsOf(source, options.statuses, quietMs)) {
    const part: { error: IntakeFailure | null } = { error: null };
    const summary = await importTracked(untilTrouble(untilTheEnd(items, name), part), options);
    parts.push({ name, summary, ...part });
  }
  return { source: source.name, parts, figures: figuresOf(source, parts) };
}

/** Ends where the source fails, so that the lines before are stored: an error would lose those of its last batch. */
async function* untilTrouble<T>(items: AsyncIterable<T>, part: { error: IntakeFailure | null }): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (!isIntakeFailure(error)) throw error;
    part.error = error;
  }
}

/** Reads a source and stores nothing. `accepted` counts the lines that would be stored. */
export async function readSourceDry(source: IntakeSource, statuses: StatusModel): Promise<SourceFigures> {
  const add = async (lines: readonly TrackedInput[]) => lines.map(() => ({ outcome: 'unchanged' as const }));
  return (await importSource(source, { tracked: { add }, now: () => 0, statuses })).figures;
}

/** The first lines of a source, for a person to look at. @throws UnreadableFileError, SourceUnavailableError, SourceQueryError */
export async function firstOf(source: IntakeSource, atMost: number): Promise<IntakeItem<TrackedInput>[]> {
  const first: IntakeItem<TrackedInput>[] = [];
  for await (const { items } of partsOf(source)) {
    for await (const item of items) {
      first.push(item);
      if (first.filter(({ type }) => type !== 'note').length === atMost) return first;
    }
  }
  return first;
}

/** Rejected lines that the ledger keeps in words, of each source; all of them are counted. */
const MAX_LISTED = 5;

function figuresOf(source: IntakeSource, parts: readonly PartReport[]): SourceFigures {
  const figures = { name: source.name, read: 0, accepted: 0, rejected: 0, failed: 0 };
  const problems: string[] = [];
  const rejections: string[] = [];
  for (const part of parts) {
    if (part.error !== null) {
      figures.failed++;
      problems.push(part.error.problem);
    }
    const { added, updated, unchanged, conflictCount, rejectedCount, rejected } = part.summary;
    figures.accepted += added + updated + unchanged + conflictCount;
    figures.rejected += rejectedCount;
    for (const { line, reason } of rejected) rejections.push(`${part.name}:${line}: ${reason}`);
  }
  figures.read = figures.accepted + figures.rejected;
  if (source.type === 'file' && parts.length === 0 && !source.optional) {
    figures.failed = 1;
    problems.push(`no file matches ${source.path}; set \`optional: true\` where that may be`);
  }
  if (figures.rejected > 0) {
    const lines = `${figures.rejected} of ${figures.read} ${figures.read === 1 ? 'line was' : 'lines were'} rejected`;
    problems.push(lines, ...rejections.slice(0, MAX_LISTED));
  }
  return { ...figures, problems };
}

function isIntakeFailure(error: unknown): error is IntakeFailure {
  return (
    error instanceof UnreadableFileError || error instanceof SourceUnavailableError || error instanceof SourceQueryError
  );
}
