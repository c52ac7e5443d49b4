/** Tracked records from NDJSON: one object a line, with the columns' names as keys. */
import type { TrackedInput } from '../ports/store/store.ts';
import type { IntakeItem, RejectedLine } from './contract.ts';
import { cutObject, cutWords } from './cut.ts';
import type { PhysicalLine } from './lines.ts';
import type { TrackedFileOptions } from './read-tracked-file.ts';
import { ignoredNote, MAX_NAMED, trackedFacts, unknownColumns } from './tracked-facts.ts';

export async function* readTrackedNdjson(
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
  // At the end, because any line may bring a key of its own.
  const ignored = ignoredNote([...unknown]);
  if (ignored !== null) yield { type: 'note', text: `keys ${ignored}` };
}

function readLine(line: PhysicalLine, options: TrackedFileOptions, unknown: Set<string>): IntakeItem<TrackedInput> {
  const reject = (reason: string, raw: string): RejectedLine => ({ type: 'rejected', line: line.number, reason, raw });
  if (line.problem !== null) return reject(line.problem, cutWords(line.text));
  const object = parseObject(line.text);
  if (object === undefined) return reject('is not a JSON object', cutWords(line.text));
  for (const key of unknownColumns(Object.keys(object))) {
    // Bounded: free-form objects may have a new key on every line.
    if (unknown.size <= MAX_NAMED) unknown.add(key);
  }
  const facts = trackedFacts((column) => textOf(object[column]), options.kind);
  return 'problems' in facts
    ? reject(facts.problems.join('; '), cutObject(object))
    : { type: 'good', line: line.number, value: facts };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The parser's message quotes the line, which has a token in it: so it is not kept.
    return undefined;
  }
}

/** Ids were numbers once (field facts, 2020): whole ones that JavaScript holds exactly are taken as their digits. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
