/** An SSH server with SFTP over a folder, by ssh2: what its client library talks to is the real protocol. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

type Reply = (...given: unknown[]) => void;
interface Sftp {
  on(event: string, handler: (...given: never[]) => void): Sftp;
  status: Reply;
  handle: Reply;
  data: Reply;
  attrs: Reply;
  name: Reply;
}

interface Ssh2 {
  Server: new (
    options: object,
    onClient: (client: Client) => void,
  ) => { listen(port: number, host: string, done: () => void): void; address(): { port: number }; close(): void };
  utils: {
    sftp: { OPEN_MODE: Record<string, number>; STATUS_CODE: Record<string, number> };
    parseKey(key: string): { getPublicSSH(): Uint8Array };
  };
}
interface Client {
  on(event: string, handler: (...given: never[]) => void): Client;
  end(): void;
  setNoDelay(isOn: boolean): void;
}
interface Attempt {
  method: string;
  username: string;
  password?: string;
  accept(): void;
  reject(methods?: string[]): void;
}

export async function startSftpServer(
  root: string,
  /** Takes the login and answers nothing after it. */
  isSilent = false,
  /** Of each folder, once it is opened: the answers to what is in it. */
  listing: ((answer: number) => readonly string[]) | null = null,
  /** Bytes of one file after which its disk is full. */
  room = Number.POSITIVE_INFINITY,
  /** Told of each request; where it says so, the connection ends in place of the answer. */
  cut: (request: string) => boolean = () => false,
): Promise<{ port: number; hostKey: string; close(): Promise<void> }> {
  const { default: ssh2 } = (await import('ssh2' as string)) as { default: Ssh2 };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const { STATUS_CODE } = ssh2.utils.sftp;
  const clients: Client[] = [];
  const server = new ssh2.Server({ hostKeys: [pem] }, (client) => {
    clients.push(client);
    // As OpenSSH does.
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('authentication', (attempt: Attempt) => {
      if (attempt.method === 'password' && attempt.username === 'tieout' && attempt.password === 'secret')
        attempt.accept();
      else attempt.reject(['password']);
    });
    client.on('ready', () =>
      client.on('session', (accept: () => { on(event: 'sftp', handler: (accept: () => Sftp) => void): void }) =>
        accept().on('sftp', (take) => (isSilent ? hear(take()) : serve(cuttable(take(), client)))),
      ),
    );
  });
  const handles = new Map<number, number>();
  const hear = (sftp: Sftp) => {
    for (const request of ['STAT', 'LSTAT', 'REALPATH', 'OPEN', 'MKDIR']) sftp.on(request, () => undefined);
  };
  const cuttable = (sftp: Sftp, client: Client): Sftp => ({
    ...sftp,
    status: sftp.status.bind(sftp),
    handle: sftp.handle.bind(sftp),
    data: sftp.data.bind(sftp),
    attrs: sftp.attrs.bind(sftp),
    name: sftp.name.bind(sftp),
    on(event, handler) {
      sftp.on(event, (...given) => (cut(event) ? client.end() : handler(...given)));
      return this;
    },
  });
  const serve = (sftp: Sftp) => {
    const handleOf = (fd: number) => {
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(fd);
      handles.set(fd, fd);
      return handle;
    };
    const fdOf = (handle: Buffer) => handle.readUInt32BE(0);
    const answer = (id: number, work: () => void) => {
      try {
        work();
      } catch (error) {
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        sftp.status(id, isGone ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
      }
    };
    const ok = (id: number) => sftp.status(id, STATUS_CODE.OK);
    const done = (id: number, work: () => unknown) =>
      answer(id, () => {
        work();
        ok(id);
      });
    const attrs = ({ mode, uid, gid, size, atimeMs, mtimeMs }: ReturnType<typeof statSync> & object) => ({
      mode: Number(mode),
      uid: Number(uid),
      gid: Number(gid),
      size: Number(size),
      atime: Math.floor(Number(atimeMs) / 1000),
      mtime: Math.floor(Number(mtimeMs) / 1000),
    });
    const stat = (id: number, path: string) => answer(id, () => sftp.attrs(id, attrs(statSync(join(root, path)))));
    sftp.on('REALPATH', (id: number, path: string) =>
      sftp.name(id, [{ filename: path === '.' ? '/' : path, longname: path, attrs: {} }]),
    );
    sftp.on('STAT', stat).on('LSTAT', stat);
    sftp.on('FSTAT', (id: number, handle: Buffer) => answer(id, () => sftp.attrs(id, attrs(fstatSync(fdOf(handle))))));
    sftp.on('MKDIR', (id: number, path: string) => done(id, () => mkdirSync(join(root, path))));
    sftp.on('OPEN', (id: number, path: string, flags: number) =>
      answer(id, () => sftp.handle(id, handleOf(openSync(join(root, path), flags & 2 ? 'w' : 'r')))),
    );
    sftp.on('WRITE', (id: number, handle: Buffer, offset: number, data: Buffer) =>
      done(id, () => {
        if (offset + data.length > room) throw new Error('no space left');
        writeSync(fdOf(handle), data, 0, data.length, offset);
      }),
    );
    sftp.on('READ', (id: number, handle: Buffer, offset: number, length: number) =>
      answer(id, () => {
        const buffer = Buffer.alloc(length);
        const read = readSync(fdOf(handle), buffer, 0, length, offset);
        if (read === 0) sftp.status(id, STATUS_CODE.EOF);
        else sftp.data(id, buffer.subarray(0, read));
      }),
    );
    sftp.on('CLOSE', (id: number, handle: Buffer) =>
      done(id, () => (folders.delete(fdOf(handle)) ? undefined : closeSync(fdOf(handle)))),
    );
    // Each folder is listed in one answer.
    const folders = new Map<number, readonly string[]>();
    let listed = 0;
    sftp.on('OPENDIR', (id: number, path: string) =>
      answer(id, () => {
        const names = readdirSync(join(root, path));
        const key = 1_000_000 + id;
        folders.set(key, names);
        sftp.handle(id, handleOf(key));
      }),
    );
    sftp.on('READDIR', (id: number, handle: Buffer) => {
      const names = listing?.(listed++) ?? folders.get(fdOf(handle)) ?? [];
      folders.set(fdOf(handle), []);
      if (names.length === 0) sftp.status(id, STATUS_CODE.EOF);
      else
        sftp.name(
          id,
          names.map((filename) => ({ filename, longname: filename, attrs: {} })),
        );
    });
    sftp.on('FSETSTAT', (id: number) => ok(id)).on('SETSTAT', (id: number) => ok(id));
    // As the protocol has it: refuses where a file is.
    sftp.on('RENAME', (id: number, from: string, to: string) =>
      answer(id, () => {
        if (existsSync(join(root, to))) throw new Error('a file is there');
        renameSync(join(root, from), join(root, to));
        ok(id);
      }),
    );
    sftp.on('REMOVE', (id: number, path: string) => done(id, () => rmSync(join(root, path))));
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const publicKey = ssh2.utils.parseKey(pem).getPublicSSH();
  const hostKey = `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`;
  return {
    port: server.address().port,
    hostKey,
    close: async () => {
      for (const client of clients) client.end();
      server.close();
    },
  };
}
