import { describe, expect, it } from 'vitest';
import type { BreakEventType, BreakState } from '../../src/domain/break.ts';
import type { Origin } from '../../src/domain/record.ts';
import { emptyStake } from '../../src/domain/stake-tally.ts';
import type { JudgedPage, SettledRecord } from '../../src/ports/settled.ts';
import type { StatusChange } from '../../src/ports/store/store.ts';
import { emptyTally, tallyPage } from '../../src/reconcile/tally.ts';
import { aSettledRecord } from '../reports/support/rows.ts';
import { aBreak, aBreakEvent } from '../support/a-break.ts';
import { anUnreachable, aPurchase, aSale, at, type CaseOverrides } from '../support/builders.ts';

const RUN = { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', timezone: 'UTC' };

/** A clean, matched record, but for what a test says. */
const settled = (overrides: Partial<SettledRecord> = {}, about: CaseOverrides = {}): SettledRecord => ({
  ...aSettledRecord(about),
  run: RUN,
  state: aPurchase(),
  ...overrides,
});

const page = (...records: SettledRecord[]): JudgedPage => ({
  records: records.map((record) => ({ ...record, recordKey: 1 })),
  outside: [],
});

function tallied(...records: SettledRecord[]) {
  const tally = emptyTally();
  tallyPage(tally, page(...records));
  return tally;
}

describe('the tally', () => {
  it('of no record has only zeros', () => {
    expect(emptyTally()).toEqual({
      population: 0,
      verdicts: { matched: 0, pending: 0, break: 0, unverified: 0, quarantined: 0, waived: 0 },
      notReached: 0,
      notReachedBecause: new Map(),
      deferred: 0,
      breaks: { open: 0, opened: 0, reopened: 0, resolved: 0, waived: 0 },
      stake: emptyStake(),
      rules: new Map(),
      infos: new Map(),
      notApplicable: new Map(),
      notJudged: new Map(),
      recordsNotJudged: 0,
      lacking: new Map(),
      deliveries: new Map(),
      learnedByFetch: 0,
      webhooksMissed: 0,
      matchedWithoutQuote: 0,
      abandoned: 0,
    });
  });

  it('counts every record in one verdict, so that the verdicts add up to the population', () => {
    const tally = tallied(
      settled({ verdict: 'matched' }),
      settled({ verdict: 'matched' }),
      settled({ verdict: 'pending' }),
      settled({ verdict: 'break' }),
      settled({ verdict: 'unverified' }),
      settled({ verdict: 'quarantined' }),
    );
    expect(tally.population).toBe(6);
    expect(tally.verdicts).toEqual({ matched: 2, pending: 1, break: 1, unverified: 1, quarantined: 1, waived: 0 });
  });

  it('counts unreachable and deferred records separately', () => {
    const tally = tallied(
      settled(),
      settled({}, { observation: anUnreachable({ reason: 'RECORD_MISSING' }) }),
      settled({}, { observation: anUnreachable({ reason: 'TIMEOUT' }) }),
      settled({}, { observation: { outcome: 'deferred', reason: 'not reached' } }),
    );
    expect(tally.notReached).toBe(2);
    expect(tally.deferred).toBe(1);
  });

  it('counts remarks and rules without anything to compare by rule; a finding that is a break is no remark', () => {
    const finding = { ...aBreak(), rule: 'FEE_OUT_OF_BOUNDS' };
    const tally = tallied(
      settled({
        findings: [
          { ...finding, severity: 'info' },
          { ...finding, rule: 'FEE_APPLIED_DIFFERS', severity: 'low' },
        ],
        notApplicable: ['STATUS_CONFLICT', 'RESTATED'],
      }),
      settled({ findings: [{ ...finding, severity: 'info' }], notApplicable: ['RESTATED'] }),
    );
    expect([...tally.infos]).toEqual([['FEE_OUT_OF_BOUNDS', 2]]);
    expect([...tally.notApplicable]).toEqual([
      ['STATUS_CONFLICT', 1],
      ['RESTATED', 2],
    ]);
  });
});

describe('the breaks of a tally', () => {
  it('count by what happened tonight, and by how they stand', () => {
    const events = (types: readonly BreakEventType[]) => types.map((type) => aBreakEvent({}, { type }));
    const breaks = (states: readonly BreakState[]) => states.map((state) => aBreak({ state }));
    const tally = tallied(
      settled({
        events: events(['opened', 'opened', 'opened', 'reopened', 'reopened', 'resolved', 'seen', 'seen']),
        breaks: breaks(['open', 'acknowledged', 'reopened', 'waived', 'waived', 'resolved']),
      }),
    );
    expect(tally.breaks).toEqual({ open: 3, opened: 3, reopened: 2, resolved: 1, waived: 2 });
  });

  it('count by rule as long as they are open, those of tonight as fresh', () => {
    const opened = aBreak({ recordId: 'new' });
    const reopened = aBreak({ recordId: 'again', state: 'reopened' });
    const seen = aBreak({ recordId: 'old', state: 'acknowledged' });
    const unread = aBreak({ recordId: 'unread' });
    const waiting = aBreak({ recordId: 'waiting' });
    const stuck = aBreak({ recordId: 'stuck', rule: 'STATUS_STUCK', severity: 'medium' });
    const resolved = aBreak({ recordId: 'over', rule: 'RESTATED', state: 'resolved' });
    const waived = aBreak({ recordId: 'waived', rule: 'QUOTE_MISSING', state: 'waived' });
    const tally = tallied(
      settled({ breaks: [opened], events: [aBreakEvent(opened, { type: 'opened' })] }),
      settled({ breaks: [reopened], events: [aBreakEvent(reopened, { type: 'reopened' })] }),
      settled({ breaks: [seen], events: [aBreakEvent(seen, { type: 'seen' })] }),
      settled({ breaks: [waiting], events: [aBreakEvent(waiting, { type: 'seen' })] }),
      settled({ breaks: [unread], events: [] }),
      settled({ breaks: [stuck], events: [] }),
      settled({ breaks: [resolved, waived], events: [aBreakEvent(resolved, { type: 'resolved' })] }),
    );
    expect([...tally.rules]).toEqual([
      ['FEE_APPLIED_DIFFERS', { severity: 'high', open: 5, fresh: 2 }],
      ['STATUS_STUCK', { severity: 'medium', open: 1, fresh: 0 }],
    ]);
  });

  it.each([
    ['open', 1, 0],
    ['acknowledged', 1, 0],
    ['reopened', 1, 0],
    ['waived', 0, 1],
    ['resolved', 0, 0],
  ] as const)('on a record that was not fetched: %s', (state, open, waived) => {
    const tally = emptyTally();
    tallyPage(tally, { records: [], outside: [{ ...aBreak({ state }), hostReference: null, run: RUN }] });
    expect(tally.breaks).toMatchObject({ open, waived });
    expect(tally.rules.size).toBe(0);
  });
});

describe('a status learned by asking', () => {
  const change = (to: string, learnedFrom: Origin = 'fetch'): StatusChange => ({
    kind: 'purchase',
    recordId: 'sqs6a428mqjtzbv',
    from: 'RELEASING',
    to,
    fromSeenAt: at('2026-11-19 04:15'),
    toSeenAt: at('2026-11-20 04:15'),
    learnedFrom,
    legal: true,
  });

  it('is counted; one that a webhook reported is not', () => {
    const tally = tallied(
      settled({ statusChanges: [change('FIAT_RECEIVED'), change('RELEASING'), change('RELEASED', 'webhook')] }),
    );
    expect(tally.learnedByFetch).toBe(2);
    expect(tally.webhooksMissed).toBe(0);
  });

  it.each([
    ['purchase', 'RELEASED', [], 1],
    ['purchase', 'RELEASED', ['RELEASED'], 0],
    ['purchase', 'RELEASED', ['CREATED'], 1],
    ['purchase', 'RELEASED', ['CREATED', 'RELEASED'], 0],
    // Only a sale's end by time has a webhook of its own.
    ['purchase', 'EXPIRED', [], 0],
    ['purchase', 'FIAT_RECEIVED', [], 0],
    ['sale', 'completed', [], 1],
    ['sale', 'completed', ['RELEASED'], 0],
    ['sale', 'EXPIRED', [], 1],
    ['sale', 'EXPIRED', ['EXPIRED'], 0],
    ['sale', 'initiated', [], 0],
  ] as const)('%s now %s, webhooks received %j: %i missed', (kind, to, types, missed) => {
    const webhookEvents = types.map((type) => ({ type, at: at('2026-11-20 01:00') }));
    const state = kind === 'sale' ? aSale() : aPurchase();
    const tally = tallied(settled({ statusChanges: [change(to)] }, { state, tracked: { webhookEvents } }));
    expect(tally.webhooksMissed).toBe(missed);
  });
});

it('counts purchases that were never paid and are past their end apart', () => {
  const stuck = [{ ...aBreak(), rule: 'STATUS_STUCK', field: 'status' }];
  const tally = emptyTally();
  for (const status of ['INITIALIZED', 'PAYMENT_STARTED']) {
    tallyPage(tally, {
      records: [{ ...settled({ state: aPurchase({ status }), findings: stuck }), recordKey: 1 }],
      outside: [],
    });
  }
  expect(tally.abandoned).toBe(1);
});
