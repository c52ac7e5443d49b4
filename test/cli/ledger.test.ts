import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/app.ts';
import type { OpenApp } from '../../src/cli/session.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { Run } from '../../src/domain/run.ts';
import type { PastBreakEvent } from '../../src/ports/store/breaks.ts';
import type { BreakFilter, CurrentBreak } from '../../src/ports/store/store.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { aRun } from '../support/a-run.ts';
import { at } from '../support/builders.ts';
import { tieout } from './world.ts';

const BREAK = aCurrentBreak({
  breakId: `3f9a1c${'0'.repeat(58)}`,
  recordId: 'sqs6a428mqjtzbv',
  hostReference: 'order 7',
  firstSeenDate: '2026-11-18',
  explanation: 'The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.',
  evidenceSha256: 'e'.repeat(64),
  events: 1,
});

const EVENTS: PastBreakEvent[] = [
  {
    type: 'opened',
    at: at('2026-11-19 04:20'),
    runId: 'nightly-2026-11-18-r1',
    businessDate: '2026-11-18',
    who: 'tieout',
    reason: null,
    after: BREAK,
  },
];

const RUN = aRun({
  runId: 'nightly-2026-11-20-r2',
  revision: 2,
  state: 'incomplete',
  timezone: 'Europe/Berlin',
  startedAt: at('2026-11-21 04:15'),
  finishedAt: at('2026-11-21 05:01'),
  asOf: at('2026-11-20 23:00'),
  supersedes: 'nightly-2026-11-20-r1',
  requestsSent: 2012,
  population: 2000,
  verdicts: { matched: 1900, pending: 57, break: 30, unverified: 9, quarantined: 1, waived: 3 },
  publishedTo: '2026-11-20/nightly-r2',
});

/** An application whose ledger holds these; remembers what it was asked for. */
function ledger(breaks: readonly CurrentBreak[], runs: readonly Run[] = []) {
  const asked: BreakFilter[] = [];
  const store = {
    breaks: {
      list: async (filter: BreakFilter) => {
        asked.push(filter);
        return breaks.slice(0, filter.limit);
      },
      get: async (id: string) => breaks.find(({ breakId }) => breakId.startsWith(id)) ?? null,
      events: async () => EVENTS,
    },
    runs: {
      list: async () => runs,
      get: async (runId: string) => runs.find((run) => run.runId === runId) ?? null,
    },
    items: { unverified: async () => new Map([['timeout', 9]]) },
    // Rows that are no longer stored are reported as such: the ledger of breaks outlives records and runs.
    tracked: { find: async () => [] },
  };
  const settings = { timezone: 'UTC', reports: { currency: null, rates: null } };
  const clock = { wall: { now: () => 0 } };
  const openApp: OpenApp = async () => ({ store, terms: {}, settings, clock }) as unknown as App;
  return { openApp, asked };
}

describe('tieout breaks list', () => {
  it('lists breaks that need a decision by default', async () => {
    const { openApp, asked } = ledger([BREAK]);
    const { code, out } = await tieout('breaks list', { openApp });
    expect(code).toBe(0);
    expect(asked).toEqual([{ states: ['open', 'acknowledged', 'reopened'], limit: 500, offset: 0 }]);
    const [head, row, ...below] = out.split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['break', 'severity', 'rule', 'record', 'at stake', 'since']);
    expect(row).toContain('3f9a1c000000  high');
    const story = below.join(' ').replace(/\s+/g, ' ');
    expect(story).toContain('open, purchase');
    expect(story).toContain('The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.');
  });

  it('has what is owed to the host first, then the largest amounts of each currency, then what has nothing at stake', async () => {
    const of = (recordId: string, over: Partial<CurrentBreak>) => ({
      ...BREAK,
      recordId,
      unit: 'money' as const,
      ...over,
    });
    const at = (amount: string, recordCurrency = 'EUR') => ({ moneyAtStake: Decimal.parse(amount), recordCurrency });
    const rows = [
      of('nothing', { difference: Decimal.parse('900') }),
      of('small', { ...at('2.50'), lossBearer: 'user' }),
      of('crowns', { ...at('800', 'CZK'), lossBearer: 'user' }),
      of('large', { ...at('17.85'), lossBearer: 'user' }),
      of('2026-06-EUR', { ...at('0.43'), kind: 'payout', rule: 'PAYOUT_MISSING', lossBearer: 'host' }),
      of('2026-07-EUR', { ...at('1.63'), kind: 'payout', rule: 'PAYOUT_MISSING', lossBearer: 'host' }),
    ];
    const { out } = await tieout('breaks list --json --sort money', { openApp: ledger(rows).openApp });
    const { breaks } = JSON.parse(out) as { breaks: { record_id: string }[] };
    const order = ['2026-07-EUR', '2026-06-EUR', 'crowns', 'large', 'small', 'nothing'];
    expect(breaks.map(({ record_id }) => record_id)).toEqual(order);
  });

  it('filters', async () => {
    const { openApp, asked } = ledger([BREAK]);
    const flags = '--state waived,resolved --rule RESTATED --kind sale --record abc --assignee kim --limit 5';
    await tieout(`breaks list ${flags}`, { openApp });
    expect(asked).toEqual([
      {
        states: ['waived', 'resolved'],
        rule: 'RESTATED',
        kind: 'sale',
        recordId: 'abc',
        assignee: 'kim',
        limit: 500,
        offset: 0,
      },
    ]);
  });

  it('prints the columns of breaks.csv as JSON, and whether there are more', async () => {
    const { openApp } = ledger([BREAK, BREAK]);
    const { out } = await tieout('breaks list --json --limit 1', { openApp });
    const { breaks, more } = JSON.parse(out) as { breaks: Record<string, unknown>[]; more: boolean };
    expect(more).toBe(true);
    expect(breaks).toHaveLength(1);
    expect(breaks[0]).toMatchObject({
      break_id: BREAK.breakId,
      rule: 'FEE_APPLIED_DIFFERS',
      record_id: 'sqs6a428mqjtzbv',
      difference: '1.5',
      currency: 'EUR',
      assignee: null,
    });
  });

  it('says so where there are none', async () => {
    expect((await tieout('breaks list', ledger([]))).out).toBe('No breaks.\n');
    expect(JSON.parse((await tieout('breaks list --json', ledger([]))).out)).toEqual({ breaks: [], more: false });
  });

  it.each([
    ['--state shut', "option '--state <states>' argument 'shut' is invalid"],
    ['--limit 0', "option '--limit <n>' argument '0' is invalid"],
    ['--kind refund', "option '--kind <kind>' argument 'refund' is invalid"],
  ])('refuses %s', async (flags, message) => {
    const { code, err } = await tieout(`breaks list ${flags}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('tieout breaks show', () => {
  it('prints the expected value, the found value, and the life of the break', async () => {
    const { code, out } = await tieout('breaks show 3f9a1c', ledger([BREAK]));
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'FEE_APPLIED_DIFFERS (high, open) on purchase sqs6a428mqjtzbv',
        '  The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.',
        '',
        'Why it matters',
        '  The fee is the price of the service: a user who paid more than was promised is owed the difference',
        '  and an answer.',
        '',
        'What to do',
        '  Claim the difference from the Service, or refund the user; the parts say which fee it is in.',
        '',
        'What settles it',
        '  A night on which the record at the Service agrees again, or a waiver for exactly this difference.',
        '',
        'Expected and found',
        `  break       ${BREAK.breakId}`,
        '  field       applied_fee',
        '  expected    4.76 EUR',
        '  found       6.26 EUR',
        '  difference  +1.50 EUR',
        '  tolerance   0.01 EUR',
        '  first seen  2026-11-18',
        '  last seen   2026-11-20',
        '',
        'Worked out again',
        '  Could not be worked out again: run nightly-2026-11-18-r1 is not stored any more.',
        '',
        'The record',
        '  record          purchase sqs6a428mqjtzbv',
        '  host reference  order 7',
        '',
        'Evidence',
        `  body (SHA-256)  ${'e'.repeat(64)}`,
        '  to read it      tieout evidence eeeeeeeeeeee --record sqs6a428mqjtzbv',
        '',
        'History',
        '  2026-11-19 04:20 UTC  opened by tieout in nightly-2026-11-18-r1 for 2026-11-18',
        '',
      ].join('\n'),
    );
  });

  it('has its events in JSON', async () => {
    const shown = JSON.parse((await tieout('breaks show 3f9a1c --json', ledger([BREAK]))).out) as { events: unknown[] };
    expect(shown.events).toEqual([
      {
        type: 'opened',
        at: '2026-11-19T04:20:00.000Z',
        business_date: '2026-11-18',
        run_id: 'nightly-2026-11-18-r1',
        who: 'tieout',
        reason: null,
        state: 'open',
        expected: '4.76',
        actual: '6.26',
        difference: '1.5',
      },
    ]);
  });

  it('says where to look when there is none', async () => {
    const { code, err } = await tieout('breaks show ffffff', ledger([BREAK]));
    expect(code).toBe(2);
    expect(err).toBe('tieout: there is no break ffffff; list the breaks with `tieout breaks list`\n');
  });
});

describe('tieout runs', () => {
  it('lists them', async () => {
    const { out } = await tieout('runs list', ledger([], [RUN]));
    expect(out.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'nightly-2026-11-20-r2',
      'incomplete',
      '2000',
      '1900',
      '57',
      '30',
      '9',
      '1',
      '3',
      '2012',
      '2026-11-21T05:01:00.000Z',
    ]);
  });

  it('leaves unknown values empty', async () => {
    const { out } = await tieout(
      'runs list --json',
      ledger([], [{ ...RUN, state: 'fetching', verdicts: null, finishedAt: null }]),
    );
    expect(JSON.parse(out)).toMatchObject({ runs: [{ state: 'fetching', verdicts: null, finished_at: null }] });
  });

  it('names a job that there is not, unless the ledger has runs of it', async () => {
    const { code, err } = await tieout('runs list --job nope', ledger([]));
    expect([code, err]).toEqual([2, expect.stringContaining('there is no job nope; the jobs are: nightly, audit')]);
    expect((await tieout('runs list --job audit', ledger([]))).code).toBe(0);
    expect((await tieout('runs list --job renamed', ledger([], [{ ...RUN, job: 'renamed' }]))).code).toBe(0);
  });

  it('shows one', async () => {
    const { out } = await tieout('runs show nightly-2026-11-20-r2', ledger([], [RUN]));
    expect(out).toMatch(/^business date\s+2026-11-20 \(Europe\/Berlin\)$/m);
    expect(out).toMatch(/^supersedes\s+nightly-2026-11-20-r1$/m);
    expect(out).toMatch(/^unverified\s+9$/m);
    expect(out).toMatch(/^not verified\s+9: timeout$/m);
    expect(out).toMatch(/^published to\s+2026-11-20\/nightly-r2$/m);
    expect((await tieout('runs show nope', ledger([], [RUN]))).code).toBe(2);
  });
});
