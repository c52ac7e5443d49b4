import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrackedRecord } from '../../../src/ports/store/store.ts';
import { aPurchase, aSale, PURCHASE_ID, SALE_ID, TOKEN } from '../../service/bodies.ts';
import { httpServer } from '../../service/http-server.ts';
import { aReceiver, INTAKE_TOKEN, NOW, type Receiver } from './a-receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await aReceiver();
});
afterEach(() => receiver.close());

const created = (fields: Record<string, string | undefined> = {}) =>
  `{"type":"CREATED","purchase":${aPurchase({ status: '"INITIALIZED"', finalTxHash: undefined, ...fields })}}`;
const released = (fields: Record<string, string | undefined> = {}) =>
  `{"type":"RELEASED","purchase":${aPurchase({ updatedAt: '"2026-11-01T10:20:00.000Z"', ...fields })}}`;
const saleEvent = (type: string, sale: string) =>
  `{"id":"0f9b2c1e-aaaa-4bbb-8ccc-1234567890ab","type":"${type}","mode":"OFFRAMP","payload":${sale}}`;

async function tracked(id: string): Promise<TrackedRecord> {
  const [record] = await receiver.app.store.tracked.find(id);
  if (record === undefined) throw new Error(`${id} is not tracked`);
  return record;
}

describe('a webhook (spec §6, field facts "Webhooks")', () => {
  it('of a created purchase tracks it with its sealed token, and its body is a snapshot', async () => {
    const answer = await receiver.webhook('purchase', created(), { query: '?userId=42&sessionId=7' });
    expect(answer).toMatchObject({ status: 200, text: '{"outcome":"stored"}' });
    expect(await tracked(PURCHASE_ID)).toMatchObject({
      kind: 'purchase',
      origin: 'webhook',
      facts: { hostReference: 'userId=42&sessionId=7', webhookEvents: [{ type: 'CREATED', at: NOW }] },
      projection: { status: 'INITIALIZED', lastVerifiedAt: null, lastVerifiedDate: null, terminalDate: null },
    });
    expect(await receiver.app.store.tracked.token('purchase', PURCHASE_ID)).toBe('mg3voq92hd2mbdht');
  });

  it('leaves the token nowhere in clear: not in the database, not in the log', async () => {
    await receiver.webhook('purchase', created(), { query: `?secret=${TOKEN}&userId=42` });
    const files = readdirSync(receiver.folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(TOKEN)).toBe(false);
    expect(receiver.logged()).toContain(PURCHASE_ID);
    expect(receiver.logged()).not.toContain(TOKEN);
    expect((await tracked(PURCHASE_ID)).facts.hostReference).toBe('userId=42');
  });

  it('that is refused is told in the log, by what and how often, and without its text', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect((await receiver.webhook('purchase', created(), { key: privateKey })).status).toBe(401);
    expect(receiver.logged()).toContain('refused: 1 purchase unauthorized (401)');
    expect(receiver.logged()).not.toContain(PURCHASE_ID);
  });

  it('may be the bare purchase of the specification', async () => {
    expect((await receiver.webhook('purchase', aPurchase())).status).toBe(200);
    const { projection, facts } = await tracked(PURCHASE_ID);
    expect(projection).toMatchObject({ status: 'RELEASED', terminalDate: '2026-11-01' });
    expect(facts.webhookEvents).toEqual([]);
  });

  it('of a sale has an event id that is not the sale, and either name for the token', async () => {
    const sale = aSale({ purchaseViewToken: undefined, saleViewToken: '"sale-token-00001"' });
    expect((await receiver.webhook('sale', saleEvent('CREATED', sale))).status).toBe(200);
    expect(await receiver.app.store.tracked.token('sale', SALE_ID)).toBe('sale-token-00001');
    const bare = aSale({ id: '"3f0c4f0e-0000-4b5e-9a4f-0d3a2b1c9e77"' });
    expect((await receiver.webhook('sale', bare)).status).toBe(200);
    expect(await receiver.app.store.tracked.token('sale', '3f0c4f0e-0000-4b5e-9a4f-0d3a2b1c9e77')).toBe(TOKEN);
  });

  it('that comes twice has one effect', async () => {
    await receiver.webhook('purchase', created());
    receiver.goTo(NOW + 180_000);
    expect((await receiver.webhook('purchase', created())).text).toBe('{"outcome":"repeated"}');
    expect((await tracked(PURCHASE_ID)).facts.webhookEvents).toEqual([{ type: 'CREATED', at: NOW }]);
  });

  it('is taken after one of the same signature that has more digits than can be read: who heard it could send that first', async () => {
    const forged = released({ fiatValue: `104.76${'0'.repeat(50)}1` });
    // The same is signed of all of them.
    const sent: string[] = [];
    for (const body of [forged, released(), forged, forged.replace('1,"assetEx', '2,"assetEx'), released()])
      sent.push((await receiver.webhook('purchase', body)).text);
    expect(sent.map((text) => JSON.parse(text).outcome)).toEqual([
      'unreadable',
      'stored',
      'repeated',
      'repeated',
      'repeated',
    ]);
    expect((await tracked(PURCHASE_ID)).projection.status).toBe('RELEASED');
  });

  it('that comes twice at the same moment has one effect', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => receiver.webhook('purchase', created())));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ text }) => text === '{"outcome":"stored"}')).toHaveLength(1);
    expect((await tracked(PURCHASE_ID)).facts.webhookEvents).toHaveLength(1);
  });

  it('that is older than the newest snapshot is kept, and does not move the record back', async () => {
    await receiver.webhook('purchase', released());
    receiver.goTo(NOW + 1_000);
    expect((await receiver.webhook('purchase', created())).text).toBe('{"outcome":"late"}');
    const { projection, facts } = await tracked(PURCHASE_ID);
    expect(projection).toMatchObject({ status: 'RELEASED', statusSince: NOW, peakStatus: 'RELEASED' });
    expect(facts.webhookEvents.map(({ type }) => type)).toEqual(['RELEASED', 'CREATED']);
    // And it stays so when a third one comes, which is newer than the late one and older than the newest.
    const between = created({ status: '"PAYMENT_STARTED"', updatedAt: '"2026-11-01T10:10:00.000Z"' });
    expect((await receiver.webhook('purchase', between)).text).toBe('{"outcome":"late"}');
    expect((await tracked(PURCHASE_ID)).projection.status).toBe('RELEASED');
  });

  it('without a time of its own never takes a status back', async () => {
    await receiver.webhook('purchase', released({ updatedAt: undefined }));
    expect((await receiver.webhook('purchase', created({ updatedAt: undefined }))).text).toBe('{"outcome":"late"}');
    expect((await tracked(PURCHASE_ID)).projection.status).toBe('RELEASED');
  });

  it('in order moves the record on', async () => {
    await receiver.webhook('purchase', created());
    expect((await receiver.webhook('purchase', released())).text).toBe('{"outcome":"stored"}');
    expect((await tracked(PURCHASE_ID)).projection).toMatchObject({ status: 'RELEASED', terminalDate: '2026-11-01' });
  });

  it('whose body cannot be read tracks its record all the same, and is kept sealed', async () => {
    const answer = await receiver.webhook('purchase', created({ fiatValue: '"a lot"' }));
    expect(answer).toMatchObject({ status: 200, text: '{"outcome":"unreadable"}' });
    expect((await tracked(PURCHASE_ID)).projection.status).toBeNull();
    expect(await receiver.app.store.tracked.token('purchase', PURCHASE_ID)).toBe(TOKEN);
    expect(receiver.logged()).toContain('could not be read');
  });

  it('without a token is taken for a record that is tracked, and not acknowledged for one that is not', async () => {
    const without = created({ purchaseViewToken: undefined });
    expect((await receiver.webhook('purchase', without)).status).toBe(422);
    await receiver.webhook('purchase', created());
    expect((await receiver.webhook('purchase', without)).status).toBe(200);
  });

  it('with another token than the one on record is a conflict on record', async () => {
    await receiver.webhook('purchase', created());
    await receiver.webhook('purchase', released({ purchaseViewToken: '"another-token-01"' }));
    const { facts, projection } = await tracked(PURCHASE_ID);
    expect(facts.conflict).toContain('2 different view tokens');
    expect(projection.status).toBe('RELEASED');
    expect(await receiver.app.store.tracked.token('purchase', PURCHASE_ID)).toBe(TOKEN);
  });
});

describe('refused requests', () => {
  const NOTHING_SAID = '{"statusCode":401,"error":"unauthorized"}';

  it('a webhook without a signature, or signed with another key: 401 and no reason', async () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    const answers = [
      await receiver.post('/webhooks/purchases', created()),
      await receiver.post('/webhooks/purchases', 'not json at all'),
      await receiver.post('/webhooks/purchases', created(), { 'x-body-signature': 'AAAA' }),
      await receiver.webhook('purchase', created(), { key: stranger }),
      await receiver.webhook('sale', aSale(), { key: stranger }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 401, text: NOTHING_SAID });
    expect(await receiver.app.store.tracked.count()).toBe(0);
  });

  it('an event or a quote without the token', async () => {
    for (const path of ['/events', '/quotes']) {
      for (const authorization of [
        undefined,
        'Bearer',
        `Bearer ${INTAKE_TOKEN}x`,
        `Bearer ${INTAKE_TOKEN.slice(0, -1)}`,
        `Bearer ${INTAKE_TOKEN.slice(0, 1)}`,
        `Bearer ${INTAKE_TOKEN} ${INTAKE_TOKEN}`,
        `Basic ${INTAKE_TOKEN}`,
        INTAKE_TOKEN,
      ]) {
        const answer = await receiver.post(path, '{}', authorization === undefined ? {} : { authorization });
        expect(answer).toMatchObject({ status: 401, text: NOTHING_SAID });
      }
    }
  });

  it('a body of another type, or compressed: 415', async () => {
    const plain = await receiver.webhook('purchase', created(), { headers: { 'content-type': 'text/plain' } });
    expect(plain.status).toBe(415);
    const packed = await receiver.post('/webhooks/purchases', gzipSync(created()), { 'content-encoding': 'gzip' });
    expect(packed.status).toBe(415);
  });

  it('a body of more than 256 KiB: 413', async () => {
    const padding = ' '.repeat(256 * 1024);
    expect((await receiver.webhook('purchase', created() + padding)).status).toBe(413);
    const fits = created() + ' '.repeat(256 * 1024 - created().length);
    expect((await receiver.webhook('purchase', fits)).status).toBe(200);
  });

  it.each([
    ['a sale where purchases come', aSale(), 'it is not a purchase'],
    ['an envelope without its record', '{"type":"CREATED"}', 'no id'],
    ['a record without an id', created({ id: undefined }), 'no id'],
    ['an id that is a path', created({ id: '"../../admin"' }), 'no id'],
    ['a token that cannot be sent', created({ purchaseViewToken: '"two words"' }), 'view token'],
    ['a key that stands there twice', created().replace('{"type"', '{"type":"X","type"'), 'the same key twice'],
    ['a list', '[]', 'it is not a purchase'],
  ])('signed, but %s: 400', async (_what, body, why) => {
    const answer = await receiver.webhook('purchase', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(why);
    expect(answer.text).not.toContain('two words');
    expect(await receiver.app.store.tracked.count()).toBe(0);
  });

  it('any other address', async () => {
    expect((await receiver.get('/webhooks')).status).toBe(404);
    expect((await receiver.post('/webhooks', '{}')).status).toBe(404);
  });
});

describe('an SDK event (field facts "Webhooks")', () => {
  it('tracks its record, and never calls the address in it', async () => {
    const elsewhere = await httpServer((response) => void response.end('{}'));
    const event = (apiUrl: string) =>
      `{"type":"PURCHASE_CREATED","payload":{"purchase":${aPurchase({ purchaseViewToken: undefined })},"purchaseViewToken":"${TOKEN}","apiUrl":"${apiUrl}"},"widgetInstanceId":"w-1"}`;
    const answer = await receiver.event(event(elsewhere.baseUrl), '?userId=42');
    expect(answer).toMatchObject({ status: 200, text: '{"outcome":"stored"}' });
    expect(await tracked(PURCHASE_ID)).toMatchObject({
      origin: 'event',
      facts: { hostReference: 'userId=42', webhookEvents: [] },
    });
    expect(await receiver.app.store.tracked.token('purchase', PURCHASE_ID)).toBe(TOKEN);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it('of a sale may have its facts beside its type', async () => {
    const event = `{"type":"OFFRAMP_SALE_CREATED","sale":${aSale({ purchaseViewToken: undefined })},"saleViewToken":"${TOKEN}"}`;
    expect((await receiver.event(event)).status).toBe(200);
    expect(await receiver.app.store.tracked.token('sale', SALE_ID)).toBe(TOKEN);
  });

  it('with a UUID in capitals is of the record that a webhook brought in small letters', async () => {
    const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    const written = (as: string) => ({ id: `"${as}"` });
    expect((await receiver.webhook('purchase', created(written(id)))).status).toBe(200);
    const capitals = await receiver.webhook('purchase', released(written(id.toUpperCase())));
    expect(capitals).toMatchObject({ status: 200, text: '{"outcome":"stored"}' });
    const event = `{"type":"PURCHASE_CREATED","payload":{"purchase":${aPurchase(written(id.toUpperCase()))},"purchaseViewToken":"${TOKEN}"}}`;
    expect((await receiver.event(event)).status).toBe(200);
    expect(await tracked(id)).toMatchObject({ id, projection: { status: 'RELEASED' } });
    expect(await receiver.app.store.tracked.count()).toBe(1);
  });

  it('that names no record is accepted and not stored', async () => {
    expect(await receiver.event('{"type":"WIDGET_CLOSE","payload":null}')).toMatchObject({
      status: 200,
      text: '{"outcome":"ignored"}',
    });
    expect((await receiver.event('{"payload":{}}')).status).toBe(400);
    expect(await receiver.app.store.tracked.count()).toBe(0);
  });
});

describe('health and metrics', () => {
  it('say how things stand', async () => {
    expect((await receiver.get('/healthz')).status).toBe(200);
    expect((await receiver.get('/readyz')).text).toBe('{"status":"ready"}');
    await receiver.webhook('purchase', created());
    await receiver.webhook('purchase', created());
    await receiver.post('/webhooks/sales', aSale());
    const { text } = await receiver.get('/metrics');
    expect(text).toContain('tieout_deliveries_total{kind="purchase",result="stored"} 1');
    expect(text).toContain('tieout_deliveries_total{kind="purchase",result="repeated"} 1');
    expect(text).toContain('tieout_deliveries_total{kind="sale",result="unauthorized"} 1');
    expect(text).toContain('tieout_records_awaiting_recheck 1');
    expect(text).toMatch(/^tieout_circuit_open\{egress="[^"]+"\} 0$/m);
    expect(text).toContain('tieout_breaks_open{severity="critical"} 0');
    expect(text).toContain('tieout_database_ready 1');
    // A job that has never run has no age, rather than an age of nothing.
    expect(text).not.toContain('tieout_run_age_seconds{');
  });
});
