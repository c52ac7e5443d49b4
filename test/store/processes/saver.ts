/**
 * Saves the items of a run, 50 at a time, until it is killed or done; says so after each batch: `node saver.ts URL RUN
 * TOKEN [ITEMS]`. Items (JSON) are saved in order, even those that another process has saved, with a request for each.
 */
import type { PlannedItem } from '../../../src/ports/store/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { SEALER } from '../support/engines.ts';
import { verified } from '../support/scenario.ts';

const [url = '', runId = '', token, items] = process.argv.slice(2);
const { store } = await openStore({ url: url, sealer: SEALER });
const fence = { name: 'nightly', token: Number(token) };
const save = (page: readonly Pick<PlannedItem, 'recordKey' | 'id'>[]) => {
  const batch = page.map((item) => verified(item.recordKey, aPurchase({ recordId: item.id }), '2026-11-20'));
  return store.items.save(runId, fence, batch, items === undefined ? 0 : batch.length);
};
if (items === undefined) {
  for (let position = 0; ; ) {
    const page = await store.items.next(runId, position, 50);
    if (page.length === 0) break;
    await save(page);
    position = page.at(-1)?.position ?? 0;
    console.log(`saved up to ${position}`);
  }
} else {
  const all = JSON.parse(items) as Pick<PlannedItem, 'recordKey' | 'id'>[];
  for (let at = 0; at < all.length; at += 50) await save(all.slice(at, at + 50));
}
await store.close();
