/** A real process is killed at every single system call with which it publishes a report set. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { aRecord, publishSet, THREE_RECORDS } from '../publish/support/a-set.ts';
import { KilledError, killedAt, watchedFileSystem } from '../publish/support/faulty-file-system.ts';
import { temporaryFolder } from './harness/folder.ts';
import { expectOldOrNew, leftovers } from './harness/published.ts';
import { faultRow, type Row } from './harness/row.ts';
import { canTrace, countCalls, traceNode } from './harness/strace.ts';

const OLD_DATE = '2026-11-19';
const NEW_DATE = '2026-11-20';
const SETS = { old: `${OLD_DATE}/nightly-r1`, new: `${NEW_DATE}/nightly-r1` };
const PUBLISH = fileURLToPath(new URL('./children/publish.ts', import.meta.url));

faultRow(
  {
    number: 2,
    fault: 'SIGKILL at each system call of the publication',
    how: 'strace kills a real process as it enters each call, one call a run; in addition, a simulated file system fails every call after the n-th',
    mustHold: 'the old set or the new set is there, never a mixture; publishing again completes it',
  },
  async (row) => {
    await killInProcess(row);
    if (row.isShort) return;
    if (!canTrace()) return row.gap('real kills (strace is missing, or may not trace here)');
    await killForReal(row);
  },
);

/** Every call of the publication's own file system is the last one that is made. */
async function killInProcess(row: Row): Promise<void> {
  using folder = temporaryFolder();
  const before = join(folder.path, 'before');
  await publishSet({ out: before, businessDate: OLD_DATE, records: [...THREE_RECORDS] });
  const attempt = (out: string, fileSystem = watchedFileSystem(() => undefined).fileSystem) =>
    publishSet({
      out,
      suffix: 'first',
      isGone: () => true,
      records: [aRecord(), ...THREE_RECORDS.slice(1)],
      fileSystem,
    });
  const copy = (name: string) => {
    const out = join(folder.path, name);
    cpSync(before, out, { recursive: true, verbatimSymlinks: true });
    return out;
  };
  const watched = watchedFileSystem(() => undefined);
  await attempt(copy('undisturbed'), watched.fileSystem);
  const { calls } = watched;
  const step = row.isShort ? 4 : 1;
  let kills = 0;
  for (let index = 0; index < calls.length; index += step) {
    const out = copy(`at-${index}`);
    const error = await attempt(out, killedAt(index).fileSystem).catch((e: unknown) => e);
    expect(error, calls[index]).toSatisfy((e: unknown) => e instanceof Error && e.cause instanceof KilledError);
    await expectOldOrNew(out, SETS, `killed at ${calls[index]}`);
    await attempt(out);
    expect(await expectOldOrNew(out, SETS, 'after the second try')).toBe('new');
    kills++;
  }
  row.measured('simulated kills', kills);
}

/** Every system call that touches the out folder, by a process that is really gone afterwards. */
async function killForReal(row: Row): Promise<void> {
  using folder = temporaryFolder();
  const before = join(folder.path, 'before');
  const out = join(folder.path, 'out');
  const again = () => cpSync(before, out, { recursive: true, verbatimSymlinks: true });
  expect((await traceNode([PUBLISH, before, OLD_DATE])).code).toBe(0);

  // Once to learn which paths and calls there are: they are the same each time.
  again();
  const seen = await traceNode([PUBLISH, out, NEW_DATE], { showPaths: true });
  const paths = new Set<string>();
  for (const line of seen.lines) {
    for (const [, path = ''] of line.matchAll(/["<]([^"<>]+)[">]/g)) if (path.startsWith(out)) paths.add(path);
  }
  folder.empty('out');
  again();
  const calls = countCalls((await traceNode([PUBLISH, out, NEW_DATE], { paths: [...paths] })).lines);
  expect(await expectOldOrNew(out, SETS, 'undisturbed')).toBe('new');

  let kills = 0;
  let notKilled = 0;
  const states = { old: 0, new: 0 };
  for (const [name, count] of calls) {
    for (let nth = 1; nth <= count; nth++) {
      const where = `killed at ${name} ${nth} of ${count}`;
      folder.empty('out');
      again();
      const { code } = await traceNode([PUBLISH, out, NEW_DATE], {
        paths: [...paths],
        inject: `${name}:signal=KILL:when=${nth}`,
      });
      if (code === 0) notKilled++;
      else kills++;
      states[await expectOldOrNew(out, SETS, where)]++;
      // Recovery is the same code whichever call it was: it is tried where the kill was a change on the disk.
      if (!/^(?:read|close|fstat|newfstatat|statx|lseek|pread64|access)$/.test(name)) {
        await publishSet({ out, suffix: 'second', isGone: () => true, businessDate: NEW_DATE });
        expect(await expectOldOrNew(out, SETS, `${where}, published again`)).toBe('new');
        expect(leftovers(out), where).toEqual([]);
      }
    }
  }
  row.measured('real kills', kills);
  row.measured('system calls', [...calls.keys()].join(' '));
  row.measured('left the old set', states.old);
  row.measured('left the new set', states.new);
  if (notKilled > 0) row.gap(`${notKilled} calls that did not come again when the process was run once more`);
  expect(kills).toBeGreaterThan(50);
  expect(notKilled).toBeLessThan(kills / 10);
}
