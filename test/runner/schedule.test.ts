import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/ports/job.ts';
import { LockHeldError } from '../../src/runner/lease.ts';
import { type SchedulerOptions, startScheduler } from '../../src/runner/schedule.ts';
import { at } from '../support/builders.ts';
import { aLog, aRun, type FakeAppOptions, fakeApp, HOURLY, handTicks, NIGHTLY, SILENT } from './support/ledger.ts';

/** A schedule under way, with hands on its clock, its ticks and its signal. */
function aSchedule(
  options: Partial<FakeAppOptions> & { start: string; notifier?: SchedulerOptions['notifier']; maxNights?: number },
) {
  let now = at(options.start);
  const world = fakeApp({ jobs: { nightly: '15 4 * * *' }, ...options, now: () => now });
  const hand = handTicks();
  const log = aLog();
  const stop = new AbortController();
  const scheduler = startScheduler(world.app, {
    jobs: [NIGHTLY, HOURLY],
    log,
    signal: stop.signal,
    notifier: options.notifier ?? SILENT,
    ticks: hand.ticks,
    ...(options.maxNights === undefined ? {} : { maxNights: options.maxNights }),
  });
  return {
    ...world,
    ...hand,
    log,
    stop,
    scheduler,
    /** What ticks at that time, and all that comes of it. */
    at: async (time: string, ...names: string[]) => {
      now = at(time);
      for (const name of names) hand.tick(name);
      await settled();
    },
  };
}

/** Before tonight's tick, with the night before done. */
const tonight = () => ({ start: '2026-11-21 01:00', ledger: [aRun('nightly', '2026-11-19', 'complete')] });
/** In the morning, with three nights to catch up with. */
const behind = () => ({ start: '2026-11-21 10:00', ledger: [aRun('nightly', '2026-11-17', 'complete')] });
/** A run that fails so. */
const failing = (why: string) => async () => {
  throw new Error(why);
};

/** Everything that needs no clock has happened. */
async function settled() {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Work that ends when the test says so. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<'finish' | 'stop'>();
  return { work: () => promise, finish: () => resolve('finish'), stop: () => resolve('stop'), fail: reject };
}

describe('at its start', () => {
  it('catches up with missed business dates, oldest first', async () => {
    const { runs, log } = aSchedule({
      start: '2026-11-21 10:00',
      ledger: [aRun('nightly', '2026-11-17', 'incomplete')],
    });
    await settled();
    expect(runs).toEqual(['nightly 2026-11-18', 'nightly 2026-11-19', 'nightly 2026-11-20']);
    const CATCHING_UP = 'catching up with missed business dates';
    expect(log.lines.filter((line) => line.startsWith(CATCHING_UP))).toEqual([
      `${CATCHING_UP} {"job":"nightly","dates":["2026-11-18","2026-11-19","2026-11-20"]}`,
      `${CATCHING_UP} {"job":"nightly","dates":["2026-11-19","2026-11-20"]}`,
    ]);
  });

  it.each([
    ['takes a run that was given up for none', 'aborted', 'nightly 2026-11-19'],
    ['continues the interrupted run, then runs the missing nights', 'fetching', 'nightly resume 2026-11-19'],
  ] as const)('%s', async (_, state, first) => {
    const { runs } = aSchedule({
      start: '2026-11-21 10:00',
      ledger: [aRun('nightly', '2026-11-18', 'complete'), aRun('nightly', '2026-11-19', state)],
    });
    await settled();
    expect(runs).toEqual([first, 'nightly 2026-11-20']);
  });

  it('catches up with as many nights as configured', async () => {
    const { runs } = aSchedule({ ...behind(), maxNights: 1 });
    await settled();
    expect(runs).toEqual(['nightly 2026-11-20']);
  });

  it('leaves tonight to tonight', async () => {
    const { runs, at } = aSchedule(tonight());
    await settled();
    expect(runs).toEqual([]);
    await at('2026-11-21 04:15', 'nightly');
    expect(runs).toEqual(['nightly 2026-11-20']);
  });

  it('owes nothing where there never was a run', async () => {
    const { runs, at } = aSchedule({ start: '2026-11-21 10:00' });
    await settled();
    expect(runs).toEqual([]);
    await at('2026-11-22 04:15', 'nightly');
    expect(runs).toEqual(['nightly 2026-11-21']);
  });

  it('gives up nights that are too old, and says so', async () => {
    const { runs, log } = aSchedule({ start: '2026-11-21 10:00', ledger: [aRun('nightly', '2026-11-01', 'complete')] });
    await settled();
    expect(runs).toHaveLength(7);
    expect(runs[0]).toBe('nightly 2026-11-14');
    expect(log.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn nightly: 12 business dates before 2026-11-14 have no run and are too old to catch up with; `tieout run nightly --date` makes one by hand',
    ]);
  });

  it('refuses a job that does not exist', () => {
    expect(() => aSchedule({ start: '2026-11-21 10:00', jobs: { nigthly: '15 4 * * *' } })).toThrow(
      'there is no job nigthly to schedule',
    );
  });
});

describe('a business date has one run', () => {
  it('where a tick comes twice', async () => {
    const { runs, at } = aSchedule(tonight());
    await at('2026-11-21 04:15', 'nightly', 'nightly', 'nightly again');
    await at('2026-11-21 05:15', 'nightly');
    expect(runs).toEqual(['nightly 2026-11-20']);
  });

  it('where it was run by hand before', async () => {
    const { runs, ledger, at } = aSchedule(tonight());
    await settled();
    ledger.push(aRun('nightly', '2026-11-20', 'complete'));
    await at('2026-11-21 04:15', 'nightly');
    expect(runs).toEqual([]);
  });

  it('where two processes look at the ledger at once', async () => {
    const ledger = [aRun('nightly', '2026-11-19', 'complete')];
    const locks = new Set<string>();
    const one = aSchedule({ start: '2026-11-21 10:00', ledger, locks });
    const other = aSchedule({ start: '2026-11-21 10:00', ledger, locks });
    await settled();
    // Also when both look again.
    await one.at('2026-11-21 10:05', 'nightly again');
    await other.at('2026-11-21 10:05', 'nightly again');
    expect([...one.runs, ...other.runs]).toEqual(['nightly 2026-11-20']);
    expect([...one.log.lines, ...other.log.lines].filter((line) => /^(warn|error)/.test(line))).toEqual([]);
  });

  it('where the night before is still running', async () => {
    const long = held();
    const { runs, at } = aSchedule({ ...tonight(), work: long.work });
    await at('2026-11-21 04:15', 'nightly');
    await at('2026-11-22 04:15', 'nightly', 'nightly again');
    expect(runs).toEqual(['nightly 2026-11-20']);
    long.finish();
    await settled();
    // The look that is under way sees the second tick by itself.
    expect(runs).toEqual(['nightly 2026-11-20', 'nightly 2026-11-21']);
  });
});

describe('a tick whose lock is held elsewhere', () => {
  it('is logged, and tried again until the lock is free', async () => {
    let held = true;
    const { runs, log, at } = aSchedule({
      ...tonight(),
      work: async () => {
        if (held) throw new LockHeldError('nightly', 'db-host pid 4711', 0);
        return 'finish';
      },
    });
    await at('2026-11-21 04:15', 'nightly');
    await at('2026-11-21 04:20', 'nightly again');
    expect(log.lines.filter((line) => line.startsWith('refused'))).toHaveLength(2);
    expect(log.lines.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
    held = false;
    await at('2026-11-21 04:25', 'nightly again');
    await at('2026-11-21 04:30', 'nightly again');
    expect(runs).toEqual(['nightly 2026-11-20', 'nightly 2026-11-20', 'nightly 2026-11-20']);
  });
});

describe('a night that fails', () => {
  it('is tried again after an hour, four times, and again the next night, before that one', async () => {
    let fails = true;
    const { runs, log, at } = aSchedule({
      ...tonight(),
      work: async () => {
        if (fails) throw new Error('the Service is unavailable');
        return 'finish';
      },
    });
    await at('2026-11-21 04:15', 'nightly');
    await at('2026-11-21 05:10', 'nightly again');
    expect(runs).toHaveLength(1);
    for (const time of ['05:15', '05:20', '06:15', '07:15', '08:15', '09:15', '23:55']) {
      await at(`2026-11-21 ${time}`, 'nightly again');
    }
    expect(runs).toHaveLength(4);
    expect(log.lines.filter((line) => line.startsWith('error'))[0]).toBe(
      'error nightly for 2026-11-20 failed: Error: the Service is unavailable',
    );
    fails = false;
    await at('2026-11-22 04:15', 'nightly');
    expect(runs.slice(4)).toEqual(['nightly 2026-11-20', 'nightly 2026-11-21']);
  });

  it('is tried as often on the next night', async () => {
    const { runs, at } = aSchedule({ ...tonight(), work: failing('the Service is unavailable') });
    for (const time of ['04:15', '05:15', '06:15', '07:15']) await at(`2026-11-21 ${time}`, 'nightly', 'nightly again');
    expect(runs).toHaveLength(4);
    for (const time of ['04:15', '05:15']) await at(`2026-11-22 ${time}`, 'nightly', 'nightly again');
    expect(runs.slice(4)).toEqual(['nightly 2026-11-20', 'nightly 2026-11-20']);
  });

  it('does not let younger nights pass it, until it is given up', async () => {
    const { runs, at } = aSchedule({ ...behind(), work: failing('the disk is full') });
    await settled();
    await at('2026-11-21 10:05', 'nightly again');
    expect(runs).toEqual(['nightly 2026-11-18']);
    for (const hour of [11, 12, 13, 14]) await at(`2026-11-21 ${hour}:00`, 'nightly again');
    expect(runs.slice(3)).toEqual(['nightly 2026-11-18', 'nightly 2026-11-19']);
  });
});

describe('a job without a date', () => {
  const start = { start: '2026-11-21 01:00', jobs: { 'reference-data': '0 * * * *' } };

  it('runs when it ticks, and only then', async () => {
    const { runs, names, at } = aSchedule(start);
    await settled();
    expect([runs, names()]).toEqual([[], ['reference-data']]);
    await at('2026-11-21 02:00', 'reference-data');
    await at('2026-11-21 03:00', 'reference-data');
    expect(runs).toEqual(['reference-data 2026-11-20', 'reference-data 2026-11-20']);
  });

  it('goes on with a run that was interrupted', async () => {
    const ledger = [aRun('reference-data', '2026-11-18', 'fetching')];
    const { runs, at } = aSchedule({ ...start, ledger });
    await at('2026-11-21 02:00', 'reference-data');
    await at('2026-11-21 03:00', 'reference-data');
    expect(runs).toEqual(['reference-data resume 2026-11-18', 'reference-data 2026-11-20']);
  });

  it('leaves out a tick that comes while it runs', async () => {
    const long = held();
    const { runs, log, at } = aSchedule({ ...start, work: long.work });
    await at('2026-11-21 02:00', 'reference-data');
    await at('2026-11-21 03:00', 'reference-data');
    expect(runs).toHaveLength(1);
    expect(log.lines).toContain('still running; this tick is skipped {"job":"reference-data"}');
    long.finish();
    await settled();
    await at('2026-11-21 04:00', 'reference-data');
    expect(runs).toHaveLength(2);
  });

  it('that fails is logged by its name, and runs at the next tick', async () => {
    const { runs, log, at } = aSchedule({ ...start, work: failing('x') });
    await at('2026-11-21 02:00', 'reference-data');
    expect(log.lines.at(-1)).toBe('error reference-data failed: Error: x');
    await at('2026-11-21 03:00', 'reference-data');
    expect(runs).toHaveLength(2);
  });

  it('runs beside the nightly job', async () => {
    const long = held();
    const { runs, at } = aSchedule({
      start: '2026-11-21 01:00',
      jobs: { nightly: '15 4 * * *', 'reference-data': '0 * * * *' },
      ledger: [aRun('nightly', '2026-11-19', 'complete')],
      work: (job: Job) => (job.name === 'nightly' ? long.work() : Promise.resolve('finish')),
    });
    await at('2026-11-21 04:15', 'nightly');
    await at('2026-11-21 05:00', 'reference-data');
    expect(runs).toEqual(['nightly 2026-11-20', 'reference-data 2026-11-20']);
    long.finish();
  });
});

describe('when it is stopped', () => {
  it('waits for runs in flight, and starts no other', async () => {
    const long = held();
    const { runs, log, stop, scheduler, names, at } = aSchedule({ ...behind(), work: long.work });
    await settled();
    stop.abort();
    let over = false;
    const ending = scheduler.stop().then(() => {
      over = true;
    });
    await settled();
    expect(over).toBe(false);
    expect(names()).toEqual([]);
    long.stop();
    await ending;
    expect(log.lines.at(-1)).toBe(
      'stopped; the progress is saved, and the next start goes on with it {"job":"nightly","date":"2026-11-18","resume":false,"run":"nightly-2026-11-18-r1"}',
    );
    await at('2026-11-22 04:15', 'nightly');
    expect(runs).toEqual(['nightly 2026-11-18']);
  });

  it('leaves out a tick between the signal and its own end', async () => {
    const { runs, stop, at } = aSchedule({ start: '2026-11-21 01:00', jobs: { 'reference-data': '0 * * * *' } });
    stop.abort();
    await at('2026-11-21 02:00', 'reference-data');
    expect(runs).toEqual([]);
  });

  it('treats an aborted wait as a stop, not as an error', async () => {
    const long = held();
    const { stop, scheduler, log } = aSchedule({ ...behind(), work: long.work });
    await settled();
    stop.abort();
    long.fail(new DOMException('Stopped by SIGTERM', 'AbortError'));
    await scheduler.stop();
    expect(log.lines.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
  });
});

it('a database that cannot be asked is logged, and asked again', async () => {
  const world = aSchedule(tonight());
  await settled();
  const { list } = world.app.store.runs;
  world.app.store.runs.list = () => Promise.reject(new Error('the database is locked'));
  await world.at('2026-11-21 04:15', 'nightly');
  expect(world.log.lines.at(-1)).toBe('error nightly: Error: the database is locked');
  world.app.store.runs.list = list;
  await world.at('2026-11-21 04:20', 'nightly again');
  expect(world.runs).toEqual(['nightly 2026-11-20']);
});
