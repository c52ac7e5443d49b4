/**
 * A small population with a few records of every verdict, written out field by field: purchases and sales, with v1 and v3
 * quotes, over two nights. What each is there for stands beside it.
 */

import { aMethodQuote, anAssetsAnswer, aPurchase, aSale, aV3Asset } from '../../service/bodies.ts';
import type { RecordAnswer } from '../../support/record-server.ts';

/** 0.04 ETH at 2,500 EUR is 100 EUR; base fee 3.9 %, network fee 0.86 EUR. */
const ETHER = aV3Asset({
  symbol: '"ETH"',
  chain: '"ETH"',
  name: '"Ether"',
  decimals: '18',
  type: '"NATIVE"',
  address: 'null',
  price: '{"EUR":2500,"JPY":400000}',
  maxPurchaseAmount: '-1',
  minPurchaseCryptoAmount: '"-1"',
  networkFee: '0.86',
});

export const IDS = `kind,id,view_token,created_at,host_reference,quote_id,expected_status
purchase,p01-matched,tok-p01,2026-11-18T10:00:00Z,order 1,q-card-100,RELEASED
purchase,p02-captured-v1,tok-p02,2026-11-18T10:00:00Z,order 2,,
purchase,p03-fee,tok-p03,2026-11-18T10:00:00Z,"order 3, urgent",q-card-100,
purchase,p04-pending,tok-p04,2026-11-18T10:00:00Z,,q-card-100,
purchase,p05-formula,tok-p05,2026-11-18T10:00:00Z,=1+2,,
purchase,p06-missing,tok-p06,2026-11-18T10:00:00Z,order 6,q-card-100,
purchase,p07-denied,tok-p07,2026-11-18T10:00:00Z,order 7,,
purchase,p08-unreachable,tok-p08,2026-11-18T10:00:00Z,order 8,,
purchase,p09-drift,tok-p09,2026-11-18T10:00:00Z,order 9,,
purchase,p10-other,tok-p10,2026-11-18T10:00:00Z,order 10,,
purchase,p11-yen,tok-p11,2026-11-18T10:00:00Z,order 11,q-yen,
purchase,p12-no-tx,tok-p12,2026-11-18T10:00:00Z,order 12,q-card-100,
purchase,p13-restated,tok-p13,2026-11-18T10:00:00Z,order 13,q-card-100,
purchase,p14-discount,tok-p14,2026-11-18T10:00:00Z,order 14,q-card-100,
purchase,p15-bounds,tok-p15,2026-11-18T10:00:00Z,order 15,q-dear,
sale,s01-matched,tok-s01,2026-11-18T10:00:00Z,sale 1,q-sell,
sale,s02-less,tok-s02,2026-11-18T10:00:00Z,sale 2,q-sell,
sale,s03-initiated,tok-s03,2026-11-18T10:00:00Z,sale 3,q-sell,
`;

interface QuoteText {
  id: string;
  direction?: string;
  version?: string;
  at?: string;
  request: string;
  response: string;
}

function quoteLine({
  id,
  direction = 'onramp',
  version = 'v3',
  at = '2026-11-18T09:56:00Z',
  request,
  response,
}: QuoteText) {
  return `{"quote_id":"${id}","direction":"${direction}","api_version":"${version}","captured_at":"${at}","request":${request},"response":${response}}`;
}

const REQUEST = '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":104.76}';

export const QUOTES: readonly string[] = [
  quoteLine({
    id: 'q-card-100',
    request: REQUEST,
    response: `{"asset":${ETHER},"CARD_PAYMENT":${aMethodQuote({ cryptoAmount: '"40000000000000000"', fiatValue: '104.76', baseServiceFee: '3.9', appliedFee: '4.76', hostFeeCut: '1' })}}`,
  }),
  quoteLine({
    id: 'q-v1',
    version: 'v1',
    request: '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":208.66,"paymentMethodType":"APPLE_PAY"}',
    response:
      '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","cryptoAmount":"80000000000000000","fiatValue":208.66,"paymentMethodType":"APPLE_PAY","asset":{"address":null,"symbol":"ETH_ETH","name":"Ether","decimals":18},"assetExchangeRate":2500,"assetExchangeRateEur":2500,"fiatExchangeRateEur":1,"baseServiceFee":7.8,"networkFee":0.86,"appliedFee":8.66}',
  }),
  quoteLine({
    id: 'q-yen',
    request: '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"JPY","fiatValue":16762}',
    response: `{"asset":${ETHER},"CARD_PAYMENT":${aMethodQuote({ fiatCurrency: '"JPY"', cryptoAmount: '"40000000000000000"', fiatValue: '16762', baseServiceFee: '624', appliedFee: '762' })}}`,
  }),
  quoteLine({
    id: 'q-dear',
    // Linked, so it counts; but too old to match another record.
    at: '2026-11-18T09:20:00Z',
    request: REQUEST.replace('104.76', '110.86'),
    response: `{"asset":${ETHER},"CARD_PAYMENT":${aMethodQuote({ cryptoAmount: '"40000000000000000"', fiatValue: '110.86', baseServiceFee: '10', appliedFee: '10.86' })}}`,
  }),
  quoteLine({
    id: 'q-sell',
    direction: 'offramp',
    request: '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","cryptoAmount":"100000000000000000"}',
    response: `{"asset":${ETHER},"SEPA":${aMethodQuote({ cryptoAmount: '"100000000000000000"', fiatValue: '245', baseServiceFee: 'null', appliedFee: '5' })}}`,
  }),
];

const CREATED = '"2026-11-18T10:00:00.000Z"';

function purchase(id: string, fields: Record<string, string | undefined> = {}): RecordAnswer {
  const body = aPurchase({
    id: `"${id}"`,
    endTime: '"2026-11-21T10:00:00.000Z"',
    createdAt: CREATED,
    updatedAt: '"2026-11-18T10:05:00.000Z"',
    purchaseViewToken: undefined,
    ...fields,
  });
  return { body };
}

function sale(id: string, fields: Record<string, string | undefined> = {}): RecordAnswer {
  return { body: aSale({ id: `"${id}"`, createdAt: CREATED, purchaseViewToken: undefined, ...fields }) };
}

const NO_TX = { finalTxHash: 'null' };

/** What the Service says in the first night. */
export function firstNight(): Record<string, RecordAnswer> {
  return {
    'p01-matched': purchase('p01-matched', { hostFeeCut: '1' }),
    'p02-captured-v1': purchase('p02-captured-v1', {
      cryptoAmount: '"80000000000000000"',
      fiatValue: '208.66',
      baseServiceFee: '7.8',
      appliedFee: '8.66',
      paymentMethodType: '"APPLE_PAY"',
    }),
    // 1.50 EUR more than quoted, all of it in the base fee, and so less crypto.
    'p03-fee': purchase('p03-fee', { baseServiceFee: '5.4', appliedFee: '6.26', cryptoAmount: '"39400000000000000"' }),
    'p04-pending': purchase('p04-pending', { status: '"PAYMENT_STARTED"', ...NO_TX }),
    'p05-formula': purchase('p05-formula', {
      fiatValue: '104.760000000000001',
      appliedFee: '4.760000000000001',
      paymentMethodType: '"GOOGLEPAY"',
    }),
    // p06-missing: nothing, so the application's 404.
    'p07-denied': { status: 403, body: '{"code":"SERVICES.HOST_API.FORBIDDEN","statusCode":403}' },
    'p08-unreachable': { status: 503, body: '{"message":"Service Unavailable","statusCode":503}' },
    'p09-drift': purchase('p09-drift', { appliedFee: undefined, totalFee: '4.76' }),
    'p10-other': purchase('p99-somebody-else'),
    'p11-yen': purchase('p11-yen', {
      fiatCurrency: '"JPY"',
      fiatValue: '16762',
      assetExchangeRate: '400000',
      assetExchangeRateEur: '2500',
      baseServiceFee: '624',
      networkFee: '138',
      appliedFee: '762',
    }),
    'p12-no-tx': purchase('p12-no-tx', NO_TX),
    'p13-restated': purchase('p13-restated'),
    // A discount of 1 EUR that the quote did not promise: the adjustment carries it.
    'p14-discount': purchase('p14-discount', { appliedFee: '3.76', fiatValue: '103.76' }),
    'p15-bounds': purchase('p15-bounds', { baseServiceFee: '10', appliedFee: '10.86', fiatValue: '110.86' }),
    's01-matched': sale('s01-matched'),
    's02-less': sale('s02-less', { fiat: '{"amount":"240.00","currencySymbol":"EUR"}' }),
    's03-initiated': sale('s03-initiated', {
      fiat: '{"amount":245,"currencySymbol":"EUR","status":"initiated","payoutMethod":"SEPA"}',
      fees: '{"amount":"5","currencySymbol":"EUR"}',
      exchangeRate: '"2500"',
    }),
  };
}

/** The differences of the second night: a release, a late hash, a restated amount, and a sale that was paid out. */
export function secondNight(): Record<string, RecordAnswer> {
  return {
    'p04-pending': purchase('p04-pending', { updatedAt: '"2026-11-20T08:00:00.000Z"' }),
    'p12-no-tx': purchase('p12-no-tx', {
      finalTxHash: '"0xabababababababababababababababababababababababababababababababab"',
      updatedAt: '"2026-11-20T09:00:00.000Z"',
    }),
    'p13-restated': purchase('p13-restated', {
      fiatValue: '105.76',
      cryptoAmount: '"40400000000000000"',
      updatedAt: '"2026-11-20T09:30:00.000Z"',
    }),
    's03-initiated': sale('s03-initiated', {
      fiat: '{"amount":245,"currencySymbol":"EUR","status":"completed","payoutMethod":"SEPA"}',
      fees: '{"amount":"5","currencySymbol":"EUR"}',
      exchangeRate: '"2500"',
    }),
  };
}

/** Reference data, by path below the base. Bounds: at most 3.9 %, and at least 2.49 EUR or 0.99 %. */
export function referenceAnswers(): Record<string, RecordAnswer | ((count: number, url: URL) => RecordAnswer)> {
  const methods =
    '[{"name":"CARD_PAYMENT","currencies":["EUR","JPY"],"countries":["de"]},{"name":"APPLE_PAY","currencies":["EUR"],"countries":["de"]},{"name":"GOOGLE_PAY","currencies":["EUR"],"countries":["de"]}]';
  const assets = (_count: number, url: URL): RecordAnswer => {
    const currency = url.searchParams.get('currencyCode') ?? 'EUR';
    return {
      body: anAssetsAnswer({
        assets: `[${ETHER.replace('"currencyCode":"EUR"', `"currencyCode":"${currency}"`)}]`,
        currencyCode: `"${currency}"`,
      }),
    };
  };
  return {
    '/host-api/v3/payment-methods': { body: methods },
    '/host-api/v3/payout-methods': { body: '[{"name":"SEPA","currencies":["EUR"],"countries":["de"]}]' },
    '/host-api/v3/currencies': {
      body: '[{"fiatCurrency":"EUR","name":"Euro","onrampAvailable":true,"offrampAvailable":true}]',
    },
    '/host-api/countries': {
      body: '[{"code":"DE","name":"Germany","cardPaymentsEnabled":true,"mainCurrencyCode":"EUR"}]',
    },
    '/host-api/v3/assets': assets,
    '/host-api/v3/offramp/assets': assets,
  };
}
