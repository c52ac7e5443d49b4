/**
 * Demo webhooks beside live ones: a deployment's widget may send both to one address, and they differ in nothing but the key that signs
 * them. Neither joins a record of the other environment, and neither is taken for an outage.
 */
import { expect, it } from 'vitest';
import type { Environment } from '../../../src/sandbox/contract.ts';
import { aSandbox } from '../../sandbox/a-sandbox.ts';
import { until } from '../../sandbox/live/a-receiver.ts';
import { aReceiver, NOW } from './a-receiver.ts';

const ORDER = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 } as const;
const MINUTE = 60_000;

it('a receiver stores the records of the environment whose key it has, and refuses those of the other', async () => {
  await using sandbox = await aSandbox({ clock: () => NOW, now: NOW, records: 0 });
  const keys = { live: sandbox.webhookPublicKey, demo: sandbox.demoWebhookPublicKey };
  const receivers = {
    live: await aReceiver({ TIEOUT_WEBHOOK_PUBLIC_KEY: keys.live }),
    demo: await aReceiver({ TIEOUT_WEBHOOK_PUBLIC_KEY: keys.demo }),
  };
  try {
    const made = (['purchase', 'sale'] as const).flatMap((kind) =>
      (['live', 'demo'] as const).flatMap((environment) =>
        (['live', 'demo'] as const).map((at) => {
          const webhookUrl = `${receivers[at].serving.url}/webhooks/${kind}s?userId=${environment}`;
          const method = kind === 'purchase' ? 'CARD_PAYMENT' : 'SEPA';
          const { id } = sandbox.live.create({ ...ORDER, kind, method, webhookUrl, environment });
          return { id, at, environment };
        }),
      ),
    );
    sandbox.advanceClock(40 * MINUTE);
    const sent = () => sandbox.live.deliveries();
    await until(() => sent().length === 16 && sent().every(({ attempts }) => attempts.length > 0));
    const tracked = async (environment: Environment) =>
      (await Promise.all(made.map(({ id }) => receivers[environment].app.store.tracked.find(id)))).flat();
    for (const environment of ['live', 'demo'] as const) {
      const own = made.filter((each) => each.at === environment && each.environment === environment);
      const found = await tracked(environment);
      expect(found.map(({ id }) => id).sort()).toEqual(own.map(({ id }) => id).sort());
      expect(found.map(({ facts }) => facts.hostReference)).toEqual(own.map(() => `userId=${environment}`));
      // Both of its webhooks came: created and released.
      expect(found.map(({ facts }) => facts.webhookEvents.length)).toEqual([2, 2]);
    }
    const places = new Map(made.map((each) => [each.id, each]));
    for (const { recordId, attempts } of sent()) {
      const place = places.get(recordId);
      expect([recordId, attempts[0]?.status]).toEqual([recordId, place?.at === place?.environment ? 200 : 401]);
    }
  } finally {
    await Promise.all([receivers.live.close(), receivers.demo.close()]);
  }
});

it('a webhook of the other environment about a live record changes nothing of it', async () => {
  await using sandbox = await aSandbox({ clock: () => NOW, now: NOW, records: 0 });
  const receiver = await aReceiver({ TIEOUT_WEBHOOK_PUBLIC_KEY: sandbox.webhookPublicKey });
  try {
    const order = { ...ORDER, kind: 'purchase', method: 'CARD_PAYMENT', outcome: 'held' } as const;
    const webhookUrl = `${receiver.serving.url}/webhooks/purchases`;
    const { id, viewToken, body } = sandbox.live.create({ ...order, webhookUrl });
    const { store } = receiver.app;
    await until(() => sandbox.live.deliveries().some(({ state }) => state === 'delivered'));
    const before = await store.tracked.find(id);
    expect(before).toHaveLength(1);
    // The same record as the demo environment would announce it.
    const forged = JSON.stringify({
      type: 'RELEASED',
      purchase: { ...body, purchaseViewToken: viewToken, status: 'RELEASED' },
    });
    const { status } = await receiver.webhook('purchase', forged);
    expect(status).toBe(401);
    expect(await store.tracked.find(id)).toEqual(before);
  } finally {
    await receiver.close();
  }
});
