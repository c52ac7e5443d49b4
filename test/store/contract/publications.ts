import { beforeEach, expect, it } from 'vitest';
import { LeaseLostError, PeriodStateError, RunStateError } from '../../../src/ports/store/errors.ts';
import type { PublishedSet, Store } from '../../../src/ports/store/store.ts';
import { NO_VERDICTS, plan } from '../support/scenario.ts';

const FOLDER = 'folder-1';
const OUT = '/srv/out';
const SHA = 'a'.repeat(64);
const NOW = Date.UTC(2026, 10, 21, 4);

/** Published sets by folder, and the right to publish. */
export function publicationsContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  async function settled() {
    const night = await plan(store);
    const { runId } = night.run;
    await store.runs.startJudging(runId, night.fence, '');
    await store.runs.settle(runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: NOW });
    return { ...night, runId, path: `${night.run.businessDate}/nightly-r1` };
  }

  const standing = async (set: PublishedSet, folder: string | null = FOLDER) =>
    (await store.publications.standing(folder, [set])).get(set.path);

  it('names the database once and for all', async () => {
    expect(await store.publications.databaseId('first')).toBe('first');
    expect(await store.publications.databaseId('second')).toBe('first');
  });

  it('knows a set that was placed, by its manifest', async () => {
    const { runId, fence, path } = await settled();
    expect(await store.publications.last(FOLDER)).toBeNull();
    await store.publications.take({ folderId: FOLDER, path, out: OUT }, { runId }, fence);
    expect(await store.publications.last(FOLDER)).toBeNull();
    const set = { path, manifestSha256: SHA };
    await store.publications.placed(FOLDER, set, { runId }, fence);
    expect(await standing(set)).toBe('known');
    expect(await standing({ path, manifestSha256: 'b'.repeat(64) })).toBe('unknown');
    expect(await store.publications.last(FOLDER)).toEqual(set);
    expect(await store.publications.last('another folder')).toBeNull();
  });

  it('knows the sets published to an out folder by its path, until it is adopted anew', async () => {
    const { runId, fence, path } = await settled();
    expect(await store.publications.lastAt(OUT)).toBeNull();
    await store.publications.take({ folderId: FOLDER, path, out: OUT }, { runId }, fence);
    expect(await store.publications.lastAt(OUT)).toBeNull();
    const set = { path, manifestSha256: SHA };
    await store.publications.placed(FOLDER, set, { runId }, fence);
    expect(await store.publications.lastAt(OUT)).toEqual(set);
    expect(await store.publications.lastAt('/srv/other')).toBeNull();
    await store.publications.adopt({ folderId: 'folder-2', out: OUT }, []);
    expect(await store.publications.lastAt(OUT)).toBeNull();
  });

  it('does not know sets without a row', async () => {
    expect(await standing({ path: '2026-11-20/nightly-r1', manifestSha256: SHA })).toBe('unknown');
    expect(await standing({ path: 'periods/2026-10', manifestSha256: SHA }, null)).toBe('unknown');
  });

  it('gives the right to publish a settled run, and not to a process that lost the lease', async () => {
    const night = await plan(store);
    const { runId } = night.run;
    const place = { folderId: FOLDER, path: '2026-11-20/nightly-r1', out: OUT };
    await expect(store.publications.take(place, { runId }, night.fence)).rejects.toThrow(RunStateError);
    await expect(store.publications.take(place, { statementKey: 4711 }, night.fence)).rejects.toThrow(PeriodStateError);
    await store.leases.evict('nightly', 'a test');
    await expect(store.publications.take(place, { runId }, night.fence)).rejects.toThrow(LeaseLostError);
  });

  it('takes the right back where the run is aborted between the right and the rename', async () => {
    const { runId, fence, path } = await settled();
    await store.publications.take({ folderId: FOLDER, path, out: OUT }, { runId }, fence);
    const set = { path, manifestSha256: SHA };
    // A process that dies here has published, if its rename happened: the ledger is merely behind.
    expect(await standing(set)).toBe('known');
    await store.runs.finish(runId, fence, 'aborted', null);
    expect(await standing(set)).toBe('aborted');
    await expect(store.publications.placed(FOLDER, set, { runId }, fence)).rejects.toThrow(RunStateError);
  });

  it('adopts the sets of another database, and numbers its own revisions after the adopted ones', async () => {
    const set = { path: '2026-11-20/nightly-r3', manifestSha256: SHA };
    const run = { job: 'nightly', businessDate: '2026-11-20', revision: 3 };
    await store.publications.adopt({ folderId: FOLDER, out: OUT }, [
      { ...set, run },
      { path: 'periods/2026-10', manifestSha256: SHA, run: null },
    ]);
    expect(await standing(set)).toBe('known');
    expect(await standing({ ...set, manifestSha256: 'b'.repeat(64) })).toBe('unknown');
    expect(await standing({ path: 'periods/2026-10', manifestSha256: SHA })).toBe('known');
    const night = await plan(store);
    expect([night.run.businessDate, night.run.revision]).toEqual(['2026-11-20', 4]);
  });

  it('knows a set without a row by the state of its run: published before rows were kept, or by a process that died', async () => {
    const night = await plan(store);
    const { runId } = night.run;
    const set = { path: '2026-11-20/nightly-r1', manifestSha256: SHA };
    expect(await standing(set)).toBe('unknown');
    await store.runs.startJudging(runId, night.fence, '');
    expect(await standing(set)).toBe('unknown');
    await store.runs.settle(runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: NOW });
    expect(await standing(set)).toBe('known');
    await store.runs.finish(runId, night.fence, 'aborted', null);
    expect(await standing(set)).toBe('aborted');
  });
}
