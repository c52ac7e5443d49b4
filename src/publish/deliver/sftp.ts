/** A folder on a server, by SFTP. The server is known by its host key, or nothing is sent. */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path/posix';
import { promisify } from 'node:util';
import { codeOf } from '../../domain/errors.ts';
import { packageOrRemedy } from '../../domain/optional-package.ts';
import { inTime } from '../../ports/in-time.ts';
import { withoutSlashes } from '../../text/url-path.ts';
import { isPartialOf, partialName, type Target } from './target.ts';

interface SftpClient {
  client: { setNoDelay(isOn: boolean): unknown };
  connect(options: object): Promise<unknown>;
  exists(path: string): Promise<false | string>;
  get(path: string, to: undefined, options: object): Promise<Uint8Array>;
  put(bytes: Uint8Array, path: string): Promise<unknown>;
  stat(path: string): Promise<{ size: number }>;
  mkdir(path: string, recursive: boolean): Promise<unknown>;
  posixRename(from: string, to: string): Promise<unknown>;
  /** Of ssh2, below the client. */
  sftp: {
    opendir(path: string, done: (error: Error | null, handle: Buffer) => void): void;
    /** One answer's names; an error at the end. */
    readdir(handle: Buffer, done: (error: Error | null, entries: readonly { filename: string }[]) => void): void;
    close(handle: Buffer, done: (error: Error | null) => void): void;
  };
  delete(path: string, missingIsFine?: boolean): Promise<unknown>;
  rename(from: string, to: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Has no types of its own. */
const SFTP = 'ssh2-sftp-client';
const READY_MS = 20_000;
/** A set's folder has some twenty files. */
const MOST_NAMES = 10_000;
/** Without the padding, as ssh prints it. */
const BASE64_OF_SHA256 = 43;
/** Statuses of the protocol: behind the last name, and of a request that the server does not know. */
const [END, UNKNOWN] = [1, 8];

/** A request after the end of the connection may get no answer, and no error. */
const isCut = (error: unknown) =>
  /^(?:ERR_GENERIC_CLIENT$|ERR_NOT_CONNECTED$|ECONN|EPIPE|ETIMEDOUT)/.test(codeOf(error) ?? '');
const cutConnection = () => Object.assign(new Error('the connection ended'), { code: 'ECONNRESET' });

export async function sftpTarget(
  { url, hostKey }: { url: string; hostKey: string },
  login: { password?: string; privateKey?: string },
): Promise<Target> {
  const { default: Client } = (await packageOrRemedy(
    () => import(SFTP),
    'delivery by SFTP',
    'ssh2-sftp-client@12',
  )) as { default: new (name: string, callbacks: object) => SftpClient };
  const { hostname, port, username, pathname } = new URL(url);
  const root = withoutSlashes(decodeURIComponent(pathname));
  // Without callbacks of ours, the package prints each end of a connection to standard output.
  const client = new Client('sftp', {});
  let seen = '';
  try {
    await client.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? 22 : Number.parseInt(port, 10),
      username: decodeURIComponent(username),
      ...login,
      readyTimeout: READY_MS,
      hostVerifier: (key: Uint8Array) => {
        seen = `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, BASE64_OF_SHA256)}`;
        return seen === hostKey;
      },
    });
    // Requests are small and wait for their answers: held back to be sent together, each took 90 ms.
    client.client.setNoDelay(true);
  } catch (error) {
    if (seen !== '' && seen !== hostKey)
      throw new Error(`${hostname} shows the host key ${seen}, and hostKey is ${hostKey}`, { cause: error });
    throw error;
  }
  /** What was in a folder before this delivery. */
  const foundIn = new Map<string, readonly string[]>();
  /** Folder by folder: another delivery may make one of them at the same moment. */
  const makeFolder = async (folder: string): Promise<void> => {
    const parent = dirname(folder);
    if (parent !== folder && (await client.exists(folder)) === false) await makeFolder(parent);
    await client.mkdir(folder, false).catch(async (error: unknown) => {
      if (isCut(error) || (await client.exists(folder)) !== 'd') throw error;
    });
  };
  const findIn = async (folder: string) => {
    await client.mkdir(folder, true).catch((error: unknown) => {
      if (isCut(error)) throw error;
      return makeFolder(folder);
    });
    // A server may take files and list none: what a killed delivery left in it stays.
    const names = await namesIn(client.sftp, folder).catch(() => []);
    foundIn.set(folder, names);
    return names;
  };
  const moveTo = async (target: string, temporary: string) => {
    // In one step where the server is OpenSSH. The plain rename of the protocol refuses where a file is: then it
    // goes first.
    try {
      await client.posixRename(temporary, target);
    } catch (error) {
      // The library refuses it without a code where the server did not offer it.
      const { code } = error as { code?: unknown };
      if (code !== undefined && code !== UNKNOWN) throw error;
      if ((await client.exists(target)) !== false) await client.delete(target);
      await client.rename(temporary, target);
    }
  };
  const isThere = async (path: string, bytes: Uint8Array) =>
    (await client.exists(path)) === '-' && Buffer.from(bytes).equals(await client.get(path, undefined, {}));
  return {
    read: async (path, most) =>
      (await client.exists(`${root}/${path}`)) === '-'
        ? client.get(`${root}/${path}`, undefined, { readStreamOptions: { end: most } })
        : null,
    write: async (path, bytes) => {
      const target = `${root}/${path}`;
      const folder = dirname(target);
      const name = basename(target);
      const left = (foundIn.get(folder) ?? (await findIn(folder))).filter((entry) => isPartialOf(name, entry));
      const temporary = `${folder}/${partialName(name)}`;
      await client.put(Buffer.from(bytes), temporary);
      try {
        // The package says nothing where the server refuses to write, as on a full disk.
        const { size } = await inTime(client.stat(temporary), READY_MS, cutConnection);
        if (size !== bytes.length) {
          // It would take the room that the next attempt needs.
          await client.delete(temporary, true);
          throw new Error(`the server took ${size} of the ${bytes.length} bytes of ${path}; is its disk full?`);
        }
        await moveTo(target, temporary);
      } catch (error) {
        // Another delivery of the same set has written this file, and cleared the attempt.
        if (isCut(error) || !(await isThere(target, bytes))) throw error;
      }
      for (const entry of left) await client.delete(`${folder}/${entry}`, true);
    },
    close: async () => void (await client.end()),
  };
}

/** A server that lists names without end would take the memory of the night. */
async function namesIn(sftp: SftpClient['sftp'], folder: string): Promise<readonly string[]> {
  const [open, read, close] = [sftp.opendir, sftp.readdir, sftp.close].map((call) =>
    promisify(call.bind(sftp) as never),
  ) as [
    (path: string) => Promise<Buffer>,
    (handle: Buffer) => Promise<readonly { filename: string }[]>,
    (handle: Buffer) => Promise<void>,
  ];
  const handle = await open(folder);
  const next = () =>
    read(handle).catch((error: { code?: unknown }) => {
      if (error.code === END) return [];
      throw error;
    });
  const names: string[] = [];
  for (let entries = await next(); entries.length > 0 && names.length < MOST_NAMES; entries = await next())
    for (const { filename } of entries) names.push(filename);
  await close(handle);
  return names;
}
