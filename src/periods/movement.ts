/**
 * How the open breaks of a month came about since the close before it: opening + new − resolved − waived = closing, by code
 * and currency, in breaks and in money at stake. Pure. Breaks count on records of the sealed statements, and about the
 * payment of their months' revenue.
 */
import { isOpen } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { BreakAmount, MovementRow } from '../ports/period.ts';
import type { BreakStep } from '../ports/store/periods.ts';

/** The columns of a movement, in the order of its sum. */
export const MOVES = ['opening', 'fresh', 'resolved', 'waived', 'closing'] as const;

interface Standing {
  rule: string;
  currency: string | null;
  money: Decimal;
}

export class MovementTally {
  private readonly before: number;
  private readonly atOpening = new Map<number, Standing>();
  private readonly open = new Map<number, Standing>();
  private readonly rowsByKey = new Map<string, MovementRow>();

  /** @param before the newest break event that the close before includes; 0 where there is none */
  constructor(before: number) {
    this.before = before;
  }

  /** In the order of events. A record of the month itself was in no close before: each of its steps is a movement. */
  add({ eventKey, breakKey, isOfMonth, rule, state, currency, moneyAtStake }: BreakStep): void {
    const was = this.open.get(breakKey) ?? null;
    const now = isOpen(state) ? { rule, currency, money: moneyAtStake ?? Decimal.ZERO } : null;
    put(this.open, breakKey, now);
    if (!isOfMonth && eventKey <= this.before) {
      put(this.atOpening, breakKey, now);
      return;
    }
    if (was !== null && now !== null && was.currency === now.currency) {
      this.count('fresh', now, 0, now.money.minus(was.money));
      return;
    }
    if (was !== null) this.count(state === 'waived' ? 'waived' : 'resolved', was, 1, was.money);
    if (now !== null) this.count('fresh', now, 1, now.money);
  }

  /** In order of code and currency. To be called once, after all steps. */
  rows(): readonly MovementRow[] {
    for (const standing of this.atOpening.values()) this.count('opening', standing, 1, standing.money);
    for (const standing of this.open.values()) this.count('closing', standing, 1, standing.money);
    return [...this.rowsByKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  private count(column: (typeof MOVES)[number], { rule, currency }: Standing, count: number, money: Decimal): void {
    const none: BreakAmount = { count: 0, money: Decimal.ZERO };
    const row = entryOf(this.rowsByKey, `${rule} ${currency ?? ''}`, () => {
      return { rule, currency, opening: none, fresh: none, resolved: none, waived: none, closing: none };
    });
    row[column] = { count: row[column].count + count, money: row[column].money.plus(money) };
  }
}

function put(map: Map<number, Standing>, key: number, standing: Standing | null): void {
  if (standing === null) map.delete(key);
  else map.set(key, standing);
}
