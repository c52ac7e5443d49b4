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

/** An endpoint said nothing that counts: the look-up that rests on it ends, with this reason. */
export class Unanswered extends Error {}

/** What work with an endpoint gives; where it said nothing that counts, what is made of the reason. */
export async function orReason<T, R>(work: Promise<T>, otherwise: (reason: string) => R): Promise<T | R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Unanswered) return otherwise(error.message);
    throw error;
  }
}

/** The accounts of an endpoint; none of any transaction where it said nothing that counts. */
export const orNone = (
  wanted: readonly TxCheck[],
  accounts: Promise<readonly Account[]>,
): Promise<readonly Account[]> => orReason(accounts, (reason) => wanted.map(() => none(reason)));

const HOUR = 3_600_000;

/** The highest of two heights and those between whose block is no younger than an instant, else the lowest. */
export async function lastUpTo(
  time: Instant,
  [lowest, highest]: readonly [bigint, bigint],
  timeAt: (height: bigint) => Promise<Instant>,
): Promise<bigint> {
  let [low, high] = [lowest, highest];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((await timeAt(middle)) <= time) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/**
 * @param head the newest block; it must be younger than the day on which the transaction was due
 * @param proveHistory throws where the endpoint does not keep the history from an instant on; asked once for each hour
 * @returns the account as it is where the silence is proved; else one that says nothing, with the reason
 */
export function provenAbsence(
  head: { time: Instant; is: 'block' | 'final block' },
  proveHistory: (since: Instant) => Promise<void>,
): (silent: Account, wanted: TxCheck) => Promise<Account> {
  const proofs = new Map<number, Promise<void>>();
  const problem = timeProblem(head.time, null);
  return async (silent, { since, due }) => {
    if (problem !== null) return { ...none(problem, silent.raw), isImplausible: true };
    if (head.time <= due) return none(`knows no ${head.is} after ${isoInstant(head.time)}: it lags behind`, silent.raw);
    const proof = entryOf(proofs, Math.floor(since / HOUR), () => proveHistory(since));
    return orReason(
      proof.then(() => silent),
      (reason) => none(reason, silent.raw),
    );
  };
}
