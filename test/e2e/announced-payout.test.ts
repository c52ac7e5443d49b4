/** A sale in the specification's own shape says nothing of its end: what its RELEASED webhook announced is what was paid out. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { readCsv } from './support/csv.ts';
import { openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const ID = 'c2b8f0a4-1111-4222-8333-444455556666';

const body = (fiat: string, of = '') =>
  `{"id":"${ID}","purchaseViewToken":"tok-sale","createdAt":"2026-11-18T10:00:00.000Z",` +
  '"crypto":{"amount":"100000000000000000","assetInfo":{"address":null,"symbol":"ETH","chain":"ETH","type":"NATIVE","name":"Ethereum","decimals":18}},' +
  `"fiat":{"amount":${fiat},"currencySymbol":"EUR"${of}}}`;

const event = (type: string, fiat: string) =>
  `{"id":"e-${type}","type":"${type}","mode":"OFFRAMP","payload":${body(fiat)}}`;

/** @returns the breaks of two nights after these events, which a body with the payout `read` follows */
async function breaksAfter(events: readonly (readonly [iso: string, type: string, fiat: string])[], read: string) {
  const world = await openFrozenWorld();
  onTestFinished(() => world.close());
  world.goTo('2026-11-18T10:00:30Z');
  await world.track(`kind,id,view_token,created_at\nsale,${ID},tok-sale,2026-11-18T10:00:00Z`);
  for (const [iso, type, fiat] of events) {
    world.goTo(iso);
    await world.webhook('sale', event(type, fiat));
  }
  world.server.answers.set(ID, { body: body(read) });
  const found: string[] = [];
  for (const day of [18, 19]) {
    world.goTo(`2026-11-${day + 1}T04:15:00Z`);
    const { folder } = await world.night(`2026-11-${day}`);
    const { rows } = readCsv(world.file(folder, 'breaks.csv').toString('utf8'));
    // The second night has no sale but the one with a break, and so says nothing of quotes: none is missing.
    const ofSale = rows.filter(({ kind }) => kind === 'sale');
    found.push(ofSale.map(({ rule, field, money_at_stake }) => `${rule} ${field} ${money_at_stake}`).join(', '));
  }
  return found;
}

test('a payout that was announced may not be less when it is read', async () => {
  const created = ['2026-11-18T10:01:00Z', 'CREATED', '210'] as const;
  const released = ['2026-11-18T11:00:00Z', 'RELEASED', '200'] as const;
  expect(await breaksAfter([created, released], '192')).toEqual([
    'FIELD_CHANGED fiat_value 8',
    'FIELD_CHANGED fiat_value 8',
  ]);
  expect(await breaksAfter([created, released], '200')).toEqual(['', '']);
  // A creation that is delivered after the release tells of an earlier moment.
  expect(await breaksAfter([released, ['2026-11-18T11:09:00Z', 'CREATED', '210']], '200')).toEqual(['', '']);
});

test('nor may one that has begun, whatever the sale says of itself', async () => {
  const world = await openFrozenWorld();
  onTestFinished(() => world.close());
  world.goTo('2026-11-18T10:00:30Z');
  await world.track(`kind,id,view_token,created_at\nsale,${ID},tok-sale,2026-11-18T10:00:00Z`);
  const read = async (day: number, status: string, payout: string, fiat: string) => {
    const own = body(fiat, `,"status":"${payout}"`).replace(/\}$/, `,"status":"${status}"}`);
    world.server.answers.set(ID, { body: own });
    world.goTo(`2026-11-${day + 1}T04:15:00Z`);
    const { folder } = await world.night(`2026-11-${day}`);
    const { rows } = readCsv(world.file(folder, 'breaks.csv').toString('utf8'));
    return rows.filter(({ kind }) => kind === 'sale').map(({ rule, money_at_stake }) => `${rule} ${money_at_stake}`);
  };
  expect(await read(18, 'CREATED', 'not-started', '210')).toEqual([]);
  expect(await read(19, 'CREATED', 'initiated', '200')).toEqual([]);
  expect(await read(20, 'CREATED', 'initiated', '200')).toEqual([]);
  expect(await read(21, 'RELEASED', 'completed', '192')).toEqual(['FIELD_CHANGED 8']);
});
