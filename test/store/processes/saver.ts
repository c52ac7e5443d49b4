/**
 * Saves the items of a run, 50 at a time, until it is killed or done; says so after each batch: `node saver.ts URL RUN
 * TOKEN`.
 */
import { openStore } from '../../../src/store/open.ts';
import { aPurchase } from '../../support/builders.ts';
import { SEALER } from '../support/engines.ts';
import { verified } from '../support/scenario.ts';

const [url = '', runId = '', token] = process.argv.slice(2);
const { store } = await openStore({ url: url, sealer: SEALER });
const fence = { name: 'nightly', token: Number(token) };
for (let position = 0; ; ) {
  const page = await store.items.next(runId, position, 50);
  if (page.length === 0) break;
  const batch = page.map((item) => verified(item.recordKey, aPurchase({ recordId: item.id }), '2026-11-20'));
  await store.items.save(runId, fence, batch);
  position = page.at(-1)?.position ?? 0;
  console.log(`saved up to ${position}`);
}
await store.close();
