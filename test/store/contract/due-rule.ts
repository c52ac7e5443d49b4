/** The store selects in SQL what `dueClassOf` decides for one record: their answers must be the same for every past. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BreakEvent } from '../../../src/domain/break.ts';
import type { DuePolicy } from '../../../src/domain/due.ts';
import type { ObservedItem, PlannedItem, Store } from '../../../src/ports/store/store.ts';
import { aBreakEvent } from '../../support/a-break.ts';
import { aPurchase } from '../../support/builders.ts';
import { DUE_POLICY, type DueFacts, dueClassOf } from '../../support/due-rule.ts';
import type { OpenedStore } from '../support/engines.ts';
import { begin, plan, settle, track, verified } from '../support/scenario.ts';

/** 2026-11-20. */
const TODAY = 20_777;
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const AGES = [null, 0, 1, 6, 7, 8, 29, 30, 31];
const DAYS = fc.constantFrom(1, 6, 7, 8, 29, 30, 31);

export function dueRuleContract(use: () => OpenedStore): void {
  it('plans the records that are due by the policy, in their classes', async () => {
    const { store, analyze } = use();
    const pasts = new Map(combinations().map((facts) => [nameOf(facts), facts]));
    await givePasts(store, pasts);
    await analyze();
    let runs = 0;
    const differing = async (policy: DuePolicy) => {
      const found = await planned(store, `check-${++runs}`, policy);
      return [...pasts].filter(([id, facts]) => (found.get(id) ?? null) !== dueClassOf(facts, policy, TODAY));
    };

    expect(await differing(DUE_POLICY)).toEqual([]);
    const policies = fc.record({
      postTerminalDays: fc.array(DAYS, { maxLength: 4 }),
      breakDailyDays: fc.oneof(DAYS, fc.constant(0)),
      breakEveryDays: DAYS,
      cardDays: fc.constant(0),
    });
    await fc.assert(
      fc.asyncProperty(policies, async (policy) => {
        expect(await differing(policy)).toEqual([]);
      }),
      { numRuns: 6 },
    );
    // Every answer occurs, so equality means something.
    expect(pasts.size).toBeGreaterThan(900);
    const classes = new Set([...pasts.values()].map((facts) => dueClassOf(facts, DUE_POLICY, TODAY)));
    expect(classes).toEqual(new Set(['never-verified', 'open-break', 'not-terminal', 'post-terminal', null]));
  });
}

/** Chargebacks come up to 120 days after a payment: card purchases are looked at once more when those are over. */
export function cardDueContract(use: () => OpenedStore): void {
  it('a clean released card purchase is due once more 130 days after its end; nothing else is', async () => {
    const { store } = use();
    const ended = TODAY - 130;
    const cases = {
      card: {},
      apple: { paymentMethod: 'APPLE_PAY' },
      bank: { paymentMethod: 'MANUAL_BANK_TRANSFER' },
      expired: { status: 'EXPIRED' },
    };
    await track(store, ...Object.keys(cases), 'looked');
    const night = await plan(store, { job: 'past', date: dateOf(ended), selection: { type: 'all', kind: null } });
    const keys = new Map((await itemsOf(store, night.run.runId)).map((item) => [item.id, item.recordKey]));
    const projection = { terminalDate: dateOf(ended) };
    const items = Object.entries({ ...cases, looked: {} }).map(([recordId, over]) => {
      const state = aPurchase({ recordId, status: 'RELEASED', paymentMethod: 'CARD_PAYMENT', ...over });
      const looked = recordId === 'looked' ? TODAY - 1 : ended + 30;
      return verified(keys.get(recordId) ?? 0, state, dateOf(looked), {
        projection: { ...projection, status: state.status },
      });
    });
    await store.items.save(night.run.runId, night.fence, items);
    await store.runs.startJudging(night.run.runId, night.fence, 'not part of this');
    await settle(store, night);
    const due = async (date: number, policy: DuePolicy) => [
      ...(await planned(store, `check-${date}-${policy.cardDays}`, policy, date)),
    ];
    expect(await due(TODAY, DUE_POLICY)).toEqual([
      ['apple', 'post-terminal'],
      ['card', 'post-terminal'],
      ['looked', 'post-terminal'],
    ]);
    expect(await due(TODAY - 1, DUE_POLICY)).toEqual([]);
    expect(await due(TODAY + 6, DUE_POLICY)).toHaveLength(3);
    expect(await due(TODAY + 7, DUE_POLICY)).toEqual([]);
    expect(await due(TODAY, { ...DUE_POLICY, cardDays: 0 })).toEqual([]);
  });
}

/** Each fact at and beside each boundary of the usual policy; an ended waiver with every fifth. */
function combinations(): DueFacts[] {
  const day = (age: number | null) => (age === null ? null : TODAY - age);
  const all: DueFacts[] = [];
  for (const verifiedAge of AGES) {
    for (const endedAge of AGES) {
      if (verifiedAge === null && endedAge !== null) continue;
      for (const brokenAge of AGES) {
        for (const answeredAge of [null, 0, 6, 7]) {
          // Such a break is at least as old as the answer that showed it.
          if (answeredAge !== null && (brokenAge === null || answeredAge > brokenAge)) continue;
          const past = [day(verifiedAge), day(endedAge), day(brokenAge), day(answeredAge)] as const;
          const [lastVerified, ended, brokenSince, answered] = past;
          const facts = { lastVerified, ended, brokenSince, answered };
          all.push({ ...facts, waiverEnded: false });
          if (all.length % 5 === 0) all.push({ ...facts, waiverEnded: true });
        }
      }
    }
  }
  return all;
}

const nameOf = ({ lastVerified, ended, brokenSince, answered, waiverEnded }: DueFacts) => {
  const ages = [lastVerified, ended, brokenSince, answered].map((day) => (day === null ? 'never' : TODAY - day));
  return `${ages.join('-')}${waiverEnded ? '-waived' : ''}`;
};

async function givePasts(store: Store, pasts: ReadonlyMap<string, DueFacts>): Promise<void> {
  await track(store, ...pasts.keys());
  const night = await plan(store, { job: 'past', date: '2026-01-01', selection: { type: 'all', kind: null } });
  const { run, fence } = night;
  const keys = new Map((await itemsOf(store, run.runId)).map((item) => [item.id, item.recordKey]));
  const batch: ObservedItem[] = [];
  const events: (BreakEvent & { recordKey: number })[] = [];
  for (const [recordId, { lastVerified, ended, brokenSince, answered, waiverEnded }] of pasts) {
    const recordKey = keys.get(recordId) ?? 0;
    if (lastVerified !== null) {
      const state = aPurchase({ recordId, status: ended === null ? 'FIAT_RECEIVED' : 'RELEASED' });
      const projection = { terminalDate: ended === null ? null : dateOf(ended) };
      batch.push(verified(recordKey, state, dateOf(lastVerified), { projection }));
    }
    if (brokenSince !== null) {
      const rule = answered === null ? 'FEE_APPLIED_DIFFERS' : 'RECORD_MISSING';
      const seen = { firstSeenDate: dateOf(brokenSince), lastSeenDate: dateOf(answered ?? brokenSince) };
      events.push({ ...aBreakEvent({ recordId, rule, ...seen }), recordKey });
    }
    if (waiverEnded) {
      const waiver = { reason: 'known', author: 'ann', until: dateOf(TODAY - 1), difference: null, actual: null };
      events.push({ ...aBreakEvent({ recordId, rule: 'AMOUNT_DIFFERS', state: 'waived', waiver }), recordKey });
    }
  }
  await store.items.save(run.runId, fence, batch);
  await store.runs.startJudging(run.runId, fence, 'not part of this');
  await store.breaks.stage(run.runId, fence, events);
  await settle(store, night);
}

/** The class of each record in a new run, by id. */
async function planned(
  store: Store,
  job: string,
  policy: DuePolicy,
  day = TODAY,
): Promise<ReadonlyMap<string, string>> {
  const { run, fence, scope } = await begin(store, { job, date: dateOf(day) });
  await store.items.plan(run.runId, fence, { ...scope, policy });
  return new Map((await itemsOf(store, run.runId)).map((item) => [item.id, item.dueClass]));
}

async function itemsOf(store: Store, runId: string): Promise<PlannedItem[]> {
  const items: PlannedItem[] = [];
  for (;;) {
    const page = await store.items.next(runId, items.at(-1)?.position ?? 0, 2_000);
    if (page.length === 0) return items;
    items.push(...page);
  }
}
