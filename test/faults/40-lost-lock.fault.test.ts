/** A run that loses its lock while it publishes, and a lock whose holder has the same names on another machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect } from 'vitest';
import { holderOf, processSpaceOf } from '../../src/runner/holder.ts';
import { until } from '../e2e/support/workspace.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { stopBetweenWrites } from '../support/stop-between-writes.ts';
import { faultRow } from './harness/row.ts';
import { openScene } from './harness/scene.ts';

faultRow(
  {
    number: 40,
    fault:
      'a run loses its lease while it publishes; a lease is held by a process of the same host name and number on another machine',
    how: 'SIGSTOP after its set is begun, until another run has taken over and published, then SIGCONT; leases are written into the database with the boot or the PID namespace of another container',
    mustHold:
      'the continued run exits 5, and its set is in no list and no folder; a holder on another machine is never evicted before its lease ends (exit 5)',
  },
  async (row) => {
    await using scene = await openScene({
      records: row.isShort ? 600 : 6000,
      defects: 0,
      realTime: true,
      settings: 'database: { lease: { ttl: 5s } }\nreports: { formats: [csv, html, xlsx] }\n',
    });
    const { place } = scene;
    let awoken = 0;
    let foreign = 0;
    const first = place.start(['run', '--fail-on', 'none']);
    const folder = place.path('out');
    await until(
      'its set is begun',
      () =>
        existsSync(folder) &&
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((n) => n.includes('.partial')),
      600_000,
    );
    await stopBetweenWrites(first.child, place.path('var/tieout.db'));
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    const second = await place.process(['run', '--fail-on', 'none']);
    expect([second.code, second.err]).toEqual([0, second.err]);
    first.child.kill('SIGCONT');
    const { code } = await first.done;
    expect(code).toBe(5);
    awoken++;
    const listed = readFileSync(place.path('out/manifests.ndjson'), 'utf8').trim().split('\n').length;
    expect(listed).toBe(1);
    const sets = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(sets.filter((name) => /nightly-r\d+$/.test(name))).toEqual([expect.stringMatching(/nightly-r2$/)]);
    expect((await place.process(['verify', 'out'])).code).toBe(0);

    // A process number that nothing has: dead where it can be asked for, and unknown everywhere else.
    const dead = holderOf(processSpaceOf(hostname()), 4_194_999);
    const elsewhere = [
      dead.replace(/boot \S+/, 'boot 00000000-0000-0000-0000-000000000000'),
      dead.replace(/pidns \S+/, 'pidns 4026530000'),
    ];
    for (const holder of elsewhere) {
      hold(place.path('var/tieout.db'), holder);
      expect((await place.process(['run', '--fail-on', 'none'])).code).toBe(5);
      foreign++;
    }
    hold(place.path('var/tieout.db'), dead);
    const after = await place.process(['run', '--fail-on', 'none']);
    expect([after.code, after.err]).toEqual([0, after.err]);
    row.measured('runs continued', awoken);
    row.measured('sets listed', listed);
    row.measured('holders on another machine not evicted', `${foreign} of ${elsewhere.length}`);
  },
);

function hold(path: string, holder: string): void {
  const database = openSqliteFile(path);
  database
    .prepare("update leases set holder = ?, held_until = ? where name = 'nightly'")
    .run(holder, Date.parse('2099-01-01T00:00:00Z'));
  database.close();
}
