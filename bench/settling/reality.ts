/**
 * A year of an app's records as they settle, from a seed. The shares are assumptions, written here so that they can be
 * changed: no such figures are published. Days are counted from the first day of the year.
 */
import { seededRandom } from '../../test/support/seeded-random.ts';

export const ASSUMED = {
  sales: 0.15,
  /** Purchases that end on the day of their creation, and on the next; the others expire after 72 or 120 hours. */
  endSameDay: 0.8,
  endNextDay: 0.15,
  /** A sale's payout takes so many days. */
  saleDays: [1, 7],
  /** Ended records of which a figure is changed later, and how many days after the end. */
  restated: 0.002,
  restatedDays: [1, 40],
  /** Ended records whose payment comes back, and how many days after the end. */
  returned: 0.001,
  returnedDays: [1, 14],
  /** Records with a break from their first look on. */
  broken: 0.005,
  /** Share of breaks without any decision; the others get one within so many days. */
  neglected: 0.05,
  decidedDays: [1, 10],
} as const;

const NEVER = 32_767;

/** One entry per record, in the order of creation; days as small integers, as there are millions. */
export interface Reality {
  count: number;
  days: number;
  recordsADay: number;
  /** Day on which it reaches its end. */
  ends: Int16Array;
  /** Day on which an ended record changes once more; NEVER where it does not. */
  changes: Int16Array;
  /** Days from a break's opening to a decision about it; NEVER where there is none. */
  decidedAfter: Int16Array;
  /** 1 where a break is found at the first look. */
  broken: Uint8Array;
}

export function settle(days: number, recordsADay: number, seed: number): Reality {
  const random = seededRandom(seed);
  const count = days * recordsADay;
  const reality: Reality = {
    count,
    days,
    recordsADay,
    ends: new Int16Array(count),
    changes: new Int16Array(count).fill(NEVER),
    decidedAfter: new Int16Array(count),
    broken: new Uint8Array(count),
  };
  const among = ([from, to]: readonly [number, number]) => from + Math.floor(random() * (to - from + 1));
  for (let record = 0; record < count; record++) {
    const born = Math.floor(record / recordsADay);
    const ends = born + (random() < ASSUMED.sales ? among(ASSUMED.saleDays) : purchaseDays(random()));
    reality.ends[record] = ends;
    const fate = random();
    if (fate < ASSUMED.restated) reality.changes[record] = ends + among(ASSUMED.restatedDays);
    else if (fate < ASSUMED.restated + ASSUMED.returned) reality.changes[record] = ends + among(ASSUMED.returnedDays);
    reality.broken[record] = random() < ASSUMED.broken ? 1 : 0;
    reality.decidedAfter[record] = random() < ASSUMED.neglected ? NEVER : among(ASSUMED.decidedDays);
  }
  return reality;
}

function purchaseDays(drawn: number): number {
  if (drawn < ASSUMED.endSameDay) return 0;
  if (drawn < ASSUMED.endSameDay + ASSUMED.endNextDay) return 1;
  return drawn < (1 + ASSUMED.endSameDay + ASSUMED.endNextDay) / 2 ? 3 : 5;
}

export const bornOn = ({ recordsADay }: Reality, record: number): number => Math.floor(record / recordsADay);
