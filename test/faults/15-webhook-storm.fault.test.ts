/** Webhooks in a storm, into a receiver that is killed, or not there for a while: the Service sends five times and never again. */

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { burst } from '../../bench/webhooks/burst.ts';
import { knownRecords } from '../../src/books/known-records.ts';
import { findOrphans, type ListedRecord, type Orphan } from '../../src/books/orphans.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { aReceiver, NOW, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { faultRow, type Row } from './harness/row.ts';

const MINUTE = 60_000;

faultRow(
  {
    number: 15,
    fault: 'webhook storm during a run; receiver killed in it; receiver down for 8, 10 and 13 minutes',
    how: '2,000 signed deliveries in 10 s while a night writes in another process; SIGKILL around the 200th; the sandbox as sender with its five attempts, three minutes apart, on a clock that the test advances',
    mustHold:
      'no acknowledged delivery is lost or doubled; `tieout orphans` names records whose webhook was never delivered',
  },
  async (row) => {
    await storm(row);
    await outages(row);
  },
);

async function storm(row: Row): Promise<void> {
  const [deliveries, seconds] = row.isShort ? [300, 3] : [2_000, 10];
  const size = { deliveries, seconds, records: row.isShort ? 60 : 400, nightPerSecond: 20 };
  if (!row.isShort) {
    const calm = await burst(size);
    row.measured(
      'deliveries acknowledged in the storm',
      `${calm.acknowledged} of ${calm.sent}, ${calm.duringNight} of them during the night`,
    );
    row.measured('slowest answer, ms', calm.latencyMs.worst);
    expect({ lost: calm.lost, doubled: calm.doubled, refused: calm.refused }).toEqual({
      lost: 0,
      doubled: 0,
      refused: 0,
    });
    expect(calm.night.verified).toBe(size.records);
  }
  let [acknowledged, refused, lost, doubled] = [0, 0, 0, 0];
  for (const killAfter of row.isShort ? [0.7] : [0.1, 0.5]) {
    const killed = await burst({ ...size, killAfter });
    acknowledged += killed.acknowledged;
    refused += killed.refused;
    lost += killed.lost;
    doubled += killed.doubled;
  }
  row.measured('deliveries acknowledged before the kill', `${acknowledged} of ${acknowledged + refused}`);
  row.measured('acknowledged deliveries lost', lost);
  row.measured('acknowledged deliveries doubled', doubled);
  expect(acknowledged).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
}

/** Five attempts are over after twelve minutes: eight and ten minutes are survived, thirteen are not. */
const OUTAGES = [
  { minutes: 8, arrives: true },
  { minutes: 10, arrives: true },
  { minutes: 13, arrives: false },
];

async function outages(row: Row): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const receiver = await aReceiver({
    TIEOUT_WEBHOOK_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  });
  await using door = await openDoor(receiver);
  const sandbox = await createSandbox({
    bodies: 'observed',
    clock: () => NOW,
    now: NOW,
    records: 1,
    rateLimits: 'off',
    webhookPrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  const listed: ListedRecord[] = [];
  const lost: string[] = [];
  try {
    for (const { minutes, arrives } of OUTAGES) {
      door.isOpen = false;
      const { kind, id } = sandbox.live.create({
        kind: 'purchase',
        cryptoAssetSymbol: 'ETH_ETH',
        fiatCurrency: 'EUR',
        fiatValue: 100,
        method: 'CARD_PAYMENT',
        outcome: 'held',
        webhookUrl: `${door.origin}/webhooks/purchases?userId=${minutes}`,
      });
      listed.push({
        line: listed.length + 2,
        kind,
        id,
        fiatCurrency: null,
        fiatValue: null,
        status: null,
        createdAt: null,
      });
      if (!arrives) lost.push(id);
      const state = () => sandbox.live.deliveries().find(({ recordId }) => recordId === id);
      for (let minute = 0; minute <= 15; minute++) {
        if (minute === minutes) door.isOpen = true;
        if (minute > 0) sandbox.advanceClock(MINUTE);
        // The attempts that are due by now have been made: at 0, 3, 6, 9 and 12 minutes, until one arrives.
        const due = Math.min(5, Math.floor(minute / 3) + 1, Math.ceil(minutes / 3) + 1);
        for (let waits = 0; (state()?.attempts.length ?? 0) < due && waits < 400; waits++) await pause(10);
      }
      expect(state()?.state, `${minutes} minutes`).toBe(arrives ? 'delivered' : 'dropped');
      expect((await receiver.app.store.tracked.find(id)).length, `${minutes} minutes`).toBe(arrives ? 1 : 0);
      row.measured(`webhook to a receiver down for ${minutes} minutes`, state()?.state ?? 'unknown');
    }
    // The list may be the app's own or a dashboard's: it has the record whose webhook never arrived.
    const everything = knownRecords(receiver.app.store.tracked, { kind: null, createdFrom: null, createdTo: null });
    const found: Orphan[] = [];
    const summary = { listed: 0, tracked: 0, agreeing: 0 };
    for await (const orphan of findOrphans(listed, everything, receiver.app.settings.tolerances, summary))
      found.push(orphan);
    expect(found.map((each) => [each.finding, each.id])).toEqual(lost.map((id) => ['not-tracked', id]));
    row.measured('undelivered records named by `orphans`', `${found.length} of ${lost.length}`);
  } finally {
    await sandbox.close();
    await receiver.close();
  }
}

interface Door extends AsyncDisposable {
  origin: string;
  isOpen: boolean;
}

/** What stands before the receiver: closed, it refuses every connection. */
async function openDoor(receiver: Receiver): Promise<Door> {
  const server = createServer((request, response) => {
    if (!door.isOpen) return void request.socket.destroy();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const signature = String(request.headers['x-body-signature'] ?? '');
      receiver
        .post(request.url ?? '/', Buffer.concat(pieces), { 'x-body-signature': signature })
        .then(({ status, text }) => response.writeHead(status).end(text))
        .catch(() => response.destroy());
    });
  });
  const port = await listenLocally(server);
  const door: Door = {
    origin: `http://127.0.0.1:${port}`,
    isOpen: true,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return door;
}
