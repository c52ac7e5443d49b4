/**
 * Writes a statement about a month into the store: first its records, then its figures; it is staged then, and only its set
 * is still to be published. A statement that was interrupted before does not count.
 */

import type { EarlierShare, PeriodFigures } from '../ports/period.ts';
import type {
  MonthSet,
  MonthSetName,
  MonthSetRecord,
  NewMonthSet,
  PeriodBasis,
  PeriodStore,
} from '../ports/store/periods.ts';
import type { RunBook } from '../reconcile/run-book.ts';
import { baselineOf, type Track, trackOf } from './baseline.ts';
import { changedRecords } from './compare.ts';
import { earlierShares } from './earned.ts';
import type { MonthStore } from './edges.ts';
import { earlierOf, PeriodTally } from './figures.ts';
import type { PeriodRange } from './month.ts';
import { periodRecords, revenueBreaks } from './standing.ts';

/** Everything of a statement but its name and its basis. */
type Stating = Omit<NewMonthSet, keyof MonthSetName | 'basis'>;

export interface StageOptions {
  store: MonthStore;
  book: RunBook;
  stating: Stating;
  /** Aborts between two pages; the records written before are deleted. */
  signal: AbortSignal;
  /** Whether the month is booked by the release of its records. */
  byRelease: boolean;
}

/** What a delta or a carried statement adds up to. */
export interface ChangeFigures {
  records: number;
  changes: number;
}

/**
 * @param decide returns why open items are accepted, or null where nothing is open; throws where they are not accepted.
 * @throws what `decide` throws; the statement is forgotten then.
 */
export async function stageClose(
  { store, book, stating, signal, byRelease }: StageOptions,
  range: PeriodRange,
  decide: (figures: PeriodFigures) => string | null,
): Promise<MonthSet> {
  const { periods } = store;
  const basis = await periods.basis(range.from);
  const name: MonthSetName = { period: range.period, type: 'close', number: 0, carriedIn: null };
  return keepOrForget(periods, await periods.begin({ ...stating, ...name, basis }), async ({ key }) => {
    const tally = new PeriodTally();
    tally.addRevenue(await revenueBreaks(store.breaks, range.period, basis.breakEvent));
    for await (const page of periodRecords(store, book, range, basis)) {
      signal.throwIfAborted();
      for (const each of page) tally.add(each);
      const records = page.map(({ record }) => record);
      await periods.add(key, records);
    }
    const earlier = byRelease ? await earlierShares(store, book, range, basis, stating.timezone) : null;
    const figures = tally.figures(await periods.retracted(range), earlier);
    return periods.stage(key, JSON.stringify(figures), decide(figures));
  });
}

/**
 * States what differs in a closed month from the last statement of the track. A carried statement may be empty: nothing was
 * found up to then.
 */
export async function stageChanges(
  { store, book, stating, signal }: Omit<StageOptions, 'byRelease'>,
  range: PeriodRange,
  name: Pick<MonthSetName, 'number' | 'carriedIn'>,
  statements: readonly MonthSet[],
): Promise<MonthSet> {
  const { periods } = store;
  const type: Track = name.carriedIn === null ? 'delta' : 'carried';
  const basis = await periods.basis(range.from);
  const begun = await periods.begin({ ...stating, ...name, period: range.period, type, basis });
  return keepOrForget(periods, begun, async ({ key }) => {
    const changes = await changesOf({ store, book }, range, { track: type, statements, basis }, async (page) => {
      signal.throwIfAborted();
      if (page.length > 0) await periods.add(key, page);
    });
    return periods.stage(key, JSON.stringify(changes), null);
  });
}

/** How much differs now; writes nothing. */
export async function countChanges(
  from: { store: MonthStore; book: RunBook },
  range: PeriodRange,
  track: Track,
  statements: readonly MonthSet[],
): Promise<ChangeFigures> {
  const basis = await from.store.periods.basis(range.from);
  const { records, changes } = await changesOf(from, range, { track, statements, basis });
  return { records, changes };
}

/**
 * What differs from the last statement of a track, in figures. A delta of a month that is booked by the release counts, and has, what the
 * month earned or lost again of other months' records.
 */
async function changesOf(
  { store, book }: { store: MonthStore; book: RunBook },
  range: PeriodRange,
  { track, statements, basis }: { track: Track; statements: readonly MonthSet[]; basis: PeriodBasis },
  take: (page: readonly MonthSetRecord[]) => Promise<void> = async () => undefined,
): Promise<ChangeFigures & { earlier?: readonly EarlierShare[] }> {
  const figures: ChangeFigures = { records: 0, changes: 0 };
  const stated = trackOf(statements, track);
  const standing = periodRecords(store, book, range, basis);
  for await (const page of changedRecords(store, range.period, baselineOf(store.periods, stated), standing, basis)) {
    await take(page);
    figures.records += page.length;
    for (const { changes } of page) figures.changes += changes.length;
  }
  const last = stated.at(-1);
  const before = last === undefined || track === 'carried' ? null : earlierOf(last);
  if (last === undefined || before === null) return figures;
  const earlier = await earlierShares(store, book, range, basis, last.timezone);
  const [was, is] = [before, earlier].map((shares) => new Set(shares.map((each) => JSON.stringify(each))));
  const changed = [...before, ...earlier].filter(
    (each) => was?.has(JSON.stringify(each)) !== is?.has(JSON.stringify(each)),
  );
  const records = new Set(changed.map(({ kind, recordId }) => `${kind} ${recordId}`)).size;
  return { records: figures.records + records, changes: figures.changes + records, earlier };
}

async function keepOrForget(
  periods: PeriodStore,
  statement: MonthSet,
  work: (statement: MonthSet) => Promise<MonthSet>,
): Promise<MonthSet> {
  try {
    return await work(statement);
  } catch (error) {
    await periods.forget(statement.key);
    throw error;
  }
}
