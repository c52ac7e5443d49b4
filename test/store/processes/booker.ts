/**
 * Books one more than the latest booking, so many times: `node booker.ts URL TIMES`. Loses none only if writers exclude
 * each other.
 */
import { openStore } from '../../../src/store/open.ts';

const [url = '', times] = process.argv.slice(2);
const { store } = await openStore({ url: url, sealer: null });
for (let n = 0; n < Number(times); n++) {
  await store.bookings.withBookings('here', 'boot-1', async (bookings) => {
    await bookings.book(((await bookings.nthLatest(1)) ?? 0) + 1);
  });
}
await store.close();
