/**
 * How the open breaks of a month came about since the close before it: opening + new − resolved − waived = closing, by code
 * and currency, in breaks and in money at stake. In a closed month, breaks count on records of the sealed statements, and about the
 * payment of their months' revenue.
 */
import { isOpen } from '../domain/break.ts';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { addTo } from '../domain/partial-sums.ts';
import type { Instant } from '../domain/record.ts';
import type { BreakAmount, MovementRow } from '../ports/period.ts';
import type { BreakStep } from '../ports/store/periods.ts';
import type { WorkListStore } from '../ports/store/work-list.ts';
import type { PeriodEdges } from './edges.ts';

/** The columns of a movement, in the order of its sum. */
export const MOVES = ['opening', 'fresh', 'resolved', 'waived', 'closing'] as const;

interface Standing {
  rule: string;
  currency: string | null;
  /** At stake, in `currency`; plus is the user's loss. */
  money: Decimal;
}

/** Follows breaks from one close to the next: opening + fresh − resolved − waived = closing, by code and currency. */
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

/** Breaks held at once. */
const PAGE = 2_000;

/** How breaks moved in a calendar month, on records of every month; also where it is not closed. In order of code and currency. */
export async function movesIn(
  { workList }: { workList: Pick<WorkListStore, 'moves'> },
  { from, to }: { from: Instant; to: Instant },
): Promise<readonly MovementRow[]> {
  const sums = new Map<string, MovementRow>();
  for (let after = 0; ; ) {
    const { moves, last } = await workList.moves(after, PAGE, to);
    // Instants in the place of the keys of events: what is before the month is its opening.
    const tally = new MovementTally(from - 1);
    for (const { at, ...move } of moves) tally.add({ ...move, eventKey: at, isOfMonth: false });
    for (const row of tally.rows()) addTo(sums, `${row.rule} ${row.currency ?? ''}`, row);
    if (last === null) return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    after = last;
  }
}

const STEPS = 5000;

/** The movement of open breaks from the close before to this one. */
export async function movementOf(edges: PeriodEdges, period: string): Promise<readonly MovementRow[]> {
  const { periods } = edges.store;
  const months = (await periods.list()).filter((each) => each.period <= period);
  const closes = (await Promise.all(months.map((each) => periods.statements(each.period))))
    .flat()
    .filter(({ type, state }) => type === 'close' && state === 'sealed');
  const own = closes.find((each) => each.period === period);
  const earlier = closes.filter((each) => each !== own);
  const before = earlier.reduce((most, { basis }) => Math.max(most, basis.breakEvent), 0);
  const tally = new MovementTally(before);
  if (own === undefined) return tally.rows();
  const scope = { own, earlier, upTo: own.basis.breakEvent };
  for (let after = 0; ; ) {
    const steps = await periods.breakSteps(scope, after, STEPS);
    for (const step of steps) tally.add(step);
    const last = steps.at(-1);
    if (last === undefined || steps.length < STEPS) return tally.rows();
    after = last.eventKey;
  }
}
