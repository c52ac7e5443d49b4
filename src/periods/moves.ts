/** How the number of open breaks moved in a calendar month; also for months that are not closed. */
import { addPartial } from '../domain/partial-sums.ts';
import type { Instant } from '../domain/record.ts';
import type { MovementRow } from '../ports/period.ts';
import type { WorkListStore } from '../ports/store/work-list.ts';
import { MovementTally } from './movement.ts';

/** Breaks held at once. */
const PAGE = 2_000;

/** @returns opening + new − resolved − waived = closing, by code and currency, in their order */
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
    for (const row of tally.rows()) {
      const key = `${row.rule} ${row.currency ?? ''}`;
      const known = sums.get(key);
      sums.set(key, known === undefined ? row : addPartial(known, row));
    }
    if (last === null) return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    after = last;
  }
}
