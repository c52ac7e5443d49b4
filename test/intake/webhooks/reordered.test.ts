/** Webhooks replayed and reordered: whatever order they come in, however often and however written, the records end the same. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { aPurchase } from '../../service/bodies.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { aReceiver, NOW, type Receiver } from './a-receiver.ts';

vi.setConfig({ testTimeout: 3_600_000 });

let receiver: Receiver;
beforeEach(async () => {
  receiver = await aReceiver();
});
afterEach(() => receiver.close());

/** TIEOUT_ATTACKS=1000 has as many records. */
const RECORDS = Number(process.env.TIEOUT_ATTACKS ?? 12);
const STEPS = ['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_EXECUTED', 'FIAT_SENT', 'RELEASING', 'RELEASED'];

interface Sent {
  id: string;
  body: string;
}

function deliveriesOf(id: string): Sent[] {
  return STEPS.map((status, step) => {
    const purchase = aPurchase({
      id: `"${id}"`,
      status: `"${status}"`,
      updatedAt: `"2026-11-01T10:${String(step).padStart(2, '0')}:00.000Z"`,
      finalTxHash: status === 'RELEASED' ? `"0x${'ab'.repeat(32)}"` : undefined,
    });
    const type = step === 0 ? 'CREATED' : status === 'RELEASED' ? 'RELEASED' : 'UPDATED';
    return { id, body: `{"type":"${type}","purchase":${purchase}}` };
  });
}

/** The same content, written in another way: what is signed stays the same. */
const rewritten = (body: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).reverse()), null, 1);

it('give the newest body of every record, each delivery once, and hold their seals', async () => {
  const random = seededRandom(3);
  const ids = Array.from({ length: RECORDS }, (_, n) => `r${String(n).padStart(14, '0')}`);
  const all = ids.flatMap(deliveriesOf);
  const sent = [...all, ...all.map((each) => ({ ...each, body: rewritten(each.body) })), ...all];
  for (let i = sent.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [sent[i], sent[j]] = [sent[j] as Sent, sent[i] as Sent];
  }
  const told: Record<string, number> = {};
  for (let at = 0; at < sent.length; at += 16) {
    receiver.goTo(NOW + at * 10);
    const answers = await Promise.all(sent.slice(at, at + 16).map(({ body }) => receiver.webhook('purchase', body)));
    for (const { status, text } of answers) told[`${status} ${text}`] = (told[`${status} ${text}`] ?? 0) + 1;
  }
  if (process.env.TIEOUT_ATTACKS !== undefined) console.log(sent.length, told);
  const { '200 {"outcome":"stored"}': stored = 0, '200 {"outcome":"late"}': late = 0, ...other } = told;
  expect(stored + late).toBe(all.length);
  expect(other).toEqual({ '200 {"outcome":"repeated"}': sent.length - all.length });
  const found = await Promise.all(ids.map((id) => receiver.app.store.tracked.find(id)));
  for (const [record] of found) {
    expect(record?.projection).toMatchObject({ status: 'RELEASED', peakStatus: 'RELEASED', lastVerifiedDate: null });
    expect(record?.facts.webhookEvents.map(({ type }) => type).sort()).toEqual(
      ['CREATED', 'RELEASED', ...Array(4).fill('UPDATED')].sort(),
    );
  }
  expect((await receiver.app.upkeep.check()).problems).toEqual([]);
});
