/** Compares the present state of a closed month with its last statement, page by page in report order. */
import type { Break } from '../domain/break.ts';
import type { MonthSetRecord, PeriodBasis, PeriodStore } from '../ports/store/periods.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { type Baseline, comparePositions } from './baseline.ts';
import { compareStated, type StatedRecord } from './changes.ts';
import type { PeriodRecord } from './standing.ts';

export interface CompareStore {
  periods: Pick<PeriodStore, 'states' | 'readings'>;
  breaks: Pick<BreakStore, 'standing'>;
}

interface Pair {
  was: MonthSetRecord | null;
  now: PeriodRecord | null;
}

/** Records of which something differs, as a new statement holds them: with what differs. */
export async function* changedRecords(
  store: CompareStore,
  period: string,
  baseline: Baseline,
  standing: AsyncIterable<readonly PeriodRecord[]>,
  basis: PeriodBasis,
): AsyncGenerator<readonly MonthSetRecord[]> {
  for await (const page of standing) {
    const last = page.at(-1)?.record ?? null;
    yield changedOf(store, period, baseline, pairUp(await baseline.upTo(last), page), basis);
  }
  yield changedOf(store, period, baseline, pairUp(await baseline.upTo(null), []), basis);
}

/** Both in report order; a record that had left already counts as not there. */
function pairUp(was: readonly MonthSetRecord[], now: readonly PeriodRecord[]): Pair[] {
  const pairs = new Map<string, Pair>();
  const name = ({ kind, recordId }: MonthSetRecord) => `${kind} ${recordId}`;
  for (const record of was) if (record.present) pairs.set(name(record), { was: record, now: null });
  for (const each of now) pairs.set(name(each.record), { was: pairs.get(name(each.record))?.was ?? null, now: each });
  return [...pairs.values()].sort((a, b) => comparePositions(placeOf(a), placeOf(b)));
}

function placeOf({ was, now }: Pair): MonthSetRecord {
  const record = now?.record ?? was;
  if (record === null) throw new Error('a pair of nothing');
  return record;
}

async function changedOf(
  store: CompareStore,
  period: string,
  baseline: Baseline,
  pairs: readonly Pair[],
  basis: PeriodBasis,
): Promise<readonly MonthSetRecord[]> {
  if (pairs.length === 0) return [];
  const stated = pairs.flatMap(({ was }) => (was === null ? [] : [was]));
  const breaks = await store.breaks.standing(
    stated.map(({ recordKey }) => recordKey),
    baseline.breakEvent,
  );
  const states = await store.periods.states(
    stated.flatMap(({ kind, recordId, contentKey }) => (contentKey === null ? [] : [{ kind, recordId, contentKey }])),
  );
  const changed: MonthSetRecord[] = [];
  for (const pair of pairs) {
    const before = pair.was === null ? null : saidOf(pair.was, states, breaks.get(pair.was.recordKey) ?? []);
    const found = await compare(store, period, pair, before, basis);
    if (found !== null) changed.push(found);
  }
  return changed;
}

function saidOf(
  record: MonthSetRecord,
  states: Awaited<ReturnType<PeriodStore['states']>>,
  breaks: readonly Break[],
): StatedRecord {
  const state = record.contentKey === null ? null : (states.get(record.contentKey) ?? null);
  return { verdict: record.verdict, state, breaks };
}

async function compare(
  store: CompareStore,
  period: string,
  pair: Pair,
  before: StatedRecord | null,
  basis: PeriodBasis,
): Promise<MonthSetRecord | null> {
  const { was, now } = pair;
  const { kind, recordId } = placeOf(pair);
  const input = {
    kind,
    recordId,
    hostReference: now?.hostReference ?? null,
    period,
    before,
    after: now === null ? null : { verdict: now.record.verdict, state: now.state, breaks: now.breaks },
    lookDate: now?.lookDate ?? null,
  };
  if (compareStated({ ...input, readings: [] }).length === 0) return null;
  // Only now is it worth reading when each of its bodies was first seen: changed records are few.
  const changes = compareStated({ ...input, readings: now === null ? [] : await readingsOf(store, now, basis) });
  const record = now?.record ?? (was === null ? null : { ...was, present: false });
  return record === null ? null : { ...record, changes };
}

async function readingsOf(store: CompareStore, { record }: PeriodRecord, basis: PeriodBasis) {
  const { kind, recordId } = record;
  const readings = await store.periods.readings(basis, { kind, recordId });
  const states = await store.periods.states(readings.map(({ contentKey }) => ({ kind, recordId, contentKey })));
  return readings.flatMap(({ businessDate, contentKey }) => {
    const state = states.get(contentKey);
    return state === undefined ? [] : [{ businessDate, state }];
  });
}
