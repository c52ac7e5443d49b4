import { expect, it } from 'vitest';
import { NO_MARKET } from '../../src/domain/market.ts';
import type { MonthStore } from '../../src/periods/edges.ts';
import { periodPage } from '../../src/periods/pages.ts';
import { unresolvedBreaks } from '../../src/periods/standing.ts';
import type { Look, MonthSetRecord, PeriodBasis } from '../../src/ports/store/periods.ts';
import type { StatusChange } from '../../src/ports/store/store.ts';
import { runBook } from '../../src/reconcile/run-book.ts';
import { aRun, aStoredCase, DEFERRED, type StoredOverrides } from '../reconcile/support/judging.ts';
import { aBreak } from '../support/a-break.ts';
import { at, someFacts } from '../support/builders.ts';

const FACTS = { runId: 'period-2026-10', businessDate: '2026-10-31', timezone: 'UTC' };
const BASIS: PeriodBasis = { runs: [1], breakEvent: 9 };

const stated = (recordKey: number, recordId: string): MonthSetRecord => ({
  recordKey,
  kind: 'purchase',
  recordId,
  lookRun: null,
  verifiedRun: null,
  contentKey: null,
  verdict: 'unverified',
  present: true,
  changes: [],
});

const change = (recordId: string, to: string): StatusChange => ({
  kind: 'purchase',
  recordId,
  from: 'CREATED',
  to,
  fromSeenAt: at('2026-10-01 10:00'),
  toSeenAt: at('2026-10-02 04:15'),
  learnedFrom: 'fetch',
  legal: true,
});

const BREAKS = (['open', 'acknowledged', 'waived', 'resolved'] as const).map((state) =>
  aBreak({ recordId: 'b', field: state, state }),
);

/** A month of `a`, `b` and `c`; they were not fetched unless a test says so. */
async function page(looks: readonly { last: Look | null; verified: Look | null }[] = []) {
  const store = {
    periods: {
      looksOf: async () => looks,
      statusChanges: async () => [change('a', 'INITIALIZED'), change('b', 'PAYMENT_STARTED'), change('a', 'RELEASED')],
    },
    breaks: { standing: async () => new Map([[2, BREAKS]]) },
    quotes: { captured: async () => [], get: async () => null, requests: async () => new Map(), seen: async () => [] },
    reference: { asOf: async () => [], published: async () => [] },
  } as unknown as MonthStore;
  const book = runBook({ run: async () => aRun() });
  return periodPage(store, book, FACTS, BASIS, [stated(1, 'a'), stated(2, 'b'), stated(3, 'c')]);
}

it('reports a record that was never fetched as unknown', async () => {
  const [, , last] = await page();
  expect(last?.settled).toEqual({
    kind: 'purchase',
    recordId: 'c',
    run: FACTS,
    verdict: 'unverified',
    tracked: someFacts(),
    observation: { outcome: 'deferred', reason: 'never looked at' },
    history: { first: null, firstTerminal: null, peak: null, statusSince: null, lastVerified: null },
    quote: null,
    reference: { global: null, asset: null, methods: null },
    market: NO_MARKET,
    attempts: 0,
    businessMonth: null,
    revenue: null,
    moved: 'unknown',
    share: null,
    state: null,
    delivery: null,
    decomposed: null,
    executed: 'not executed yet',
    expectation: null,
    price: null,
    fees: null,
    findings: [],
    notApplicable: [],
    breaks: [],
    openBreaks: 0,
    events: [],
    statusChanges: [],
  });
  expect(last?.looked).toBe(last?.settled);
});

it('gives each record its own changes of status, in their order', async () => {
  const moves = (await page()).map(({ settled }) => settled.statusChanges.map(({ to }) => to));
  expect(moves).toEqual([['INITIALIZED', 'RELEASED'], ['PAYMENT_STARTED'], []]);
});

it('lists the unresolved breaks, waived ones included', async () => {
  const [, second] = await page();
  expect(second?.settled.breaks.map(({ state }) => state)).toEqual(['open', 'acknowledged', 'waived']);
  expect(second?.settled.openBreaks).toBe(2);
  expect(unresolvedBreaks([])).toEqual([]);
});

it('takes amounts from the last readable observation, and coverage from the last one', async () => {
  const look = (overrides: StoredOverrides): Look => ({ runKey: 1, contentKey: 1, stored: aStoredCase(overrides) });
  const [verified, last] = [look({}), look({ observation: DEFERRED })];
  const [first] = await page([{ verified, last }]);
  expect(first?.settled.observation.outcome).toBe('verified');
  expect(first?.settled.state?.fiatValue.toString()).toBe('104.76');
  expect(first?.looked.observation).toEqual(DEFERRED);
  expect(first?.looked.state).toBeNull();
});

it('has nothing to look up for a page without records', async () => {
  const refusing = new Proxy({} as MonthStore, {
    get: () => {
      throw new Error('nothing should be asked for');
    },
  });
  expect(await periodPage(refusing, runBook({ run: async () => aRun() }), FACTS, BASIS, [])).toEqual([]);
});
