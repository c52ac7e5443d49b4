/**
 * A ZIP archive as a stream: each entry is compressed while it is made, and its size follows it (a data descriptor), so
 * that nothing but the list of entries is kept. No times in it: equal entries give equal bytes.
 */

import { once } from 'node:events';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { EXIT, TieoutError } from '../../domain/errors.ts';

export interface ZipEntry {
  /** `xl/workbook.xml` */
  path: string;
  pieces: Iterable<string> | AsyncIterable<string>;
}

/** Thrown for what the plain format cannot hold: 4 GiB in one entry or in all. Exit code 4. */
class ArchiveTooLargeError extends TieoutError {
  override readonly name = 'ArchiveTooLargeError';
  override readonly exitCode = EXIT.unavailable;
  constructor(path: string) {
    super(
      `${path} would pass 4 GiB, more than a workbook can hold; take xlsx out of reports.formats and use the CSV files`,
    );
  }
}

const LIMIT = 0xffff_ffff;
const NO_TIME = 0;
/** 1980-01-01, the first day that the format knows. */
const FIRST_DAY = 0x21;
const VERSION = 20;
const DEFLATED = 8;
/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808;

interface Written {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** @throws ArchiveTooLargeError, and whatever an entry's pieces throw. */
export async function* zip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const done: Written[] = [];
  let offset = 0;
  for await (const { path, pieces } of entries) {
    const entry: Written = { name: Buffer.from(path), crc: 0, packed: 0, size: 0, offset };
    const header = localHeader(entry.name);
    yield header;
    for await (const piece of deflated(pieces, entry)) {
      entry.packed += piece.length;
      yield piece;
    }
    if (entry.size > LIMIT || offset + entry.packed > LIMIT) throw new ArchiveTooLargeError(path);
    const descriptor = descriptorOf(entry);
    yield descriptor;
    offset += header.length + entry.packed + descriptor.length;
    done.push(entry);
  }
  yield directory(done, offset);
}

/** Compresses in a thread of its own while the next piece is made; counts and sums up what went in. */
async function* deflated(pieces: ZipEntry['pieces'], entry: Written): AsyncGenerator<Uint8Array> {
  // Cells repeat themselves: more effort than this costs twice the time and saves a tenth of the bytes.
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED + 1, chunkSize: 64 * 1024 });
  const pump = async () => {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      if (!deflate.write(bytes)) await once(deflate, 'drain');
    }
    deflate.end();
  };
  const pumping = pump().catch((error: unknown) => {
    // Ends the reading below with the same error.
    deflate.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const piece of deflate) yield piece as Uint8Array;
  } finally {
    deflate.destroy();
    await pumping;
  }
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(DEFLATED, 8);
  header.writeUInt16LE(NO_TIME, 10);
  header.writeUInt16LE(FIRST_DAY, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptorOf({ crc, packed, size }: Written): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(packed, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

function directory(entries: readonly Written[], offset: number): Buffer {
  const headers = entries.map(({ name, crc, packed, size, offset: at }) => {
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(VERSION, 4);
    header.writeUInt16LE(VERSION, 6);
    header.writeUInt16LE(FLAGS, 8);
    header.writeUInt16LE(DEFLATED, 10);
    header.writeUInt16LE(NO_TIME, 12);
    header.writeUInt16LE(FIRST_DAY, 14);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(packed, 20);
    header.writeUInt32LE(size, 24);
    header.writeUInt16LE(name.length, 28);
    header.writeUInt32LE(at, 42);
    return Buffer.concat([header, name]);
  });
  const list = Buffer.concat(headers);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([list, end]);
}
