/** Puts the live side together: an agenda, a courier, and the desk that uses both. */
import type { LiveSide, SandboxInstant, WebhookForm } from '../contract.ts';
import type { Market } from '../market.ts';
import type { World } from '../world.ts';
import { createAgenda } from './agenda.ts';
import { createCourier } from './courier.ts';
import { createDesk, type Desk } from './desk.ts';
import { stepOf } from './journey.ts';
import { createSigner } from './signer.ts';

interface LiveOptions {
  speed: number;
  webhookPrivateKey: string | undefined;
  webhooks: WebhookForm;
}

export interface Live {
  readonly desk: Desk;
  /** PEM. */
  readonly publicKey: string;
  readonly side: LiveSide;
  /** Runs every task that is due; to be called after the clock is moved. */
  settle(): void;
  speed(): number;
  close(): void;
}

/** @throws SigningKeyError */
export function createLive(world: World, market: Market, now: () => SandboxInstant, options: LiveOptions): Live {
  const signer = createSigner(options.webhookPrivateKey);
  const agenda = createAgenda(now, options.speed);
  const courier = createCourier(agenda, now, signer);
  const { seed, records: firstIndex, identifierName, bodies, ids } = world;
  const edges = { identifierName, bodies, webhooks: options.webhooks, ids, market, now, agenda, courier };
  const desk = createDesk({ seed, firstIndex, startedAt: now(), ...edges });
  return {
    desk,
    publicKey: signer.publicKey,
    settle: agenda.settle,
    speed: agenda.speed,
    side: {
      create: desk.create,
      release: (id) => void desk.release(id),
      tamper: desk.tamper,
      records: () =>
        desk.all().map((record) => ({
          kind: record.kind,
          id: record.id,
          view_token: record.token,
          created_at: new Date(record.createdAt).toISOString(),
          status: stepOf(record).status,
        })),
      deliveries: courier.deliveries,
      setSpeed: agenda.setSpeed,
    },
    close() {
      agenda.close();
      courier.close();
    },
  };
}
