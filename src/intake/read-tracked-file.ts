/** Reads ids and tokens from a file or a pipe: CSV with a header, or NDJSON. Streams; a bad line never stops the rest. */
import type { Kind } from '../domain/record.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import type { FileFormat, IntakeItem } from './contract.ts';
import { UnreadableFileError } from './errors.ts';
import { type PhysicalLine, physicalLines } from './lines.ts';
import { readTrackedCsv } from './tracked-csv.ts';
import { readTrackedNdjson } from './tracked-ndjson.ts';

export interface TrackedFileOptions {
  /** For messages; its extension tells the format. `-` is standard input. */
  name: string;
  /** Null: by extension, else by the first character. */
  format: FileFormat | null;
  /** For lines that have no kind of their own. */
  kind: Kind | null;
}

/** No line of ids is anywhere near this long. */
const MAX_LINE = 64 * 1024;

/** @throws UnreadableFileError where the file as a whole is not what it should be. */
export async function* readTrackedFile(
  chunks: AsyncIterable<Uint8Array>,
  options: TrackedFileOptions,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  const pages = physicalLines(chunks, options.name, MAX_LINE);
  const first = await firstPage(pages);
  if (first === undefined) {
    yield { type: 'note', text: 'the file is empty' };
    return;
  }
  const all = prepend(first, pages);
  const format = options.format ?? formatByName(options.name) ?? formatByContent(first, options.name);
  yield* format === 'csv' ? readTrackedCsv(all, options) : readTrackedNdjson(all, options);
}

/** Up to the first page that has a line with something on it. */
async function firstPage(pages: AsyncGenerator<readonly PhysicalLine[]>): Promise<readonly PhysicalLine[] | undefined> {
  const seen: PhysicalLine[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return undefined;
    seen.push(...next.value);
    if (seen.some((line) => line.problem !== null || line.text.trim() !== '')) return seen;
  }
}

async function* prepend<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

function formatByName(name: string): FileFormat | null {
  if (/\.csv$/i.test(name)) return 'csv';
  return /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : null;
}

function formatByContent(page: readonly PhysicalLine[], name: string): FileFormat {
  const start = page.find((line) => line.text.trim() !== '')?.text.trimStart() ?? '';
  if (start.startsWith('[')) {
    throw new UnreadableFileError(
      name,
      "is a JSON array; one object per line is needed: `jq -c '.[]' FILE | tieout import -`",
    );
  }
  return start.startsWith('{') ? 'ndjson' : 'csv';
}
