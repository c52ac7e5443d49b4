import { beforeEach, describe, expect, it } from 'vitest';
import type { BookingTransaction, CircuitRecord } from '../../../src/ports/pacing.ts';
import type { Store } from '../../../src/ports/store/store.ts';

/** The durable log of the rate limiter. */
export function bookingsContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  const inBoot = <T>(domain: string, work: (bookings: BookingTransaction) => Promise<T>): Promise<T> =>
    store.bookings.withBookings('here', domain, work);

  async function book(domain: string, ...times: number[]): Promise<void> {
    await inBoot(domain, async (bookings) => {
      for (const time of times) await bookings.book(time);
    });
  }

  describe('bookings', () => {
    it('are found from the latest backwards, to the fraction of a millisecond', async () => {
      await book('boot-1', 10.25, 30.5, 20.125, 20.125);
      const found = await inBoot('boot-1', async (bookings) => {
        const times: (number | null)[] = [];
        for (const n of [1, 2, 3, 4, 5]) times.push(await bookings.nthLatest(n));
        return times;
      });
      expect(found).toEqual([30.5, 20.125, 20.125, 10.25, null]);
    });

    it('see the bookings of the same transaction', async () => {
      const latest = await inBoot('boot-1', async (bookings) => {
        await bookings.book(5);
        return bookings.nthLatest(1);
      });
      expect(latest).toBe(5);
    });

    it('of another boot are taken over as of now, since their age is unknown', async () => {
      await book('boot-1', 5_000, 6_000);
      await book('boot-2', 40);
      expect(await inBoot('boot-2', (bookings) => bookings.nthLatest(2))).toBeNull();
      expect(await inBoot('boot-2', (bookings) => bookings.adoptForeign(100))).toBe(2);
      expect(await inBoot('boot-2', (bookings) => bookings.nthLatest(2))).toBe(100);
      expect(await inBoot('boot-2', (bookings) => bookings.nthLatest(3))).toBe(40);
      expect(await inBoot('boot-2', (bookings) => bookings.adoptForeign(200))).toBe(0);
    });

    it('of another egress are none of ours', async () => {
      await book('boot-1', 10);
      const elsewhere = await store.bookings.withBookings('there', 'boot-1', async (bookings) => {
        await bookings.forgetBefore(1_000);
        return [await bookings.nthLatest(1), await bookings.adoptForeign(1)];
      });
      expect(elsewhere).toEqual([null, 0]);
      expect(await inBoot('boot-1', (bookings) => bookings.nthLatest(1))).toBe(10);
    });

    it('name the other egresses of a day, but neither clocks nor endpoints of chains', async () => {
      await book('boot-1', 10);
      for (const egress of ['there', 'before', 'clock of there', 'chain:ETH:a']) {
        await store.bookings.withBookings(egress, 'boot-1', (bookings) => bookings.book(egress === 'before' ? 20 : 30));
      }
      await store.bookings.withBookings('another boot', 'boot-0', (bookings) => bookings.book(30));
      expect(await inBoot('boot-1', (bookings) => bookings.othersSince(25))).toEqual(['there']);
    });

    it('are forgotten when they are old', async () => {
      await book('boot-1', 10, 20, 30);
      await inBoot('boot-1', (bookings) => bookings.forgetBefore(20));
      expect(await inBoot('boot-1', (bookings) => bookings.nthLatest(2))).toBe(20);
      expect(await inBoot('boot-1', (bookings) => bookings.nthLatest(3))).toBeNull();
    });

    it('are not made where the work fails', async () => {
      const failing = inBoot('boot-1', async (bookings) => {
        await bookings.book(10);
        throw new Error('changed its mind');
      });
      await expect(failing).rejects.toThrow('changed its mind');
      expect(await inBoot('boot-1', (bookings) => bookings.nthLatest(1))).toBeNull();
    });

    it('of many at once are made one after the other', async () => {
      const latest = await Promise.all(
        Array.from({ length: 20 }, () =>
          inBoot('boot-1', async (bookings) => {
            const before = (await bookings.nthLatest(1)) ?? 0;
            await bookings.book(before + 1);
            return before + 1;
          }),
        ),
      );
      expect([...latest].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    });
  });

  describe('the circuit', () => {
    it('is nothing until it is saved, and then as it was saved last', async () => {
      expect(await inBoot('boot-1', (bookings) => bookings.circuit())).toBeNull();
      const open: CircuitRecord = {
        state: 'open',
        until: 900_000.5,
        trips: 1,
        refusals: 5,
        closedAt: null,
        reason: 'five refusals in a row',
        domain: 'boot-1',
      };
      await inBoot('boot-1', (bookings) => bookings.saveCircuit(open));
      expect(await inBoot('boot-2', (bookings) => bookings.circuit())).toEqual(open);
      const closed: CircuitRecord = { ...open, state: 'closed', closedAt: 1_000_000.25, reason: null };
      await inBoot('boot-1', (bookings) => bookings.saveCircuit(closed));
      expect(await inBoot('boot-1', (bookings) => bookings.circuit())).toEqual(closed);
      expect(await store.bookings.withBookings('there', 'boot-1', (bookings) => bookings.circuit())).toBeNull();
    });
  });
}
