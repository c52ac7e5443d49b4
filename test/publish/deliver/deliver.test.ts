/** Delivery of a set, killed at each step and repeated: no reader ever sees half of one. Real servers, no fakes of them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { packageOrRemedy } from '../../../src/domain/optional-package.ts';
import { deliverFiles } from '../../../src/publish/deliver/deliver.ts';
import { deliverMail } from '../../../src/publish/deliver/email.ts';
import { folderTarget } from '../../../src/publish/deliver/folder.ts';
import { s3Target } from '../../../src/publish/deliver/s3.ts';
import { sftpTarget } from '../../../src/publish/deliver/sftp.ts';
import { partialName, type Target, timely } from '../../../src/publish/deliver/target.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { publishSet } from '../support/a-set.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { startSftpServer } from './sftp-server.ts';

vi.setConfig({ testTimeout: 60_000 });
const tempFolder = tempFolders();

/** Bytes of any file of a set here. */
const MANY = 2 ** 20;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What a reader does that follows latest.json, and one that takes each folder with a manifest. */
async function readers(target: Target, sets: readonly string[]): Promise<string[]> {
  const seen: string[] = [];
  for (const set of sets) {
    const manifest = await target.read(`${set}/manifest.json`, MANY);
    if (manifest === null) continue;
    for (const { name, sha256: expected } of JSON.parse(Buffer.from(manifest).toString()).files) {
      const bytes = await target.read(`${set}/${name}`, MANY);
      expect(bytes === null ? 'nothing' : sha256(bytes), `${set}/${name}`).toBe(expected);
    }
    seen.push(set);
  }
  const latest = await target.read('latest.json', MANY);
  if (latest !== null) expect(seen).toContain(JSON.parse(Buffer.from(latest).toString()).path);
  return seen;
}

async function twoNights(): Promise<{ out: string; sets: string[] }> {
  const out = tempFolder();
  const sets = [await publishSet({ out }), await publishSet({ out, businessDate: '2026-11-21' })];
  return { out, sets };
}

/** Dies at its n-th operation, before or after it took effect. */
function dying(target: Target, at: number, isAfter: boolean): Target {
  let step = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    const dies = ++step === at;
    if (dies && !isAfter) throw new Error('killed');
    const result = await work();
    if (dies) throw new Error('killed');
    return result;
  };
  return {
    read: (path, most) => counted(() => target.read(path, most)),
    write: (path, bytes) => counted(() => target.write(path, bytes)),
    close: async () => {},
  };
}

describe('delivery', () => {
  it('killed at every step, 40 times, shows no half set, and goes on where it ended', async () => {
    const { out, sets } = await twoNights();
    const [first = '', second = ''] = sets;
    let kills = 0;
    for (let at = 1; kills < 40; at++) {
      for (const isAfter of [false, true]) {
        const root = tempFolder();
        const target = folderTarget(root);
        await deliverFiles(out, first, target);
        const step = ((at - 1) % 11) + 1;
        const killed = await deliverFiles(out, second, dying(target, step, isAfter)).catch(
          (error: Error) => error.message,
        );
        if (killed === 'killed') kills++;
        // The file that was being written when the process died.
        mkdirSync(join(root, second), { recursive: true });
        const next = ['records.csv', 'manifest.json'].find((name) => !existsSync(join(root, second, name)));
        if (next !== undefined) writeFileSync(join(root, second, partialName(next)), 'half');
        await readers(target, sets);
        await deliverFiles(out, second, target);
        expect(readdirSync(join(root, second)).filter((name) => name.endsWith('.partial'))).toEqual([]);
        expect(await readers(target, sets)).toEqual(sets);
        expect(JSON.parse(readFileSync(join(root, 'latest.json'), 'utf8')).path).toBe(second);
        expect(await deliverFiles(out, second, target)).toBe(0);
      }
    }
    expect(kills).toBeGreaterThanOrEqual(40);
  });

  it('twice at once to one folder leaves one whole set, and no attempt', async () => {
    const { out, sets } = await twoNights();
    const root = tempFolder();
    await Promise.all([1, 2, 3].map(() => deliverFiles(out, sets[0] ?? '', folderTarget(root))));
    expect(await readers(folderTarget(root), sets.slice(0, 1))).toEqual(sets.slice(0, 1));
    expect([root, join(root, sets[0] ?? '')].flatMap((folder) => readdirSync(folder)).join()).not.toContain('.partial');
  });

  it('never points back to an older night, and never changes a set that is there', async () => {
    const { out, sets } = await twoNights();
    const [first = '', second = ''] = sets;
    const root = tempFolder();
    const target = folderTarget(root);
    await deliverFiles(out, second, target);
    await deliverFiles(out, first, target);
    expect(JSON.parse(readFileSync(join(root, 'latest.json'), 'utf8')).path).toBe(second);
    const other = tempFolder();
    await publishSet({ out: other, profile: 'excel' });
    await expect(deliverFiles(other, first, target)).rejects.toThrow(/another set is there as 2026-11-20\/nightly-r1/);
  });

  it.each(['9999-12-31/nightly-r1', '../../etc', 7])(
    'does not believe a pointer to a set that is not there: %s',
    async (path) => {
      const { out, sets } = await twoNights();
      const root = tempFolder();
      const forged = { path, business_date: '9999-12-31', revision: 1, manifest_sha256: 'a'.repeat(64) };
      writeFileSync(join(root, 'latest.json'), JSON.stringify(forged));
      await deliverFiles(out, sets[0] ?? '', folderTarget(root));
      expect(JSON.parse(readFileSync(join(root, 'latest.json'), 'utf8')).path).toBe(sets[0]);
    },
  );

  it('refuses a set that is not what its manifest says', async () => {
    const { out, sets } = await twoNights();
    writeFileSync(join(out, sets[0] ?? '', 'fees.csv'), 'changed');
    await expect(deliverFiles(out, sets[0] ?? '', folderTarget(tempFolder()))).rejects.toThrow(/fees\.csv is not what/);
  });

  it('to a folder where others put devices, pipes and files without an end takes no more of them than is asked for', async () => {
    const { out, sets } = await twoNights();
    const [set = ''] = sets;
    const root = tempFolder();
    const target = folderTarget(root);
    await deliverFiles(out, set, target);
    for (const name of [`${set}/manifest.json`, 'latest.json']) {
      const path = join(root, name);
      const was = readFileSync(path);
      rmSync(path);
      symlinkSync('/dev/zero', path);
      await expect(deliverFiles(out, set, target), name).rejects.toThrow('is no file');
      rmSync(path);
      spawnSync('mkfifo', [path]);
      await expect(deliverFiles(out, set, target), name).rejects.toThrow('is no file');
      rmSync(path);
      writeFileSync(path, was);
    }
    writeFileSync(join(root, 'latest.json'), Buffer.alloc(MANY));
    expect((await target.read('latest.json', 1000))?.length).toBe(1001);
    // What is no pointer is replaced by one.
    expect(await deliverFiles(out, set, target)).toBe(1);
    writeFileSync(join(root, set, 'manifest.json'), `${readFileSync(join(root, set, 'manifest.json'), 'utf8')} `);
    await expect(deliverFiles(out, set, target)).rejects.toThrow('another set is there');
  });

  it('to a folder where others put a link in place of a folder writes nothing behind it', async () => {
    const { out, sets } = await twoNights();
    const [first = '', second = ''] = sets;
    const root = tempFolder();
    mkdirSync(join(root, dirname(second)), { recursive: true });
    symlinkSync(join(out, first), join(root, second));
    const was = readFileSync(join(out, first, 'fees.csv'), 'utf8');
    await expect(deliverFiles(out, second, folderTarget(root))).rejects.toThrow(
      /another set is there|is a link to another/,
    );
    rmSync(join(root, second));
    const elsewhere = tempFolder();
    symlinkSync(elsewhere, join(root, second));
    await expect(deliverFiles(out, second, folderTarget(root))).rejects.toThrow('is a link to another folder');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readFileSync(join(out, first, 'fees.csv'), 'utf8')).toBe(was);
    // The target itself may be one.
    const link = join(tempFolder(), 'link');
    symlinkSync(tempFolder(), link);
    expect(await deliverFiles(out, second, folderTarget(link))).toBeGreaterThan(3);
  });

  it('to a bucket whose answer has no end reads what a file of ours could be', async () => {
    const server = createHttpServer((_request, reply) => {
      const go = () => {
        while (!reply.destroyed && reply.write(Buffer.alloc(64 * 1024)));
      };
      reply.on('drain', go);
      go();
    });
    const port = await listenLocally(server);
    try {
      const url = `http://127.0.0.1:${port}/reports`;
      const target = await s3Target({ url, region: 'us-east-1', accessKeyId: 'A' }, 'B');
      expect((await target.read('latest.json', 1000))?.length).toBe(1001);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('to a bucket that answers otherwise: no redirect is followed, a body that nobody reads keeps no connection, the reason is named', async () => {
    const seen: string[] = [];
    const gone: Promise<unknown>[] = [];
    const server = createHttpServer((request, reply) => {
      seen.push(`${request.method} ${request.url} ${request.headers['x-amz-content-sha256']}`);
      request.resume();
      if (request.url?.endsWith('/moved')) return reply.writeHead(307, { location: '/b/elsewhere' }).end();
      if (request.url?.endsWith('/short')) return void reply.writeHead(200).write('{', () => reply.destroy());
      gone.push(new Promise((done) => reply.on('close', done)));
      return void reply.writeHead(request.method === 'PUT' ? 200 : 404).write('x');
    });
    const port = await listenLocally(server);
    try {
      const url = `http://127.0.0.1:${port}/b`;
      const target = await s3Target({ url, region: 'us-east-1', accessKeyId: 'A' }, 'B');
      const host = `127.0.0.1:${port}`;
      await expect(target.read('moved', 9)).rejects.toThrow(`${host} gives no answer for moved (unexpected redirect)`);
      await expect(target.read('short', 9)).rejects.toThrow(`${host} breaks off its answer for short`);
      expect(await target.read('missing', 9)).toBeNull();
      await target.write('a.csv', Buffer.from('a'));
      await Promise.all(gone);
      const sha256 = createHash('sha256').update('a').digest('hex');
      expect(seen.slice(2)).toEqual(['GET /b/missing UNSIGNED-PAYLOAD', `PUT /b/a.csv ${sha256}`]);
      expect(seen).not.toContainEqual(expect.stringContaining('elsewhere'));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('to a bucket: whole objects, and an unknown key refused', async () => {
    const { default: S3rver } = (await import('s3rver' as string)) as {
      default: new (options: object) => { run(): Promise<{ port: number }>; close(): Promise<void> };
    };
    const server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: tempFolder(),
      configureBuckets: [{ name: 'reports' }],
    });
    const { port } = await server.run();
    try {
      const { out, sets } = await twoNights();
      const url = `http://127.0.0.1:${port}/reports/tieout`;
      const settings = { url, region: 'us-east-1', accessKeyId: 'S3RVER' };
      const target = await s3Target(settings, 'S3RVER');
      for (const set of sets) expect(await deliverFiles(out, set, target)).toBeGreaterThan(3);
      expect(await readers(target, sets)).toEqual(sets);
      expect(await deliverFiles(out, sets[1] ?? '', target)).toBe(0);
      // The server knows the ids of keys; it does not compute signatures of version 4.
      const wrong = await s3Target({ ...settings, accessKeyId: 'NOBODY' }, 'S3RVER');
      await expect(wrong.write('x.csv', Buffer.from('x'))).rejects.toThrow(/answers 403 for/);
    } finally {
      await server.close();
    }
  });

  it('by SFTP: only to the server of the host key', async () => {
    const root = tempFolder();
    const server = await startSftpServer(root);
    const print = vi.spyOn(console, 'log');
    try {
      const { out, sets } = await twoNights();
      const url = `sftp://tieout@127.0.0.1:${server.port}/in`;
      const target = await sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
      const [first = ''] = sets;
      mkdirSync(join(root, 'in', first), { recursive: true });
      // A delivery was killed; the other file is not ours.
      for (const name of [partialName('records.csv'), '.mine.partial'])
        writeFileSync(join(root, 'in', first, name), '');
      for (const set of sets) await deliverFiles(out, set, target);
      expect(await readers(target, sets)).toEqual(sets);
      const left = readdirSync(join(root, 'in', first)).filter((name) => name.endsWith('.partial'));
      expect(left).toEqual(['.mine.partial']);
      expect(existsSync(join(root, 'in/latest.json'))).toBe(true);
      expect(await deliverFiles(out, sets[1] ?? '', target)).toBe(0);
      writeFileSync(join(root, 'in/latest.json'), Buffer.alloc(MANY));
      expect((await target.read('latest.json', 1000))?.length).toBe(1001);
      await target.close();
      const other = `SHA256:${'A'.repeat(43)}`;
      await expect(sftpTarget({ url, hostKey: other }, { password: 'secret' })).rejects.toThrow(
        `shows the host key ${server.hostKey}, and hostKey is ${other}`,
      );
      await expect(sftpTarget({ url, hostKey: server.hostKey }, { password: 'wrong' })).rejects.toThrow();
      // Standard output has the answer of the command, and nothing of the package's own.
      expect(print).not.toHaveBeenCalled();
    } finally {
      print.mockRestore();
      await server.close();
    }
  });

  // READDIR: the answer to it, and to the end of the list, would be waited for.
  it.each(['READDIR', 'FSETSTAT', 'WRITE', 'CLOSE', 'RENAME'])(
    'by SFTP, cut in place of the answer to %s, ends at once, and the next one leaves nothing of it',
    async (request) => {
      const root = tempFolder();
      let isWhole = false;
      const server = await startSftpServer(root, false, null, MANY, (each) => !isWhole && each === request);
      const { out, sets } = await twoNights();
      const url = `sftp://tieout@127.0.0.1:${server.port}/in`;
      const open = () => sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
      const [set = ''] = sets;
      const target = timely(await open(), 5000);
      await expect(deliverFiles(out, set, target)).rejects.toThrow(/Unexpected end|No SFTP connection/);
      await target.close();
      isWhole = true;
      const again = await open();
      await deliverFiles(out, set, again);
      expect(await readers(again, [set])).toEqual([set]);
      await again.close();
      expect(readdirSync(root, { recursive: true }).filter((name) => String(name).endsWith('.partial'))).toEqual([]);
      await server.close();
    },
  );

  it('to a full disk leaves nothing that takes the room of the next attempt', async () => {
    const root = tempFolder();
    const server = await startSftpServer(root, false, null, 100_000);
    const url = `sftp://tieout@127.0.0.1:${server.port}/in`;
    const target = await sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
    await expect(target.write('a/records.csv', Buffer.alloc(200_000))).rejects.toThrow(/took \d+ of the 200000 bytes/);
    expect(readdirSync(join(root, 'in/a'))).toEqual([]);
    await target.close();
    await server.close();
    // A disk that is full after the first piece.
    const full = (async function* () {
      yield Buffer.alloc(10);
      throw new Error('ENOSPC');
    })();
    await expect(folderTarget(root).write('b/records.csv', full as unknown as Buffer)).rejects.toThrow('ENOSPC');
    expect(readdirSync(join(root, 'b'))).toEqual([]);
  });

  it('by SFTP, four times at once, into folders that none of them finds', async () => {
    const root = tempFolder();
    const server = await startSftpServer(root);
    const { out, sets } = await twoNights();
    const url = `sftp://tieout@127.0.0.1:${server.port}/in/of/tieout`;
    const open = () => sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
    const targets = await Promise.all([open(), open(), open(), open()]);
    await Promise.all(targets.map((target, index) => deliverFiles(out, sets[index % 2] ?? '', target)));
    expect(await readers(folderTarget(join(root, 'in/of/tieout')), sets)).toEqual(sets);
    await Promise.all(targets.map((target) => target.close()));
    await server.close();
  });

  it('to a server that lists names without end takes the first ten thousand of them', async () => {
    let answers = 0;
    const server = await startSftpServer(tempFolder(), false, (n) => {
      answers++;
      return Array.from({ length: 500 }, (_, i) => `../../${n} ${i}`);
    });
    const url = `sftp://tieout@127.0.0.1:${server.port}/in`;
    const target = await sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
    await target.write('a/b.csv', Buffer.from('b'));
    expect(answers).toBe(21);
    expect((await target.read('a/b.csv', 9))?.toString()).toBe('b');
    await target.close();
    await server.close();
  });

  it('to a server that falls silent ends, and leaves no connection', async () => {
    const server = await startSftpServer(tempFolder(), true);
    const url = `sftp://tieout@127.0.0.1:${server.port}/in`;
    const sftp = await sftpTarget({ url, hostKey: server.hostKey }, { password: 'secret' });
    const target = timely(sftp, 100);
    await expect(target.read('latest.json', MANY)).rejects.toThrow('the target gave no answer for 0.1 s; check it');
    await expect(target.write('a', Buffer.from('b'))).rejects.toThrow('no answer');
    await sftp.close();
    await server.close();
  });

  it('by mail: counts, a link, and the files that are asked for', async () => {
    const mails: string[] = [];
    const server = createServer((socket) => {
      let text = '';
      let isData = false;
      socket.write('220 ready\r\n');
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (isData) {
          if (!text.endsWith('\r\n.\r\n')) return;
          mails.push(text);
          isData = false;
          text = '';
          socket.write('250 kept\r\n');
          return;
        }
        if (!text.endsWith('\r\n')) return;
        isData = text.startsWith('DATA');
        socket.write(isData ? '354 go on\r\n' : text.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
        text = '';
      });
    });
    const port = await listenLocally(server);
    const { out, sets } = await twoNights();
    const mail = {
      type: 'email' as const,
      name: 'mail',
      url: `smtp://127.0.0.1:${port}`,
      from: 'tieout@example.com',
      to: ['finance@example.com'],
      passwordFile: null,
      attach: ['fees.csv'],
      link: 'https://files.example/tieout',
    };
    try {
      await deliverMail(out, sets[0] ?? '', mail, null);
      expect(mails).toHaveLength(1);
      expect(mails[0]).toContain('Subject: Tieout: nightly of 2026-11-20, complete');
      expect(mails[0]).toContain('https://files.example/tieout/2026-11-20/nightly-r1/');
      expect(mails[0]).toContain('filename=2026-11-20-fees.csv');
      await expect(deliverMail(out, sets[0] ?? '', { ...mail, attach: ['none.csv'] }, null)).rejects.toThrow(
        /no none\.csv to attach/,
      );
      writeFileSync(join(out, sets[0] ?? '', 'fees.csv'), 'changed');
      await expect(deliverMail(out, sets[0] ?? '', mail, null)).rejects.toThrow(/fees\.csv is not what/);
      expect(mails).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  it('names the command that installs a missing package', async () => {
    const missing = 'not-there-at-all';
    await expect(packageOrRemedy(() => import(missing), 'delivery by SFTP', `${missing}@12`)).rejects.toThrow(
      /delivery by SFTP needs the package not-there-at-all, which is not installed.*: npm install not-there-at-all@12/,
    );
  });
});
