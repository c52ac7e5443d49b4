/** The disk that the database lies on, on the server, is full in the middle of a run. */
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { onServer } from '../store/postgres/database.ts';
import { openFleet } from './harness/fleet.ts';
import { databaseOn, eventually, ownServer } from './harness/own-server.ts';
import { CannotInjectError, faultRow } from './harness/row.ts';
import { SCENE_SET } from './harness/scene.ts';
import { mountSmallDisk, type SmallDisk } from './harness/small-disk.ts';

const WORKERS = 2;
/** An empty database with both schemas takes about a third of it. */
const MEGABYTES = 48;
/** The coordinator waits until half a minute has brought nothing and no worker has a batch in hand. */
const BOUND_SECONDS = 180;

faultRow(
  {
    number: 36,
    fault: 'the disk of the database server is full',
    how: 'the database is in a tablespace on a small tmpfs, which is filled to the last block while two workers fetch',
    mustHold: `the run exits 4 within ${BOUND_SECONDS} s and states the reason; nothing is published; --resume completes it once there is space`,
  },
  async (row) => {
    using disk = mountSmallDisk(MEGABYTES);
    if (disk === null) throw new CannotInjectError('a small disk cannot be mounted here (it needs root)');
    using server = await ownServer();
    const space = join(disk.path, 'space');
    mkdirSync(space);
    chmodSync(disk.path, 0o711);
    const { uid, gid } = statSync(join(server.folder, 'server'));
    chownSync(space, uid, gid);
    await onServer(server.url, `create tablespace small location '${space}'`);
    const url = await databaseOn(server, 'tieout', 'tablespace small');
    await using fleet = await openFleet({ url, records: row.isShort ? 200 : 500, batch: 20, delayMs: 50 });
    const run = fleet.run();
    const workers = Array.from({ length: WORKERS }, (_, n) => fleet.worker(n));
    await eventually('some are stored', 120, async () => (await fleet.observed()) >= 20);
    fillUp(disk);
    const at = performance.now();
    const { code, err } = await run.done;
    const seconds = (performance.now() - at) / 1000;
    const asked = fleet.asked.length;
    row.measured('run', `exit ${code} after ${seconds.toFixed(0)} s`);
    expect(code, err).toBe(4);
    expect(err).toContain('the disk is full; free some space');
    expect(err).not.toMatch(/unexpected error|\n {4}at /i);
    expect(seconds).toBeLessThan(BOUND_SECONDS);
    expect(existsSync(fleet.place.path('out', SCENE_SET))).toBe(false);
    disk.free();
    // Not before: a new connection writes a file of its own first.
    const stored = await fleet.observed();
    row.measured('records stored before', `${stored} of ${fleet.ids.length}`);
    row.measured('requests without a stored answer', asked - stored);
    const others = Array.from({ length: WORKERS }, (_, n) => fleet.worker(WORKERS + n));
    const resumed = await fleet.run(['--resume']).done;
    row.measured('--resume', `exit ${resumed.code}`);
    expect(resumed.code, resumed.err).toBe(0);
    const { lost, doubled } = await fleet.expectWhole();
    row.measured('records lost', lost);
    row.measured('records doubled', doubled);
    // A process that met the full disk for a minute has ended; the run's end may have come before.
    for (const { child } of [...workers, ...others]) child.kill('SIGTERM');
    const ends = await Promise.all([...workers, ...others].map(({ done }) => done));
    row.measured('exit codes of the workers', ends.map((end) => end.code).join(', '));
    for (const end of ends) expect(end.code, end.err).toBeOneOf([4, 143]);
  },
);

/** The server takes blocks meanwhile: the disk is full with either one's last block. */
function fillUp(disk: SmallDisk): void {
  try {
    disk.fill(0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
