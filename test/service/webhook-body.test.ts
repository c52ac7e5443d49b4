import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEventBody, readWebhookBody } from '../../src/service/webhook-body.ts';
import { aPurchase, aSale, PURCHASE_ID, SALE_ID, TOKEN } from './bodies.ts';

const purchase = (text: string, name = 'Service') => readWebhookBody(Buffer.from(text), 'purchase', name);
const sale = (text: string) => readWebhookBody(Buffer.from(text), 'sale', 'Service');

describe('a webhook body (spec §6)', () => {
  it('as it was recorded has its record, token, event and exact amounts', () => {
    const recorded = readFileSync(new URL('./samples/webhook-purchase-created-eur-bank.json', import.meta.url), 'utf8');
    const maker = /"base(\w+?)Fee"/.exec(recorded)?.[1] ?? '';
    const reading = purchase(recorded, maker);
    if (reading.outcome !== 'record' || !reading.delivered.state.ok) throw new Error('not read');
    const { delivered } = reading;
    expect(delivered).toMatchObject({
      kind: 'purchase',
      id: 'sqs6a428mqjtzbv',
      token: 'mg3voq92hd2mbdht',
      eventType: 'CREATED',
    });
    expect(delivered.state.ok && delivered.state.value.appliedFee?.toString()).toBe('0.5247524752475248');
    expect(delivered.body.evidence).toBe(recorded.replace('mg3voq92hd2mbdht', '[cut]'));
  });

  it('may have a number for an id, as bodies of 2020 do', () => {
    expect(purchase(aPurchase({ id: '322' }))).toMatchObject({ delivered: { id: '322' } });
  });

  it('of which only the record can be read is kept all the same', () => {
    expect(purchase(aPurchase({ appliedFee: undefined }))).toMatchObject({
      delivered: { id: PURCHASE_ID, token: TOKEN, state: { ok: false } },
    });
  });

  it.each([
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'it is not UTF-8'],
    [
      'JSON behind a byte order mark',
      Buffer.from(`\ufeff${aPurchase()}`),
      'the body cannot be read: it is not JSON (at character 0)',
    ],
    ['cut off', Buffer.from('{"id":'), 'the body cannot be read: it ends too early (at character 6)'],
    ['a bare sale', Buffer.from(aSale()), 'it is not a purchase, neither bare nor in its envelope'],
    [
      'a purchase in an envelope without a type',
      Buffer.from(`{"purchase":${aPurchase()}}`),
      'it is not a purchase, neither bare nor in its envelope',
    ],
    [
      'a purchase in an envelope with an empty type',
      Buffer.from(`{"type":"","purchase":${aPurchase()}}`),
      'it is not a purchase, neither bare nor in its envelope',
    ],
    ['a number', Buffer.from('7'), 'it is not a purchase, neither bare nor in its envelope'],
    ['a record without an id', Buffer.from('{}'), 'its purchase has no id that can be asked for'],
    [
      'a record whose id is a path',
      Buffer.from(aPurchase({ id: '"../x"' })),
      'its purchase has no id that can be asked for',
    ],
    [
      'a record with a token that no address can hold',
      Buffer.from(aPurchase({ purchaseViewToken: '"a b"' })),
      'its view token cannot be sent',
    ],
  ])('is unusable where it is %s, and says why', (_what, bytes, problem) => {
    expect(readWebhookBody(bytes, 'purchase', 'Service')).toEqual({ outcome: 'unusable', problem });
  });

  it('of a bare purchase is not a sale', () => {
    expect(sale(aPurchase())).toEqual({
      outcome: 'unusable',
      problem: 'it is not a sale, neither bare nor in its envelope',
    });
  });

  it('without a token, or with an empty one, has none', () => {
    for (const purchaseViewToken of [undefined, 'null', '""', '17'])
      expect(purchase(aPurchase({ purchaseViewToken }))).toMatchObject({ delivered: { token: null } });
  });

  it('is known by what was signed: order and white space make no other delivery, a figure does', () => {
    const identityOf = (text: string) => {
      const reading = purchase(text);
      return reading.outcome === 'record' ? reading.delivered.identity : reading.outcome;
    };
    const signed = '{"id":"322","status":"RELEASED"}';
    // Too little to be read; what can be read has another identity (receiver.test.ts).
    expect(identityOf(signed)).toBe(createHash('sha256').update(`unreadable ${signed}`).digest('hex'));
    expect(identityOf('{ "status": "RELEASED", "id": "322" }')).toBe(identityOf(signed));
    expect(identityOf('{"id":"322","status":"RETURNED"}')).not.toBe(identityOf(signed));
  });

  it('has a number for an id in its one spelling only: the others are signed alike, and would be another record', () => {
    expect(purchase(aPurchase({ id: '322' }))).toMatchObject({ delivered: { id: '322' } });
    for (const id of ['322e0', '3220e-1', '322E0', '9007199254740993', '1e21'])
      expect([id, purchase(aPurchase({ id })).outcome]).toEqual([id, 'unusable']);
  });

  it('with more values than any signed one is known by its bytes', () => {
    const large = aPurchase({ more: `[${'1,'.repeat(10_000)}1]` });
    expect(purchase(large)).toMatchObject({
      delivered: { identity: createHash('sha256').update(large).digest('hex') },
    });
  });

  it('that repeats its token in another field keeps no token, and that field is drift', () => {
    const reading = purchase(aPurchase({ status: `"${TOKEN}"` }));
    expect(reading).toMatchObject({
      delivered: {
        token: TOKEN,
        body: { evidence: expect.not.stringContaining(TOKEN) },
        state: { ok: false, drift: [{ field: 'status', found: 'the view token' }] },
      },
    });
  });
});

describe('an SDK event', () => {
  it.each([
    ['is not JSON', '{"type":', 'the body cannot be read: it ends too early (at character 8)'],
    ['is a list', '["PURCHASE_CREATED"]', 'it has no event type'],
    ['has no type', '{}', 'it has no event type'],
    ['has an empty type', '{"type":""}', 'it has no event type'],
    ['has a type of 65 characters', `{"type":"${'x'.repeat(65)}"}`, 'it has no event type'],
    ['has no purchase', '{"type":"PURCHASE_CREATED"}', 'a PURCHASE_CREATED event must have a purchase'],
    [
      'has another record',
      `{"type":"OFFRAMP_SALE_CREATED","purchase":${aPurchase()}}`,
      'a OFFRAMP_SALE_CREATED event must have a sale',
    ],
  ])('that %s is unusable, and says why', (_, text, problem) => {
    expect(readEventBody(Buffer.from(text), 'Service')).toEqual({ outcome: 'unusable', problem });
  });

  it('may have a type of 64 characters', () => {
    const type = 'x'.repeat(64);
    expect(readEventBody(Buffer.from(`{"type":"${type}"}`), 'Service')).toEqual({
      outcome: 'no-record',
      eventType: type,
    });
  });

  it('of a sale may have its facts beside its type, and its token in the record', () => {
    const event = `{"type":"OFFRAMP_SALE_CREATED","sale":${aSale()}}`;
    expect(readEventBody(Buffer.from(event), 'Service')).toMatchObject({
      delivered: { kind: 'sale', id: SALE_ID, token: TOKEN, eventType: 'OFFRAMP_SALE_CREATED', state: { ok: true } },
    });
  });

  it('prefers the token beside the record, which is where the widget puts it', () => {
    const event = `{"type":"PURCHASE_CREATED","payload":{"purchase":${aPurchase({ purchaseViewToken: undefined })},"purchaseViewToken":"beside-the-record"}}`;
    expect(readEventBody(Buffer.from(event), 'Service')).toMatchObject({
      delivered: { token: 'beside-the-record', eventType: 'PURCHASE_CREATED' },
    });
  });

  it('with the name of what every object has names no record', () => {
    const reading = readEventBody(Buffer.from('{"type":"toString"}'), 'Service');
    expect(reading).toEqual({ outcome: 'no-record', eventType: 'toString' });
  });
});
