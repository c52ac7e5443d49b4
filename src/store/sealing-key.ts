/** Where the sealing key of a database is: in the settings, or in a file beside a database that is a file itself. */
import { parseDatabaseUrl } from './database-url.ts';
import { keyFileBeside, readKeyFile, readOrMakeKeyFile } from './key-file.ts';
import { createSealer, type Sealer } from './sealing.ts';

/** `made` where this process has just made the file; `none` where there is no key. */
export interface KeyOrigin {
  source: 'environment' | 'file' | 'none';
  made: boolean;
}

/**
 * @param configured 32 bytes; null where nothing is configured.
 * @param options `make`: whether a missing key file is made; `older`: keys, in base64, that open what they sealed and
 * seal nothing any more.
 * @throws DatabaseUrlError, KeyFormatError, KeyFileError
 */
export function sealerFor(
  databaseUrl: string,
  configured: Uint8Array | null,
  options: { make: boolean; older?: readonly string[] },
): { sealer: Sealer | null; key: KeyOrigin } {
  const older = options.older ?? [];
  if (configured !== null) {
    const text = Buffer.from(configured).toString('base64');
    return { sealer: createSealer([text, ...older]), key: { source: 'environment', made: false } };
  }
  const address = parseDatabaseUrl(databaseUrl);
  // A file beside a server would be another one on each machine, and a lost one with each container.
  if (address.engine === 'postgres') return { sealer: null, key: { source: 'none', made: false } };
  const path = keyFileBeside(address.file);
  if (options.make) {
    const { key, made } = readOrMakeKeyFile(path);
    return { sealer: createSealer([key, ...older]), key: { source: 'file', made } };
  }
  const key = readKeyFile(path);
  return key === null
    ? { sealer: null, key: { source: 'none', made: false } }
    : { sealer: createSealer([key, ...older]), key: { source: 'file', made: false } };
}
