import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PublicationError } from '../../src/publish/errors.ts';
import { type FileSystem, realFileSystem } from '../../src/publish/file-system.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { aRecord, facts, openPublication, publishSet, RECORDS, THREE_RECORDS } from './support/a-set.ts';
import { watchedFileSystem } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

/** For the running process that has the lock, by those that were asked about: one look, a pause, and another look. */
const waitedTwice = (seen: readonly string[]) =>
  vi.waitUntil(() => seen.filter((who) => who === 'alive').length >= 2, { timeout: 20_000, interval: 5 });

/** Every file and folder below, in order; links with their targets. */
function tree(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below))
    .sort()
    .flatMap((name) => {
      const path = join(below, name);
      const stat = lstatSync(join(folder, path));
      if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(folder, path))}`];
      return stat.isDirectory() ? tree(folder, path) : [path];
    });
}

const SET = ['datapackage.json', 'fees.csv', 'manifest.json', 'records.csv'].map(
  (file) => `2026-11-20/nightly-r1/${file}`,
);

it('puts a set into its date’s folder, lists it and points latest at it', async () => {
  const out = tempFolder();
  expect(await publishSet({ out })).toBe('2026-11-20/nightly-r1');
  expect(tree(out)).toEqual([...SET, 'latest -> 2026-11-20/nightly-r1', 'manifests.ndjson']);
  expect(readFileSync(join(out, 'latest/records.csv'), 'utf8').split('\n')).toHaveLength(5);
});

it('makes an out folder that is not there, with those above it', async () => {
  const out = join(tempFolder(), 'a/b/out');
  await publishSet({ out });
  expect(tree(out)).toContain('2026-11-20/nightly-r1/manifest.json');
});

it('writes through no link below the out folder, which may be one itself', async () => {
  const folder = tempFolder();
  const elsewhere = tempFolder();
  symlinkSync(elsewhere, join(folder, '2026-11-20'));
  expect(() => openPublication({ out: folder })).toThrow('2026-11-20 is a link to another folder');
  expect(readdirSync(elsewhere)).toEqual([]);
  const out = join(tempFolder(), 'out');
  symlinkSync(elsewhere, out);
  await publishSet({ out });
  expect((await verifySets(out)).flatMap(({ problems }) => problems)).toEqual([]);
});

it('shows nothing before it is complete', async () => {
  const out = tempFolder();
  const publication = openPublication({ out });
  publication.open(RECORDS).write(THREE_RECORDS);
  expect(tree(out)).toEqual(['2026-11-20/.nightly-r1.test.partial/records.csv']);
  publication.discard();
  expect(tree(out)).toEqual([]);
});

it('publishes JSON beside CSV, and documents, each proven by the manifest', async () => {
  const out = tempFolder();
  const publication = openPublication({ out, formats: ['csv', 'json'] });
  publication.open(RECORDS).write([aRecord()]);
  await publication.attach('report.html', [Buffer.from('<!doctype html>'), Buffer.from('<p>hello')]);
  await publication.publish(facts());
  const manifest = JSON.parse(readFileSync(join(out, 'latest/manifest.json'), 'utf8'));
  expect(
    manifest.files.map((file: { name: string; rows: number | null; bytes: number }) => [file.name, file.rows]),
  ).toEqual([
    ['records.csv', 1],
    ['records.ndjson', 1],
    ['report.html', null],
    ['datapackage.json', null],
  ]);
  expect(readFileSync(join(out, 'latest/report.html'), 'utf8')).toBe('<!doctype html><p>hello');
});

describe('publishing again', () => {
  it('the very same set changes nothing', async () => {
    const out = tempFolder();
    await publishSet({ out });
    const before = readFileSync(join(out, 'latest/manifest.json'), 'utf8');
    expect(await publishSet({ out, suffix: 'later' })).toBe('2026-11-20/nightly-r1');
    expect(readFileSync(join(out, 'latest/manifest.json'), 'utf8')).toBe(before);
    expect(tree(out)).toEqual([...SET, 'latest -> 2026-11-20/nightly-r1', 'manifests.ndjson']);
  });

  it('the very same set after others changes nothing either', async () => {
    const out = tempFolder();
    await publishSet({ out });
    await publishSet({ out, businessDate: '2026-11-21' });
    const chain = readFileSync(join(out, 'manifests.ndjson'), 'utf8');
    await publishSet({ out });
    expect(readFileSync(join(out, 'manifests.ndjson'), 'utf8')).toBe(chain);
    expect(readlinkSync(join(out, 'latest'))).toBe('2026-11-21/nightly-r1');
  });

  it('another set under the same name is refused, and the first one stays', async () => {
    const out = tempFolder();
    await publishSet({ out });
    const before = readFileSync(join(out, 'latest/records.csv'), 'utf8');
    const other = publishSet({ out, records: [aRecord({ id: 'other' }), ...THREE_RECORDS.slice(1)] });
    await expect(other).rejects.toThrow(/was published before with other content.*new revision/);
    expect(readFileSync(join(out, 'latest/records.csv'), 'utf8')).toBe(before);
    expect(tree(out)).toEqual([...SET, 'latest -> 2026-11-20/nightly-r1', 'manifests.ndjson']);
  });

  it('a listed set that has gone missing is put back as it was', async () => {
    const out = tempFolder();
    await publishSet({ out });
    const before = readFileSync(join(out, 'latest/manifest.json'), 'utf8');
    await publishSet({ out, businessDate: '2026-11-21' });
    rmSync(join(out, '2026-11-20'), { recursive: true });
    await publishSet({ out });
    expect(readFileSync(join(out, '2026-11-20/nightly-r1/manifest.json'), 'utf8')).toBe(before);
  });
});

describe('latest', () => {
  const latest = (out: string) => readlinkSync(join(out, 'latest'));

  it('does not go back to an earlier business date: a night caught up is not news', async () => {
    const out = tempFolder();
    await publishSet({ out, businessDate: '2026-11-21' });
    await publishSet({ out, businessDate: '2026-11-20' });
    expect(latest(out)).toBe('2026-11-21/nightly-r1');
  });

  it('goes to the higher revision of a date, and stays there', async () => {
    const out = tempFolder();
    await publishSet({ out, revision: 9 });
    await publishSet({ out, revision: 10, records: [aRecord()] });
    await publishSet({ out, revision: 8 });
    expect(latest(out)).toBe('2026-11-20/nightly-r10');
  });

  it('goes to the job that was published last on a date', async () => {
    const out = tempFolder();
    await publishSet({ out, job: 'nightly', revision: 2 });
    await publishSet({ out, job: 'second-look', revision: 1 });
    expect(latest(out)).toBe('2026-11-20/second-look-r1');
    await publishSet({ out, job: 'nightly', revision: 2 });
    expect(latest(out)).toBe('2026-11-20/second-look-r1');
  });

  it('is a whole night; the audit that was published last has a link of its own', async () => {
    const out = tempFolder();
    await publishSet({ out });
    await publishSet({ out, job: 'audit', businessDate: '2026-11-21', facts: { selection: { type: 'ids' } } });
    await publishSet({ out, job: 'audit', businessDate: '2026-11-19', facts: { selection: { type: 'all' } } });
    await publishSet({ out, job: 'own', businessDate: '2026-11-21', facts: { selection: { type: 'ids' } } });
    expect(latest(out)).toBe('2026-11-20/nightly-r1');
    expect(readlinkSync(join(out, 'latest-audit'))).toBe('2026-11-19/audit-r1');
    expect((await verifySets(out)).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('is of a date that has come, and leaves one that has not', async () => {
    const out = tempFolder();
    // The set is finished on 2026-11-21.
    await publishSet({ out, businessDate: '2026-12-24' });
    expect(existsSync(join(out, 'latest'))).toBe(false);
    symlinkSync('2026-12-24/nightly-r1', join(out, 'latest'));
    await publishSet({ out });
    expect(latest(out)).toBe('2026-11-20/nightly-r1');
  });

  it('never goes to an incomplete set', async () => {
    const out = tempFolder();
    await publishSet({ out });
    await publishSet({ out, businessDate: '2026-11-21', facts: { status: 'incomplete' } });
    expect(latest(out)).toBe('2026-11-20/nightly-r1');
  });

  it('is put right where it points at nothing', async () => {
    const out = tempFolder();
    symlinkSync('2027-01-01/nightly-r1', join(out, 'latest'));
    await publishSet({ out });
    expect(latest(out)).toBe('2026-11-20/nightly-r1');
  });

  it('is put right where it was pointed at a copy of a set', async () => {
    const out = tempFolder();
    await publishSet({ out });
    cpSync(join(out, '2026-11-20/nightly-r1'), join(out, 'copies/of-a-set'), { recursive: true });
    rmSync(join(out, 'latest'));
    symlinkSync('copies/of-a-set', join(out, 'latest'));
    await publishSet({ out, revision: 2 });
    expect(latest(out)).toBe('2026-11-20/nightly-r2');
  });

  it('is relative, so the out folder can be moved', async () => {
    const out = tempFolder();
    await publishSet({ out });
    expect(latest(out).startsWith('/')).toBe(false);
  });
});

describe('leftovers of ended attempts', () => {
  const leave = (out: string, name: string) => {
    mkdirSync(join(out, '2026-11-20', name), { recursive: true });
    writeFileSync(join(out, '2026-11-20', name, 'records.csv'), 'half a ro');
  };

  it('at the same set is cleared away, even of a process with the same name', async () => {
    const out = tempFolder();
    leave(out, '.nightly-r1.test.partial');
    leave(out, '.nightly-r1.dead.partial');
    await publishSet({ out });
    expect(tree(out)).toEqual([...SET, 'latest -> 2026-11-20/nightly-r1', 'manifests.ndjson']);
  });

  it('at other sets is cleared away only where its process is certainly gone', async () => {
    const out = tempFolder();
    leave(out, '.nightly-r10.dead.partial');
    leave(out, '.audit-r1.host%20pid%207.partial');
    leave(out, '.audit-r2.alive.partial');
    leave(out, '.nightly-r1.alive.partial');
    leave(out, '.some-other-file');
    writeFileSync(join(out, '.manifests.ndjson.dead'), '{');
    writeFileSync(join(out, '.manifests.ndjson.alive'), '{');
    await publishSet({ out, isGone: (who) => who === 'dead' || who === 'host pid 7' });
    expect(tree(out)).toEqual([
      '.manifests.ndjson.alive',
      '2026-11-20/.audit-r2.alive.partial/records.csv',
      '2026-11-20/.nightly-r1.alive.partial/records.csv',
      '2026-11-20/.some-other-file/records.csv',
      ...SET,
      'latest -> 2026-11-20/nightly-r1',
      'manifests.ndjson',
    ]);
  });
});

describe('several processes', () => {
  it('follow one another in the chain, also when they end at the same time', async () => {
    const out = tempFolder();
    const jobs = ['audit', 'nightly', 'recheck', 'weekly'];
    await Promise.all(jobs.map((job) => publishSet({ out, job, suffix: job, isGone: () => false })));
    const links = readFileSync(join(out, 'manifests.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(links.map((link) => link.path).sort()).toEqual(jobs.map((job) => `2026-11-20/${job}-r1`));
    expect(links.map((link) => link.previous)).toEqual([null, ...links.slice(0, -1).map((link) => link.sha256)]);
    expect(tree(out).filter((path) => path.startsWith('.'))).toEqual([]);
  });

  it('break the lock of an ended process once: a lock taken meanwhile is put back, and waited for', async () => {
    const out = tempFolder();
    const path = join(out, '.publishing');
    symlinkSync('ended', path);
    let looks = 0;
    const seen: string[] = [];
    const isGone = (who: string) => {
      seen.push(who);
      // Another process breaks it first, between the look and the rename, and holds it from then on.
      if (who === 'ended' && looks++ === 0) {
        rmSync(path);
        symlinkSync('alive', path);
      }
      return who === 'ended';
    };
    const waiting = publishSet({ out, isGone });
    await waitedTwice(seen);
    expect(readlinkSync(path)).toBe('alive');
    expect(existsSync(join(out, '2026-11-20/nightly-r1'))).toBe(false);
    rmSync(path);
    expect(await waiting).toBe('2026-11-20/nightly-r1');
  });

  it('break the lock of an ended process, and wait for a running one', async () => {
    const out = tempFolder();
    symlinkSync('ended%20one', join(out, '.publishing'));
    await publishSet({ out, isGone: (who) => who === 'ended one' });
    expect(existsSync(join(out, '.publishing'))).toBe(false);

    symlinkSync('alive', join(out, '.publishing'));
    const seen: string[] = [];
    const isGone = (who: string) => {
      seen.push(who);
      return false;
    };
    const waiting = publishSet({ out, businessDate: '2026-11-21', isGone });
    await waitedTwice(seen);
    expect(existsSync(join(out, '2026-11-21/nightly-r1'))).toBe(false);
    rmSync(join(out, '.publishing'));
    expect(await waiting).toBe('2026-11-21/nightly-r1');
  });
});

describe('permissions', () => {
  const umask = process.umask();
  afterEach(() => {
    process.umask(umask);
  });

  it.each([0o000, 0o077, 0o277])('are 0700 for folders and 0600 for files under umask %o', async (mask) => {
    const parent = tempFolder();
    process.umask(mask);
    const out = join(parent, 'deep/out');
    await publishSet({ out });
    const modes = [
      'deep',
      'deep/out',
      ...readdirSync(out, { recursive: true }).map((name) => join('deep/out', String(name))),
    ]
      .filter((path) => !lstatSync(join(parent, path)).isSymbolicLink())
      .map((path) => {
        const stat = statSync(join(parent, path));
        return [stat.isDirectory() ? 'folder' : 'file', (stat.mode & 0o777).toString(8)].join(' ');
      });
    expect(new Set(modes)).toEqual(new Set(['folder 700', 'file 600']));
  });
});

it('makes everything durable before it is renamed into place, and the rename itself after', async () => {
  const { fileSystem, calls } = watchedFileSystem(() => {});
  const out = tempFolder();
  await publishSet({ out, fileSystem });
  const rename = calls.findIndex((call) => call.startsWith('rename') && call.includes('.partial'));
  const before = calls.slice(0, rename);
  // Two reports and the manifest, then the folder that names them; each report is read back after its own fsync.
  const written = before.filter((call) => call.startsWith('write '));
  const synced = before
    .slice(before.findIndex((call) => call.startsWith('write ')))
    .filter((call) => call.startsWith('sync '));
  expect(new Set(written).size).toBeGreaterThan(0);
  expect(synced).toHaveLength(5);
  expect(before.slice(-3).map((call) => call.split(' ')[0])).toEqual(['open', 'sync', 'close']);
  expect(calls.slice(rename + 1, rename + 4)).toEqual([
    `open ${out}/2026-11-20`,
    expect.stringMatching(/^sync /),
    expect.stringMatching(/^close /),
  ]);
});

describe('every file that is opened', () => {
  /** The system calls that leave a file open. */
  const openAfter = async (work: (fileSystem: FileSystem) => Promise<unknown>) => {
    const open = new Map<number, string>();
    const fileSystem: FileSystem = {
      ...realFileSystem,
      open: (path, flags, mode) => {
        const file = realFileSystem.open(path, flags, mode);
        open.set(file, path);
        return file;
      },
      close: (file) => {
        open.delete(file);
        realFileSystem.close(file);
      },
    };
    await work(fileSystem);
    return [...open.values()];
  };

  it('is closed by a publication, by one that fails, and by a verification', async () => {
    const out = tempFolder();
    expect(await openAfter((fileSystem) => publishSet({ out, fileSystem, formats: ['csv', 'json'] }))).toEqual([]);
    expect(await openAfter((fileSystem) => verifySets(out, { fileSystem }))).toEqual([]);
    for (const call of ['write', 'sync', 'setMode'] as const) {
      const failing = async (fileSystem: FileSystem) => {
        const full = () => {
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        };
        await expect(publishSet({ out: tempFolder(), fileSystem: { ...fileSystem, [call]: full } })).rejects.toThrow();
      };
      expect(await openAfter(failing), call).toEqual([]);
    }
    const other = (fileSystem: FileSystem) => publishSet({ out, fileSystem, records: [aRecord({ id: 'other' })] });
    expect(await openAfter((fileSystem) => expect(other(fileSystem)).rejects.toThrow('was published before'))).toEqual(
      [],
    );
  });
});

describe('a report that cannot be written', () => {
  const failing = (call: 'open' | 'write' | 'sync' | 'read', name: string): FileSystem => {
    const of = new Map<number, string>();
    const refuse = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    return {
      ...realFileSystem,
      open: (path, flags, mode) => {
        if (call === 'open' && path.endsWith(name)) refuse();
        const file = realFileSystem.open(path, flags, mode);
        of.set(file, path);
        return file;
      },
      write: (file, bytes, from) => {
        if (call === 'write' && of.get(file)?.endsWith(name)) refuse();
        return realFileSystem.write(file, bytes, from);
      },
      sync: (file) => {
        if (call === 'sync' && of.get(file)?.endsWith(name)) refuse();
        realFileSystem.sync(file);
      },
      read: (file, into) => {
        if (call === 'read' && of.get(file)?.endsWith(name)) refuse();
        return realFileSystem.read(file, into);
      },
    };
  };

  it.each([
    ['open', 'fees.csv', 'fees.csv cannot be created'],
    ['sync', 'fees.csv', 'A report cannot be finished'],
    ['write', 'fees.csv', 'A report cannot be finished'],
    ['read', 'fees.csv', 'fees.csv cannot be read back'],
    ['open', 'manifest.json', 'The report set cannot be put in its place'],
    ['open', '.manifests.ndjson.test', 'The list of published sets cannot be brought up to date'],
  ] as const)('names the step: %s of %s', async (call, name, step) => {
    const out = tempFolder();
    const publishing = publishSet({ out, fileSystem: failing(call, name) });
    await expect(publishing).rejects.toThrow(`${step}: the disk is full (ENOSPC)`);
    const isShown = existsSync(join(out, '2026-11-20/nightly-r1'));
    expect(isShown).toBe(name === '.manifests.ndjson.test');
    await expect(publishing).rejects.toThrow(isShown ? 'the set is complete and published' : 'nothing was published');
  });

  it('in the middle of its rows is named, and so is a document', async () => {
    const many = Array.from({ length: 4000 }, (_, i) => aRecord({ id: `r${i}` }));
    const publication = openPublication({ out: tempFolder(), fileSystem: failing('write', 'records.csv') });
    expect(() => publication.open(RECORDS).write(many)).toThrow('records.csv cannot be written: the disk is full');
    const other = openPublication({ out: tempFolder(), fileSystem: failing('open', 'report.html') });
    await expect(other.attach('report.html', [Buffer.from('<p>')])).rejects.toThrow(
      'report.html cannot be written: the disk is full',
    );
  });
});

describe('a disk that does not give back what it was given', () => {
  it.each([
    ['another byte', (bytes: Buffer) => bytes.fill('x', 200, 201)],
    ['another amount', (bytes: Buffer) => bytes.write('9', bytes.indexOf(',10,') + 1)],
  ])('is noticed before the set is published: %s', async (_, damage) => {
    const out = tempFolder();
    const lying = {
      ...realFileSystem,
      read: (file: number, into: Uint8Array) => {
        const read = realFileSystem.read(file, into);
        if (read > 0) damage(Buffer.from(into.buffer, into.byteOffset, read));
        return read;
      },
    };
    const publishing = publishSet({ out, fileSystem: lying });
    await expect(publishing).rejects.toThrow(PublicationError);
    await expect(publishing).rejects.toThrow(/does not read back as it was written/);
    expect(tree(out)).toEqual([]);
  });
});
