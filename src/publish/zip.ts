/** A ZIP of files under names that were made here. */
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

export interface PackedFile {
  name: string;
  bytes: Buffer;
}

/** One time and one mode for all, so that equal files make an equal ZIP. */
export async function zipOf(files: readonly PackedFile[], at: number): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { name, bytes } of files) zip.addBuffer(bytes, name, { mtime: new Date(at), mode: 0o100600 });
  zip.end();
  return buffer(zip.outputStream);
}
