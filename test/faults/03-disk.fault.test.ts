/** The disk is full, read-only, or lies about what it kept. */
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Finished, Workspace } from '../e2e/support/workspace.ts';
import { publishSet, THREE_RECORDS } from '../publish/support/a-set.ts';
import { failingAt, watchedFileSystem } from '../publish/support/faulty-file-system.ts';
import { temporaryFolder } from './harness/folder.ts';
import { expectOldOrNew, leftovers } from './harness/published.ts';
import { faultRow, type Row } from './harness/row.ts';
import { openScene, type Scene } from './harness/scene.ts';
import { mountSmallDisk, type SmallDisk } from './harness/small-disk.ts';
import { canTrace, countCalls, traceNode } from './harness/strace.ts';

const OLD_DATE = '2026-11-18';
const NEW_DATE = '2026-11-19';
const SETS = { old: `${OLD_DATE}/nightly-r1`, new: `${NEW_DATE}/nightly-r1` };
const PUBLISH = fileURLToPath(new URL('./children/publish.ts', import.meta.url));
const KIB = 1024;

faultRow(
  {
    number: 3,
    fault: 'full disk, fsync error, read-only folder',
    how: 'a small disk is filled to different levels and remounted read-only, under out/ and under the database; strace makes each fsync fail; a simulated file system makes each call fail',
    mustHold:
      'the old set is kept; exit 4 with the remedy; nothing is half written; --resume completes the run once there is space',
  },
  async (row) => {
    await simulated(row);
    if (row.isShort) return;
    using disk = mountSmallDisk(6);
    if (disk === null) row.gap('a disk that is really full or read-only (mounting needs root)');
    else {
      row.measured('runs on a full or read-only out folder that exit 4', await reportsOnSmallDisk(disk));
      disk.free();
    }
    using second = mountSmallDisk(6);
    if (second !== null)
      row.measured('runs on a full or read-only database folder that exit 4', await databaseOnSmallDisk(second));
    if (!canTrace()) row.gap('fsync errors of the kernel (strace is missing, or may not trace here)');
    else {
      row.measured('fsync errors in a publication', await failingSyncs());
      row.measured('fsync errors in the database', await failingDatabaseSyncs());
    }
  },
);

/** Every call of the publication's own file system fails once. */
async function simulated(row: Row): Promise<void> {
  using folder = temporaryFolder();
  const before = join(folder.path, 'before');
  await publishSet({ out: before, businessDate: OLD_DATE, records: [...THREE_RECORDS] });
  const attempt = (out: string, fileSystem = watchedFileSystem(() => undefined).fileSystem) =>
    publishSet({ out, businessDate: NEW_DATE, suffix: 'first', isGone: () => true, fileSystem });
  const copy = (name: string) => {
    const out = join(folder.path, name);
    cpSync(before, out, { recursive: true, verbatimSymlinks: true });
    return out;
  };
  const { fileSystem, calls } = watchedFileSystem(() => undefined);
  await attempt(copy('undisturbed'), fileSystem);
  let failures = 0;
  for (const code of ['ENOSPC', 'EIO', 'EROFS']) {
    for (let index = 0; index < calls.length; index += row.isShort ? 6 : 3) {
      const out = copy(`${code}-${index}`);
      const where = `${code} at ${calls[index]}`;
      const error = await attempt(out, failingAt(index, code).fileSystem).then(
        () => null,
        (e: unknown) => e as Error,
      );
      // Removing leftovers may fail without failing the publication.
      if (error !== null) expect(error.name, where).toBe('PublicationError');
      await expectOldOrNew(out, SETS, where);
      await attempt(out);
      expect(await expectOldOrNew(out, SETS, `${where}, again`)).toBe('new');
      failures++;
    }
  }
  row.measured('simulated failures', failures);
}

function expectTold(finished: Finished, where: string): void {
  expect(finished.code, `${where}: ${finished.out}${finished.err}`).toBe(4);
  expect(finished.err, where).toMatch(/free some space|disk is full|read-only|disk is writable/);
}

/** A first night is published; the second one meets a full disk at another file each time, and then a read-only one. */
async function reportsOnSmallDisk(disk: SmallDisk): Promise<number> {
  await using scene = await openScene({ records: 300, settings: `out: ${join(disk.path, 'out')}\n` });
  const { place } = scene;
  const out = join(disk.path, 'out');
  expect((await place.process(['run', '--date', OLD_DATE])).code).toBe(1);
  const size = sizeOf(join(out, SETS.old));
  let failures = 0;
  const fails = async (where: string) => {
    expectTold(await place.process(failures === 0 ? ['run', '--date', NEW_DATE] : ['run', '--resume']), where);
    failures++;
    expect(await expectOldOrNew(out, SETS, where)).toBe('old');
  };
  for (const share of [0, 0.02, 0.2, 0.5, 0.8, 1]) {
    disk.fill(share * size);
    await fails(`full at ${share} of a set`);
    expect(leftovers(out), `full at ${share}`).toEqual([]);
  }
  disk.free();
  disk.setReadOnly(true);
  await fails('read-only');
  disk.setReadOnly(false);
  expect((await place.process(['run', '--resume'])).code).toBe(1);
  expect(await expectOldOrNew(out, SETS, 'with room again')).toBe('new');
  expect(leftovers(out)).toEqual([]);
  return failures;
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** The database's disk is full when the run starts, or in its middle. */
async function databaseOnSmallDisk(disk: SmallDisk): Promise<number> {
  await using scene = await openScene({ records: 300 });
  const { place } = scene;
  cpSync(place.path('var'), join(disk.path, 'var'), { recursive: true });
  scene.configure({}, `database: { url: "sqlite:${join(disk.path, 'var', 'tieout.db')}" }\n`);
  let failures = 0;
  const fails = async (where: string) => {
    expectTold(await goOn(place), where);
    failures++;
    expect(existsSync(place.path('out', SETS.new)), where).toBe(false);
  };
  for (const free of [0, 100 * KIB, 300 * KIB]) {
    disk.fill(free);
    await fails(`${free} bytes free`);
  }
  disk.free();
  disk.setReadOnly(true);
  await fails('read-only');
  disk.setReadOnly(false);
  await expectWhole(scene);
  return failures;
}

/** Goes on with the run; begins it where the fault came before it was in the ledger. */
async function goOn(place: Workspace): Promise<Finished> {
  const resumed = await place.process(['run', '--resume']);
  return resumed.code === 2 && resumed.err.includes('no unfinished')
    ? place.process(['run', '--date', NEW_DATE])
    : resumed;
}

async function expectWhole({ place, ids }: Scene): Promise<void> {
  const status = await place.process(['db', 'status', '--json']);
  expect(JSON.parse(status.out)).toMatchObject({ integrity: 'ok' });
  const last = await goOn(place);
  expect(last.code, `${last.out}${last.err}`).toBe(1);
  expect(place.manifest(SETS.new)).toMatchObject({ population: ids.length, status: 'complete' });
  expect(await place.process(['verify', 'out'])).toMatchObject({ code: 0 });
}

/** The kernel says EIO to each fsync of a publication, in a process of its own. */
async function failingSyncs(): Promise<number> {
  using folder = temporaryFolder();
  const before = join(folder.path, 'before');
  const out = join(folder.path, 'out');
  const again = () => {
    folder.empty('out');
    cpSync(before, out, { recursive: true, verbatimSymlinks: true });
  };
  await publishSet({ out: before, businessDate: OLD_DATE, records: [...THREE_RECORDS] });
  again();
  const syncs =
    countCalls((await traceNode([PUBLISH, out, NEW_DATE], { inject: 'fsync:delay_enter=0' })).lines).get('fsync') ?? 0;
  expect(syncs).toBeGreaterThan(5);
  for (let nth = 1; nth <= syncs; nth++) {
    again();
    const where = `fsync ${nth} of ${syncs}`;
    const { code, err } = await traceNode([PUBLISH, out, NEW_DATE], { inject: `fsync:error=EIO:when=${nth}` });
    expect(code, where).not.toBe(0);
    expect(err, where).toContain('input/output error');
    await expectOldOrNew(out, SETS, where);
    await publishSet({ out, businessDate: NEW_DATE, suffix: 'second', isGone: () => true });
    expect(await expectOldOrNew(out, SETS, `${where}, again`)).toBe('new');
  }
  return syncs;
}

/** The kernel says EIO to a sync of the database's log, early and late in a run. */
async function failingDatabaseSyncs(): Promise<number> {
  await using scene = await openScene({ records: 60 });
  const { place } = scene;
  const launcher = fileURLToPath(new URL('../../src/cli/tieout.js', import.meta.url));
  const tried = [1, 2, 4, 7];
  for (const nth of tried) {
    // A run that failed before it was in the ledger is begun again.
    const begun =
      (JSON.parse((await place.process(['runs', 'list', '--json'])).out) as { runs: unknown[] }).runs.length > 0;
    const { code, err } = await traceNode([launcher, 'run', ...(begun ? ['--resume'] : ['--date', NEW_DATE])], {
      inject: `fsync,fdatasync:error=EIO:when=${nth}`,
      paths: [place.path('var', 'tieout.db'), place.path('var', 'tieout.db-wal')],
      cwd: place.folder,
    });
    expect(code, err).toBe(4);
    expect(err).toContain('disk reported an error');
    expect(existsSync(place.path('out', SETS.new))).toBe(false);
  }
  await expectWhole(scene);
  return tried.length;
}
