/** Reads a ZIP of ours again. Whoever made it may mean harm: nothing is unpacked to a disk, and nothing beyond what its directory says. */
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const FILE = 0x04034b50;
/** Of the end, which may be followed by a comment. */
const END_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;

/** Thrown for what no program of ours wrote. */
export class ZipDamagedError extends Error {}

/** One file in it, which is unpacked when it is asked for. */
export interface ZippedFile {
  name: string;
  /** As the directory says; more is never unpacked. */
  size: number;
  /** @throws ZipDamagedError */
  bytes(): Buffer;
}

/** In the order of its directory. @throws ZipDamagedError */
export function filesIn(zip: Buffer): readonly ZippedFile[] {
  try {
    return read(zip);
  } catch (error) {
    if (error instanceof ZipDamagedError) throw error;
    throw new ZipDamagedError('is no whole ZIP', { cause: error });
  }
}

function read(zip: Buffer): ZippedFile[] {
  const end = zip.length - END_BYTES;
  // A comment behind the end, a second disk or bytes in between are none of ours.
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new ZipDamagedError('is no ZIP, or was cut off');
  const count = zip.readUInt16LE(end + 10);
  const files: ZippedFile[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new ZipDamagedError('has a damaged directory');
    const [method, packed, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const [nameBytes, more, local] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt32LE(at + 42)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    files.push({ name, size, bytes: () => unpacked(zip, { name, method, packed, size, local }) });
    at += 46 + nameBytes + more + zip.readUInt16LE(at + 32);
  }
  if (at !== end) throw new ZipDamagedError('has a damaged directory');
  return files;
}

interface Entry {
  name: string;
  method: number;
  packed: number;
  size: number;
  local: number;
}

function unpacked(zip: Buffer, { name, method, packed, size, local }: Entry): Buffer {
  try {
    const nameBytes = zip.readUInt16LE(local + 26);
    const isSame = zip.toString('utf8', local + 30, local + 30 + nameBytes) === name;
    if (zip.readUInt32LE(local) !== FILE || !isSame) throw new ZipDamagedError('has two names');
    const from = local + 30 + nameBytes + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + packed);
    if (method === STORED) return bytes;
    if (method !== DEFLATED) throw new ZipDamagedError('is packed in an unknown way');
    return size === 0 ? Buffer.alloc(0) : inflateRawSync(bytes, { maxOutputLength: size });
  } catch (error) {
    if (error instanceof ZipDamagedError) throw error;
    throw new ZipDamagedError('cannot be unpacked', { cause: error });
  }
}
