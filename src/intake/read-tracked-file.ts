/** Reads ids and tokens from a file or a pipe: CSV with a header, or NDJSON. Streams; a bad line never stops the rest. */
import type { TrackedInput } from '../ports/store/store.ts';
import type { FileFormat, IntakeItem, RejectedLine, TrackedFileOptions } from './contract.ts';
import { cutObject, cutWords } from './cut.ts';
import { UnreadableFileError } from './errors.ts';
import { type PhysicalLine, physicalLines } from './lines.ts';
import { readTrackedCsv } from './tracked-csv.ts';
import { AMOUNT_COLUMNS, ignoredNote, MAX_NAMED, trackedFacts, unknownColumns } from './tracked-facts.ts';

/** No line of ids is nearly as long. */
const MAX_LINE = 64 * 1024;

/** @throws UnreadableFileError where the file as a whole is not what it should be. */
export async function* readTrackedFile(
  chunks: AsyncIterable<Uint8Array>,
  options: TrackedFileOptions,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  const pages = physicalLines(chunks, options.name, MAX_LINE);
  const start = await startOf(pages);
  if (start === null) {
    yield { type: 'note', text: 'the file is empty' };
    return;
  }
  const { lines, first } = start;
  const all = prepend(lines, pages);
  const format = options.format ?? formatByName(options.name) ?? formatByContent(first.trimStart(), options.name);
  yield* format === 'csv' ? readTrackedCsv(all, first, options) : readTrackedNdjson(all, options);
}

/** Up to the first page that has a line with something on it, and that line; null where every line is blank. */
async function startOf(pages: AsyncGenerator<readonly PhysicalLine[]>) {
  const lines: PhysicalLine[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return lines.some((line) => line.problem !== null) ? { lines, first: '' } : null;
    lines.push(...next.value);
    const first = next.value.find((line) => line.text.trim() !== '')?.text;
    if (first !== undefined) return { lines, first };
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

function formatByContent(start: string, name: string): FileFormat {
  if (start.startsWith('[')) {
    throw new UnreadableFileError(name, 'is a JSON array', {
      remedy: "write one object per line: `jq -c '.[]' FILE | tieout import -`",
    });
  }
  return start.startsWith('{') ? 'ndjson' : 'csv';
}

async function* readTrackedNdjson(
  pages: AsyncIterable<readonly PhysicalLine[]>,
  options: TrackedFileOptions,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  const unknown = new Set<string>();
  for await (const page of pages) {
    for (const line of page) {
      if (line.problem === null && line.text.trim() === '') continue;
      yield readLine(line, options, unknown);
    }
  }
  // At the end, because any line may have further keys.
  const ignored = ignoredNote([...unknown]);
  if (ignored !== null) yield { type: 'note', text: `keys ${ignored}` };
}

function readLine(line: PhysicalLine, options: TrackedFileOptions, unknown: Set<string>): IntakeItem<TrackedInput> {
  const reject = (reason: string, raw: string): RejectedLine => ({ type: 'rejected', line: line.number, reason, raw });
  if (line.problem !== null) return reject(line.problem, cutWords(line.text));
  const object = parseObject(line.text);
  if (object === undefined) return reject('is not a JSON object', cutWords(line.text));
  if (hasKeyTwice(line.text, object)) return reject('has a key twice', cutWords(line.text));
  for (const key of unknownColumns(Object.keys(object))) {
    // Bounded: free-form objects may have a new key on every line.
    if (unknown.size <= MAX_NAMED) unknown.add(key);
  }
  const facts = trackedFacts((column) => textOf(object[column]), options);
  return 'problems' in facts
    ? reject(facts.problems.join('; '), cutObject(object))
    : { type: 'good', line: line.number, value: facts };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text, digitsOfAmounts);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The parser's message quotes the line, which has a token in it: so it is not kept.
    return undefined;
  }
}

/**
 * The parser keeps the last of two values, and either token may be the right one. Lines with objects in them are not
 * checked: keys of an inner object may have the same names.
 */
function hasKeyTwice(text: string, object: Readonly<Record<string, unknown>>): boolean {
  if (Object.values(object).some((value) => typeof value === 'object' && value !== null)) return false;
  const keys = text.match(/(?<!\\)"\s{0,8}:/g) ?? [];
  return keys.length > Object.keys(object).length;
}

/** An amount may be written as a number: its digits are taken as they stand, never by way of binary floating point. */
function digitsOfAmounts(this: unknown, key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && AMOUNT_COLUMNS.includes(key) ? source : value;
}

/** Ids were numbers once (field facts, 2020): whole ones that JavaScript holds exactly are taken as their digits. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
