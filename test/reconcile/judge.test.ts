import { describe, expect, it } from 'vitest';
import type { Selection } from '../../src/domain/run.ts';
import type { JudgedPage } from '../../src/ports/settled.ts';
import type { StatusChange } from '../../src/ports/store/store.ts';
import { judge } from '../../src/reconcile/judge.ts';
import { thawRun } from '../../src/reconcile/run-book.ts';
import { freezeTerms, type RunTerms } from '../../src/rules/terms.ts';
import { aBreak } from '../support/a-break.ts';
import { aPurchase, aQuarantined, aSale, at, LOCKED, SHA256 } from '../support/builders.ts';
import {
  aJudgeStore,
  aLinkedQuote,
  aRun,
  aStoredCase,
  DEFERRED,
  MISSING,
  type Night,
  someRunTerms,
} from './support/judging.ts';

const purchase = (recordId: string, over: Parameters<typeof aPurchase>[0] = {}) => aPurchase({ recordId, ...over });
const place = (recordId: string) => ({ kind: 'purchase', recordId }) as const;

interface Options extends Partial<RunTerms> {
  ofItsOwnRecords?: boolean;
}

async function judged(night: Night, { ofItsOwnRecords = false, rules = {}, ...over }: Options = {}) {
  const { store, asked } = aJudgeStore(night);
  const pages: JudgedPage[] = [];
  const selection: Selection = ofItsOwnRecords ? { type: 'ids', ids: ['a'], kind: null } : { type: 'due' };
  const terms = freezeTerms(someRunTerms({ rules, ...over }));
  for await (const page of judge(thawRun(aRun({ selection, terms })), store)) pages.push(page);
  return { pages, records: pages.flatMap(({ records }) => records), asked };
}

const onlyRecord = async (night: Night, options?: Parameters<typeof judged>[1]) => {
  const { records } = await judged(night, options);
  expect(records).toHaveLength(1);
  return records[0];
};

describe('a judged record', () => {
  it('that is as promised is matched, with its state and its fees', async () => {
    expect(await onlyRecord({ cases: [aStoredCase({ recordKey: 12, attempts: 2 })] })).toMatchObject({
      recordKey: 12,
      recordId: 'sqs6a428mqjtzbv',
      attempts: 2,
      run: { runId: 'nightly-2026-11-02-r1', businessDate: '2026-11-02', timezone: 'Europe/Paris' },
      verdict: 'matched',
      state: aPurchase(),
      fees: { withinTolerance: true },
      findings: [],
      breaks: [],
      openBreaks: 0,
      events: [],
      statusChanges: [],
    });
  });

  it('opens a break of the run, at the instant judged at, on the evidence of tonight', async () => {
    const record = await onlyRecord({ cases: [aStoredCase({ linked: null })] });
    expect(record).toMatchObject({ verdict: 'break', openBreaks: 1, quote: null });
    expect(record?.findings.map(({ rule }) => rule)).toEqual(['QUOTE_MISSING']);
    expect(record?.events).toEqual([
      {
        type: 'opened',
        at: at('2026-11-02 23:00'),
        runId: 'nightly-2026-11-02-r1',
        who: 'tieout',
        reason: null,
        after: record?.breaks[0],
      },
    ]);
    expect(record?.breaks[0]).toMatchObject({
      rule: 'QUOTE_MISSING',
      field: 'quote',
      kind: 'purchase',
      recordId: 'sqs6a428mqjtzbv',
      firstSeenDate: '2026-11-02',
      evidenceSha256: SHA256,
    });
  });

  it.each([
    ['404', MISSING, 'unverified', ['RECORD_MISSING']],
    ['deferred', DEFERRED, 'unverified', []],
    ['unreadable', aQuarantined(), 'quarantined', ['SCHEMA_DRIFT']],
  ] as const)('that was not verified (%s) has no state, no fees, and keeps the breaks that it has', async (...row) => {
    const [, observation, verdict, rules] = row;
    const standing = new Map([[1, [aBreak()]]]);
    const record = await onlyRecord({ cases: [aStoredCase({ observation })], standing });
    expect(record).toMatchObject({ verdict, state: null, fees: null });
    expect(record?.events.map(({ type, after }) => [type, after.rule])).toEqual(rules.map((rule) => ['opened', rule]));
    expect(record?.breaks).toContainEqual(aBreak());
    expect(record?.openBreaks).toBe(rules.length + 1);
  });

  it('verified without a break that stood on it has it resolved', async () => {
    const standing = new Map([[1, [aBreak()]]]);
    const record = await onlyRecord({ cases: [aStoredCase()], standing });
    expect(record).toMatchObject({ verdict: 'matched', openBreaks: 0 });
    expect(record?.events).toMatchObject([{ type: 'resolved', reason: 'the record was verified without it' }]);
  });

  it('keeps a break whose rule had nothing to compare with tonight', async () => {
    const standing = new Map([[1, [aBreak()]]]);
    // Without its quote the promised fee is unknown.
    const record = await onlyRecord({ cases: [aStoredCase({ linked: null })], standing });
    expect(record?.notApplicable).toContain('FEE_APPLIED_DIFFERS');
    expect(record?.events.map(({ type, after }) => [type, after.rule])).toEqual([['opened', 'QUOTE_MISSING']]);
    expect(record?.openBreaks).toBe(2);
  });

  it('has the breaks of a rule that was switched off resolved, and says why', async () => {
    const standing = new Map([[1, [aBreak()]]]);
    const record = await onlyRecord({ cases: [aStoredCase()], standing }, { rules: { FEE_APPLIED_DIFFERS: 'off' } });
    expect(record?.events).toMatchObject([{ type: 'resolved', reason: 'its rule is switched off in the settings' }]);
  });

  it('has a break by its price resolved where the settings lock prices, and says why', async () => {
    const standing = new Map([[1, [aBreak({ rule: 'SLIPPAGE', field: 'exchange_rate' })]]]);
    const record = await onlyRecord({ cases: [aStoredCase()], standing }, { binding: LOCKED });
    expect(record?.notApplicable).toContain('SLIPPAGE');
    expect(record?.events).toMatchObject([
      { type: 'resolved', reason: 'the settings lock prices, so that none is judged by the market' },
    ]);
  });

  it('has the breaks of its own, as they stood when the run was judged', async () => {
    const cases = [
      aStoredCase({ recordKey: 4, state: purchase('a') }),
      aStoredCase({ recordKey: 5, state: purchase('b') }),
    ];
    const { records, asked } = await judged({ cases, standing: new Map([[5, [aBreak({ recordId: 'b' })]]]) });
    expect(records.map(({ recordId, events }) => [recordId, events.map(({ type }) => type)])).toEqual([
      ['a', []],
      ['b', ['resolved']],
    ]);
    expect(asked.standing).toEqual([{ keys: [4, 5], watermark: 7 }]);
  });

  it('has the status changes of its own, in their order', async () => {
    const change = (kind: 'purchase' | 'sale', recordId: string, to: string): StatusChange => ({
      kind,
      recordId,
      from: 'CREATED',
      to,
      fromSeenAt: at('2026-11-01 10:00'),
      toSeenAt: at('2026-11-02 04:15'),
      learnedFrom: 'fetch',
      legal: true,
    });
    const { records, asked } = await judged({
      cases: [
        aStoredCase({ recordKey: 1, state: purchase('a') }),
        aStoredCase({ recordKey: 2, state: purchase('b') }),
        aStoredCase({ recordKey: 3, state: aSale({ recordId: 'a' }), linked: null }),
      ],
      statusChanges: [
        change('purchase', 'a', 'RELEASING'),
        change('purchase', 'a', 'RELEASED'),
        change('sale', 'a', 'completed'),
      ],
    });
    expect(
      records.map(({ kind, recordId, statusChanges }) => [kind, recordId, statusChanges.map(({ to }) => to)]),
    ).toEqual([
      ['purchase', 'a', ['RELEASING', 'RELEASED']],
      ['purchase', 'b', []],
      ['sale', 'a', ['completed']],
    ]);
    expect(asked.statusChanges).toEqual([
      { runId: 'nightly-2026-11-02-r1', from: place('a'), to: { kind: 'sale', recordId: 'a' } },
    ]);
  });
});

describe('the pages of a judged run', () => {
  const cases = ['a', 'c', 'e', 'g', 'i'].map((id, n) => aStoredCase({ recordKey: n + 1, state: purchase(id) }));
  const outside = ['b', 'f', 'j'].map((recordId) => ({ ...aBreak({ recordId }), hostReference: `order ${recordId}` }));
  const shape = (pages: readonly JudgedPage[]) =>
    pages.map((page) => [page.records.map(({ recordId }) => recordId), page.outside.map(({ recordId }) => recordId)]);

  it('come in report order, with the breaks of other records between them and a last page for the rest', async () => {
    const { pages, asked } = await judged({ cases, outside, page: 3 });
    expect(shape(pages)).toEqual([
      [['a', 'c', 'e'], ['b']],
      [['g', 'i'], ['f']],
      [[], ['j']],
    ]);
    expect(asked.outside).toEqual([
      { runId: 'nightly-2026-11-02-r1', watermark: 7, after: null, upTo: place('e') },
      { runId: 'nightly-2026-11-02-r1', watermark: 7, after: place('e'), upTo: place('i') },
      { runId: 'nightly-2026-11-02-r1', watermark: 7, after: place('i'), upTo: null },
    ]);
  });

  it('name the run of a break that is reported elsewhere', async () => {
    const { pages } = await judged({ outside: outside.slice(0, 1) });
    expect(pages).toEqual([
      {
        records: [],
        outside: [
          {
            ...aBreak({ recordId: 'b' }),
            hostReference: 'order b',
            run: { runId: 'nightly-2026-11-02-r1', businessDate: '2026-11-02', timezone: 'Europe/Paris' },
          },
        ],
      },
    ]);
  });

  it('leave out other records in an audit', async () => {
    const { pages, asked } = await judged({ cases, outside, page: 3 }, { ofItsOwnRecords: true });
    expect(shape(pages)).toEqual([
      [['a', 'c', 'e'], []],
      [['g', 'i'], []],
      [[], []],
    ]);
    expect(asked.outside).toEqual([]);
  });

  it('let a signal be heard between them', async () => {
    const { store } = aJudgeStore({ cases, page: 1 });
    let heard = false;
    setImmediate(() => {
      heard = true;
    });
    const before: boolean[] = [];
    for await (const _ of judge(thawRun(aRun()), store)) before.push(heard);
    expect(before[0]).toBe(false);
    expect(before.at(-1)).toBe(true);
  });

  it('are judged with the linked quote of each', async () => {
    const higher = aLinkedQuote();
    const { records } = await judged({ cases: [aStoredCase({ linked: higher })] });
    expect(records[0]?.quote).toEqual({ basis: 'linked', ...higher });
  });
});
