/** Compares the present state of a closed month with its last statement, page by page in report order. */
import type { MonthSetRecord, PeriodBasis, PeriodStore } from '../ports/store/periods.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { type Baseline, comparePositions } from './baseline.ts';
import { compareStated } from './changes.ts';
import { breaksOn, type PeriodRecord } from './standing.ts';

export interface CompareStore {
  periods: Pick<PeriodStore, 'states' | 'readings'>;
  breaks: Pick<BreakStore, 'standing'>;
}

interface Pair {
  /** As it is now, or as it was stated where it has left. */
  record: MonthSetRecord;
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
    yield changedOf(pairUp(await baseline.upTo(last), page));
  }
  yield changedOf(pairUp(await baseline.upTo(null), []));

  async function changedOf(pairs: readonly Pair[]): Promise<readonly MonthSetRecord[]> {
    if (pairs.length === 0) return [];
    const stated = pairs.flatMap(({ was }) => was ?? []);
    const breaks = await breaksOn(store, stated, baseline.breakEvent);
    const states = await store.periods.states(
      stated.flatMap(({ kind, recordId, contentKey }) => (contentKey === null ? [] : [{ kind, recordId, contentKey }])),
    );
    const changed: MonthSetRecord[] = [];
    for (const { record, was, now } of pairs) {
      const state = was === null || was.contentKey === null ? null : (states.get(was.contentKey) ?? null);
      const input = {
        kind: record.kind,
        recordId: record.recordId,
        hostReference: now?.hostReference ?? null,
        period,
        before: was === null ? null : { verdict: was.verdict, state, breaks: breaks.get(was.recordKey) ?? [] },
        after: now === null ? null : { verdict: now.record.verdict, state: now.state, breaks: now.breaks },
        lookDate: now?.lookDate ?? null,
      };
      if (compareStated({ ...input, readings: [] }).length === 0) continue;
      // Only now is it worth reading when each of its bodies was first seen: changed records are few.
      const changes = compareStated({ ...input, readings: now === null ? [] : await readingsOf(now) });
      changed.push({ ...record, present: now !== null, changes });
    }
    return changed;
  }

  async function readingsOf({ record: { kind, recordId } }: PeriodRecord) {
    const readings = await store.periods.readings(basis, { kind, recordId });
    const states = await store.periods.states(readings.map(({ contentKey }) => ({ kind, recordId, contentKey })));
    return readings.flatMap(({ businessDate, contentKey }) => {
      const state = states.get(contentKey);
      return state === undefined ? [] : [{ businessDate, state }];
    });
  }
}

/** Both in report order; a record that had left already counts as not there. */
function pairUp(was: readonly MonthSetRecord[], now: readonly PeriodRecord[]): Pair[] {
  const pairs = new Map<string, Pair>();
  const name = ({ kind, recordId }: MonthSetRecord) => `${kind} ${recordId}`;
  for (const record of was) if (record.present) pairs.set(name(record), { record, was: record, now: null });
  for (const each of now) {
    const { record } = each;
    pairs.set(name(record), { record, was: pairs.get(name(record))?.was ?? null, now: each });
  }
  return [...pairs.values()].sort((a, b) => comparePositions(a.record, b.record));
}
