/** Puts the live side together: the schedule of tasks, the sender of webhooks, and the live records, which use both. */
import type { LiveSide, SandboxInstant, WebhookForm } from '../contract.ts';
import type { Market } from '../market.ts';
import type { World } from '../world.ts';
import { stepOf } from './journey.ts';
import { createLiveRecords } from './live-records.ts';
import { createSigner } from './signer.ts';
import { createTaskSchedule } from './task-schedule.ts';
import { createWebhookSender } from './webhook-sender.ts';

interface LiveOptions {
  speed: number;
  webhookPrivateKey: string | undefined;
  webhooks: WebhookForm;
}

export type Live = ReturnType<typeof createLive>;

/** @throws SigningKeyError */
export function createLive(world: World, market: Market, now: () => SandboxInstant, options: LiveOptions) {
  const signers = { live: createSigner(options.webhookPrivateKey), demo: createSigner(undefined) };
  const schedule = createTaskSchedule(now, options.speed);
  const sender = createWebhookSender(schedule, now, signers);
  const { seed, records: firstIndex, identifierName, bodies, ids, floats } = world;
  const edges = { identifierName, bodies, floats, webhooks: options.webhooks, ids, market, now, schedule, sender };
  const records = createLiveRecords({ seed, firstIndex, startedAt: now(), ...edges });
  return {
    records,
    /** PEM. */
    publicKeys: { live: signers.live.publicKey, demo: signers.demo.publicKey },
    settle: schedule.settle,
    speed: schedule.speed,
    side: {
      create: records.create,
      release: (id) => void records.release(id),
      tamper: records.tamper,
      records: () =>
        records.all().map((record) => ({
          kind: record.kind,
          id: record.id,
          view_token: record.token,
          created_at: new Date(record.createdAt).toISOString(),
          status: stepOf(record).status,
        })),
      deliveries: sender.deliveries,
      setSpeed: schedule.setSpeed,
    } satisfies LiveSide,
    close() {
      schedule.close();
      sender.close();
    },
  };
}
