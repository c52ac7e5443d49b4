/** A night under a wrong clock writes nothing; a small offset is logged. */
import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const NOW = Date.parse('2026-11-20T04:15:00Z');
const [MINUTE, DAY] = [60_000, 86_400_000];

const { server, open: openPlace } = await onARecordServer();
let place: Workspace;

/** Runs a command while the clock of this machine is `off` from the right time. */
const at = (off: number, ...args: string[]) =>
  place.tieout([...args, '--json'], { now: new Date(NOW + off).toISOString() });

/** The Service's own clock, by record: a cache in between repeats an old answer. */
async function open(clocks: readonly { date: number; age?: number }[]): Promise<void> {
  place = openPlace({ settings: 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n' });
  const lines = clocks.map(({ date, age }, n) => {
    const id = `c${n}`;
    const headers = { date: new Date(date).toUTCString(), ...(age === undefined ? {} : { age: String(age) }) };
    server.answers.set(id, { headers, body: aPurchase({ id: `"${id}"`, purchaseViewToken: undefined }) });
    return JSON.stringify({ kind: 'purchase', id, view_token: `S3cr3tT0ken-${id}` });
  });
  await place.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
}

const three = [{ date: NOW }, { date: NOW }, { date: NOW }];

describe('against the Service’s answers, a clock', () => {
  it.each([
    ['years ahead', 1500 * DAY, '1500 days ahead of the Service’s'],
    ['days behind', -2 * DAY - MINUTE, '2 days behind the Service’s'],
  ])('that is %s ends the run with 4, and nothing of it stays', async (_, off, words) => {
    await open(three);
    const refused = await at(off, 'run');
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining(words)]);
    expect(existsSync(place.path('out/latest'))).toBe(false);
    // The right clock finds every record never verified, and no later run in its way.
    const night = await at(0, 'run');
    expect([night.code, night.err]).toEqual([0, night.err]);
    expect(JSON.parse(night.out)).toMatchObject({ population: 3, verdicts: { matched: 3 } });
  });

  it('that is seven minutes behind is reported, and the run goes on', async () => {
    await open(three);
    const told = await at(-7 * MINUTE, 'run');
    expect([told.code, told.err]).toEqual([0, expect.stringContaining('is 7 minutes behind the Service’s')]);
  });

  it('that is four minutes ahead is not', async () => {
    await open(three);
    const silent = await at(4 * MINUTE, 'run');
    expect([silent.code, silent.err]).toEqual([0, expect.not.stringContaining('the clock of this machine')]);
  });

  it('is judged by their median, and by the age of what a cache repeats', async () => {
    await open([{ date: NOW - 300 * DAY }, { date: NOW - 3 * DAY, age: 3 * 86_400 }, { date: NOW }]);
    expect((await at(0, 'run')).code).toBe(0);
  });
});

describe('against the last run, a clock', () => {
  it('that is behind by more than a day ends with 4; db heal-clock is the way on', async () => {
    const later = NOW + 1500 * DAY;
    // The Service's clock is wrong, too, so that no comparison shows it.
    await open([{ date: later }, { date: later }, { date: later }]);
    expect((await at(1500 * DAY, 'run')).code).toBe(0);
    for (const each of ['c0', 'c1', 'c2'])
      server.answers.set(each, { body: aPurchase({ id: `"${each}"`, purchaseViewToken: undefined }) });
    const refused = await at(0, 'run');
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('tieout db heal-clock')]);
    const healed = await at(0, 'db', 'heal-clock');
    expect(JSON.parse(healed.out)).toEqual({ runs: ['nightly-2030-12-28-r1'], records: 3, leases: 0 });
    const night = await at(0, 'run');
    expect([night.code, night.err]).toEqual([0, night.err]);
    expect(JSON.parse(night.out)).toMatchObject({ population: 3, verdicts: { matched: 3 } });
  });
});
