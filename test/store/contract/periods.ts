import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { PeriodChange } from '../../../src/ports/period.ts';
import type { MonthSetRecord } from '../../../src/ports/store/periods.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aStatement } from '../../support/a-run.ts';
import { aPurchase, at, dec } from '../../support/builders.ts';
import {
  aLine,
  complete,
  keyOf,
  type Night,
  NO_VERDICTS,
  plan,
  settle,
  track,
  unreachable,
  verified,
} from '../support/scenario.ts';

const OCTOBER = { from: at('2026-10-01 00:00'), to: at('2026-11-01 00:00') };
const CREATED = at('2026-10-15 12:00');

function aRecord(recordKey: number, recordId: string, overrides: Partial<MonthSetRecord> = {}): MonthSetRecord {
  const nothing = { lookRun: null, verifiedRun: null, contentKey: null, changes: [] };
  return { recordKey, kind: 'purchase', recordId, verdict: 'unverified', present: true, ...nothing, ...overrides };
}

const PLACE = { folder: 'periods/2026-10', manifestSha256: 'a'.repeat(64) };

async function close(store: Store, records: readonly MonthSetRecord[], statement = aStatement()) {
  const { key } = await store.periods.begin(statement);
  await store.periods.add(key, records);
  await store.periods.stage(key, '{"population":1}', null);
  await store.periods.seal([key], PLACE);
  return key;
}

async function save(store: Store, night: Night, items: Parameters<Store['items']['save']>[2]) {
  await store.items.save(night.run.runId, night.fence, items);
}

const body = (id: string, overrides: Parameters<typeof aPurchase>[0] = {}) =>
  aPurchase({ recordId: id, createdAt: CREATED, ...overrides });

export function periodsContract(store: () => Store): void {
  it('dates a record by the application, else by its body, else by its tracking', async () => {
    // Tracked on 1 November at 10:00, all of them.
    await store().tracked.add(
      [
        aLine({ id: 'body', token: 'token-1' }),
        aLine({ id: 'earlier', token: 'token-4', createdAt: at('2026-09-30 23:59') }),
        aLine({ id: 'never', token: 'token-5', createdAt: at('9999-01-01 00:00') }),
        aLine({ id: 'told', token: 'token-2', createdAt: at('2026-10-31 23:59') }),
        aLine({ id: 'tracked', token: 'token-3' }),
      ],
      'import',
      at('2026-11-01 10:00'),
    );
    const night = await plan(store());
    for (const id of ['body', 'earlier', 'never']) {
      await save(store(), night, [verified(await keyOf(store(), id), body(id), '2026-11-20')]);
    }
    const members = await store().periods.members(OCTOBER, null, 10);
    expect(members.map(({ recordId, datedBy }) => [recordId, datedBy])).toEqual([
      ['body', 'body'],
      // The application's date cannot be true.
      ['never', 'body'],
      ['told', 'told'],
    ]);
    const september = { from: at('2026-09-01 00:00'), to: OCTOBER.from };
    expect(await store().periods.members(september, null, 10)).toMatchObject([
      { recordId: 'earlier', datedBy: 'told' },
    ]);
    const november = await store().periods.members({ from: OCTOBER.to, to: at('2026-12-01 00:00') }, null, 10);
    expect(november.map(({ recordId, datedBy }) => [recordId, datedBy])).toEqual([['tracked', 'tracked']]);
    // Of September by the application; its body, and those without one, say otherwise, or nothing.
    const before = (bodyBefore: number) => store().periods.members({ ...september, bodyBefore }, null, 10);
    expect([await before(CREATED + 1), await before(CREATED)]).toMatchObject([[{ recordId: 'earlier' }], []]);
    expect(await store().periods.span()).toEqual({ first: at('2026-09-30 23:59'), last: at('2026-11-01 10:00') });
  });

  it('counts what people took out of the month, by kind', async () => {
    await store().tracked.add(
      [
        aLine({ id: 'a', token: 'token-1', createdAt: OCTOBER.from }),
        aLine({ kind: 'sale', id: 'b', token: 'token-2', createdAt: OCTOBER.from }),
        aLine({ kind: 'sale', id: 'c', token: 'token-3', createdAt: OCTOBER.to - 1 }),
        aLine({ id: 'd', token: 'token-4', createdAt: OCTOBER.to }),
        aLine({ id: 'in', token: 'token-5', createdAt: OCTOBER.from }),
      ],
      'import',
      at('2026-11-01 10:00'),
    );
    const decided = { type: 'retract', actor: 'Ann', reason: 'a test order', at: at('2026-11-02 10:00') } as const;
    for (const [kind, id] of [
      ['purchase', 'a'],
      ['sale', 'b'],
      ['sale', 'c'],
      ['purchase', 'd'],
    ] as const) {
      await store().tracked.correct(kind, id, decided);
    }
    expect(await store().periods.retracted(OCTOBER)).toEqual({ purchase: 1, sale: 2 });
  });

  it('pages members in report order, the start of the month in it and its end not', async () => {
    await store().tracked.add(
      [
        aLine({ id: 'b', token: 'token-1', createdAt: OCTOBER.from }),
        aLine({ id: 'a', token: 'token-2', createdAt: OCTOBER.to - 1 }),
        aLine({ id: 'c', token: 'token-3', createdAt: OCTOBER.to }),
        aLine({ kind: 'sale', id: 'a', token: 'token-4', createdAt: OCTOBER.from }),
      ],
      'import',
      at('2026-11-01 10:00'),
    );
    const first = await store().periods.members(OCTOBER, null, 2);
    const rest = await store().periods.members(OCTOBER, { kind: 'purchase', recordId: 'b' }, 2);
    expect([...first, ...rest].map(({ kind, recordId }) => `${kind} ${recordId}`)).toEqual([
      'purchase a',
      'purchase b',
      'sale a',
    ]);
    expect(await store().periods.span()).toEqual({ first: OCTOBER.from, last: OCTOBER.to });
  });

  it('finds the last observation of a settled run, and the last readable one; runs under way do not count', async () => {
    await track(store(), 'p1', 'p2', 'p3');
    const [p1, p2] = [await keyOf(store(), 'p1'), await keyOf(store(), 'p2')];
    const first = await plan(store(), {
      date: '2026-11-18',
      selection: { type: 'ids', ids: ['p1', 'p2'], kind: null },
    });
    await save(store(), first, [verified(p1, body('p1'), '2026-11-18'), verified(p2, body('p2'), '2026-11-18')]);
    await complete(store(), first);
    const second = await plan(store(), { date: '2026-11-19', selection: { type: 'ids', ids: ['p1'], kind: null } });
    await save(store(), second, [unreachable(p1, '2026-11-19')]);
    await complete(store(), second);
    const third = await plan(store(), { date: '2026-11-20', selection: { type: 'ids', ids: ['p2'], kind: null } });
    await save(store(), third, [verified(p2, body('p2', { status: 'RELEASING' }), '2026-11-20')]);

    const basis = await store().periods.basis(OCTOBER.from);
    expect(basis.runs).toHaveLength(2);
    const page = ['p1', 'p2', 'p3'].map((recordId) => ({ kind: 'purchase', recordId }) as const);
    const looks = await store().periods.looks(basis, page);
    expect(looks.map(({ last, verified: read }) => [last?.stored.observation.outcome, read?.stored.recordId])).toEqual([
      ['unreachable', 'p1'],
      ['verified', 'p2'],
      [undefined, undefined],
    ]);
    expect((await store().periods.run(looks[0]?.last?.runKey ?? 0)).businessDate).toBe('2026-11-19');
    expect((await store().periods.run(looks[0]?.verified?.runKey ?? 0)).businessDate).toBe('2026-11-18');

    await settle(store(), third);
    const later = await store().periods.basis(OCTOBER.from);
    expect(await store().periods.readings(later, { kind: 'purchase', recordId: 'p2' })).toEqual([
      { businessDate: '2026-11-18', contentKey: expect.any(Number) },
      { businessDate: '2026-11-20', contentKey: expect.any(Number) },
    ]);
    // A basis that was taken before keeps saying what it said.
    expect((await store().periods.looks(basis, page))[1]?.last?.contentKey).toBe(looks[1]?.last?.contentKey);
    expect((await store().periods.looks(later, page))[1]?.last?.contentKey).not.toBe(looks[1]?.last?.contentKey);
  });

  it('reads the looks that a statement names again, and the fields of a content', async () => {
    await track(store(), 'p1');
    const p1 = await keyOf(store(), 'p1');
    const night = await plan(store());
    await save(store(), night, [verified(p1, body('p1', { fiatValue: '104.76' }), '2026-11-20')]);
    await complete(store(), night);
    const basis = await store().periods.basis(OCTOBER.from);
    const [look] = await store().periods.looks(basis, [{ kind: 'purchase', recordId: 'p1' }]);
    const contentKey = look?.verified?.contentKey ?? 0;
    const lookRun = basis.runs[0] ?? 0;
    const [again] = await store().periods.looksOf([aRecord(p1, 'p1', { lookRun, verifiedRun: lookRun, contentKey })]);
    expect(again).toEqual(look);
    const states = await store().periods.states([{ kind: 'purchase', recordId: 'p1', contentKey }]);
    expect(states.get(contentKey)?.fiatValue.toString()).toBe('104.76');
  });

  it('keeps what a statement says, change for change', async () => {
    await track(store(), 'a', 'b');
    const [a, b] = [await keyOf(store(), 'a'), await keyOf(store(), 'b')];
    const change: PeriodChange = {
      kind: 'purchase',
      recordId: 'a',
      hostReference: null,
      period: '2026-10',
      change: 'field',
      item: 'fiat_value',
      before: '100',
      after: '110.5',
      difference: Decimal.parse('10.5'),
      currency: 'EUR',
      firstSeenDate: '2026-11-20',
      explanation: 'fiat_value was 100 EUR.',
    };
    const { key } = await store().periods.begin(aStatement());
    const records = [aRecord(a, 'a', { changes: [change] }), aRecord(b, 'b', { present: false, verdict: 'matched' })];
    await store().periods.add(key, records);
    expect(await store().periods.records(key, null, 10)).toEqual(records);
    expect(await store().periods.records(key, { kind: 'purchase', recordId: 'a' }, 10)).toEqual(records.slice(1));
  });

  it('closes a month once, when its statement is sealed, and has it reviewed once', async () => {
    await track(store(), 'a');
    const records = [aRecord(await keyOf(store(), 'a'), 'a')];
    const { key } = await store().periods.begin(aStatement());
    await store().periods.add(key, records);
    expect(await store().periods.list()).toEqual([]);
    await expect(store().periods.seal([key], PLACE)).rejects.toMatchObject({ name: 'PeriodStateError' });
    await store().periods.stage(key, '{"population":1}', 'two refunds');
    expect(await store().periods.get('2026-10')).toBeNull();
    await store().periods.seal([key], PLACE);
    await store().periods.seal([key], PLACE);
    expect(await store().periods.list()).toEqual([
      {
        period: '2026-10',
        timezone: 'UTC',
        state: 'closed',
        closedBy: 'Ann',
        closedAt: at('2026-11-02 09:00'),
        acceptedOpen: 'two refunds',
        reviewedBy: null,
        reviewedAt: null,
        ...PLACE,
        figures: '{"population":1}',
      },
    ]);
    expect(await store().periods.review('2026-10', 'Bob', 5)).toBe(true);
    expect(await store().periods.review('2026-10', 'Cleo', 6)).toBe(false);
    expect(await store().periods.review('2026-11', 'Cleo', 6)).toBe(false);
    expect(await store().periods.get('2026-10')).toMatchObject({ state: 'reviewed', reviewedBy: 'Bob', reviewedAt: 5 });
  });

  it('never changes a sealed statement', async () => {
    await track(store(), 'a', 'b');
    const key = await close(store(), [aRecord(await keyOf(store(), 'a'), 'a')]);
    const refused = { name: 'PeriodStateError' };
    await expect(store().periods.begin(aStatement({ by: 'Eve' }))).rejects.toMatchObject(refused);
    await expect(store().periods.begin(aStatement())).rejects.toThrow('2026-10 is sealed and cannot be stated again');
    const another = aRecord(await keyOf(store(), 'b'), 'b');
    await expect(store().periods.add(key, [another])).rejects.toMatchObject(refused);
    await expect(store().periods.stage(key, '{}', null)).rejects.toMatchObject(refused);
    await expect(store().periods.seal([key], { ...PLACE, folder: 'elsewhere' })).rejects.toMatchObject(refused);
    await store().periods.forget(key);
    expect(await store().periods.records(key, null, 10)).toHaveLength(1);
    expect(await store().periods.get('2026-10')).toMatchObject({ closedBy: 'Ann', folder: 'periods/2026-10' });
  });

  it('begins again where a statement was left open, and forgets one that was not sealed', async () => {
    await track(store(), 'a');
    const record = aRecord(await keyOf(store(), 'a'), 'a');
    const left = await store().periods.begin(aStatement());
    await store().periods.add(left.key, [record]);
    const again = await store().periods.begin(aStatement({ by: 'Bob' }));
    expect(again).toMatchObject({ by: 'Bob', state: 'open' });
    expect(await store().periods.records(left.key, null, 10)).toEqual([]);
    await store().periods.add(again.key, [record]);
    await store().periods.forget(again.key);
    expect(await store().periods.statements('2026-10')).toEqual([]);
  });

  it('counts records of closed months that a run found otherwise, and no others', async () => {
    await track(store(), 'changed', 'same', 'broken', 'late', 'other');
    const keys = await Promise.all(['changed', 'same', 'broken', 'late', 'other'].map((id) => keyOf(store(), id)));
    const [changed = 0, same = 0, broken = 0, late = 0, other = 0] = keys;
    const first = await plan(store(), { date: '2026-11-19' });
    await save(store(), first, [
      verified(changed, body('changed'), '2026-11-19'),
      verified(same, body('same'), '2026-11-19'),
      verified(broken, body('broken'), '2026-11-19'),
    ]);
    await complete(store(), first);
    const basis = await store().periods.basis(OCTOBER.from);
    const page = ['broken', 'changed', 'same'].map((recordId) => ({ kind: 'purchase', recordId }) as const);
    const looks = await store().periods.looks(basis, page);
    const [runKey = 0] = basis.runs;
    await close(
      store(),
      page.map(({ recordId }, i) =>
        aRecord(looks[i]?.last?.stored.recordKey ?? 0, recordId, {
          lookRun: runKey,
          verifiedRun: runKey,
          contentKey: looks[i]?.verified?.contentKey ?? null,
          verdict: 'matched',
        }),
      ),
      aStatement({ basis }),
    );
    expect(await store().periods.touched(first.run.runId, OCTOBER)).toBe(0);

    const second = await plan(store(), { date: '2026-11-20', selection: { type: 'all', kind: null } });
    await save(store(), second, [
      verified(changed, body('changed', { fiatValue: '1' }), '2026-11-20'),
      // Only its time of change is another: no news.
      verified(same, body('same', { updatedAt: at('2026-11-19 12:00') }), '2026-11-20'),
      verified(broken, body('broken'), '2026-11-20'),
      verified(late, body('late'), '2026-11-20'),
      verified(other, body('other', { createdAt: at('2026-11-05 12:00') }), '2026-11-20'),
    ]);
    await store().runs.startJudging(second.run.runId, second.fence, 'not reached');
    await store().breaks.stage(second.run.runId, second.fence, [
      { ...aBreakEvent({ recordId: 'broken' }), recordKey: broken },
      { ...aBreakEvent({ recordId: 'other' }), recordKey: other },
    ]);
    await store().runs.settle(second.run.runId, second.fence, { verdicts: NO_VERDICTS, finishedAt: 1 });
    expect(await store().periods.touched(second.run.runId, OCTOBER)).toBe(3);
  });

  it('lists the events of breaks on records of closes and on their revenue, up to a watermark, with the month of each', async () => {
    await track(store(), 'old', 'own', 'later');
    const night = await plan(store());
    const events = ['later', 'old', 'own'].map((recordId) => aBreakEvent({ recordId, moneyAtStake: dec('1.5') }));
    await store().runs.startJudging(night.run.runId, night.fence, 'no reason');
    const staged = [];
    for (const event of events) staged.push({ ...event, recordKey: await keyOf(store(), event.after.recordId) });
    const [payout, rule] = ['payout', 'PAYOUT_MISSING'] as const;
    for (const month of ['2026-10', '2026-11', '2026-12']) {
      const recordId = `${month}-EUR`;
      staged.push({ ...aBreakEvent({ kind: payout, rule, recordId, moneyAtStake: dec('7') }), recordKey: null });
    }
    await store().breaks.stage(night.run.runId, night.fence, staged);
    await store().runs.settle(night.run.runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: 1 });
    const basis = await store().periods.basis(0);
    const earlier = await close(store(), [aRecord(await keyOf(store(), 'old'), 'old')]);
    const november = aStatement({ period: '2026-11' });
    const own = await store().periods.begin(november);
    await store().periods.add(own.key, [aRecord(await keyOf(store(), 'own'), 'own')]);
    const scope = { own, earlier: [{ key: earlier, period: '2026-10' }], upTo: basis.breakEvent };
    const steps = await store().periods.breakSteps(scope, 0, 10);
    expect(steps.map((step) => [step.isOfMonth, step.rule, step.state, step.currency, `${step.moneyAtStake}`])).toEqual(
      [
        [false, 'FEE_APPLIED_DIFFERS', 'open', 'EUR', '1.5'],
        [true, 'FEE_APPLIED_DIFFERS', 'open', 'EUR', '1.5'],
        [false, 'PAYOUT_MISSING', 'open', 'EUR', '7'],
        [true, 'PAYOUT_MISSING', 'open', 'EUR', '7'],
      ],
    );
    const [first] = steps;
    expect(await store().periods.breakSteps(scope, first?.eventKey ?? 0, 10)).toEqual(steps.slice(1));
    expect(await store().periods.breakSteps({ ...scope, upTo: 0 }, 0, 10)).toEqual([]);
  });
}
