/** Sums of what is known: empty until the first known amount, so that unknown never reads as zero. */
import type { Decimal } from '../src/domain/decimal.ts';

export function addKnown(sum: Decimal | null, amount: Decimal | null): Decimal | null {
  if (amount === null) return sum;
  return sum === null ? amount : sum.plus(amount);
}

/** Groups by the texts of a key, in their order; null sorts first, as an empty cell does. */
export class Groups<Group> {
  private readonly groups = new Map<string, Group>();
  private readonly create: (key: readonly (string | null)[]) => Group;

  constructor(create: (key: readonly (string | null)[]) => Group) {
    this.create = create;
  }

  of(key: readonly (string | null)[]): Group {
    // A separator that no cell can hold keeps ("a", "bc") and ("ab", "c") apart.
    const joined = key.map((part) => part ?? '').join('\u0000');
    let group = this.groups.get(joined);
    if (group === undefined) {
      group = this.create(key);
      this.groups.set(joined, group);
    }
    return group;
  }

  sorted(): readonly Group[] {
    return [...this.groups].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, group]) => group);
  }
}
