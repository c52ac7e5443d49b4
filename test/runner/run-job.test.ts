import { describe, expect, it } from 'vitest';
import type { Job, JobEdges } from '../../src/ports/job.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import { DateFinishedError, type RunLedger, runJob } from '../../src/runner/run-job.ts';
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
