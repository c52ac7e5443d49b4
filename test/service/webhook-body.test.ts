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

  it('is a purchase in its envelope, or bare', () => {
    expect(purchase(`{"type":"RETURNED","purchase":${aPurchase()}}`)).toMatchObject({
      delivered: { id: PURCHASE_ID, eventType: 'RETURNED', state: { ok: true } },
    });
    expect(purchase(aPurchase())).toMatchObject({ delivered: { id: PURCHASE_ID, eventType: null, token: TOKEN } });
  });

  it('of a sale has the sale in its payload, whose id is not the event id', () => {
    const body = `{"id":"event-1","type":"EXPIRED","mode":"OFFRAMP","payload":${aSale()}}`;
    expect(sale(body)).toMatchObject({ delivered: { kind: 'sale', id: SALE_ID, eventType: 'EXPIRED' } });
    expect(sale(aSale())).toMatchObject({ delivered: { id: SALE_ID, eventType: null, state: { ok: true } } });
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
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['another kind of record', Buffer.from(aSale())],
    ['a purchase in an envelope without a type', Buffer.from(`{"purchase":${aPurchase()}}`)],
    ['a number', Buffer.from('7')],
  ])('is unusable where it is %s', (_what, bytes) => {
    expect(readWebhookBody(bytes, 'purchase', 'Service').outcome).toBe('unusable');
  });
});

describe('an SDK event', () => {
  it('that is no JSON is unusable', () => {
    expect(readEventBody(Buffer.from('{"type":'), 'Service').outcome).toBe('unusable');
  });

  it('prefers the token beside the record, which is where the widget puts it', () => {
    const event = `{"type":"PURCHASE_CREATED","payload":{"purchase":${aPurchase({ purchaseViewToken: undefined })},"purchaseViewToken":"beside-the-record"}}`;
    expect(readEventBody(Buffer.from(event), 'Service')).toMatchObject({
      delivered: { token: 'beside-the-record', eventType: 'PURCHASE_CREATED' },
    });
  });

  it.each(['WIDGET_CLOSE', 'WIDGET_CONFIG_DONE', 'WIDGET_CONFIG_FAILED', 'SEND_CRYPTO', 'toString'])(
    '%s names no record',
    (type) => {
      expect(readEventBody(Buffer.from(`{"type":"${type}"}`), 'Service')).toEqual({
        outcome: 'no-record',
        eventType: type,
      });
    },
  );
});
