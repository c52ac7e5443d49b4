import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import { aBreak } from '../support/a-break.ts';
import { aPurchase, at } from '../support/builders.ts';
import { aRun, aStoredCase, DEFERRED, MISSING } from './support/judging.ts';
import { aLine } from './support/line.ts';

const FETCHING: Run = { ...aRun({ state: 'fetching' }), watermarks: null };

const matched = aStoredCase({ recordKey: 1, state: aPurchase({ recordId: 'a' }) });
const broken = aStoredCase({ recordKey: 2, state: aPurchase({ recordId: 'b' }), linked: null });
const NIGHT = { cases: [matched, broken] };

/** The reason, from the `from`th time on that it is asked for. */
function stopping(reason: string, from = 1): () => string | null {
  let asked = 0;
  return () => {
    asked++;
    return asked >= from ? reason : null;
  };
}

describe('the main line', () => {
  it('selects, fetches, judges, settles and publishes', async () => {
    const { go, steps, published } = aLine({ night: NIGHT, unobserved: 2 });
    const reconciled = await go(FETCHING);
    expect(steps).toEqual([
      'planned',
      '17 requests',
      'judging; the rest: not reached',
      'opened reports',
      'cleared the staged rows',
      'staged 1',
      'settled',
      'published',
      'finished complete in nightly/2026-11-02',
    ]);
    expect(published).toMatchObject([
      { run: { state: 'settled', finishedAt: at('2026-11-02 05:00') }, state: 'complete', tally: { population: 2 } },
    ]);
    expect(reconciled).toMatchObject({
      outcome: 'published',
      run: { state: 'complete', publishedTo: 'nightly/2026-11-02' },
      tally: { verdicts: { matched: 1, pending: 0, break: 1, unverified: 0, quarantined: 0, waived: 0 } },
      folder: 'nightly/2026-11-02',
    });
  });

  it('requests the records without an observation, and reports its progress', async () => {
    const { go, saved, progress, plans } = aLine({ unobserved: 2, observedBefore: 3 });
    await go(FETCHING);
    expect(saved.map(({ recordKey, observed }) => [recordKey, observed.outcome])).toEqual([
      [1, 'verified'],
      [2, 'verified'],
    ]);
    expect(progress[0]).toEqual([3, 5]);
    expect(progress.at(-1)).toEqual([5, 5]);
    expect(plans).toMatchObject([{ job: 'nightly', businessDate: '2026-11-02', policy: { breakDailyDays: 30 } }]);
  });

  it('judges statuses by the terms that the run was started with', async () => {
    const { go, saved } = aLine({ unobserved: 1 });
    await go(FETCHING);
    expect(saved).toMatchObject([{ observed: { projection: { status: 'RELEASED', terminalDate: '2026-11-02' } } }]);
  });

  it('leaves the fetch to the edge that it was given', async () => {
    const fetched: [string, number][] = [];
    const fetch = async (run: Run, fence: { token: number }, observed: (more: number) => void) => {
      fetched.push([run.runId, fence.token]);
      observed(2);
    };
    const { go, steps, saved, progress } = aLine({ night: NIGHT, unobserved: 2, observedBefore: 2, fetch });
    expect(await go(FETCHING)).toMatchObject({ outcome: 'published' });
    expect(fetched).toEqual([['nightly-2026-11-02-r1', 4]]);
    expect(progress).toEqual([
      [2, 4],
      [4, 4],
    ]);
    expect(saved).toEqual([]);
    expect(steps).toContain('17 requests');
  });

  it('counts the requests of a fetch that failed', async () => {
    const failed = async () => {
      throw new Error('the disk is full');
    };
    const { go, steps } = aLine({ unobserved: 1, answer: failed });
    await expect(go(FETCHING)).rejects.toThrow('the disk is full');
    expect(steps).toEqual(['planned', '17 requests']);
  });

  it('defers the rest, with the reason why the run ended', async () => {
    const { go, steps } = aLine({ night: NIGHT, unobserved: 1, stop: stopping('the deadline of 06:00 came') });
    expect(await go(FETCHING)).toMatchObject({ outcome: 'published' });
    expect(steps).toContain('judging; the rest: the deadline of 06:00 came');
  });
});

describe('what the main line stages', () => {
  it('is what happened to the breaks of each record, with the record’s key', async () => {
    const standing = new Map([[1, [aBreak({ recordId: 'a' })]]]);
    const { go, staged } = aLine({ night: { ...NIGHT, standing } });
    await go(aRun());
    expect(staged).toMatchObject([
      { recordKey: 1, type: 'resolved', after: { recordId: 'a', rule: 'FEE_APPLIED_DIFFERS' } },
      { recordKey: 2, type: 'opened', after: { recordId: 'b', rule: 'QUOTE_MISSING' } },
    ]);
  });

  it('is nothing where nothing happened, and the pages go to the reports all the same', async () => {
    const { go, steps, pages, beats } = aLine({ night: { cases: [matched] } });
    await go(aRun());
    expect(steps.filter((step) => step.startsWith('staged'))).toEqual([]);
    expect(pages.map(({ records }) => records.map(({ recordId }) => recordId))).toEqual([['a'], []]);
    expect(beats).toHaveLength(2);
  });
});

describe('a run whose', () => {
  it.each([
    ['records were all read', [matched], 'complete'],
    ['record is unknown to the Service: an answer too', [aStoredCase({ observation: MISSING })], 'complete'],
    ['record was put off', [matched, aStoredCase({ recordKey: 2, observation: DEFERRED })], 'incomplete'],
  ])('%s is %s', async (_, cases, state) => {
    const { go, steps, published } = aLine({ night: { cases } });
    expect(await go(aRun())).toMatchObject({ outcome: 'published', run: { state } });
    expect(published.map((each) => each.state)).toEqual([state]);
    expect(steps.at(-1)).toBe(`finished ${state} in nightly/2026-11-02`);
  });

  it('job publishes nothing is finished without a folder', async () => {
    const { go, steps } = aLine({ night: NIGHT, folder: null });
    expect(await go(aRun())).toMatchObject({ outcome: 'published', folder: '' });
    expect(steps.at(-1)).toBe('finished complete in null');
  });

  it('breaks elsewhere stand open has them in its tally, and in its reports', async () => {
    const outside = [{ ...aBreak({ recordId: 'z' }), hostReference: null }];
    const { go, published, pages } = aLine({ night: { ...NIGHT, outside } });
    await go(aRun());
    expect(published[0]?.tally.breaks).toMatchObject({ open: 2, opened: 1 });
    expect(pages.flatMap((page) => page.outside.map(({ recordId }) => recordId))).toEqual(['z']);
  });

  it('selection is a few records reports those alone', async () => {
    const outside = [{ ...aBreak({ recordId: 'z' }), hostReference: null }];
    const { go, published } = aLine({ night: { ...NIGHT, outside } });
    // The line goes on with the run as the ledger has it, so a settled one is what keeps its selection here.
    await go(aRun({ state: 'settled', selection: { type: 'ids', ids: ['a', 'b'], kind: null } }));
    expect(published[0]?.tally.breaks).toMatchObject({ open: 1 });
  });
});

describe('an interrupted run', () => {
  it('that is stopped while it fetches keeps its answers, and judges nothing', async () => {
    const { go, steps } = aLine({ night: NIGHT, unobserved: 1, stop: stopping('signal') });
    expect(await go(FETCHING)).toEqual({ outcome: 'stopped', run: FETCHING });
    expect(steps).toEqual(['planned', '17 requests']);
  });

  it('that is stopped while it judges publishes nothing', async () => {
    // Asked once before judging and once a page.
    const { go, steps, pages } = aLine({ night: { ...NIGHT, page: 1 }, stop: stopping('signal', 3) });
    expect(await go(aRun())).toEqual({ outcome: 'stopped', run: { ...aRun(), survey: expect.anything() } });
    expect(pages).toHaveLength(1);
    expect(steps.at(-1)).toBe('discarded reports');
    expect(steps).not.toContain('settled');
    expect(steps).not.toContain('published');
  });

  it('goes on judging for any other reason to stop: only fetching takes time', async () => {
    const { go } = aLine({ night: NIGHT, stop: stopping('the deadline of 06:00 came') });
    expect(await go(aRun())).toMatchObject({ outcome: 'published' });
  });

  it('forgets what it staged before it was killed, and fetches nothing again', async () => {
    const { go, steps, saved } = aLine({ night: NIGHT, unobserved: 1 });
    await go(aRun({ state: 'judging' }));
    expect(saved).toEqual([]);
    expect(steps.slice(0, 4)).toEqual([
      'judging; the rest: not reached',
      'opened reports',
      'cleared the staged rows',
      'staged 1',
    ]);
  });

  it('that had settled is only published, with the figures that it was settled with', async () => {
    const verdicts = { matched: 1, pending: 0, break: 1, unverified: 0, quarantined: 0, waived: 0 };
    const settled = aRun({ state: 'settled', verdicts, finishedAt: at('2026-11-02 04:50') });
    const { go, steps, published } = aLine({ night: NIGHT });
    expect(await go(settled)).toMatchObject({ outcome: 'published' });
    expect(steps).toEqual(['opened reports', 'published', 'finished complete in nightly/2026-11-02']);
    expect(published[0]?.run).toEqual(settled);
  });

  it('that cannot publish takes away what it wrote, and says why', async () => {
    const publishing = () => {
      throw new Error('no space left on the device');
    };
    const { go, steps } = aLine({ night: NIGHT, publishing });
    await expect(go(aRun())).rejects.toThrow('no space left on the device');
    expect(steps.at(-1)).toBe('discarded reports');
  });
});
