/** Tracked records from CSV: the header names the columns, in any order. */
import type { TrackedInput } from '../ports/store/store.ts';
import type { IntakeItem, TrackedFileOptions } from './contract.ts';
import { csvRecords, delimiterOf, type IsWhole } from './csv-records.ts';
import { cutCells, cutWords } from './cut.ts';
import { UnreadableFileError } from './errors.ts';
import type { PhysicalLine } from './lines.ts';
import {
  columnName,
  ignoredNote,
  missingColumns,
  TRACKED_COLUMNS,
  trackedFacts,
  unknownColumns,
} from './tracked-facts.ts';

/** @param first the first line with something on it: the header. @throws UnreadableFileError where it cannot be read by */
export async function* readTrackedCsv(
  pages: AsyncIterable<readonly PhysicalLine[]>,
  first: string,
  options: TrackedFileOptions,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  let header: readonly string[] | undefined;
  const delimiter = delimiterOf(first);
  const isWhole: IsWhole = (cells, lines) =>
    header !== undefined &&
    isFreeTextOnly(cells, header) &&
    !lines.slice(1).some((line) => isRecordOfItsOwn(line.replaceAll('"', '').split(delimiter), header ?? [], options));

  for await (const record of csvRecords(pages, isWhole, delimiter)) {
    if (header === undefined) {
      header = headerOf(record, options);
      const ignored = ignoredNote(unknownColumns(header));
      if (ignored !== null) yield { type: 'note', text: `columns ${ignored}` };
    } else if ('problem' in record) {
      yield { type: 'rejected', line: record.line, reason: record.problem, raw: cutWords(record.raw) };
    } else if (record.cells.some((cell) => cell.trim() !== '')) {
      // Spreadsheets also leave whole rows of nothing but commas; those are blank lines.
      yield readRecord(record.line, record.cells, header, options);
    }
  }
}

const NDJSON = { why: 'looks like NDJSON', remedy: 'use --format ndjson' };

/** Only free text may span several lines. In any other column, a missing quote has joined them. */
function isFreeTextOnly(cells: readonly string[], header: readonly string[]): boolean {
  return (
    cells.length === header.length &&
    cells.every((cell, index) => !cell.includes('\n') || mayBreak(header[index] ?? ''))
  );
}

/**
 * Two missing quotes, lines apart, make one cell of everything between them, and its records would be lost without a
 * trace. A line that is a valid record alone is therefore read as a record.
 */
function isRecordOfItsOwn(cells: readonly string[], header: readonly string[], options: TrackedFileOptions): boolean {
  return cells.length === header.length && !('problems' in factsOf(cells, header, options));
}

function factsOf(cells: readonly string[], header: readonly string[], { kind, statuses }: TrackedFileOptions) {
  return trackedFacts(
    (column) => {
      const index = header.indexOf(column);
      return index < 0 ? null : (cells[index] ?? null);
    },
    { kind, statuses },
  );
}

function mayBreak(column: string): boolean {
  return column === 'host_reference' || !(TRACKED_COLUMNS as readonly string[]).includes(column);
}

function readRecord(
  line: number,
  cells: readonly string[],
  header: readonly string[],
  options: TrackedFileOptions,
): IntakeItem<TrackedInput> {
  const extra = cells.slice(header.length);
  // Spreadsheets leave empty cells at the end; a full one there means that the others have shifted.
  if (cells.length < header.length || extra.some((cell) => cell.trim() !== '')) {
    const reason = `has ${cells.length} cells where the header has ${header.length}`;
    return { type: 'rejected', line, reason, raw: cutWords(cells.join(',')) };
  }
  const facts = factsOf(cells, header, options);
  if (!('problems' in facts)) return { type: 'good', line, value: facts };
  return {
    type: 'rejected',
    line,
    reason: facts.problems.join('; '),
    raw: cutCells(header, cells.slice(0, header.length)),
  };
}

function headerOf(
  record: { cells: readonly string[] } | { problem: string; raw: string },
  { name, kind }: TrackedFileOptions,
): readonly string[] {
  if ('problem' in record) {
    const isJson = record.raw.trimStart().startsWith('{');
    throw new UnreadableFileError(name, `its header line ${isJson ? NDJSON.why : record.problem}`, {
      remedy: isJson ? NDJSON.remedy : undefined,
    });
  }
  const header = record.cells.map(columnName);
  const missing = missingColumns(header, kind);
  if (missing.length > 0)
    throw new UnreadableFileError(name, `its header lacks ${missing.join(', ')}`, { remedy: remedyFor(header) });
  const twice = header.find((column, index) => column !== '' && header.indexOf(column) !== index);
  if (twice !== undefined) {
    const which = (TRACKED_COLUMNS as readonly string[]).includes(twice) ? twice : 'a column';
    throw new UnreadableFileError(name, `its header has ${which} twice`);
  }
  return header;
}

/** The usual reasons for a header without the columns. It may be no header at all, so its cells are not repeated. */
function remedyFor(header: readonly string[]): string {
  if (header.join(',').startsWith('{')) return NDJSON.remedy;
  if (missingColumns(header, 'purchase').length === 0) return 'where all lines are of one kind, say it with --kind';
  return 'name the columns in the first line, such as kind,id,view_token';
}
