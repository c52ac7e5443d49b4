/**
 * A year in production on the real application: nights, hourly captures of reference data, defects that come and go, late changes, a
 * weekly retention, and each month a close, a delta of the month before, and an archive of what is older.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchive } from '../../../src/app/archive-runs.ts';
import { periodEdges } from '../../../src/app/periods.ts';
import { renderClosedPeriod } from '../../../src/app/render-run.ts';
import { pruneNow } from '../../../src/app/wiring.ts';
import { closePeriod, publishDelta, reviewPeriod } from '../../../src/periods/close.ts';
import { archivableRuns, forgetItems } from '../../../src/store/archive.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { openEngine } from '../../../src/store/open.ts';
import { sealerOfDatabase } from '../../../src/store/sealing-key.ts';
import { differencesFrom } from '../../app/support/judged-from-file.ts';
import { type FrozenWorld, openFrozenWorld } from '../../e2e/support/frozen-world.ts';
import { violationsOf } from '../../invariants/check-set.ts';
import { CURRENCIES, NAMES, quoteLines } from '../prices.ts';
import { Reality } from '../reality.ts';
import { captureOf } from './listings.ts';
import { sizesOf, type TableSize, totalOf } from './sizes.ts';

export interface YearPlan {
  firstDate: string;
  nights: number;
  /** Records tracked before the first night, and new ones before each night. */
  tracked: number;
  newANight: number;
  /** Assets listed beside the one that is traded. */
  assets: number;
  /** Hours from one capture of reference data to the next. */
  every: number;
  /** `retention.snapshots` and `retention.events`. */
  retention: string;
  /** Of a PostgreSQL database; null for a file. */
  database: string | null;
}

/** Bytes of the database, each for one. */
interface Costs {
  trackedRecord: number;
  firstNight: number;
  laterFetch: number;
  capture: number;
}

export interface Lived {
  costs: Costs;
  sizes: readonly TableSize[];
  /** Bytes of the database at the end of each month. */
  months: readonly number[];
  archives: readonly { file: string; bytes: number; runs: number; replayed: number }[];
  deleted: { items: number; snapshots: number; contents: number; bodies: number; captures: number };
  /** What is not as it must be. */
  violations: readonly string[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ETHER = Object.fromEntries(NAMES.map((name) => [name, Number(CURRENCIES[name].rate) / 1_000]));
const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

export async function liveAYear(plan: YearPlan): Promise<Lived> {
  const world = await openFrozenWorld(
    {
      'service.concurrency': '16',
      'retention.snapshots': plan.retention,
      'retention.events': plan.retention,
      ...(plan.database === null ? {} : { 'database.url': plan.database }),
    },
    KEY,
  );
  const { database, secretKey } = world.app.settings;
  const engine = await openEngine(database.url, { create: false });
  engine.sealer = sealerOfDatabase(database.url, secretKey, { make: false }).sealer;
  const archives = mkdtempSync(join(tmpdir(), 'tieout-year-'));
  try {
    return await new Life(world, engine, plan, archives).live();
  } finally {
    await engine.close();
    await world.close();
    rmSync(archives, { recursive: true, force: true });
  }
}

class Life {
  private readonly reality: Reality;
  private readonly listings;
  private readonly violations: string[] = [];
  private readonly archives: { file: string; bytes: number; runs: number; replayed: number }[] = [];
  private readonly deleted = { items: 0, snapshots: 0, contents: 0, bodies: 0, captures: 0 };
  private archived = 0;
  private readonly closed: string[] = [];
  private readonly world: FrozenWorld;
  private readonly engine: Engine;
  private readonly plan: YearPlan;
  private readonly folder: string;

  constructor(world: FrozenWorld, engine: Engine, plan: YearPlan, folder: string) {
    this.world = world;
    this.engine = engine;
    this.plan = plan;
    this.folder = folder;
    this.reality = new Reality(3, plan.firstDate, 0.1);
    this.listings = { assets: plan.assets, currencies: NAMES, digits: 8, ether: ETHER };
  }

  async live(): Promise<Lived> {
    const { firstDate, nights, tracked, newANight } = this.plan;
    await this.world.quote(quoteLines());
    const costs = await this.firstNight(tracked + newANight);
    const months: number[] = [];
    for (let night = 1; night < nights; night++) {
      const date = dateAfter(firstDate, night);
      await this.capture(date);
      await this.track(newANight);
      this.world.goTo(`${dateAfter(date, 1)}T04:15:00Z`);
      this.check((await this.world.night(date)).folder);
      if (night % 7 === 6) await this.prune();
      if (!dateAfter(date, 1).endsWith('-01')) continue;
      await this.close(date.slice(0, 7));
      await this.archive(`${date.slice(0, 7)}-01`);
      months.push(await this.size());
    }
    await this.prune();
    await this.renderClosed();
    const { problems } = await this.world.app.upkeep.check();
    this.violations.push(...problems);
    const sizes = await this.sizes();
    const { archives, deleted, violations } = this;
    return { costs, sizes, months, archives, deleted, violations };
  }

  /** With the bytes that each step adds. */
  private async firstNight(count: number): Promise<Costs> {
    const { firstDate } = this.plan;
    const empty = await this.size();
    await this.capture(firstDate);
    const captured = await this.size();
    await this.track(count);
    const tracked = await this.size();
    this.world.goTo(`${dateAfter(firstDate, 1)}T04:15:00Z`);
    this.check((await this.world.night(firstDate)).folder);
    const fetched = await this.size();
    // The same bodies once more.
    const again = await this.world.night(firstDate);
    this.check(again.folder);
    const later = await this.size();
    const each = (bytes: number) => Math.round(bytes / count);
    return {
      capture: Math.round(((captured - empty) * this.plan.every) / 24),
      trackedRecord: each(tracked - captured),
      firstNight: each(fetched - tracked),
      laterFetch: Math.round((later - fetched) / again.requests),
    };
  }

  private async capture(date: string): Promise<void> {
    const start = Date.parse(`${date}T00:00:00Z`);
    for (let at = start; at < start + DAY; at += this.plan.every * HOUR)
      await this.world.app.store.reference.save(...captureOf(this.listings, at / HOUR, at));
  }

  private async track(count: number): Promise<void> {
    const records = this.reality.nextDay(count);
    for (const { id } of records) this.world.server.answers.set(id, () => this.reality.answer(id));
    const lines = records.map(({ id, kind, quoteId }) => `${kind},${id},token-${id},${quoteId}`);
    await this.world.track(`kind,id,view_token,quote_id\n${lines.join('\n')}\n`);
    this.world.server.requests.length = 0;
  }

  private check(folder: string): void {
    this.violations.push(...violationsOf(join(this.world.out, folder)));
  }

  private async prune(): Promise<void> {
    const pruned = await pruneNow(this.world.app, false);
    for (const name of ['snapshots', 'contents', 'bodies', 'captures'] as const) this.deleted[name] += pruned[name];
  }

  private async close(period: string): Promise<void> {
    const edges = periodEdges(this.world.app);
    await closePeriod(edges, { period, by: 'ann', acceptOpen: 'the year goes on' });
    await reviewPeriod(edges, { period, by: 'bob' });
    const before = this.closed.at(-1);
    if (before !== undefined) await publishDelta(edges, { period: before, by: 'ann' }).catch(unlessUnchanged);
    this.closed.push(period);
  }

  /** Every tenth run is judged again from its file. */
  private async archive(before: string): Promise<void> {
    const { app } = this.world;
    const found = await archivableRuns(this.engine, before);
    if (found.length === 0) return;
    const file = join(this.folder, `before-${before}.ndjson`);
    const { signal } = new AbortController();
    const { runs, left } = await writeArchive(app, { engine: this.engine, runs: found, file, signal });
    this.violations.push(...left.map((runId) => `${runId} stays out of the archive`));
    this.deleted.items += await forgetItems(this.engine, runs, app.clock.wall.now());
    const tenth = runs.map(({ runId }) => runId).filter((_, n) => (this.archived + n) % 10 === 0);
    this.archived += runs.length;
    this.violations.push(...(await differencesFrom(app, file, tenth)));
    this.archives.push({
      file: `before-${before}`,
      bytes: statSync(file).size,
      runs: runs.length,
      replayed: tenth.length,
    });
  }

  /** Closed months are what they were, from rows that archives and retention left. */
  private async renderClosed(): Promise<void> {
    const { app, out } = this.world;
    for (const month of this.closed) {
      const options = {
        out: join(this.folder, month),
        published: out,
        profile: 'standard',
        decimals: 'exact',
      } as const;
      const signal = new AbortController().signal;
      const again = await renderClosedPeriod(app, month, { ...options, formats: ['csv'] }, signal);
      for (const name of ['records', 'breaks', 'fees', 'slippage', 'totals', 'coverage'])
        if (!textOf(join(out, 'periods', month), name).equals(textOf(again, name)))
          this.violations.push(`${month}: ${name}.csv is not what was sealed`);
    }
  }

  private sizes(): Promise<readonly TableSize[]> {
    return sizesOf(this.engine, this.plan.database === null);
  }

  private async size(): Promise<number> {
    return totalOf(await this.sizes());
  }
}

function unlessUnchanged(error: Error): void {
  if (!/^nothing in \S+ differs/.test(error.message)) throw error;
}

const textOf = (folder: string, name: string) => readFileSync(join(folder, `${name}.csv`));

function dateAfter(first: string, days: number): string {
  return new Date(Date.parse(`${first}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}
