import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assetsV1, listedAsset, offrampAssets, onrampAssets } from '../../src/service/wire/assets.ts';
import { ExactNumber } from '../../src/service/wire/exact-number.ts';
import { countries } from '../../src/service/wire/lists.ts';
import { offrampQuoteV3, onrampQuoteV3, quoteRequestV1, quoteRequestV3 } from '../../src/service/wire/quotes.ts';
import { purchase, purchaseWebhook, saleWebhook } from '../../src/service/wire/records.ts';
import { amount } from '../../src/service/wire/scalars.ts';
import { aMethodQuote, anAssetsAnswer, aPurchase, aSale, aV3Asset } from './bodies.ts';

/** As the sandbox has it: plain numbers. */
const plain = (text: string): unknown => JSON.parse(text);

describe('numbers on the wire', () => {
  it('may be plain or exact, and nothing else', () => {
    const accepted = [0, 4.76, new ExactNumber('0.1'), new ExactNumber('-0.0')];
    const refused = [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, null, new ExactNumber('-1e-9'), { text: '1' }];
    expect(accepted.map((value) => amount.safeParse(value).success)).toEqual([true, true, true, true]);
    expect(refused.map((value) => amount.safeParse(value).success)).toEqual(refused.map(() => false));
  });

  it('pass through a schema as they are', () => {
    const fee = new ExactNumber('4.760000000000000001');
    expect(purchase.parse({ ...(plain(aPurchase()) as object), appliedFee: fee }).appliedFee).toBe(fee);
  });
});

describe('resources as the Service sends them', () => {
  it.each([
    ['purchase', purchase, aPurchase()],
    ['purchase webhook', purchaseWebhook, `{"type":"RETURNED","purchase":${aPurchase()}}`],
    ['sale webhook', saleWebhook, `{"id":"e-1","type":"CREATED","mode":"OFFRAMP","payload":${aSale()}}`],
    ['v3 assets', onrampAssets, anAssetsAnswer()],
    ['v3 off-ramp assets', offrampAssets, anAssetsAnswer()],
    [
      'v1 assets',
      assetsV1,
      '{"assets":[],"minPurchaseAmountEur":3,"maxPurchaseAmountEur":-1,"minFeeAmountEur":2.49,"minFeePercent":0.99,"maxFeePercent":3.9}',
    ],
    ['on-ramp quote', onrampQuoteV3, `{"asset":${aV3Asset()},"APPLE_PAY":${aMethodQuote()}}`],
    ['off-ramp quote', offrampQuoteV3, `{"asset":${aV3Asset()},"SPEI":${aMethodQuote({ baseServiceFee: 'null' })}}`],
    [
      'countries',
      countries,
      '[{"code":"PL","name":"Poland","cardPaymentsEnabled":true,"mainCurrencyCode":"PLN","supportedAssets":[]}]',
    ],
  ])('%s', (_name, schema, text) => {
    expect(schema.parse(plain(text))).toEqual(plain(text));
  });

  it('keep unknown fields', () => {
    expect(purchase.parse(plain(aPurchase({ actions: '[{"x":1}]' })))).toMatchObject({ actions: [{ x: 1 }] });
  });

  it.each([
    [quoteRequestV3, '{"cryptoAssetSymbol":"BTC_BTC","fiatValue":50,"fiatCurrency":"USD"}', true],
    [quoteRequestV3, '{"cryptoAssetSymbol":"BTC_BTC","cryptoAmount":"10000000","fiatCurrency":"USD"}', true],
    [quoteRequestV3, '{"cryptoAssetSymbol":"BTC_BTC","fiatCurrency":"USD"}', false],
    [quoteRequestV1, '{"cryptoAssetSymbol":"BTC_BTC","fiatCurrency":"USD","paymentMethodType":"PIX"}', false],
    [quoteRequestV1, '{"cryptoAssetSymbol":"BTC_BTC","fiatCurrency":"USD","fiatValue":"50"}', false],
  ])('a quote request needs one amount, of the right type: %#', (schema, text, valid) => {
    expect(schema.safeParse(plain(text)).success).toBe(valid);
  });
});

it('schemas document themselves', () => {
  expect(z.toJSONSchema(purchase, { unrepresentable: 'any' })).toMatchObject({
    type: 'object',
    properties: { id: { type: ['string', 'number'] }, fiatValue: { type: 'number' }, cryptoAmount: { type: 'string' } },
  });
  expect(z.toJSONSchema(listedAsset, { unrepresentable: 'any' })).toMatchObject({
    properties: { decimals: { type: 'number' } },
  });
});
