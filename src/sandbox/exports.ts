/** The application's exports as text: tracked records as CSV or NDJSON, quotes as NDJSON. Streamed in large pieces. */
import type { TrackedLine } from './contract.ts';

const PIECE = 65_536;

const COLUMNS = [
  'kind',
  'id',
  'view_token',
  'created_at',
  'host_reference',
  'quote_id',
  'expected_status',
] as const satisfies readonly (keyof TrackedLine)[];

/** No value of ours has a comma, a quote or a line break in it, so none needs quoting. */
export function* csv(lines: Iterable<TrackedLine>): Generator<string> {
  yield `${COLUMNS.join(',')}\n`;
  yield* inPieces(lines, (line) => `${COLUMNS.map((column) => line[column] ?? '').join(',')}\n`);
}

export function* ndjson(lines: Iterable<unknown>): Generator<string> {
  yield* inPieces(lines, (line) => `${JSON.stringify(line)}\n`);
}

/** A socket takes a thousand lines at once far faster than one by one. */
function* inPieces<T>(items: Iterable<T>, write: (item: T) => string): Generator<string> {
  let piece = '';
  for (const item of items) {
    piece += write(item);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
