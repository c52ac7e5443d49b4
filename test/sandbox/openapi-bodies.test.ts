/** Bodies that deployments really sent, checked against the document of a sandbox with the same maker's name. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Checker, checkerOf, documentAt } from '../support/openapi.ts';
import { aSandbox, asObject, type Json } from './a-sandbox.ts';
import { aReceiver } from './live/a-receiver.ts';

let sandbox: Sandbox;
let checker: Checker;
beforeAll(async () => {
  sandbox = await aSandbox({ identifierName: 'Ramp' });
  checker = checkerOf(await documentAt(sandbox.origin));
});
afterAll(() => sandbox.close());

function recorded(name: string): Json {
  const file = new URL(`../service/samples/${name}.json`, import.meta.url);
  return asObject(JSON.parse(readFileSync(file, 'utf8')));
}

it.each(['webhook-purchase-created-2021-gbp-bank', 'webhook-purchase-created-eur-bank'])(
  '%s is a purchase in its webhook',
  (name) => {
    expect(checker.webhook('purchase', recorded(name))).toBeNull();
    expect(
      checker.answer('GET /api/host-api/purchase/{id}', 200, 'application/json', recorded(name).purchase),
    ).toBeNull();
  },
);

it('a body that was cut off is not a purchase, and the document says what it lacks', () => {
  const { purchase } = recorded('webhook-purchase-docs-partial');
  expect(checker.component('Purchase', purchase)?.split(', ')).toEqual([
    "data must have required property 'createdAt'",
    "data must have required property 'status'",
    "data must have required property 'paymentMethodType'",
  ]);
});

it('the assets of version 1, of which the recording was cut off within the prices', () => {
  const { data } = recorded('v1-assets-partial');
  expect(checker.component('HostAssetsConfigV1', data)?.split(', ')).toEqual(
    [
      'minPurchaseAmountEur',
      'maxPurchaseAmountEur',
      'minPurchaseCryptoAmount',
      'networkFeeEur',
      'networkParamsUpdatedAt',
    ].map((field) => `data/assets/0 must have required property '${field}'`),
  );
});

it("the framework's error, and the request that another wallet sends", () => {
  expect(checker.component('FrameworkError', recorded('error-framework-404'))).toBeNull();
  expect(checker.component('QuoteRequestBody', recorded('v3-onramp-quote-request-bitpay'))).toBeNull();
});

it('a purchase of the widget is delivered as the document has its webhook', async () => {
  await using receiver = await aReceiver();
  const order = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100, webhookUrl: receiver.origin };
  sandbox.live.create({ ...order, kind: 'purchase', method: 'CARD_PAYMENT' });
  sandbox.live.create({ ...order, kind: 'sale', method: 'SEPA' });
  const received = await receiver.count(2);
  for (const { body } of received) expect(checker.webhook('purchase' in body ? 'purchase' : 'sale', body)).toBeNull();
});
