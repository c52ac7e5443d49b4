/**
 * The last statement of each record of a closed month: its close, overlaid by the later statements of one track. There are two
 * tracks: deltas restate the month itself, and carried statements tell the readers of later months what has changed in it.
 */
import type { RecordPosition } from '../domain/record.ts';
import type { MonthSet, MonthSetRecord, PeriodStore } from '../ports/store/periods.ts';
import { statedRecords } from './named-records.ts';

export type Track = 'delta' | 'carried';

/** The sealed statements that a new one of this track is compared with, oldest first; the close comes first. */
export function trackOf(statements: readonly MonthSet[], track: Track): readonly MonthSet[] {
  return statements.filter(({ state, type }) => state === 'sealed' && (type === 'close' || type === track));
}

export function comparePositions(a: RecordPosition, b: RecordPosition): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.recordId < b.recordId ? -1 : a.recordId > b.recordId ? 1 : 0;
}

/** Walks one statement's records forward. */
function cursorOf(store: Pick<PeriodStore, 'records'>, statementKey: number) {
  const records: AsyncIterator<MonthSetRecord, undefined> = statedRecords(store, statementKey);
  let head: IteratorResult<MonthSetRecord, undefined> | null = null;
  return async (place: RecordPosition | null, take: (record: MonthSetRecord) => void): Promise<void> => {
    for (;;) {
      head ??= await records.next();
      if (head.done === true || (place !== null && comparePositions(head.value, place) > 0)) return;
      take(head.value);
      head = null;
    }
  };
}

export type Baseline = ReturnType<typeof baselineOf>;

/** @param track as `trackOf` gives it, not empty. */
export function baselineOf(store: Pick<PeriodStore, 'records'>, track: readonly MonthSet[]) {
  const cursors = track.map(({ key }) => cursorOf(store, key));
  return {
    /** The newest break event that the last statement includes. */
    breakEvent: track.at(-1)?.basis.breakEvent ?? 0,
    /** Records after those of the last call, up to a position, in report order; null is all that is left. */
    async upTo(place: RecordPosition | null): Promise<readonly MonthSetRecord[]> {
      const found = new Map<string, MonthSetRecord>();
      // Oldest first: the newest statement of a record wins.
      for (const upTo of cursors) await upTo(place, (record) => found.set(`${record.kind} ${record.recordId}`, record));
      return [...found.values()].sort(comparePositions);
    },
  };
}
