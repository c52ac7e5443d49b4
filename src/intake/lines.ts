/**
 * Physical lines of a stream of bytes, each ended by LF, CRLF or CR: bounded in memory, numbered, UTF-8 with or without
 * BOM. A line that is not text is reported as a problem, and reading continues.
 */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { foreignForm, whyUnreadable } from '../text/unreadable.ts';
import { UnreadableFileError } from './errors.ts';

export interface PhysicalLine {
  /** Counted from 1. */
  number: number;
  /** Without its line end. Where `problem` is set, only fit to be shown. */
  text: string;
  /** Why it is no text, or null. */
  problem: string | null;
}

const LF = 10;
const CR = 13;
const BOM = '\ufeff';
/** Of one line: a file of NULs may have a terabyte. */
const MOST_SKIPPED = 64 * 1024 * 1024;
/** Space, tab, LF, CR. */
const WHITE_SPACE: readonly number[] = [0x20, 0x09, LF, CR];

/**
 * Yields the lines in pages, one page a chunk read.
 * @param maxBytes of one line; what is longer is skipped to its end and comes as a problem
 * @throws UnreadableFileError where the first bytes are no text's
 */
export async function* physicalLines(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
): AsyncGenerator<readonly PhysicalLine[]> {
  const splitter = splitterOf(maxBytes);
  let first = true;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (first && bytes.length > 0) {
      first = false;
      refuseForeign(bytes, name);
    }
    const page = splitter.push(bytes);
    if (page.length > 0) yield page;
    if (splitter.isEndless())
      throw new UnreadableFileError(name, 'has a line of more than 64 MiB, and nothing behind it was read', {
        remedy: 'look at what should have written it',
      });
  }
  const rest = splitter.end();
  if (rest.length > 0) yield rest;
}

function refuseForeign(bytes: Buffer, name: string): void {
  const found = foreignForm(bytes);
  if (found !== undefined) throw new UnreadableFileError(name, found.why, { remedy: found.remedy });
}

function splitterOf(maxBytes: number) {
  let carry: Buffer = Buffer.alloc(0);
  /** True while the rest of a line that is too long is skipped. */
  let skipping = false;
  let skipped = 0;
  let number = 0;
  const tooLong = (): PhysicalLine => {
    number++;
    return { number, text: '', problem: `is longer than ${maxBytes / 1024} KiB` };
  };
  const lineOf = (text: string, problem: string | null): PhysicalLine => {
    // A text with fewer characters than the limit may have more bytes, at most four times as many.
    if (text.length > maxBytes) return tooLong();
    number++;
    const start = number === 1 && text.startsWith(BOM) ? 1 : 0;
    return { number, text: text.slice(start), problem };
  };
  /** @param region whole lines; the last one may lack its end. */
  const split = (region: Buffer, page: PhysicalLine[]): void => {
    // Checking a whole region at once is many times faster than line by line, and nearly always enough.
    if (isUtf8(region) && !region.includes(0)) {
      const lines = region.toString('utf8').split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      for (const text of lines) page.push(lineOf(text, null));
      return;
    }
    for (let start = 0; start < region.length; ) {
      const { end, next } = lineEnd(region, start);
      const bytes = region.subarray(start, end);
      const problem = bytes.includes(0) ? 'has a NUL character in it' : isUtf8(bytes) ? null : 'is not UTF-8';
      page.push(lineOf(bytes.toString('utf8'), problem));
      start = next;
    }
  };
  return {
    push: (bytes: Buffer): PhysicalLine[] => {
      let buffer = carry.length === 0 ? bytes : Buffer.concat([carry, bytes]);
      const page: PhysicalLine[] = [];
      if (skipping) {
        const next = lineEnd(buffer, 0).next;
        skipped += buffer.length;
        if (next > buffer.length) return page;
        skipping = false;
        skipped = 0;
        buffer = buffer.subarray(next);
      }
      // A CR at the very end may be the first half of a CRLF.
      const last = Math.max(buffer.lastIndexOf(LF), buffer.lastIndexOf(CR, buffer.length - 2));
      if (last >= 0) split(buffer.subarray(0, last + 1), page);
      const rest = buffer.subarray(last + 1);
      skipping = rest.length > maxBytes;
      if (skipping) page.push(tooLong());
      // A copy: the chunk's memory may be reused by the stream.
      carry = skipping ? Buffer.alloc(0) : Buffer.from(rest);
      return page;
    },
    isEndless: () => skipped > MOST_SKIPPED,
    end: (): PhysicalLine[] => {
      const page: PhysicalLine[] = [];
      if (carry.length > 0) split(carry, page);
      carry = Buffer.alloc(0);
      return page;
    },
  };
}

const CHUNK = 256 * 1024;

/** @throws UnreadableFileError while reading. */
export async function* openInput(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK });
  } catch (error) {
    throw new UnreadableFileError(path, whyUnreadable(error), { cause: error });
  }
}

/** Where the line from `start` ends, and where the next one begins: beyond the buffer where the line has no end in it. */
function lineEnd(buffer: Buffer, start: number): { end: number; next: number } {
  for (let at = start; at < buffer.length; at++) {
    if (buffer[at] === LF) return { end: at, next: at + 1 };
    if (buffer[at] === CR) return { end: at, next: buffer[at + 1] === LF ? at + 2 : at + 1 };
  }
  return { end: buffer.length, next: buffer.length + 1 };
}

/** The chunks as they are. @throws UnreadableFileError at the end of a file that has nothing but white space */
export async function* withContent(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let empty = true;
  for await (const chunk of chunks) {
    empty &&= chunk.every((byte) => WHITE_SPACE.includes(byte));
    yield chunk;
  }
  // A failed export leaves a file without any line, and so does a pipe whose first program failed.
  const remedy = 'look at what should have written it; a CSV export without records still has its header line';
  if (empty) throw new UnreadableFileError(name, 'is empty, so nothing was imported', { remedy });
}
