/**
 * A ZIP archive as a stream, by yazl: each entry is compressed while it is made, so that only the list of entries is kept.
 * All entries have the same fixed time: equal entries give equal bytes.
 */
import { type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { constants } from 'node:zlib';
import { ZipFile } from 'yazl';
import { UnavailableError } from '../../domain/errors.ts';

export interface ZipEntry {
  /** `xl/workbook.xml` */
  path: string;
  pieces: Iterable<string> | AsyncIterable<string>;
}

/** Thrown for what spreadsheet programs do not open: 4 GiB in one entry or in all. Exit code 4. */
class ArchiveTooLargeError extends UnavailableError {
  constructor(path: string) {
    super(`${path} would pass 4 GiB, more than a workbook can hold`, {
      remedy: 'take xlsx out of reports.formats and use the CSV files',
    });
  }
}

const LIMIT = 0xffff_ffff;
const OPTIONS = {
  // The format's first day. yazl writes local time, so local midnight gives the same bytes in every time zone.
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
  // Cells repeat themselves: a higher level costs twice the time and saves a tenth of the bytes.
  compressionLevel: constants.Z_BEST_SPEED + 1,
};

/** @throws ArchiveTooLargeError, and the errors of an entry's pieces. */
export async function* zip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const archive = new ZipFile();
  // Typed by yazl as less than it is: an error must reach its reader.
  const output = archive.outputStream as PassThrough;
  let source = Readable.from([]);
  let bytes = 0;
  const fill = async () => {
    for await (const { path, pieces } of entries) {
      source = Readable.from(bounded(path, pieces), { objectMode: false });
      archive.addReadStream(source, path, OPTIONS);
      await finished(source);
    }
    archive.end();
  };
  const filling = fill().catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const piece of output) {
      bytes += piece.length;
      if (bytes > LIMIT) throw new ArchiveTooLargeError('the workbook');
      yield piece;
    }
  } finally {
    // Of an archive that is given up, the entry at hand would wait for its reader forever.
    source.destroy();
    await filling;
  }
}

async function* bounded(path: string, pieces: ZipEntry['pieces']): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > LIMIT) throw new ArchiveTooLargeError(path);
    yield bytes;
  }
}
