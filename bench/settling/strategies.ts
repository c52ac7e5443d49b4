/** Ways to decide what a night looks at, over the same year: how many requests each sends, and what it finds. */
import { DUE_CLASSES, type DueClass } from '../../src/domain/due.ts';
import { DUE_POLICY, type DueFacts, dueClassOf, isRetired } from '../../test/support/due-rule.ts';
import { bornOn, type Reality } from './reality.ts';

export interface Outcome {
  name: string;
  /** Requests by night, one a record. */
  nights: readonly number[];
  /** Of these, by class; for the schedule alone. */
  classes: Readonly<Partial<Record<DueClass, number>>>;
  /** Days from each change to the night that saw it; null where no night ever did. */
  found: readonly (number | null)[];
}

/** Changes late in the year are left out: their looks would come after its end. */
export const TAIL_DAYS = 40;

function changesToFind({ changes, days }: Reality): number[] {
  const records: number[] = [];
  for (const [record, day] of changes.entries()) if (day < days - TAIL_DAYS) records.push(record);
  return records;
}

const from = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Every record there is, every night: each change is seen at once. */
export function everything(reality: Reality): Outcome {
  return {
    name: 'everything, every night',
    nights: from(reality.days, (day) => (day + 1) * reality.recordsADay),
    classes: {},
    found: changesToFind(reality).map(() => 0),
  };
}

/** Every record of the last days, every night; later changes are never seen. */
export function lastDays(reality: Reality, window: number): Outcome {
  return {
    name: `all of the last ${window} days`,
    nights: from(reality.days, (day) => Math.min(day + 1, window) * reality.recordsADay),
    classes: {},
    found: changesToFind(reality).map((record) => {
      return (reality.changes[record] ?? 0) < bornOn(reality, record) + window ? 0 : null;
    }),
  };
}

/** The product's own decision, record by record and night by night; a retired record is not thought of again. */
export function schedule(reality: Reality): Outcome {
  const found = new Map<number, number>();
  const classes = new Map<DueClass, number>(DUE_CLASSES.map((name) => [name, 0]));
  let active: Watched[] = [];
  const nights = from(reality.days, (day) => {
    for (let n = 0; n < reality.recordsADay; n++) active.push(unseen(day * reality.recordsADay + n));
    let requests = 0;
    const kept: Watched[] = [];
    for (const each of active) {
      decideIfTime(each, day);
      const why = dueClassOf(each, DUE_POLICY, day);
      if (why !== null) {
        requests++;
        classes.set(why, (classes.get(why) ?? 0) + 1);
        look(each, reality, day, found);
      }
      if (!isRetired(each, DUE_POLICY)) kept.push(each);
    }
    active = kept;
    return requests;
  });
  return {
    name: 'the schedule',
    nights,
    classes: Object.fromEntries(classes),
    found: changesToFind(reality).map((record) => {
      const night = found.get(record);
      return night === undefined ? null : night - (reality.changes[record] ?? 0);
    }),
  };
}

/** A record's known facts, and when its break will be decided. */
interface Watched extends DueFacts {
  record: number;
  decidedOn: number | null;
}

function unseen(record: number): Watched {
  return {
    record,
    lastVerified: null,
    ended: null,
    brokenSince: null,
    answered: null,
    waiverEnded: false,
    decidedOn: null,
  };
}

function decideIfTime(each: Watched, day: number): void {
  if (each.decidedOn === null || day < each.decidedOn) return;
  each.brokenSince = null;
  each.decidedOn = null;
}

function look(each: Watched, reality: Reality, day: number, found: Map<number, number>): void {
  const { record } = each;
  const first = each.lastVerified === null;
  each.lastVerified = day;
  if (each.ended === null && (reality.ends[record] ?? 0) <= day) each.ended = day;
  const changed = (reality.changes[record] ?? 0) <= day && !found.has(record);
  if (changed) found.set(record, day);
  if (!changed && !(first && reality.broken[record] === 1)) return;
  each.brokenSince = day;
  each.decidedOn = day + (reality.decidedAfter[record] ?? 0);
}
