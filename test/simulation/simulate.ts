/** Drives the real application through nights: real HTTP, a real database, real report sets; only the clock is the test's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nightly } from '../../jobs/nightly.ts';
import { periodEdges } from '../../src/app/periods.ts';
import { closePeriod, publishDelta, reviewPeriod } from '../../src/periods/close.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from '../e2e/support/frozen-world.ts';
import { violationsOf } from '../invariants/check-set.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Archive } from './archive.ts';
import { Model, type PublishedNight } from './model.ts';
import { People } from './people.ts';
import { quoteLines } from './prices.ts';
import { Reality } from './reality.ts';

export interface Simulation {
  seed: number;
  firstDate: string;
  nights: number;
  recordsADay: number;
  /** Share of the purchases that something is wrong with at some time. */
  troubled: number;
}

export interface Simulated {
  model: Model;
  /** Contradictions to reality: defects that were not reported, and reports without a defect. */
  untrue: readonly string[];
  /** Files of closed months that are not what they were. */
  changed: readonly string[];
  figures: { requests: number; shortNights: number; repeated: number; closedMonths: number; closedFiles: number };
}

const TIMEZONE = 'Europe/Berlin';

export async function simulate({ seed, firstDate, nights, recordsADay, troubled }: Simulation): Promise<Simulated> {
  const world = await openFrozenWorld({ timezone: TIMEZONE, 'service.concurrency': '16' });
  const reality = new Reality(seed, firstDate, troubled);
  const people = new People(world, seededRandom(seed + 1));
  const model = new Model();
  const archive = new Archive(world.out);
  const untrue: string[] = [];
  const figures = { requests: 0, shortNights: 0, repeated: 0, closedMonths: 0, closedFiles: 0 };
  try {
    await world.quote(quoteLines());
    for (let night = 0; night < nights; night++) {
      const date = dateAfter(firstDate, night);
      await track(world, reality, recordsADay);
      // 04:15 in the morning after, by the clocks of the business: an hour later by UTC once winter time has begun.
      world.goTo(morningAfter(date));
      // One night in nine has less than the allowance that it needs, and one in eight is run again the same morning.
      const budgets = night % 9 === 5 ? [recordsADay] : night % 8 === 7 ? [null, null] : [null];
      for (const maxRequests of budgets) {
        const result = await runNight(world, date, maxRequests);
        figures.requests += result.requests;
        if (result.tally.deferred > 0) figures.shortNights++;
        if (result.run.revision > 1) figures.repeated++;
        const published = readNight(world.out, result.folder, date);
        untrue.push(...violationsOf(join(world.out, result.folder)));
        model.night(result.run.runId, published);
        untrue.push(...compare(reality, published, date));
        untrue.push(...disagreements(result, model, date));
        await people.decide(model);
        for (const id of people.lately(model)) model.events(id, await people.eventsOf(id));
      }
      archive.check();
      if (isMonthEnd(date)) {
        const month = date.slice(0, 7);
        await closeMonth(world, month);
        untrue.push(...violationsOf(join(world.out, 'periods', month)));
        // Later findings of the month before are stated beside its sealed set, never in it.
        if (figures.closedMonths > 0)
          await publishDelta(periodEdges(world.app), { period: monthBefore(month), by: 'ann' });
        figures.closedMonths++;
        figures.closedFiles += archive.close(month);
      }
    }
    for (const id of people.sample(model)) model.events(id, await people.eventsOf(id));
  } finally {
    await world.close();
  }
  return { model, untrue, changed: archive.changed, figures };
}

/** Ann closes the month, with its open breaks; Bob has looked at it. */
async function closeMonth({ app }: FrozenWorld, period: string): Promise<void> {
  const { figures } = await closePeriod(periodEdges(app), { period, by: 'ann', acceptOpen: 'the simulation goes on' });
  if (figures === null) throw new Error(`the close of ${period} has no figures`);
  await reviewPeriod(periodEdges(app), { period, by: 'bob' });
}

async function track(world: FrozenWorld, reality: Reality, count: number): Promise<void> {
  const records = reality.nextDay(count);
  for (const { id } of records) world.server.answers.set(id, () => reality.answer(id));
  const lines = records.map(({ id, kind, quoteId }) => `${kind},${id},token-${id},${quoteId}`);
  await world.track(`kind,id,view_token,quote_id\n${lines.join('\n')}\n`);
}

async function runNight(world: FrozenWorld, businessDate: string, maxRequests: number | null): Promise<Reconciled> {
  const orders = { businessDate, selection: null, resume: false, maxDurationMs: null, maxRequests };
  const result = await world.app.run(nightly, orders);
  if (result.outcome !== 'reconciled') throw new Error(`the night of ${businessDate} was ${result.outcome}`);
  // The server remembers each request; a quarter of them would be remembered for nothing.
  world.server.requests.length = 0;
  return result;
}

function readNight(out: string, folder: string, date: string): PublishedNight {
  const text = (name: string) => readFileSync(join(out, folder, name), 'utf8');
  const csv = (name: string) => text(`${name}.csv`);
  return {
    date,
    files: {
      records: csv('records'),
      breaks: csv('breaks'),
      coverage: csv('coverage'),
    },
    manifest: JSON.parse(text('manifest.json')) as PublishedNight['manifest'],
  };
}

/** Nothing is silently green, and nothing clean is accused. */
function compare(reality: Reality, { files }: PublishedNight, date: string): string[] {
  const untrue: string[] = [];
  const waived = new Set<string>();
  const [, ...breaks] = files.breaks.split('\n').map((line) => line.split(','));
  for (const cells of breaks) if (cells[5] === 'waived') waived.add(cells[7] ?? '');
  const [, ...records] = files.records.split('\n').map((line) => line.split(','));
  for (const cells of records) {
    const [id = '', verdict = ''] = [cells[3], cells[8]];
    if (id === '' || verdict === 'unverified' || verdict === 'quarantined') continue;
    const told = verdict === 'break' || waived.has(id);
    if (reality.isWrong(id) && !told) untrue.push(`${date}: ${id} is wrong, and ${verdict}`);
    if (reality.isSpotless(id) && told) untrue.push(`${date}: ${id} never had a trouble, and is ${verdict}`);
  }
  return untrue;
}

/** The run's own summary must count what the model has counted. */
function disagreements({ tally }: Reconciled, model: Model, date: string): string[] {
  const open = model.ids('open', 'acknowledged', 'reopened').length;
  return tally.breaks.open === open
    ? []
    : [`${date}: the run says ${tally.breaks.open} open breaks, the model ${open}`];
}

function dateAfter(first: string, days: number): string {
  return new Date(Date.parse(`${first}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function monthBefore(month: string): string {
  return dateAfter(`${month}-01`, -1).slice(0, 7);
}

function isMonthEnd(date: string): boolean {
  return dateAfter(date, 1).endsWith('-01');
}

/** In 2026 the clocks of Berlin are two hours ahead until 25 October, 03:00, and one hour from then on. */
function morningAfter(date: string): string {
  const morning = dateAfter(date, 1);
  return morning < '2026-10-25' ? `${morning}T02:15:00Z` : `${morning}T03:15:00Z`;
}
