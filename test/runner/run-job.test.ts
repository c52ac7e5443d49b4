import { describe, expect, it } from 'vitest';
import { requirePastDate } from '../../src/domain/plausible-date.ts';
import type { Run } from '../../src/domain/run.ts';
import type { Job, JobEdges } from '../../src/ports/job.ts';
import { ServiceUnavailableError } from '../../src/ports/service-errors.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import {
  DateFinishedError,
  type HeldJob,
  type JobOptions,
  NothingToResumeError,
  type RunLedger,
  runJob,
} from '../../src/runner/run-job.ts';
import { at } from '../support/builders.ts';
import { aRun } from './support/ledger.ts';

/** The jobs of these tests use no edge. */
const edges = () => ({}) as JobEdges;
const never = () => Promise.reject(new Error('not asked for'));

function ledger(runs: ReturnType<typeof aRun>[], events: string[]): RunLedger {
  return {
    leases: {
      acquire: async (name) => {
        events.push('locked');
        return { fence: { name, token: 1 } };
      },
      heartbeat: async () => undefined,
      release: async () => void events.push('released'),
      evict: async () => undefined,
    },
    runs: { create: never, unfinished: never, finish: never, list: async () => runs },
    frame: { timezone: 'UTC', terms: '', rulesHash: '', configHash: '', codeVersion: '' },
    now: createSystemClock().wall.now,
    holder: 'me',
    isDead: () => false,
    leaseMs: 60_000,
    placed: () => null,
  };
}

function aJob(events: string[]): Job {
  return {
    name: 'nightly',
    summary: '',
    run: async () => {
      events.push('ran');
      return { outcome: 'nothing-due', why: 'a test' };
    },
  };
}

describe('a job that is to run once per date', () => {
  const options = { businessDate: '2026-11-20', selection: null, resume: false, unlessFinished: true };

  it.each([
    ['complete', 'nightly-2026-11-20-r1'],
    ['incomplete', 'nightly-2026-11-20-r1'],
  ] as const)('is refused under the lock where the date has a run that is %s', async (state, runId) => {
    const events: string[] = [];
    const run = runJob(aJob(events), options, ledger([aRun('nightly', '2026-11-20', state)], events), edges);
    await expect(run).rejects.toThrow(DateFinishedError);
    await expect(run).rejects.toThrow(runId);
    expect(events).toEqual(['locked', 'released']);
  });

  it.each([
    ['an aborted one', aRun('nightly', '2026-11-20', 'aborted')],
    ['one of another date', aRun('nightly', '2026-11-19', 'complete')],
  ])('runs where there is only %s', async (_, run) => {
    const events: string[] = [];
    await runJob(
      aJob(events),
      { ...options, onStarted: () => void events.push('started') },
      ledger([run], events),
      edges,
    );
    expect(events).toEqual(['locked', 'started', 'ran', 'released']);
  });

  it('by hand makes another revision all the same', async () => {
    const events: string[] = [];
    const runs = [aRun('nightly', '2026-11-20', 'complete')];
    await runJob(aJob(events), { ...options, unlessFinished: false }, ledger(runs, events), edges);
    expect(events).toContain('ran');
  });
});

describe('the run of a job', () => {
  const NOW = at('2026-11-21 04:15');
  const NIGHT: JobOptions = { businessDate: null, selection: null, resume: false };
  const opened: unknown[] = [];
  const ended: unknown[] = [];

  /** Lets a job open its run, and completes it. */
  async function open(
    options: JobOptions,
    { unfinished = null, placed = () => null }: { unfinished?: Run | null; placed?: RunLedger['placed'] } = {},
    then: (held: HeldJob, run: Run) => Promise<void> = async () => undefined,
  ): Promise<Run> {
    opened.length = 0;
    ended.length = 0;
    const found: Run[] = [];
    const runs: RunLedger['runs'] = {
      list: async () => [],
      unfinished: async () => unfinished,
      finish: async (...what) => {
        ended.push(what);
        return aRun('nightly', '2026-11-19', what[2]);
      },
      create: async (created) => {
        opened.push(created);
        return aRun(created.job, created.businessDate, 'fetching');
      },
    };
    let own: HeldJob | undefined;
    const job: Job = {
      ...aJob([]),
      run: async () => {
        if (own === undefined) throw new Error('no edges were made');
        const run = await own.openRun({ type: 'due' }, []);
        found.push(run);
        await then(own, run);
        return { outcome: 'nothing-due', why: 'a test' };
      },
    };
    const frame = { timezone: 'Europe/Berlin', terms: '{}', rulesHash: 'r', configHash: 'c', codeVersion: 'v' };
    await runJob(job, options, { ...ledger([], []), runs, placed, frame, now: () => NOW }, (held) => {
      own = held;
      return edges();
    });
    const [run] = found;
    if (run === undefined) throw new Error('no run was opened');
    return run;
  }

  it('is of the last full day where its time zone has it, and sees nothing after its end', async () => {
    await open(NIGHT);
    expect(opened).toEqual([
      {
        job: 'nightly',
        businessDate: '2026-11-20',
        selection: { type: 'due' },
        sources: [],
        startedAt: NOW,
        asOf: at('2026-11-20 23:00'),
        timezone: 'Europe/Berlin',
        terms: '{}',
        rulesHash: 'r',
        configHash: 'c',
        codeVersion: 'v',
      },
    ]);
  });

  it('of the day under way sees what there is by now', async () => {
    await open({ ...NIGHT, businessDate: '2026-11-21' });
    expect(opened).toMatchObject([{ businessDate: '2026-11-21', asOf: NOW }]);
  });

  it('is gone on with where that is asked for, and only where there is one', async () => {
    const unfinished = aRun('nightly', '2026-11-19', 'fetching');
    expect(await open({ ...NIGHT, resume: true }, { unfinished })).toBe(unfinished);
    expect([opened, ended]).toEqual([[], []]);
    await expect(open({ ...NIGHT, resume: true })).rejects.toThrow(NothingToResumeError);
  });

  it('ends the one that a crash left: as aborted, or as published where its set is in place', async () => {
    const of = (state: 'fetching' | 'settled') => aRun('nightly', '2026-11-19', state);
    const fence = { name: 'nightly', token: 1 };
    const placed = () => ({ state: 'complete', folder: '2026-11-19/nightly-r1' }) as const;
    await open(NIGHT, { unfinished: of('fetching'), placed });
    expect(ended).toEqual([['nightly-2026-11-19-r1', fence, 'aborted', null]]);
    await open(NIGHT, { unfinished: of('settled') });
    expect(ended).toEqual([['nightly-2026-11-19-r1', fence, 'aborted', null]]);
    await open(NIGHT, { unfinished: of('settled'), placed });
    expect(ended).toEqual([['nightly-2026-11-19-r1', fence, 'complete', '2026-11-19/nightly-r1']]);
    expect(opened).toHaveLength(1);
  });

  it('is aborted by an outage, whose answers are about no record, and left to be resumed after anything else', async () => {
    await open(NIGHT, {}, (held, run) => held.abortOnOutage(run, new ServiceUnavailableError('away')));
    expect(ended).toEqual([['nightly-2026-11-20-r1', { name: 'nightly', token: 1 }, 'aborted', null]]);
    await open(NIGHT, {}, (held, run) => held.abortOnOutage(run, new Error('a fault of the program')));
    expect(ended).toEqual([]);
  });
});

it('a business date that has not come is refused; today is one', () => {
  const now = at('2026-11-20 23:30');
  expect(() => requirePastDate('2026-11-21', now, 'UTC')).toThrow('2026-11-21 is in the future: today is 2026-11-20');
  expect(() => requirePastDate('2026-11-21', now, 'Europe/Berlin')).not.toThrow();
  expect(() => requirePastDate('2026-11-20', now, 'UTC')).not.toThrow();
  expect(() => requirePastDate(null, now, 'UTC')).not.toThrow();
});
