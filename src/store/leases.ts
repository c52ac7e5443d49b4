/** Leases with fencing tokens: every write of a process that has lost its lease fails. */
import { sql } from 'kysely';
import type { Instant } from '../domain/record.ts';
import { LeaseLostError } from '../ports/store/errors.ts';
import type { Fence, LeaseStore } from '../ports/store/store.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { setRows } from './rows.ts';
import { findRow } from './statements.ts';

/**
 * To be called first in every write of a run. The transaction excludes other writers, so the lease cannot change hands
 * between this check and the commit. Expiry alone does not lose a lease: only another holder's acquisition does.
 * @throws LeaseLostError
 */
export async function checkFence(tx: WriteTransaction, { name, token }: Fence): Promise<void> {
  const held = tx.db.selectFrom('leases').select('token').where('name', '=', name).where('token', '=', token);
  const [row] = await tx.rows(held.where('holder', 'is not', null));
  if (row === undefined) throw new LeaseLostError(name);
}

/** A write of a run. @throws LeaseLostError */
export const writeUnder = <T>(engine: Engine, fence: Fence, work: (tx: WriteTransaction) => Promise<T>): Promise<T> =>
  engine.write(async (tx) => {
    await checkFence(tx, fence);
    return work(tx);
  });

/** The time of the clock that all holders share: machines with different clocks must not take each other's leases. */
async function sharedNow(engine: Engine, tx: WriteTransaction, given: Instant): Promise<Instant> {
  if (engine.clock === null) return given;
  const { now } = await tx.db.selectNoFrom(sql<number>`floor(${engine.clock.now})`.as('now')).executeTakeFirstOrThrow();
  return Number(now);
}

/** Ends the lease where `column` still has this value. */
async function free(engine: Engine, name: string, column: 'token' | 'holder', value: number | string): Promise<void> {
  await engine.write((tx) => setRows(tx, 'leases', { name, [column]: value }, { holder: null, held_until: 0 }));
}

export function leaseStore(engine: Engine): LeaseStore {
  return {
    /** Takes over an expired lease. Not reentrant: a holder that asks for its own lease is refused too. */
    acquire: (name, holder, given, ttlMs) =>
      engine.write(async (tx) => {
        const now = await sharedNow(engine, tx, given);
        const lease = await findRow(tx.db, 'leases', { name }, ['token', 'holder', 'held_until']);
        if (lease !== undefined && lease.holder !== null && lease.held_until > now)
          return { heldBy: lease.holder, until: lease.held_until };
        const token = (lease?.token ?? 0) + 1;
        const held = { token, holder, held_until: now + ttlMs };
        await tx.db
          .insertInto('leases')
          .values({ name, ...held })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(held))
          .execute();
        return { fence: { name, token } };
      }),
    heartbeat: (fence, given, ttlMs) =>
      writeUnder(engine, fence, async (tx) => {
        const now = await sharedNow(engine, tx, given);
        await setRows(tx, 'leases', { name: fence.name }, { held_until: now + ttlMs });
      }),
    // Releasing a lease that was lost is no error and leaves the new holder's lease unchanged.
    release: (fence) => free(engine, fence.name, 'token', fence.token),
    // If the holder is still alive, its next write fails the fence check.
    evict: (name, holder) => free(engine, name, 'holder', holder),
  };
}
