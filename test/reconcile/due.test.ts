/** One decision, written twice: in plain words for one record, and in SQL for a population. They must say the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BreakEvent } from '../../src/domain/break.ts';
import { DUE_POLICY, type DueClass } from '../../src/domain/run.ts';
import type { ObservedItem, Store } from '../../src/ports/store/store.ts';
import { type DueFacts, dueClassOf, isRetired } from '../../src/reconcile/due.ts';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { aBreakEvent } from '../store/support/break-events.ts';
import { allItems, keyOf, plan, settle, track, verified } from '../store/support/scenario.ts';
import { aPurchase } from '../support/builders.ts';

const UNSEEN: DueFacts = { lastVerified: null, ended: null, brokenSince: null, answered: null, waiverEnded: false };
/** 2026-11-20. */
const TODAY = 20_777;
const DAY_MS = 86_400_000;
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Nights on which a record that is looked at whenever it is due is looked at, counted from its end. */
function nights(facts: DueFacts, upTo: number): number[] {
  const looked: number[] = [];
  let known = { ...facts };
  for (let after = 0; after <= upTo; after++) {
    if (dueClassOf(known, DUE_POLICY, TODAY + after) === null) continue;
    looked.push(after);
    known = { ...known, lastVerified: TODAY + after };
  }
  return looked;
}

describe('the schedule', () => {
  it('looks at a clean record 1, 7 and 30 days after its end, then never again', () => {
    const facts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY };
    expect(nights(facts, 400)).toEqual([1, 7, 30]);
    expect(isRetired({ ...facts, lastVerified: TODAY + 29 }, DUE_POLICY)).toBe(false);
    expect(isRetired({ ...facts, lastVerified: TODAY + 30 }, DUE_POLICY)).toBe(true);
  });

  it('looks at an open break every night for 30 days, then weekly', () => {
    const facts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY - 90, brokenSince: TODAY };
    const daily = Array.from({ length: 30 }, (_, night) => night);
    expect(nights(facts, 58)).toEqual([...daily, 36, 43, 50, 57]);
  });

  it('looks at a record under way every night, and at one that was never read at once', () => {
    expect(nights({ ...UNSEEN, lastVerified: TODAY - 1 }, 100)).toHaveLength(101);
    expect(dueClassOf(UNSEEN, DUE_POLICY, TODAY)).toBe('never-verified');
  });

  it('asks weekly for an id that has answered 404 for a month, and nightly where nobody answered', () => {
    const dead = { ...UNSEEN, brokenSince: TODAY - 40, answered: TODAY - 6 };
    expect(dueClassOf(dead, DUE_POLICY, TODAY)).toBeNull();
    expect(dueClassOf(dead, DUE_POLICY, TODAY + 1)).toBe('never-verified');
    expect(dueClassOf({ ...dead, answered: null }, DUE_POLICY, TODAY)).toBe('never-verified');
  });
});

describe('a waiver that has ended', () => {
  const waived = { ...UNSEEN, waiverEnded: true };

  it.each([
    ['that is otherwise never looked at again', { ...waived, lastVerified: TODAY - 1, ended: TODAY - 400 }],
    ['that is still under way', { ...waived, lastVerified: TODAY - 1 }],
    [
      'whose weekly look is not yet due',
      { ...waived, lastVerified: TODAY - 1, ended: TODAY - 90, brokenSince: TODAY - 40 },
    ],
  ])('makes a record due as an open break: one %s', (_, facts) => {
    expect(dueClassOf(facts, DUE_POLICY, TODAY)).toBe('open-break');
  });

  it('does not make one that was never read anything else', () => {
    expect(dueClassOf(waived, DUE_POLICY, TODAY)).toBe('never-verified');
  });
});

describe('a retired record', () => {
  const retired: DueFacts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY - 30 };

  it.each([
    ['clean, and verified thirty days after its end', {}, true],
    ['never verified', { lastVerified: null }, false],
    ['under way', { ended: null }, false],
    ['with an open break', { brokenSince: TODAY - 400 }, false],
    ['with a waiver that has ended', { waiverEnded: true }, false],
    ['not verified since the last look was due', { lastVerified: TODAY - 1 }, false],
  ])('is one that nothing makes due any more: %s', (_, facts, expected) => {
    expect(isRetired({ ...retired, ...facts }, DUE_POLICY)).toBe(expected);
  });

  it('needs to have been verified at its end, where no later looks are asked for', () => {
    const policy = { ...DUE_POLICY, postTerminalDays: [] };
    expect(isRetired({ ...retired, lastVerified: TODAY - 30 }, policy)).toBe(true);
    expect(isRetired({ ...retired, lastVerified: TODAY - 31 }, policy)).toBe(false);
  });
});

describe('the schedule and the store', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tieout-due-'));
    const url = `sqlite:${join(folder, 'tieout.db')}`;
    const opened = await openStore({ url, sealer: createSealer([Buffer.alloc(32, 7).toString('base64')]) });
    store = opened.store;
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('agree on every combination of a past', async () => {
    const pasts = new Map(combinations().map((facts) => [nameOf(facts), facts]));
    await givePasts(store, pasts);
    const found = new Map<string, DueClass>();
    for (const item of await allPages(store)) found.set(item.id, item.dueClass);
    const differing = [...pasts].filter(([id, facts]) => {
      return (found.get(id) ?? null) !== dueClassOf(facts, DUE_POLICY, TODAY);
    });
    expect(pasts.size).toBeGreaterThan(900);
    expect(differing.map(([id]) => id)).toEqual([]);
    // All answers occur, so that agreeing means something.
    const classes = new Set([...pasts.values()].map((facts) => dueClassOf(facts, DUE_POLICY, TODAY)));
    expect(classes).toEqual(new Set(['never-verified', 'open-break', 'not-terminal', 'post-terminal', null]));
  });
});

const AGES = [null, 0, 1, 6, 7, 8, 29, 30, 31];

/** Each fact at and around each boundary of the policy. */
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
          all.push({
            lastVerified: day(verifiedAge),
            ended: day(endedAge),
            brokenSince: day(brokenAge),
            answered: day(answeredAge),
            waiverEnded: false,
          });
        }
      }
    }
  }
  return all;
}

const nameOf = ({ lastVerified, ended, brokenSince, answered }: DueFacts) =>
  [lastVerified, ended, brokenSince, answered].map((day) => (day === null ? 'never' : TODAY - day)).join('-');

async function givePasts(store: Store, pasts: ReadonlyMap<string, DueFacts>): Promise<void> {
  await track(store, ...pasts.keys());
  const night = await plan(store, { job: 'past', date: '2026-01-01', selection: { type: 'all', kind: null } });
  const { run, fence } = night;
  const batch: ObservedItem[] = [];
  for (const [id, { lastVerified, ended }] of pasts) {
    if (lastVerified === null) continue;
    const state = aPurchase({ recordId: id, status: ended === null ? 'FIAT_RECEIVED' : 'RELEASED' });
    const projection = { terminalDate: ended === null ? null : dateOf(ended) };
    batch.push(verified(await keyOf(store, id), state, dateOf(lastVerified), { projection }));
  }
  await store.items.save(run.runId, fence, batch);
  await store.runs.startJudging(run.runId, fence, 'not part of this');
  const events: (BreakEvent & { recordKey: number })[] = [];
  for (const [id, { brokenSince, answered }] of pasts) {
    if (brokenSince === null) continue;
    const rule = answered === null ? 'FEE_APPLIED_DIFFERS' : 'RECORD_MISSING';
    const event = aBreakEvent({
      recordId: id,
      rule,
      firstSeenDate: dateOf(brokenSince),
      lastSeenDate: dateOf(answered ?? brokenSince),
    });
    events.push({ ...event, recordKey: await keyOf(store, id) });
  }
  await store.breaks.stage(run.runId, fence, events);
  await settle(store, night);
}

async function allPages(store: Store) {
  const night = await plan(store, { date: dateOf(TODAY) });
  const items = [...(await allItems(store, night))];
  for (;;) {
    const page = await store.items.next(night.run.runId, items.at(-1)?.position ?? 0, 1_000);
    if (page.length === 0) return items;
    items.push(...page);
  }
}
