/** What an endpoint that does not know a transaction has to prove, before its silence counts. */
import { entryOf } from '../../domain/entry-of.ts';
import { type Instant, isoInstant } from '../../domain/record.ts';
import type { Account, TxCheck } from '../../ports/witness.ts';
import { timeProblem } from './plausible.ts';

export const none = (reason: string, raw: unknown = null): Extract<Account, { answer: 'none' }> => ({
  answer: 'none',
  reason,
  raw,
});

const HOUR = 3_600_000;

/** The highest of two heights and those between whose block is no younger than an instant, else the lowest; or why one could not be read. */
export async function lastUpTo<Reason extends string>(
  time: Instant,
  [lowest, highest]: readonly [bigint, bigint],
  timeAt: (height: bigint) => Promise<Instant | Reason>,
): Promise<bigint | Reason> {
  let [low, high] = [lowest, highest];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const at = await timeAt(middle);
    if (typeof at === 'string') return at;
    if (at <= time) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/**
 * @param head the newest block; it must be younger than the day on which the transaction was due
 * @param historyGap why the endpoint does not keep the history from an instant on, or null; asked once for each hour
 * @returns the account as it is where the silence is proved; else one that says nothing, with the reason
 */
export function provenAbsence(
  head: { time: Instant; is: 'block' | 'final block' },
  historyGap: (since: Instant) => Promise<string | null>,
): (silent: Account, wanted: TxCheck) => Promise<Account> {
  const proofs = new Map<number, Promise<string | null>>();
  const problem = timeProblem(head.time, null);
  return async (silent, { since, due }) => {
    if (problem !== null) return { ...none(problem, silent.raw), isImplausible: true };
    if (head.time <= due) return none(`knows no ${head.is} after ${isoInstant(head.time)}: it lags behind`, silent.raw);
    const gap = await entryOf(proofs, Math.floor(since / HOUR), () => historyGap(since));
    return gap === null ? silent : none(gap, silent.raw);
  };
}
