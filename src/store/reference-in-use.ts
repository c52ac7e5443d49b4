/**
 * Which captures of reference data runs are judged by: those around the creation and the execution of their records, and at the start of
 * each run. An archive holds these, and `prune` keeps them.
 */
import { type RawBuilder, sql } from 'kysely';
import { AROUND_EXECUTION, LISTINGS_BEFORE, PRICED_NEARBY } from '../domain/market.ts';
import type { Instant } from '../domain/record.ts';
import type { Engine } from './engine.ts';
import { countUpTo, readPasses, type StoredPass } from './reference-timelines.ts';

const HOUR = 3_600_000;

/** Both ends included. */
type Span = readonly [from: Instant, to: Instant];

/** Rows of `run_items` (`i`) and of `runs` (`r`). */
export interface Judged {
  items: RawBuilder<unknown>;
  runs: RawBuilder<unknown>;
}

type Reader = Pick<Engine, 'db'>;

/** Keys of captures, and of the contents of their lists. */
interface Reference {
  captures: ReadonlySet<number>;
  contents: ReadonlySet<number>;
}

/** What these items and runs are judged by. */
export async function referenceInUse(engine: Reader, judged: Judged, watermark: number): Promise<Reference> {
  const passes = await readPasses(engine, watermark);
  const captures = keysWithin(passes, await spansOf(engine, judged));
  return { captures, contents: contentsOf(passes.filter(({ key }) => captures.has(key))) };
}

/** What is older than an instant and used by none of these, except the newest of each list until then. */
export async function referenceUnused(engine: Reader, judged: Judged, before: Instant): Promise<Reference> {
  const passes = await readPasses(engine, Number.MAX_SAFE_INTEGER);
  const inUse = keysWithin(passes, [...(await spansOf(engine, judged)), [before, before]]);
  const isUnused = ({ key, at }: StoredPass) => at < before && !inUse.has(key);
  const left = contentsOf(passes.filter((pass) => !isUnused(pass)));
  const unused = passes.filter(isUnused);
  return { captures: new Set(unused.map(({ key }) => key)), contents: contentsOf(unused, left) };
}

function contentsOf(passes: readonly StoredPass[], but: ReadonlySet<number> = new Set()): ReadonlySet<number> {
  const contents = passes.flatMap(({ lists }) => lists.map(({ contentKey }) => contentKey));
  return new Set(contents.filter((key) => !but.has(key)));
}

/** With the captures next to each span, which are read too, and those that have the figures of others. */
function keysWithin(passes: readonly StoredPass[], spans: readonly Span[]): ReadonlySet<number> {
  const wanted = merged([...spans, ...disordered(passes.map(({ at }) => at))]);
  const keys = new Set<number>();
  const entries = passes.flatMap(({ key, lists }) => lists.map(({ name, at }) => ({ key, name, at })));
  for (const list of Map.groupBy(entries, ({ name }) => name).values()) {
    list.sort((a, b) => a.at - b.at);
    const times = list.map(({ at }) => at);
    for (const [from, to] of wanted) {
      const last = Math.min(list.length - 1, countUpTo(times, to));
      for (let i = Math.max(0, countUpTo(times, from - 1) - 1); i <= last; i++) keys.add(list[i]?.key ?? 0);
    }
  }
  // Figures that did not change are those of an earlier capture.
  for (const { key, lists } of passes)
    if (keys.has(key)) for (const { figures } of lists) if (figures !== 0) keys.add(figures);
  return keys;
}

async function spansOf(engine: Reader, { items, runs }: Judged): Promise<readonly Span[]> {
  return [...(await spansOfItems(engine, items)), ...(await startsOf(engine, runs))];
}

/** By the hour of the creation, to the end of the longest execution. */
async function spansOfItems(engine: Reader, items: RawBuilder<unknown>): Promise<readonly Span[]> {
  const { rows } = await sql<{ h: number; upto: number }>`select c.created_at / ${sql.lit(HOUR)} as h,
      max(case when c.updated_at < i.observed_at then c.updated_at else i.observed_at end) as upto
    from run_items as i join contents as c on c.content_key = i.content_key
    where c.created_at is not null and ${items} group by 1`.execute(engine.db);
  return rows.map(({ h, upto }) => {
    const from = Math.floor(Number(h)) * HOUR;
    const around = AROUND_EXECUTION + PRICED_NEARBY;
    return [from - LISTINGS_BEFORE - around, Math.max(from + HOUR, Number(upto)) + around];
  });
}

async function startsOf(engine: Reader, runs: RawBuilder<unknown>): Promise<readonly Span[]> {
  const { rows } = await sql<{ at: number }>`select r.started_at as at from runs as r where ${runs}`.execute(engine.db);
  return rows.map(({ at }) => [Number(at), Number(at)]);
}

/** Where the clock went back, the order of keys is not that of times: nothing is left out there. */
function disordered(times: readonly Instant[]): readonly Span[] {
  return times.flatMap((at, i): Span[] => {
    const next = times[i + 1];
    return next !== undefined && next < at ? [[next, at]] : [];
  });
}

function merged(spans: readonly Span[]): readonly Span[] {
  const all: [Instant, Instant][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return all;
}
