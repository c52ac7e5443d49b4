/** Events around a close: crashes, late records, changes that come twice, records that can no longer be read. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { periodEdges } from '../../src/app/periods.ts';
import { closePeriod, publishDelta, reviewPeriod } from '../../src/periods/close.ts';
import { periodStatus } from '../../src/periods/status.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { decide } from '../../src/worklist/decide.ts';
import { purchaseOf } from '../service/bodies.ts';
import { readCsv } from './support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const OCTOBER = '"2026-10-18T10:00:00.000Z"';
/** These purchases have no quotes; no test here depends on it. */
const SETTINGS = { 'rules.QUOTE_MISSING': 'off' };

let world: FrozenWorld;
beforeEach(async () => {
  world = await openFrozenWorld(SETTINGS);
});
afterEach(() => world.close());

function answer(id: string, fields: Record<string, string | undefined> = {}): void {
  const dates = { createdAt: OCTOBER, updatedAt: OCTOBER };
  world.server.answers.set(id, { body: purchaseOf(id, { ...dates, ...fields }) });
}

const track = (...ids: string[]) =>
  world.track(`kind,id,view_token\n${ids.map((id) => `purchase,${id},token-of-${id}\n`).join('')}`);

/** A night in November, at 04:15 of the day after. */
async function night(date: string): Promise<Awaited<ReturnType<FrozenWorld['night']>>> {
  world.goTo(new Date(Date.parse(`${date}T04:15:00Z`) + 86_400_000).toISOString());
  return world.night(date);
}

/** The purchase a, tracked and read for the first time. */
async function seen(date: string, fields: Record<string, string | undefined> = {}): Promise<void> {
  await track('a');
  answer('a', fields);
  await night(date);
}

const october = (by = 'Ann', acceptOpen: string | null = null) =>
  closePeriod(periodEdges(world.app), { period: '2026-10', by, acceptOpen });
const delta = (by = 'Ann') => publishDelta(periodEdges(world.app), { period: '2026-10', by });
const rows = (set: string, name: string) =>
  readCsv(readFileSync(join(world.out, 'periods', set, `${name}.csv`), 'utf8')).rows;
const changes = (set: string, name: 'changes' | 'prior_period') =>
  rows(set, name)
    .filter(({ change }) => change !== 'break')
    .map(({ record_id, item, before, after, difference }) => [record_id, item, before, after, difference].join(' '));

/** The same application, with one function of its period store in place of its own. */
function withPeriods(app: App, replaced: Partial<App['store']['periods']>): App {
  return { ...app, store: { ...app.store, periods: { ...app.store.periods, ...replaced } } };
}

describe('a close that is interrupted', () => {
  beforeEach(async () => {
    await seen('2026-11-01');
  });

  it('after its set is in place is finished by the next one, as it was begun', async () => {
    const dying = withPeriods(world.app, { seal: () => Promise.reject(new Error('killed')) });
    await expect(closePeriod(periodEdges(dying), { period: '2026-10', by: 'Ann' })).rejects.toThrow('killed');
    expect((await periodStatus(periodEdges(world.app), '2026-10')).state).toBe('open');
    const manifest = world.file('periods/2026-10', 'manifest.json');
    // Records have changed meanwhile; the set that is in place is not touched.
    answer('a', { fiatValue: '110' });
    await night('2026-11-08');
    expect(await october('Bob')).toMatchObject({ by: 'Ann', resumed: true, folder: 'periods/2026-10' });
    expect(world.file('periods/2026-10', 'manifest.json')).toEqual(manifest);
    expect(await periodStatus(periodEdges(world.app), '2026-10')).toMatchObject({
      state: 'closed',
      sets: [{ problems: [] }],
    });
  });

  it('before its set is in place leaves nothing, and the next one starts afresh', async () => {
    const { seal: _seal, records: _records, ...rest } = world.app.store.periods;
    const dying = withPeriods(world.app, { ...rest, records: () => Promise.reject(new Error('killed')) });
    await expect(closePeriod(periodEdges(dying), { period: '2026-10', by: 'Ann' })).rejects.toThrow('killed');
    expect(readdirSync(join(world.out, 'periods'))).toEqual([]);
    expect(await october('Bob')).toMatchObject({ by: 'Bob', resumed: false });
  });

  it('by a disk that cannot be written is reported, and done again', async () => {
    writeFileSync(join(world.out, 'periods'), 'a file where the folder should be');
    await expect(october()).rejects.toMatchObject({ name: 'PublicationError' });
    rmSync(join(world.out, 'periods'));
    expect(await october('Bob')).toMatchObject({ by: 'Bob', resumed: false });
    expect((await verifySets(world.out)).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('by a signal leaves no folder and no statement', async () => {
    const stopped = closePeriod(periodEdges(world.app), { period: '2026-10', by: 'Ann', signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(join(world.out, 'periods'))).toBe(false);
    expect(await world.app.store.periods.statements('2026-10')).toEqual([]);
    expect(await october('Bob')).toMatchObject({ by: 'Bob', resumed: false });
  });

  it('by another process that is closing is refused at once', async () => {
    await world.app.store.leases.acquire('periods', 'another-host:1', Date.parse('2026-11-02T04:15:00Z'), 60_000);
    await expect(october()).rejects.toMatchObject({ name: 'LockHeldError' });
  });
});

describe('a record', () => {
  it('whose last look failed keeps its last known amounts, and is unverified', async () => {
    await seen('2026-10-20', { status: '"PAYMENT_STARTED"', finalTxHash: 'null' });
    world.server.answers.set('a', { status: 500, body: '' });
    await night('2026-11-01');
    await expect(october()).rejects.toMatchObject({ name: 'PeriodUnverifiedError' });
    await october('Ann', 'the Service was down');
    expect(rows('2026-10', 'records')).toMatchObject([
      { verdict: 'unverified', fiat_value: '104.76', fetched_at: '2026-10-21T04:15:00.000Z' },
    ]);
    expect(rows('2026-10', 'coverage')).toMatchObject([
      { outcome: 'unreachable', http_status: '500', last_verified_at: '2026-10-21T04:15:00.000Z' },
    ]);
    expect(JSON.parse(world.file('periods/2026-10', 'manifest.json').toString())).toMatchObject({
      status: 'incomplete',
      verdicts: { unverified: 1 },
    });
  });

  it('that was never read is in the month of the date that the application gave, with all figures unknown', async () => {
    await world.track('kind,id,view_token,created_at\npurchase,a,token-a,2026-10-31T23:59:59Z\n');
    world.goTo('2026-11-02T04:15:00Z');
    expect(await periodStatus(periodEdges(world.app), '2026-10')).toMatchObject({
      figures: { population: 1, neverVerified: 1, neverLookedAt: 1, datedByTold: 1, verdicts: { unverified: 1 } },
    });
    await october('Ann', 'imported too late');
    expect(rows('2026-10', 'records')).toMatchObject([{ record_id: 'a', verdict: 'unverified', fiat_value: '' }]);
    expect(rows('2026-10', 'coverage')).toMatchObject([{ outcome: 'deferred', reason: 'never looked at' }]);
  });

  it('that is tracked late is reported with its whole amount, in the delta and in the next month', async () => {
    await seen('2026-11-01');
    await october();
    await track('b');
    answer('b');
    const found = await night('2026-11-02');
    expect(found.tally.priorPeriod).toBe(1);
    await delta();
    const changed = changes('2026-10-delta-001', 'changes');
    expect(changed).toContain('b added  matched ');
    expect(changed).toContain('b fiat_value  104.76 104.76');
    expect(changed.filter((each) => each.startsWith('a'))).toEqual([]);
    world.goTo('2026-12-01T04:15:00Z');
    await closePeriod(periodEdges(world.app), { period: '2026-11', by: 'Ann' });
    expect(changes('2026-11', 'prior_period')).toEqual(changed);
    expect(rows('2026-11', 'records')).toEqual([]);
  });

  it('that is retracted leaves the population of an open month, and a sealed one by a delta', async () => {
    await track('a', 'b', 'c');
    for (const id of ['a', 'b', 'c']) answer(id);
    await night('2026-11-01');
    const retract = (id: string) =>
      world.app.store.tracked.correct('purchase', id, {
        type: 'retract',
        actor: 'Ann',
        reason: 'a test order',
        at: world.app.clock.wall.now(),
      });
    await retract('b');
    const open = await periodStatus(periodEdges(world.app), '2026-10');
    expect(open.figures.retracted).toEqual({ purchase: 1, sale: 0 });
    await october();
    expect(JSON.parse(world.file('periods/2026-10', 'manifest.json').toString())).toMatchObject({
      population: 2,
      retracted: 1,
      retracted_by_kind: { purchase: 1, sale: 0 },
    });
    expect(rows('2026-10', 'records').map(({ record_id: id }) => id)).toEqual(['a', 'c']);
    expect(world.file('periods/2026-10', 'manifest.json').toString()).toContain('"population": 2');
    await retract('c');
    await delta();
    const changed = changes('2026-10-delta-001', 'changes');
    expect(changed).toContain('c moved matched  ');
    expect(changed).toContain('c fiat_value 104.76  -104.76');
    expect(changed.filter((each) => !each.startsWith('c '))).toEqual([]);
    // The sealed set stays as it was, and so do the figures of the close.
    expect(rows('2026-10', 'records')).toHaveLength(2);
    const closed = await periodStatus(periodEdges(world.app), '2026-10');
    expect(closed.figures.retracted).toEqual({ purchase: 1, sale: 0 });
  });

  it('whose creation date is corrected leaves its month and is reported', async () => {
    await seen('2026-11-01');
    await october();
    answer('a', { createdAt: '"2026-11-01T00:00:00.000Z"' });
    await night('2026-11-08');
    await delta();
    expect(changes('2026-10-delta-001', 'changes')).toContain('a moved matched  ');
    expect(rows('2026-10-delta-001', 'records')).toEqual([]);
    await expect(delta()).rejects.toThrow('nothing in 2026-10 differs');
  });

  it('that changes twice is reported each time relative to the last report', async () => {
    await seen('2026-11-01');
    await october();
    answer('a', { fiatValue: '110' });
    await night('2026-11-08');
    await delta();
    expect(changes('2026-10-delta-001', 'changes')).toContain('a fiat_value 104.76 110 5.24');
    world.goTo('2026-12-01T04:15:00Z');
    await closePeriod(periodEdges(world.app), { period: '2026-11', by: 'Ann' });
    expect(changes('2026-11', 'prior_period')).toContain('a fiat_value 104.76 110 5.24');
    answer('a', { fiatValue: '111' });
    await night('2026-12-02');
    await delta('Bob');
    expect(changes('2026-10-delta-002', 'changes')).toEqual(['a fiat_value 110 111 1']);
    expect(JSON.parse(world.file('periods/2026-10-delta-002', 'manifest.json').toString()).delta_of).toMatchObject({
      path: 'periods/2026-10-delta-001',
    });
    world.goTo('2027-01-02T04:15:00Z');
    await closePeriod(periodEdges(world.app), { period: '2026-12', by: 'Ann' });
    expect(changes('2026-12', 'prior_period')).toEqual(['a fiat_value 110 111 1']);
    const first = rows('2026-12', 'prior_period').find(({ item }) => item === 'fiat_value');
    expect(first).toMatchObject({ period: '2026-10', first_seen_date: '2026-12-02' });
    expect((await verifySets(world.out)).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('of which a date is run again, with another answer, differs too', async () => {
    await seen('2026-10-19', { status: '"PAYMENT_STARTED"', finalTxHash: 'null' });
    world.goTo('2026-11-02T04:15:00Z');
    await october('Ann', 'still pending');
    const sealed = world.file('periods/2026-10', 'records.csv');
    answer('a');
    await world.night('2026-10-19');
    expect(existsSync(join(world.out, '2026-10-19', 'nightly-r2'))).toBe(true);
    await delta();
    expect(changes('2026-10-delta-001', 'changes')).toContain('a status PAYMENT_STARTED RELEASED ');
    expect(world.file('periods/2026-10', 'records.csv')).toEqual(sealed);
  });
});

describe('a delta', () => {
  it('whose sealed set was changed no longer verifies', async () => {
    await seen('2026-11-01');
    await october();
    answer('a', { fiatValue: '110' });
    await night('2026-11-08');
    await delta();
    const manifest = join(world.out, 'periods', '2026-10', 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"Ann"', '"Eve"'));
    const [sealed, later] = await verifySets(join(world.out, 'periods'));
    expect(sealed?.problems).toEqual([expect.stringContaining('was changed after publication')]);
    expect(later?.problems).toEqual([expect.stringContaining('is a delta to periods/2026-10 with the manifest')]);
    await expect(reviewPeriod(periodEdges(world.app), { period: '2026-10', by: 'Bob' })).rejects.toThrow(
      'is not the sealed one',
    );
  });
});

describe('a break', () => {
  it('that is waived after the close changes no sealed byte and is reported', async () => {
    await seen('2026-11-01', { finalTxHash: 'null' });
    await expect(october()).rejects.toMatchObject({ name: 'PeriodBreaksOpenError' });
    await october('Ann', 'ticket 4711');
    const sealed = world.file('periods/2026-10', 'breaks.csv');
    const [found] = await world.app.store.breaks.list({ recordId: 'a', limit: 1, offset: 0 });
    if (found === undefined) throw new Error('there is no break');
    const { hostReference: _host, events, ...standing } = found;
    const who = { who: 'Kim', reason: 'refunded', until: null, assignee: null, at: 1, today: '2026-11-20' };
    const decision = { type: 'waived', ...who } as const;
    await world.app.store.breaks.append([{ ...decide(standing, decision), expectedEvents: events }]);
    await delta();
    expect(rows('2026-10-delta-001', 'changes').map(({ item, before, after }) => [item, before, after])).toEqual([
      ['verdict', 'break', 'waived'],
      ['RELEASED_WITHOUT_TX final_tx_hash', 'open', 'waived'],
    ]);
    expect(world.file('periods/2026-10', 'breaks.csv')).toEqual(sealed);
  });
});
