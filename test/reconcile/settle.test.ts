import { describe, expect, it } from 'vitest';
import { type Break, breakId } from '../../src/domain/break.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { Finding } from '../../src/domain/finding.ts';
import { countOpen, type SettleInput, settle } from '../../src/reconcile/settle.ts';
import { aBreak as aFeeBreak } from '../support/a-break.ts';

const aFinding = (over: Partial<Finding> = {}): Finding => ({
  rule: 'FEE_APPLIED_DIFFERS',
  severity: 'high',
  field: 'applied_fee',
  expected: '4.76',
  actual: '6.26',
  difference: Decimal.parse('1.50'),
  currency: 'EUR',
  tolerance: Decimal.parse('0.01'),
  explanation: 'The user paid 1.50 EUR more than promised.',
  unit: 'money',
  loss: Decimal.parse('1.5'),
  ...over,
});

const ID = breakId('purchase', 'abc', 'FEE_APPLIED_DIFFERS', 'applied_fee');

const aBreak = (over: Partial<Break> = {}) =>
  aFeeBreak({
    recordId: 'abc',
    firstSeenDate: '2026-11-01',
    lastSeenDate: '2026-11-01',
    assignee: 'ann',
    explanation: 'The user paid 1.50 EUR more than promised.',
    evidenceSha256: 'old',
    recordStatus: 'RELEASED',
    ...over,
  });

const aNight = (over: Partial<SettleInput> = {}): SettleInput => ({
  kind: 'purchase',
  recordId: 'abc',
  findings: [],
  standing: [],
  verified: true,
  notApplicable: [],
  lapsed: new Map(),
  quoteId: null,
  evidenceSha256: 'new',
  recordCurrency: 'EUR',
  recordStatus: 'RELEASED',
  moneyMoved: 'yes',
  run: { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', at: 1_800_000_000_000 },
  ...over,
});

const after = (input: SettleInput) =>
  settle(input).events.map(({ type, after, reason }) => ({
    type,
    state: after.state,
    reason,
    last: after.lastSeenDate,
  }));

describe('money at stake', () => {
  const amount = aFinding({ rule: 'AMOUNT_DIFFERS', field: 'fiat_value', severity: 'medium' });
  const base = aFinding({ rule: 'FEE_BASE_DIFFERS', field: 'base_fee', severity: 'medium', loss: null });
  const stuck = aFinding({
    rule: 'STATUS_STUCK',
    field: 'status',
    difference: null,
    currency: null,
    unit: 'days',
    loss: null,
  });

  it('stands once per record, on the break that leads, in the event too; parts of one cause name it', () => {
    const { breaks, events } = settle(aNight({ findings: [aFinding(), amount, base, stuck] }));
    const cells = breaks.map(({ rule, moneyAtStake, leadingBreakId }) => [
      rule,
      moneyAtStake?.toString() ?? null,
      leadingBreakId,
    ]);
    expect(cells).toEqual([
      ['AMOUNT_DIFFERS', null, ID],
      ['FEE_APPLIED_DIFFERS', '1.5', ID],
      ['FEE_BASE_DIFFERS', null, ID],
      ['STATUS_STUCK', null, null],
    ]);
    const told = events.map((event) => event.after).filter(({ moneyAtStake }) => moneyAtStake !== null);
    expect(told).toEqual(breaks.filter(({ breakId }) => breakId === ID));
  });

  it('moves to another break when the leading one is over, and is nothing without any', () => {
    const moved = settle(aNight({ findings: [amount], standing: [aBreak()] }));
    const [over, left] = [
      moved.breaks.find(({ state }) => state === 'resolved'),
      moved.breaks.find(({ state }) => state === 'open'),
    ];
    expect([over?.moneyAtStake, over?.leadingBreakId]).toEqual([null, null]);
    expect([left?.rule, left?.moneyAtStake?.toString()]).toEqual(['AMOUNT_DIFFERS', '1.5']);
    const ended = settle(aNight({ standing: [aBreak()] }));
    expect(ended.breaks).toMatchObject([{ state: 'resolved', moneyAtStake: null, leadingBreakId: null }]);
  });

  it('keeps the currency of the record while it cannot be read', () => {
    const { breaks } = settle(aNight({ standing: [aBreak()], verified: false, recordCurrency: null }));
    expect(breaks).toMatchObject([{ recordCurrency: 'EUR', moneyAtStake: Decimal.parse('1.5') }]);
  });
});

describe('settling', () => {
  it('opens a new finding under an id made of kind, record, rule and field', () => {
    const { events, breaks } = settle(aNight({ findings: [aFinding()] }));
    expect(events.map((event) => event.type)).toEqual(['opened']);
    expect(breaks[0]).toMatchObject({ breakId: ID, state: 'open', firstSeenDate: '2026-11-20', evidenceSha256: 'new' });
    // Written out, so that the identity cannot change unnoticed: everyone's open breaks hang on it.
    expect(ID).toBe('5bf6a289a0c49981978d84b0c9bb9aa6c51063d1f930d4ae7d534be62c8ba027');
  });

  it('records who did it, when and in which run, with the resulting break', () => {
    const { events, breaks } = settle(aNight({ findings: [aFinding()] }));
    expect(events).toEqual([
      {
        type: 'opened',
        at: 1_800_000_000_000,
        runId: 'nightly-2026-11-20-r1',
        who: 'tieout',
        reason: null,
        after: {
          ...aBreak({ firstSeenDate: '2026-11-20', lastSeenDate: '2026-11-20', assignee: null }),
          difference: Decimal.parse('1.50'),
          evidenceSha256: 'new',
        },
      },
    ]);
    expect(breaks).toEqual(events.map((event) => event.after));
  });

  it('opens nothing for an info finding', () => {
    expect(settle(aNight({ findings: [aFinding({ severity: 'info' })] }))).toEqual({ events: [], breaks: [] });
  });

  it('keeps a standing break, with its first date and assignee, and tonight’s figures', () => {
    const { events, breaks } = settle(
      aNight({ standing: [aBreak({ state: 'acknowledged' })], findings: [aFinding({ actual: '6.30' })] }),
    );
    expect(events[0]?.type).toBe('seen');
    expect(breaks[0]).toMatchObject({
      state: 'acknowledged',
      firstSeenDate: '2026-11-01',
      lastSeenDate: '2026-11-20',
      assignee: 'ann',
      actual: '6.30',
    });
  });

  it('resolves a break whose record was verified without it', () => {
    expect(after(aNight({ standing: [aBreak()] }))).toEqual([
      { type: 'resolved', state: 'resolved', reason: 'the record was verified without it', last: '2026-11-01' },
    ]);
  });

  it('says so where a break resolves because its rule was switched off', () => {
    expect(
      after(
        aNight({
          standing: [aBreak()],
          notApplicable: ['FEE_APPLIED_DIFFERS'],
          lapsed: new Map([['FEE_APPLIED_DIFFERS', 'its rule is switched off in the settings']]),
        }),
      ),
    ).toMatchObject([{ type: 'resolved', reason: 'its rule is switched off in the settings' }]);
  });

  it.each([
    ['the record was not verified', { verified: false }],
    ['its rule had nothing to compare with', { notApplicable: ['FEE_APPLIED_DIFFERS'] }],
  ])('leaves a break as it stands where %s', (_, over) => {
    const { events, breaks } = settle(aNight({ standing: [aBreak()], ...over }));
    expect(events).toEqual([]);
    expect(breaks).toEqual([aBreak()]);
  });

  describe('found against one quote, where its rule cannot judge by the quote of tonight', () => {
    const unjudged = { notApplicable: ['FEE_APPLIED_DIFFERS'] };

    it('resolves once another quote turns out to be the record’s', () => {
      expect(after(aNight({ ...unjudged, standing: [aBreak({ quoteId: 'q-1' })], quoteId: 'q-2' }))).toMatchObject([
        { type: 'resolved', reason: "found against quote q-1, and the record's quote is q-2" },
      ]);
    });

    it.each([
      ['the quote is the same', { quoteId: 'q-1' }, 'q-1', true],
      ['tonight has none', { quoteId: 'q-1' }, null, true],
      ['it is not recorded', {}, 'q-2', true],
      ['the record was not read', { quoteId: 'q-1' }, 'q-2', false],
    ])('stays where %s', (_, known, quoteId, verified) => {
      const standing = [aBreak(known)];
      expect(settle(aNight({ ...unjudged, standing, quoteId, verified }))).toEqual({ events: [], breaks: standing });
    });

    it('keeps the quote that it was last found against; other rules have none', () => {
      const standing = [aBreak({ quoteId: 'q-1' })];
      const findings = [aFinding(), aFinding({ rule: 'STATUS_STUCK' })];
      const quotesAt = (quoteId: string | null) =>
        settle(aNight({ standing, findings, quoteId })).breaks.map((each) => each.quoteId);
      expect(quotesAt('q-2')).toEqual(['q-2', undefined]);
      expect(quotesAt(null)).toEqual([undefined, undefined]);
    });
  });

  it('reopens a resolved break under its old id and counts it', () => {
    const { breaks } = settle(aNight({ standing: [aBreak({ state: 'resolved' })], findings: [aFinding()] }));
    expect(breaks[0]).toMatchObject({ breakId: ID, state: 'reopened', timesReopened: 1, firstSeenDate: '2026-11-01' });
  });

  it('says when a break that came back was last there', () => {
    const standing = [aBreak({ state: 'resolved', lastSeenDate: '2026-11-09' })];
    expect(after(aNight({ standing, findings: [aFinding()] }))).toEqual([
      {
        type: 'reopened',
        state: 'reopened',
        reason: 'found again after it was resolved on or after 2026-11-09',
        last: '2026-11-20',
      },
    ]);
  });

  it.each([
    ['2026-11-19', '2026-11-20'],
    ['2026-11-20', '2026-11-20'],
    ['2026-11-24', '2026-11-24'],
  ])('a break last seen on %s is, after the night of 2026-11-20, last seen on %s', (lastSeenDate, last) => {
    // The night may have run late, for an earlier date than one that has been judged already.
    const [seen] = after(aNight({ standing: [aBreak({ lastSeenDate })], findings: [aFinding()] }));
    expect(seen).toMatchObject({ type: 'seen', last });
  });

  it('orders the breaks of a record by rule, then by field', () => {
    const amount = (field: string) => aFinding({ rule: 'AMOUNT_DIFFERS', field });
    const old = aBreak({ breakId: 'old', rule: 'FEE_BASE_DIFFERS', field: 'base_fee', state: 'acknowledged' });
    const { breaks } = settle(
      aNight({
        findings: [aFinding(), amount('fiat_value'), amount('crypto_amount'), aFinding({ rule: 'STATUS_STUCK' })],
        standing: [old],
        notApplicable: ['FEE_BASE_DIFFERS'],
      }),
    );
    expect(breaks.map(({ rule, field }) => `${rule} ${field}`)).toEqual([
      'AMOUNT_DIFFERS crypto_amount',
      'AMOUNT_DIFFERS fiat_value',
      'FEE_APPLIED_DIFFERS applied_fee',
      'FEE_BASE_DIFFERS base_fee',
      'STATUS_STUCK applied_fee',
    ]);
  });

  it('says nothing of a break that was resolved long ago and stays away', () => {
    expect(settle(aNight({ standing: [aBreak({ state: 'resolved' })] }))).toEqual({ events: [], breaks: [] });
  });

  describe('a waiver', () => {
    const waived = (waiver: Partial<NonNullable<Break['waiver']>>) =>
      aBreak({
        state: 'waived',
        waiver: {
          reason: 'goodwill',
          author: 'ann',
          until: null,
          difference: Decimal.parse('1.5'),
          actual: '6.26',
          ...waiver,
        },
      });

    it('holds for the same difference', () => {
      expect(after(aNight({ standing: [waived({})], findings: [aFinding()] }))).toMatchObject([
        { type: 'seen', state: 'waived' },
      ]);
    });

    it('goes with its break, where that is resolved: a finding after it is a new one', () => {
      const resolved = settle(aNight({ standing: [waived({})], findings: [] })).events;
      expect(resolved).toMatchObject([{ type: 'resolved', after: { state: 'resolved', waiver: null } }]);
    });

    it('ends with its date', () => {
      expect(after(aNight({ standing: [waived({ until: '2026-11-20' })], findings: [aFinding()] }))).toMatchObject([
        { state: 'waived' },
      ]);
      expect(after(aNight({ standing: [waived({ until: '2026-11-19' })], findings: [aFinding()] }))).toMatchObject([
        { type: 'reopened', reason: 'the waiver ended on 2026-11-19' },
      ]);
    });

    it('does not cover another difference', () => {
      const findings = [aFinding({ difference: Decimal.parse('1.51') })];
      expect(after(aNight({ standing: [waived({})], findings }))).toMatchObject([
        { type: 'reopened', reason: 'waived for a difference of 1.5, now 1.51' },
      ]);
    });

    it.each([
      ['the same word', 'FIAT_RECEIVED', 'FIAT_RECEIVED', null],
      ['nothing, as then', null, null, null],
      ['another word', 'FIAT_RECEIVED', 'RELEASING', 'waived for FIAT_RECEIVED, now RELEASING'],
      ['nothing any more', 'FIAT_RECEIVED', null, 'waived for FIAT_RECEIVED, now nothing found'],
      ['something now', null, 'RELEASING', 'waived for nothing found, now RELEASING'],
    ])('of a break without an amount covers what was found then: %s', (_, actual, found, reason) => {
      const standing = [waived({ difference: null, actual })];
      const findings = [aFinding({ difference: null, actual: found })];
      const [event] = after(aNight({ standing, findings }));
      expect(event).toMatchObject(reason === null ? { type: 'seen', reason: null } : { type: 'reopened', reason });
    });

    it.each([
      ['the amount is gone', { difference: Decimal.parse('1.5'), actual: '6.26' }, { difference: null, actual: null }],
      [
        'there is an amount now',
        { difference: null, actual: null },
        { difference: Decimal.parse('1.5'), actual: '6.26' },
      ],
    ])('goes by what was found where %s', (_, given, tonight) => {
      const [event] = after(aNight({ standing: [waived(given)], findings: [aFinding(tonight)] }));
      expect(event).toMatchObject({ type: 'reopened' });
      const same = { ...tonight, actual: given.actual };
      expect(after(aNight({ standing: [waived(given)], findings: [aFinding(same)] }))).toMatchObject([
        { type: 'seen' },
      ]);
    });

    it('is gone from a break that came back', () => {
      const findings = [aFinding({ difference: Decimal.parse('1.51') })];
      const { breaks } = settle(aNight({ standing: [waived({})], findings }));
      expect(breaks).toMatchObject([{ state: 'reopened', waiver: null, timesReopened: 1 }]);
    });
  });

  it.each(['open', 'acknowledged', 'reopened'] as const)('goes on with one that is %s as it is', (state) => {
    const { events } = settle(aNight({ standing: [aBreak({ state })], findings: [aFinding()] }));
    expect(events).toMatchObject([{ type: 'seen', reason: null, after: { state, timesReopened: 0 } }]);
  });
});

describe('open breaks', () => {
  it('are those that a person still has to act on', () => {
    const inStates = (...states: Break['state'][]) => states.map((state) => aBreak({ state }));
    expect(countOpen(inStates('open', 'acknowledged', 'reopened', 'waived', 'resolved'))).toBe(3);
    expect(countOpen(inStates('waived', 'resolved'))).toBe(0);
  });
});
