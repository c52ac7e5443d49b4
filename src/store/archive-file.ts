/**
 * The file of an archive.
 *
 * Line 1 names the tables with their columns; each further line is a table and one row, `["runs", [1, "nightly-…", …]]`, bytes as
 * `{ "base64": "…" }`; the last line has the number of rows and the SHA-256 of all lines before it.
 */
import { createHash } from 'node:crypto';
import { createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { UsageError } from '../domain/errors.ts';
import type { Cell } from './cells.ts';

export const FORMAT = 'tieout archive 2';
/** Its files lack the later runs that saw their breaks; `restoreArchive` puts a name in the place of each. */
const OLDER_FORMAT = 'tieout archive 1';

export const encode = (cell: Cell): unknown =>
  cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell;
const BYTES = z.object({ base64: z.string() });
export const ROW = z.tuple([z.string(), z.array(z.unknown())]);
export const HEAD = z.object({
  format: z.enum([FORMAT, OLDER_FORMAT]),
  /** The version of the schema that it was read with; files of the older format lack it. */
  schema: z.string().default('0026-contents-by-record'),
  runs: z.array(z.string()),
  columns: z.record(z.string(), z.array(z.string())),
});
const END = z.object({ rows: z.number(), sha256: z.string() });

/** @throws ArchiveDamagedError */
export function decode(cell: unknown): Cell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  return Buffer.from(accepted(BYTES, cell).base64, 'base64');
}

/** The first bytes of a gzip file. */
const GZIP = Buffer.from([0x1f, 0x8b]);
/** A body has 2 MiB, a list of assets a few more; both are deflated. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The text of a file, which is packed where its first bytes say so. */
async function* textOf(file: string): AsyncGenerator<string> {
  const descriptor = openSync(file, 'r');
  const first = Buffer.alloc(GZIP.length);
  readSync(descriptor, first, 0, first.length, 0);
  const bytes = createReadStream(file, { fd: descriptor, start: 0 });
  if (!first.equals(GZIP)) return yield* bytes.setEncoding('utf8');
  try {
    // `pipeline` hands an error of the first to whoever reads the second.
    yield* pipeline(bytes, createGunzip(), () => {}).setEncoding('utf8');
  } catch (cause) {
    throw new ArchiveDamagedError('it cannot be unpacked', cause);
  }
}

/** The lines of a file. They end with a line feed alone: `node:readline` also ends one at U+2028, which JSON leaves as it is. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const piece of textOf(file)) {
    // A line that goes on is only kept: looking at it again with each piece would take quadratic time.
    const [first = '', ...further] = piece.split('\n');
    begun.push(first);
    length += first.length;
    if (length > LONGEST_LINE) throw new ArchiveDamagedError('a line is too long');
    const last = further.pop();
    if (last === undefined) continue;
    yield begun.join('');
    yield* further;
    [begun, length] = [[last], last.length];
  }
  if (length > 0) yield begun.join('');
}

/** The file is no archive, is cut short, or was changed. Exit code 2. */
export class ArchiveDamagedError extends UsageError {
  constructor(what: string, cause?: unknown) {
    super(`this is not a complete archive: ${what}`, { remedy: 'take another copy of the file', cause });
  }
}

/** The ids of the runs in an archive. @throws ArchiveDamagedError unless every line is unchanged. */
export async function checkArchive(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const hash = createHash('sha256');
  let runs: readonly string[] | null = null;
  let held: string | null = null;
  let rows = -1;
  for await (const line of lines) {
    if (held !== null) {
      hash.update(`${held}\n`);
      runs ??= accepted(HEAD, parse(held)).runs;
      rows++;
    }
    held = line;
  }
  const end = runs === null ? null : END.safeParse(parse(held ?? '')).data;
  if (runs === null || end?.rows !== rows) throw new ArchiveDamagedError('its last line is missing');
  if (end.sha256 !== hash.digest('hex')) throw new ArchiveDamagedError('its lines were changed');
  return runs;
}

export function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ArchiveDamagedError(`a line is not JSON (${cause instanceof Error ? cause.message : 'unknown'})`);
  }
}

export function accepted<T>(form: z.ZodType<T>, value: unknown): T {
  const { data, success } = form.safeParse(value);
  if (!success) throw new ArchiveDamagedError(`a line is not one of "${FORMAT}"`);
  return data;
}
