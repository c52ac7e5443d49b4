/** Texts that people name: settings, lists of ids, statements, tokens. Why one cannot be read is said in words. */
import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the files in it',
  EACCES: 'may not be read by this user',
};

/** `ENOENT`, or the error's name; never its message, which may quote more than it should. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}

/** Why a file cannot be read, in words. @param error of a system call, or of `readText` */
export function whyUnreadable(error: unknown): string {
  if (error instanceof NotTextError) return error.message;
  const code = errorCode(error);
  return WHY[code] ?? `cannot be read (${code})`;
}

/** The file is there, and is no text that is read as a whole. */
class NotTextError extends Error {}

/** A file that is read as a whole takes some thirty times its size in memory: a statement of 100 MB took 1.2 GB. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_SECRET_BYTES = 64 * 1024;

/** A device has no size, and may have no end. */
function firstBytes(path: string, most: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let [left, read] = [most, 1]; left > 0 && read > 0; left -= read) {
      const piece = Buffer.allocUnsafe(Math.min(left, 64 * 1024));
      read = readSync(file, piece);
      pieces.push(piece.subarray(0, read));
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(file);
  }
}

/** How files begin that are no text, and what to do about them. */
const SIGNATURES: readonly { bytes: readonly number[]; why: string; remedy: string }[] = [
  { bytes: [0x1f, 0x8b], why: 'is compressed', remedy: 'unpack it first: `gunzip FILE`' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], why: 'is a spreadsheet or zip archive', remedy: 'save it as CSV (UTF-8) first' },
  { bytes: [0xff, 0xfe], why: 'is UTF-16', remedy: 'save it as UTF-8 first' },
  { bytes: [0xfe, 0xff], why: 'is UTF-16', remedy: 'save it as UTF-8 first' },
];

/** By the first bytes; undefined where these may begin a text. */
export function foreignForm(first: Buffer): { why: string; remedy: string } | undefined {
  return SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => first[index] === byte));
}

/**
 * Without a byte order mark.
 * @throws what the system throws, and an error for a file that is too large or not UTF-8: replacement characters would be
 *   stored permanently. `whyUnreadable` has the words.
 */
export function readText(path: string): string {
  return textIn(path, MOST_BYTES, 'has more than 32 MiB; split it, for example by month');
}

/** A key or a password, which may come through a pipe, without the line end of its file: blanks may be of it. @throws as `readText` does */
export function readSecret(path: string): string {
  return textIn(path, MOST_SECRET_BYTES, 'is no key: it has more than 64 KiB').replace(/\r?\n$/, '');
}

function textIn(path: string, most: number, why: string): string {
  // Before it is read: a pipe has no size, and a file of a gigabyte would take one of memory to be refused.
  const tooLarge = new NotTextError(why);
  if (statSync(path).size > most) throw tooLarge;
  const bytes = firstBytes(path, most + 1);
  if (bytes.length > most) throw tooLarge;
  const foreign = foreignForm(bytes);
  if (foreign !== undefined) throw new NotTextError(`${foreign.why}; ${foreign.remedy}`);
  if (!isUtf8(bytes)) throw new NotTextError('is not UTF-8; convert it: iconv -f ISO-8859-1 -t UTF-8');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
