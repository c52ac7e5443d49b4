import { beforeEach, describe, expect, it } from 'vitest';
import { RunStateError, UnknownRunError } from '../../../src/ports/store/errors.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { aRun } from '../../support/a-run.ts';
import { aPurchase, at } from '../../support/builders.ts';
import { begin, complete, keyOf, NO_VERDICTS, plan, settle, track, verified } from '../support/scenario.ts';

/** The run ledger. */
export function runsContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  describe('a run', () => {
    it('is in the ledger as it was begun', async () => {
      const selection = { type: 'ids', ids: ['322'], kind: 'sale' } as const;
      const { run } = await begin(store, { job: 'audit', date: '2026-11-20', selection });
      const begun = { runId: 'audit-2026-11-20-r1', job: 'audit', selection, terms: '{"of":"the run"}' };
      expect(run).toEqual(aRun(begun));
      expect(await store.runs.get('audit-2026-11-20-r1')).toEqual(run);
      expect(await store.runs.get('audit-2026-11-20-r2')).toBeNull();
    });

    it('of the same job and date is a new revision, which supersedes the newest finished one', async () => {
      await complete(store, await plan(store));
      const second = await begin(store);
      expect(second.run).toMatchObject({ revision: 2, supersedes: 'nightly-2026-11-20-r1' });
      await store.runs.finish(second.run.runId, second.fence, 'aborted', null);
      const third = await begin(store);
      expect(third.run).toMatchObject({ revision: 3, supersedes: 'nightly-2026-11-20-r1' });
      expect((await begin(store, { date: '2026-11-21' })).run).toMatchObject({ revision: 1, supersedes: null });
      expect((await begin(store, { job: 'audit' })).run).toMatchObject({ revision: 1, supersedes: null });
    });

    it('supersedes an incomplete one as well', async () => {
      const first = await plan(store);
      await settle(store, first);
      await store.runs.finish(first.run.runId, first.fence, 'incomplete', 'there');
      expect((await begin(store)).run.supersedes).toBe(first.run.runId);
    });

    it('that is aborted was published nowhere, and what it verified is due again', async () => {
      await track(store, 'a');
      const { run, fence } = await plan(store);
      const item = verified(await keyOf(store, 'a'), aPurchase({ recordId: 'a' }), '2026-11-20');
      await store.items.save(run.runId, fence, [item]);
      expect((await store.tracked.find('a'))[0]?.projection.lastVerifiedDate).toBe('2026-11-20');
      const aborted = await store.runs.finish(run.runId, fence, 'aborted', 'there');
      expect([aborted.state, aborted.publishedTo]).toEqual(['aborted', null]);
      expect((await store.tracked.find('a'))[0]?.projection.lastVerifiedDate).toBeNull();
    });

    it('counts its requests', async () => {
      const { run, fence } = await begin(store);
      await store.runs.addRequests(run.runId, fence, 7);
      await store.runs.addRequests(run.runId, fence, 5);
      expect((await store.runs.get(run.runId))?.requestsSent).toBe(12);
    });

    it('goes from fetching through judging and settled to complete', async () => {
      await track(store, 'a');
      const { run, fence } = await plan(store);
      const judging = await store.runs.startJudging(run.runId, fence, 'late');
      expect(judging).toMatchObject({ state: 'judging', watermarks: { quote: 0, reference: 0, breakEvent: 0 } });
      const verdicts = { ...NO_VERDICTS, unverified: 1 };
      const settled = await store.runs.settle(run.runId, fence, { verdicts, finishedAt: at('2026-11-20 05:00') });
      expect(settled).toMatchObject({ state: 'settled', verdicts, finishedAt: at('2026-11-20 05:00'), population: 1 });
      const done = await store.runs.finish(run.runId, fence, 'incomplete', '2026-11-20/nightly-r1');
      expect(done).toMatchObject({ state: 'incomplete', publishedTo: '2026-11-20/nightly-r1' });
      expect(await store.runs.get(run.runId)).toEqual(done);
    });

    it('takes each step once, however often it is asked to: a crash may hide that it was done', async () => {
      const night = await plan(store);
      const { run, fence } = night;
      const judging = await store.runs.startJudging(run.runId, fence, 'late');
      expect(await store.runs.startJudging(run.runId, fence, 'later')).toEqual(judging);
      const result = { verdicts: NO_VERDICTS, finishedAt: 1 };
      const settled = await store.runs.settle(run.runId, fence, result);
      expect(await store.runs.settle(run.runId, fence, { ...result, finishedAt: 2 })).toEqual(settled);
      const done = await store.runs.finish(run.runId, fence, 'complete', 'there');
      expect(await store.runs.finish(run.runId, fence, 'complete', 'there')).toEqual(done);
    });

    it('that is finished is neither aborted nor finished otherwise', async () => {
      for (const [date, state, other] of [
        ['2026-11-18', 'complete', 'incomplete'],
        ['2026-11-19', 'incomplete', 'complete'],
      ] as const) {
        const night = await plan(store, { date });
        const { runId } = night.run;
        await settle(store, night);
        await store.runs.finish(runId, night.fence, state, 'there');
        const refused = `run ${runId} is ${state} and cannot become`;
        await expect(store.runs.finish(runId, night.fence, other, 'there')).rejects.toThrow(`${refused} ${other}`);
        await expect(store.runs.finish(runId, night.fence, 'aborted', null)).rejects.toThrow(`${refused} aborted`);
        await expect(store.runs.finish(runId, night.fence, state, 'elsewhere')).rejects.toThrow(`${refused} ${state}`);
        expect(await store.runs.get(runId)).toMatchObject({ state, publishedTo: 'there' });
      }
    });

    it('takes no step out of turn', async () => {
      const { run, fence, scope } = await begin(store);
      const id = run.runId;
      await expect(store.runs.settle(id, fence, { verdicts: NO_VERDICTS, finishedAt: 1 })).rejects.toThrow(
        RunStateError,
      );
      await expect(store.runs.finish(id, fence, 'complete', null)).rejects.toThrow(RunStateError);
      await expect(store.items.cases(run, null, 10)).rejects.toThrow(RunStateError);
      await store.runs.startJudging(id, fence, 'late');
      await expect(store.items.plan(id, fence, scope)).rejects.toThrow(RunStateError);
      await expect(store.items.save(id, fence, [])).rejects.toThrow(RunStateError);
      await store.runs.settle(id, fence, { verdicts: NO_VERDICTS, finishedAt: 1 });
      await expect(store.breaks.stage(id, fence, [])).rejects.toThrow(RunStateError);
      await store.runs.finish(id, fence, 'complete', 'there');
      await expect(store.runs.finish(id, fence, 'aborted', null)).rejects.toThrow(RunStateError);
    });

    it('with an unknown id is reported as unknown', async () => {
      const { fence } = await begin(store);
      await expect(store.runs.addRequests('nightly-2030-01-01-r1', fence, 1)).rejects.toThrow(UnknownRunError);
    });
  });

  describe('the ledger', () => {
    it('lists the newest first, of one job where it is named', async () => {
      await begin(store, { date: '2026-11-18' });
      await begin(store, { date: '2026-11-20', job: 'audit' });
      await begin(store, { date: '2026-11-19' });
      const ids = async (filter: { job?: string; limit: number }) =>
        (await store.runs.list(filter)).map((run) => run.runId);
      expect(await ids({ limit: 10 })).toEqual([
        'nightly-2026-11-19-r1',
        'audit-2026-11-20-r1',
        'nightly-2026-11-18-r1',
      ]);
      expect(await ids({ job: 'nightly', limit: 1 })).toEqual(['nightly-2026-11-19-r1']);
    });

    it('knows the newest run that is neither published nor aborted', async () => {
      expect(await store.runs.unfinished('nightly')).toBeNull();
      const first = await plan(store);
      expect((await store.runs.unfinished('nightly'))?.runId).toBe(first.run.runId);
      expect(await store.runs.unfinished('audit')).toBeNull();
      await settle(store, first);
      expect((await store.runs.unfinished('nightly'))?.state).toBe('settled');
      await store.runs.finish(first.run.runId, first.fence, 'complete', 'there');
      expect(await store.runs.unfinished('nightly')).toBeNull();
      const second = await begin(store);
      await store.runs.finish(second.run.runId, second.fence, 'aborted', null);
      expect(await store.runs.unfinished('nightly')).toBeNull();
    });
  });
}
