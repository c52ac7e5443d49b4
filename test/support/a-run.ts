/** Runs and statements of months as the ledger has them. */
import type { Run } from '../../src/domain/run.ts';
import type { NewMonthSet } from '../../src/ports/store/periods.ts';
import { at } from './builders.ts';

/** A night that fetches, with nothing planned yet. */
export function aRun(overrides: Partial<Run> = {}): Run {
  return {
    runId: 'nightly-2026-11-20-r1',
    job: 'nightly',
    businessDate: '2026-11-20',
    revision: 1,
    state: 'fetching',
    selection: { type: 'due' },
    timezone: 'UTC',
    startedAt: at('2026-11-20 04:15'),
    finishedAt: null,
    asOf: at('2026-11-20 23:59'),
    terms: '{}',
    rulesHash: 'rules',
    configHash: 'config',
    codeVersion: '0.1.0',
    supersedes: null,
    requestsSent: 0,
    population: 0,
    verdicts: null,
    watermarks: null,
    publishedTo: null,
    sources: [],
    tracked: null,
    retracted: null,
    survey: null,
    ...overrides,
  };
}

/** The close of October. */
export function aStatement(overrides: Partial<NewMonthSet> = {}): NewMonthSet {
  return {
    period: '2026-10',
    type: 'close',
    number: 0,
    carriedIn: null,
    timezone: 'UTC',
    by: 'Ann',
    at: at('2026-11-02 09:00'),
    basis: { breakEvent: 0, runs: [] },
    terms: '{}',
    rulesHash: 'rules',
    configHash: 'config',
    codeVersion: '0.1.0',
    ...overrides,
  };
}
