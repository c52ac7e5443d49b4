import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/app.ts';
import type { OpenApp } from '../../src/cli/session.ts';
import type { DueClass } from '../../src/domain/due.ts';
import type { PlanScope } from '../../src/ports/store/store.ts';
import { DUE_POLICY } from '../support/due-rule.ts';
import { tieout } from './world.ts';

const DUE: Readonly<Record<DueClass, number>> = {
  'never-verified': 1_000,
  'open-break': 200,
  'not-terminal': 1_500,
  'post-terminal': 300,
  requested: 0,
};

/** An application that has this due, and whose limits are the Service's own: 999 requests in 905 s. */
function planning(
  due = DUE,
  over: { rateLimits?: 'off' | readonly object[]; sources?: readonly object[]; workers?: boolean; guard?: number } = {},
) {
  const asked: PlanScope[] = [];
  const rateLimits = [
    { requests: 100, perMs: 60_000 },
    { requests: 1_000, perMs: 900_000 },
  ];
  const app = {
    settings: {
      timezone: 'Europe/Berlin',
      due: DUE_POLICY,
      service: { rateLimits, guard: 5_000, ...over },
      sources: over.sources ?? [],
      workers: { enabled: over.workers ?? false },
    },
    clock: { wall: { now: () => Date.parse('2026-11-21T03:15:00Z') } },
    limiter: {
      state: async () => ({
        circuit: { open: false, until: null, trips: 0, reason: null },
        windows: [{ requests: 100, perMs: 60_000, used: 3 }],
      }),
    },
    store: {
      items: {
        preview: async (scope: PlanScope) => {
          asked.push(scope);
          return due;
        },
      },
      reference: {
        currencies: async () => [
          { code: 'EUR', onramp: true, offramp: true },
          { code: 'BRL', onramp: true, offramp: false },
        ],
      },
      tracked: { currenciesInUse: async () => ['PLN'] },
    },
  };
  const openApp: OpenApp = async () => app as unknown as App;
  return { openApp, asked };
}

const rowsOf = (out: string) => out.split('\n').map((line) => line.split(/ {2,}/).filter((cell) => cell !== ''));

describe('tieout plan', () => {
  it('prints a row for each class: due, requests, how long, until when, and what would be put off', async () => {
    const { openApp } = planning();
    const { code, out } = await tieout('plan', { openApp });
    expect(code).toBe(0);
    expect(rowsOf(out).slice(0, 7)).toEqual([
      ['nightly for 2026-11-20: 3,000 records are due. Nothing was sent.'],
      [],
      ['class', 'due', 'requests', 'takes', 'ends', 'deferred'],
      ['never verified', '1,000', '1,000', '15 min', '2026-11-21 03:30 UTC', '0'],
      ['open break', '200', '200', '3 min', '2026-11-21 03:33 UTC', '0'],
      ['not terminal', '1,500', '1,500', '23 min', '2026-11-21 03:55 UTC', '0'],
      ['post terminal', '300', '300', '5 min', '2026-11-21 04:00 UTC', '0'],
    ]);
  });

  it('counts the records that a budget of requests or time would defer, and states the consequence', async () => {
    const { openApp } = planning();
    const requests = await tieout('plan --max-requests 1500', { openApp });
    expect(requests.code).toBe(0);
    expect(
      rowsOf(requests.out)
        .slice(3, 7)
        .map((row) => row.at(-1)),
    ).toEqual(['0', '0', '1,200', '300']);
    expect(requests.out).toContain('1,500 would be deferred: the run would exit 3, and the next one start with them.');
    // 1,800 s at 999 requests in 905 s: 1 + floor(1,986.96).
    const time = await tieout('plan --max-duration 30m --json', { openApp });
    expect(JSON.parse(time.out)).toMatchObject({
      budget: { max_requests: null, max_duration_ms: 1_800_000, allowed_requests: 1_987 },
      deferred: 1_013,
      classes: [
        { class: 'never_verified', due: 1_000, requests: 1_000, deferred: 0 },
        { class: 'open_break', due: 200, requests: 200, deferred: 0 },
        { class: 'not_terminal', due: 1_500, requests: 1_500, deferred: 713 },
        { class: 'post_terminal', due: 300, requests: 300, deferred: 300 },
        { class: 'requested', due: 0, requests: 0, deferred: 0 },
      ],
    });
  });

  it('states a time below a second in whole milliseconds', async () => {
    // 12 intervals of 10,000 ms / 297.
    const due = { ...DUE, 'never-verified': 13 };
    const { out } = await tieout('plan', planning(due, { rateLimits: [{ requests: 300, perMs: 10_000 }], guard: 0 }));
    expect(out).toMatch(/^never verified +13 +13 +\d+ ms /m);
  });

  it('states how more addresses shorten the night, and that they need workers', async () => {
    // 750 for each of four: 749 × 905.906 ms.
    const { code, out } = await tieout('plan --addresses 4', planning(DUE, { workers: true }));
    expect(code).toBe(0);
    expect(out).toMatch(/^ *addresses +4, each with these limits to itself$/m);
    expect(out).toMatch(/^ *takes +11 min$/m);
    expect(out).toMatch(/^ *ends +2026-11-21 03:26 UTC$/m);
    const json = JSON.parse((await tieout('plan --addresses 4 --max-duration 5m --json', planning())).out);
    // 300 s at 905.906 ms: 332 for each.
    expect(json).toMatchObject({ addresses: 4, budget: { allowed_requests: 1_328 }, deferred: 1_672 });
    expect((await tieout('plan --addresses 4', planning())).out).toContain('workers.enabled is false');
    const alone = await tieout('plan', planning());
    expect(alone.out).not.toContain('addresses');
    expect((await tieout('plan --addresses 0')).code).toBe(2);
  });

  it('keeps the keys that dashboards read', async () => {
    const { openApp } = planning();
    const { out } = await tieout('plan --json', { openApp });
    const { interval_ms, duration_ms, ...plan } = JSON.parse(out) as Record<string, unknown>;
    expect(interval_ms).toBeCloseTo(905.906, 3);
    expect(duration_ms).toBeCloseTo(2_716_811.8, 1);
    expect(plan).toMatchObject({
      job: 'nightly',
      business_date: '2026-11-20',
      due: { never_verified: 1_000, open_break: 200, not_terminal: 1_500, post_terminal: 300, requested: 0 },
      requests: 3_000,
      addresses: 1,
      ends_at: '2026-11-21T04:00:16.811Z',
      circuit: { open: false, until: null, trips: 0, reason: null },
      windows: [{ requests: 100, per_ms: 60_000, used: 3 }],
      deferred: 0,
      sources_not_read: 0,
      // EUR and PLN of both directions, BRL of one; methods of both, currencies, countries.
      reference_requests: 9,
    });
  });

  it('plans an audit where a range is named, and no job', async () => {
    const { openApp, asked } = planning();
    const { out } = await tieout('plan --from 2026-10-01 --to 2026-11-01 --json', { openApp });
    expect(JSON.parse(out)).toMatchObject({ job: 'audit' });
    expect(asked).toMatchObject([{ selection: { type: 'created', from: '2026-10-01', to: '2026-11-01' } }]);
  });

  it('asks the store for what the job itself would select', async () => {
    const { openApp, asked } = planning();
    for (const line of ['plan', 'plan recheck', 'plan audit', 'plan audit --from 2026-10-01 --to 2026-11-01']) {
      expect((await tieout(line, { openApp })).code).toBe(0);
    }
    expect(asked.map(({ job, selection }) => [job, selection])).toEqual([
      ['nightly', { type: 'due' }],
      ['recheck', { type: 'delivered' }],
      ['audit', { type: 'all', kind: null }],
      ['audit', { type: 'created', from: '2026-10-01', to: '2026-11-01', kind: null }],
    ]);
    // The days of Berlin, half-open, in summer and in winter time.
    expect(asked[3]).toMatchObject({
      createdFrom: Date.parse('2026-09-30T22:00:00Z'),
      createdTo: Date.parse('2026-10-31T23:00:00Z'),
    });
  });

  it('plans no records for a job that fetches none', async () => {
    const { openApp, asked } = planning();
    const { code, out } = await tieout('plan reference-data --json', { openApp });
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        job: 'reference-data',
        requests: null,
        note: 'reference-data fetches no records: it captures the current assets, limits, methods, currencies and countries',
      },
    ]);
    expect(asked).toEqual([]);
  });

  it('shows one class for records given by id, and names ids that are not tracked', async () => {
    const requested = {
      ...DUE,
      'never-verified': 0,
      'open-break': 0,
      'not-terminal': 0,
      'post-terminal': 0,
      requested: 7,
    };
    const { openApp } = planning(requested);
    const rows = rowsOf((await tieout('plan audit', { openApp })).out);
    expect(rows.slice(2, 5).map((row) => row[0])).toEqual(['class', 'requested', undefined]);
    const withSources = planning(DUE, { rateLimits: 'off', sources: [{}, {}] });
    const { out } = await tieout('plan --max-duration 1h', withSources);
    expect(out).toContain('2 not read: ids that they would bring come on top');
    expect(out).toContain('how far that goes is not known without limits');
    expect(rowsOf(out)[3]).toEqual(['never verified', '1,000', '1,000']);
  });

  it('refuses half a range and an empty one', async () => {
    expect((await tieout('plan audit --from 2026-10-01')).code).toBe(2);
    expect((await tieout('plan audit --from 2026-10-02 --to 2026-10-02')).err).toContain('the range is empty');
    expect((await tieout('plan --max-requests 0')).code).toBe(2);
  });
});
