/** Reads the configured sources: files by path or glob, and SQL queries. One bad file or database stops only itself. */
import { glob } from 'node:fs/promises';
import type { TrackedInput } from '../ports/store/store.ts';
import type { ImportSummary, IntakeItem, IntakeSource } from './contract.ts';
import { SourceQueryError, SourceUnavailableError, UnreadableFileError } from './errors.ts';
import { importTracked, type TrackedImport } from './import.ts';
import { openInput } from './lines.ts';
import { readTrackedFile } from './read-tracked-file.ts';
import { readSqlSource } from './sql-source.ts';

/** One file of a source, or the answer of its query. */
interface SourcePart {
  /** `inbox/2026-11-20.csv`, or the source's own name. */
  name: string;
  items: AsyncIterable<IntakeItem<TrackedInput>>;
}

/** The parts in a steady order; nothing is opened before its items are read. */
async function* partsOf(source: IntakeSource): AsyncGenerator<SourcePart> {
  if (source.type === 'sql') {
    yield { name: source.name, items: readSqlSource(source) };
    return;
  }
  for (const path of await filesOf(source.path)) {
    yield {
      name: path,
      items: readTrackedFile(openInput(path), { name: path, format: source.format, kind: source.kind }),
    };
  }
}

/** A plain path is taken as it is, so that a missing file is an error; a glob may match nothing. */
async function filesOf(path: string): Promise<string[]> {
  if (!/[*?[\]{}]/.test(path)) return [path];
  const found: string[] = [];
  for await (const entry of glob(path, { withFileTypes: true })) {
    if (entry.isFile()) found.push(`${entry.parentPath}/${entry.name}`);
  }
  return found.sort();
}

interface SourceReport {
  source: string;
  parts: readonly PartReport[];
}

type PartReport =
  | { name: string; outcome: 'imported'; summary: ImportSummary }
  /** It could not be read as a whole; lines before the trouble are stored. */
  | { name: string; outcome: 'failed'; error: UnreadableFileError | SourceUnavailableError | SourceQueryError };

/** Imports everything that a source has. @throws only what the store throws, and when aborted. */
export async function importSource(source: IntakeSource, options: TrackedImport): Promise<SourceReport> {
  const parts: PartReport[] = [];
  for await (const { name, items } of partsOf(source)) {
    try {
      parts.push({ name, outcome: 'imported', summary: await importTracked(items, options) });
    } catch (error) {
      if (!isIntakeFailure(error)) throw error;
      parts.push({ name, outcome: 'failed', error });
    }
  }
  return { source: source.name, parts };
}

function isIntakeFailure(error: unknown): error is UnreadableFileError | SourceUnavailableError | SourceQueryError {
  return (
    error instanceof UnreadableFileError || error instanceof SourceUnavailableError || error instanceof SourceQueryError
  );
}
