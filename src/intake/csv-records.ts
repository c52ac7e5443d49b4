/**
 * CSV records out of physical lines, by RFC 4180, with recovery: after a bad line reading goes on at the next one.
 *
 * csv-parse reads the cells; lines.ts and this file bound and number the lines for it. csv-parse alone takes an
 * unbalanced quote for a cell that ends with the file, so that all later records would be lost; it also decodes bytes
 * that are not UTF-8 without an error.
 */
import { CsvError, parse } from 'csv-parse/sync';
import type { PhysicalLine } from './lines.ts';

type CsvRecord =
  | { line: number; cells: readonly string[] }
  /** `raw` is as it stands in the file: the caller cuts the token out. */
  | { line: number; problem: string; raw: string };

/**
 * A quoted cell may hold line breaks, but hardly this many; without the limit, a missing quote would take in the whole
 * file.
 */
const MAX_JOINED = 20;

const UNBALANCED = 'has a quote that is never closed';
const STRAY = 'has a quote inside a cell; a cell with quotes is quoted, and its quotes doubled';

/** Spreadsheets of countries with a decimal comma write semicolons; pasted cells have tabs. */
type Delimiter = ',' | ';' | '\t';

/** The most frequent one in the header line. */
export function delimiterOf(header: string): Delimiter {
  const count = (each: Delimiter) => header.split(each).length;
  return ([';', '\t'] as const).find((each) => count(each) > count(',')) ?? ',';
}

/** Decides whether cells that were joined from several lines are one record; `lines` are those lines. */
export type IsWhole = (cells: readonly string[], lines: readonly string[]) => boolean;

/** @param isWhole where it returns false, the first line is rejected and reading continues with the second */
export async function* csvRecords(
  pages: AsyncIterable<readonly PhysicalLine[]>,
  isWhole: IsWhole,
  delimiter: Delimiter,
): AsyncGenerator<CsvRecord> {
  const queue = queueOf(pages);
  for (;;) {
    const plain = queue.takeWhile(isPlain);
    if (plain.length > 0) {
      yield* parsePlain(plain, delimiter);
      continue;
    }
    const line = await queue.peek(0);
    if (line === undefined) return;
    if (isPlain(line)) continue;
    if (line.text.trim() === '' && line.problem === null) queue.drop(1);
    else if (line.problem !== null) {
      queue.drop(1);
      yield { line: line.number, problem: line.problem, raw: line.text };
    } else {
      const joined = await join(queue);
      const cells = joined === undefined ? undefined : parseOne(joined.join('\n'), delimiter);
      if (joined !== undefined && cells !== undefined && isWhole(cells, joined)) {
        queue.drop(joined.length);
        yield { line: line.number, cells };
      } else {
        queue.drop(1);
        yield { line: line.number, problem: UNBALANCED, raw: line.text };
      }
    }
  }
}

/** True for a line whose quotes are balanced: it cannot continue on the next line. */
function isPlain(line: PhysicalLine): boolean {
  return line.problem === null && line.text.trim() !== '' && quotesIn(line.text) % 2 === 0;
}

function quotesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** The lines from an open quote to where quotes are balanced again. */
async function join(queue: ReturnType<typeof queueOf>): Promise<readonly string[] | undefined> {
  const lines: string[] = [];
  let quotes = 0;
  for (let index = 0; index < MAX_JOINED; index++) {
    const line = await queue.peek(index);
    if (line === undefined || line.problem !== null) return undefined;
    lines.push(line.text);
    quotes += quotesIn(line.text);
    if (quotes % 2 === 0) return lines;
  }
  return undefined;
}

function* parsePlain(lines: readonly PhysicalLine[], delimiter: Delimiter): Generator<CsvRecord> {
  const together = parseMany(lines.map((line) => line.text).join('\n'), delimiter);
  // One call for many lines is ten times faster; only where something is wrong with one of them, each is asked alone.
  if (together?.length === lines.length) {
    for (const [index, line] of lines.entries()) yield { line: line.number, cells: together[index] ?? [] };
    return;
  }
  for (const line of lines) {
    const cells = parseOne(line.text, delimiter);
    yield cells === undefined ? { line: line.number, problem: STRAY, raw: line.text } : { line: line.number, cells };
  }
}

function parseMany(text: string, delimiter: Delimiter): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: '\n', skip_empty_lines: false });
  } catch (error) {
    // Its message quotes the cell, which may be a token: so it is not kept.
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function parseOne(text: string, delimiter: Delimiter): string[] | undefined {
  const records = parseMany(text, delimiter);
  return records?.length === 1 ? records[0] : undefined;
}

/** A queue of lines with lookahead; holds one page and the lines looked ahead to. */
function queueOf(source: AsyncIterable<readonly PhysicalLine[]>) {
  const pages = source[Symbol.asyncIterator]();
  let lines: readonly PhysicalLine[] = [];
  let at = 0;
  return {
    /** Takes only lines that are read already. */
    takeWhile: (test: (line: PhysicalLine) => boolean): readonly PhysicalLine[] => {
      const start = at;
      for (let line = lines[at]; line !== undefined && test(line); line = lines[at]) at++;
      return lines.slice(start, at);
    },
    peek: async (offset: number): Promise<PhysicalLine | undefined> => {
      while (at + offset >= lines.length) {
        const next = await pages.next();
        if (next.done === true) return undefined;
        lines = [...lines.slice(at), ...next.value];
        at = 0;
      }
      return lines[at + offset];
    },
    drop: (count: number) => {
      at += count;
    },
  };
}
