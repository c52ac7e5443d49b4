import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { aPurchase } from './bodies.ts';
import { sample } from './sample.ts';

function read(text: string, identifierName = 'Service') {
  return normalisePurchase(parseExactJson(text), identifierName);
}

function stateOf(text: string) {
  const reading = read(text);
  if (!reading.ok) throw new Error(`drifted: ${reading.drift.map(({ field }) => field).join(', ')}`);
  return reading.value;
}

function driftOf(text: string, identifierName = 'Service') {
  const reading = read(text, identifierName);
  return reading.ok ? [] : reading.drift;
}

describe('recorded bodies', () => {
  it('a bank transfer of 2023, to the last digit', () => {
    const reading = normalisePurchase(sample('webhook-purchase-created-eur-bank').purchase, 'Ramp');
    if (!reading.ok) throw new Error('drifted');
    expect(JSON.parse(JSON.stringify({ ...reading.value, cryptoUnits: String(reading.value.cryptoUnits) }))).toEqual({
      kind: 'purchase',
      recordId: 'sqs6a428mqjtzbv',
      status: 'INITIALIZED',
      createdAt: Date.parse('2023-01-05T12:26:39.806Z'),
      updatedAt: Date.parse('2023-01-05T12:26:40.470Z'),
      asset: { chain: 'GOERLI', symbol: 'ETH', decimals: 18, address: null, type: 'NATIVE' },
      cryptoUnits: '8023728890597727',
      fiatCurrency: 'EUR',
      fiatValue: '10',
      exchangeRate: '1180.9032500905719',
      exchangeRateEur: '1180.9032500905719',
      fiatRateEur: '1',
      baseFee: '0.09475247524752475',
      networkFee: '0.43',
      appliedFee: '0.5247524752475248',
      hostFeeCut: null,
      paymentMethod: 'MANUAL_BANK_TRANSFER',
      receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
      finalTxHash: null,
      endTime: Date.parse('2023-01-08T12:26:39.764Z'),
      lacks: ['finalTxHash'],
    });
  });

  it('one of 2021, with a joined symbol and neither chain nor type', () => {
    const reading = normalisePurchase(sample('webhook-purchase-created-2021-gbp-bank').purchase, 'Ramp');
    if (!reading.ok) throw new Error('drifted');
    const { asset, exchangeRateEur, fiatValue, cryptoUnits } = reading.value;
    expect(asset).toEqual({
      chain: 'MATIC',
      symbol: 'DAI',
      decimals: 18,
      address: '0x6a383cf1f8897585718dca629a8f1471339abfe4',
    });
    expect(exchangeRateEur).toBeNull();
    expect([String(fiatValue), cryptoUnits]).toEqual(['4.34', 5941100533426643564n]);
  });

  it('under the wrong name lack exactly the base fee, and say what to do', () => {
    const reading = normalisePurchase(sample('webhook-purchase-created-eur-bank').purchase, 'Service');
    expect(reading).toEqual({
      ok: false,
      drift: [
        {
          field: 'baseServiceFee',
          problem: 'missing',
          found: 'nothing',
          expected: 'a number',
          hint: 'the body has baseRampFee: set service.identifierName to Ramp',
        },
      ],
    });
  });

  it('that were cut short name everything they lack at once', () => {
    const reading = normalisePurchase(sample('webhook-purchase-docs-partial').purchase, 'Ramp');
    expect(reading.ok ? [] : reading.drift.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      'createdAt missing',
      'status missing',
      'paymentMethodType missing',
    ]);
  });
});

describe('what may be absent or null', () => {
  it.each([
    'updatedAt',
    'finalTxHash',
    'receiverAddress',
    'assetExchangeRateEur',
    'fiatExchangeRateEur',
    'hostFeeCut',
    'endTime',
    'purchaseViewToken',
  ])('%s', (field) => {
    expect(driftOf(aPurchase({ [field]: undefined }))).toEqual([]);
    expect(driftOf(aPurchase({ [field]: 'null' }))).toEqual([]);
  });

  it('is unknown, never zero', () => {
    const { hostFeeCut, finalTxHash, exchangeRateEur, updatedAt } = stateOf(
      aPurchase({ finalTxHash: '""', assetExchangeRateEur: 'null', updatedAt: undefined }),
    );
    expect([hostFeeCut, finalTxHash, exchangeRateEur, updatedAt]).toEqual([null, null, null, null]);
  });

  it('keeps 17 digits and a zero that was said', () => {
    const { fiatValue, hostFeeCut } = stateOf(aPurchase({ fiatValue: '12345678901234567.89', hostFeeCut: '0' }));
    expect(String(fiatValue)).toBe('12345678901234567.89');
    expect(String(hostFeeCut)).toBe('0');
  });
});

describe('drift', () => {
  it.each([
    ['id', undefined, 'missing', 'nothing', 'a string'],
    ['cryptoAmount', '4e16', 'type', 'a number', 'a string of digits'],
    ['cryptoAmount', '"-5"', 'value', '"-5"', 'a string of digits'],
    ['cryptoAmount', '"0.5"', 'value', '"0.5"', 'a string of digits'],
    ['fiatCurrency', 'null', 'type', 'null', 'a currency code'],
    ['fiatCurrency', '"euro"', 'value', 'a string', 'a three-letter currency code'],
    ['fiatValue', '"104.76"', 'type', 'a string', 'a number'],
    ['fiatValue', '-104.76', 'value', '-104.76', 'a number that is not negative'],
    ['assetExchangeRate', 'true', 'type', 'true or false', 'a number'],
    ['baseServiceFee', undefined, 'missing', 'nothing', 'a number'],
    ['baseServiceFee', '-0.43', 'value', '-0.43', 'a number that is not negative'],
    ['networkFee', '{}', 'type', 'an object', 'a number'],
    ['appliedFee', '"4.76"', 'type', 'a string', 'a number'],
    ['appliedFee', '[4.76]', 'type', 'a list', 'a number'],
    ['hostFeeCut', '-1', 'value', '-1', 'a number that is not negative'],
    ['hostFeeCut', '"1"', 'type', 'a string', 'a number'],
    ['createdAt', '"2026-11-01 10:00"', 'value', 'a string', 'an ISO 8601 date-time with a zone'],
    ['createdAt', '1793527200', 'type', 'a number', 'an ISO 8601 date-time'],
    ['updatedAt', '7', 'type', 'a number', 'an ISO 8601 date-time'],
    ['status', '""', 'value', 'an empty string', 'a string that is not empty'],
    ['status', '3', 'type', 'a number', 'a string'],
    ['paymentMethodType', undefined, 'missing', 'nothing', 'a string'],
    ['finalTxHash', '123', 'type', 'a number', 'a string'],
    ['receiverAddress', '{}', 'type', 'an object', 'a string'],
    ['endTime', 'false', 'type', 'true or false', 'an ISO 8601 date-time'],
    ['asset', '"ETH"', 'type', 'a string', 'an object'],
  ])('%s as %s', (field, text, problem, found, expected) => {
    expect(driftOf(aPurchase({ [field]: text }))).toEqual([{ field, problem, found, expected, hint: null }]);
  });

  it.each([
    ['{"symbol":"ETH"}', 'asset.decimals', 'missing'],
    ['{"symbol":"ETH","decimals":"18"}', 'asset.decimals', 'type'],
    ['{"symbol":"ETH","decimals":37}', 'asset.decimals', 'value'],
    ['{"symbol":"ETH","decimals":1.5}', 'asset.decimals', 'value'],
    ['{"symbol":"ETH","decimals":-1}', 'asset.decimals', 'value'],
    ['{"symbol":"","decimals":18}', 'asset.symbol', 'value'],
  ])('in the asset %s', (asset, field, problem) => {
    expect(driftOf(aPurchase({ asset }))).toMatchObject([{ field, problem }]);
  });

  it('is reported with every problem at once', () => {
    const drift = driftOf(aPurchase({ id: undefined, fiatValue: '"1"', appliedFee: '-1', asset: '{"symbol":"ETH"}' }));
    expect(drift.map(({ field }) => field)).toEqual(['id', 'asset.decimals', 'fiatValue', 'appliedFee']);
  });

  it('names the field as the deployment does, and what it may have become', () => {
    expect(driftOf(aPurchase({ baseServiceFee: undefined, baseRampFee: '"1"' }), 'Ramp')).toMatchObject([
      { field: 'baseRampFee', problem: 'type' },
    ]);
    expect(driftOf(aPurchase({ appliedFee: undefined, applied_fee: '1' }))).toMatchObject([
      { field: 'appliedFee', hint: 'the body has applied_fee' },
    ]);
  });

  it('is what no object is', () => {
    expect(driftOf('[]')).toEqual([
      { field: 'body', problem: 'type', found: 'a list', expected: 'an object', hint: null },
    ]);
  });

  it('never repeats a string of the body', () => {
    expect(
      JSON.stringify(driftOf(aPurchase({ fiatValue: '"mg3voq92hd2mbdht"', createdAt: '"mg3voq92hd2mbdht"' }))),
    ).not.toContain('mg3voq92hd2mbdht');
  });
});

describe('forms that changed over the years', () => {
  it.each([
    ['CARD', 'CARD_PAYMENT'],
    ['SEPA', 'MANUAL_BANK_TRANSFER'],
    ['PISP', 'AUTO_BANK_TRANSFER'],
    ['OPEN_BANKING', 'AUTO_BANK_TRANSFER'],
    ['APPLEPAY', 'APPLE_PAY'],
    ['GOOGLEPAY', 'GOOGLE_PAY'],
    ['SOFORT', 'SOFORT'],
    ['BANK_TRANSFER', 'BANK_TRANSFER'],
    ['__proto__', '__proto__'],
  ])('the payment method %s is %s', (old, present) => {
    expect(stateOf(aPurchase({ paymentMethodType: `"${old}"` })).paymentMethod).toBe(present);
  });

  it('an id may be a whole number, and is text from then on', () => {
    expect(stateOf(aPurchase({ id: '322' })).recordId).toBe('322');
    expect(driftOf(aPurchase({ id: '3.5' }))).toMatchObject([{ field: 'id', problem: 'value' }]);
  });

  it.each([
    ['{"symbol":"GOERLI_ETH","apiV3Symbol":"ETH","chain":"GOERLI","type":"GOERLI","decimals":18}', 'GOERLI', 'ETH'],
    ['{"symbol":"ETH","chain":"ETH","type":"ETH","decimals":18}', 'ETH', 'ETH'],
    ['{"symbol":"MATIC_DAI","decimals":18}', 'MATIC', 'DAI'],
    ['{"symbol":"USDC","type":"ERC20","decimals":6}', 'ETH', 'USDC'],
  ])('the asset %s', (asset, chain, symbol) => {
    expect(stateOf(aPurchase({ asset })).asset).toMatchObject({ chain, symbol });
  });

  it('the list of moments says when it was paid and released, and in another form nothing', () => {
    const moments = (actions: string) => {
      const { paidAt, releasedAt, returnedAt } = stateOf(aPurchase({ actions }));
      return returnedAt === undefined ? [paidAt, releasedAt] : [paidAt, releasedAt, returnedAt];
    };
    const entry = (newStatus: string, time: string) =>
      `{"newStatus":"${newStatus}","timestamp":"2026-11-01T${time}:00.000Z"}`;
    const paid = Date.parse('2026-11-01T10:02:00Z');
    const released = Date.parse('2026-11-01T10:09:00Z');
    const list = [entry('RELEASED', '10:09'), entry('FIAT_RECEIVED', '10:03'), entry('PAYMENT_EXECUTED', '10:02')];
    expect(moments(`[${list.join()}]`)).toEqual([paid, released]);
    const returned = [entry('RETURNED', '10:20'), entry('FIAT_RETURNED', '10:15'), entry('FIAT_RECEIVED', '10:02')];
    expect(moments(`[${returned.join()}]`)).toEqual([paid, undefined, Date.parse('2026-11-01T10:15:00Z')]);
    for (const other of ['null', '{}', '[7,null,{"newStatus":4}]', '[{"newStatus":"RELEASED","timestamp":5}]'])
      expect(moments(other)).toEqual([undefined, undefined]);
  });

  it('steps of the list of moments that an order rarely takes are kept, and of others nothing', () => {
    const list = (...steps: readonly string[]) =>
      `[${steps.map((step) => step.split(' ')).map(([status, time]) => `{"newStatus":"${status}","timestamp":"2026-11-01T${time}Z"}`)}]`;
    const steps = (status: string, ...all: readonly string[]) =>
      (
        stateOf(aPurchase({ status: `"${status}"`, createdAt: '"2026-11-01T10:00:00Z"', actions: list(...all) }))
          .oddSteps ?? []
      ).map(({ from, to, at }) => `${from} ${to} ${at === null ? '' : new Date(at).toISOString().slice(11, 16)}`);
    const paid = ['PAYMENT_STARTED 10:01:00', 'PAYMENT_EXECUTED 10:05:00', 'RELEASED 10:20:00'];
    expect(steps('RELEASED', ...paid)).toEqual([]);
    expect(steps('RELEASED', ...paid, 'EXPIRED 13:00:00')).toEqual(['RELEASED EXPIRED 13:00']);
    expect(steps('RELEASED', 'EXPIRED 13:00:00', ...paid.toReversed())).toEqual(['RELEASED EXPIRED 13:00']);
    // A card is settled after the release; what was released may be given back.
    expect(steps('RELEASED', ...paid, 'FIAT_RECEIVED 15:00:00', 'RELEASED 15:01:00', 'RETURNED 16:00:00')).toEqual([]);
    expect(steps('RELEASED', 'RELEASED 10:20:00', 'EXPIRED 10:20:59')).toEqual([]);
    expect(steps('RELEASED', 'PAYMENT_STARTED 10:01:00', 'INITIALIZED 10:30:00')).toEqual([
      'PAYMENT_STARTED INITIALIZED 10:30',
    ]);
    expect(steps('RELEASED', 'CANCELLED 10:00:30', ...paid)).toEqual(['CANCELLED PAYMENT_EXECUTED 10:05']);
    // Whether a payment may follow an expiry is for the status model to say.
    expect(steps('RELEASED', 'EXPIRED 11:00:00', 'FIAT_RECEIVED 12:00:00', 'RELEASED 12:20:00')).toEqual([
      'EXPIRED FIAT_RECEIVED 12:00',
    ]);
    expect(steps('EXPIRED', 'CANCELLED 10:30:00', 'EXPIRED 12:00:00')).toEqual([]);
    expect(steps('RELEASED', 'CANCELLED 10:30:00')).toEqual(['CANCELLED RELEASED ']);
    expect(steps('HODLED', 'CANCELLED 10:30:00', 'KYC 10:40:00')).toEqual([]);
    expect(steps('INITIALIZED', 'INITIALIZED 09:59:59', 'KYC 10:00:05')).toEqual([]);
    const later = [{ newStatus: 'RELEASED', timestamp: '2026-11-01T10:20:00Z' }];
    const settled = (timestamp: string) =>
      stateOf(
        aPurchase({
          updatedAt: '"2026-11-01T10:20:00Z"',
          actions: JSON.stringify([...later, { newStatus: 'FIAT_RECEIVED', timestamp }]),
        }),
      ).oddSteps;
    expect(settled('2026-11-02T10:20:00Z')).toBeUndefined();
    expect(settled('2026-11-02T10:20:01Z')).toMatchObject([{ from: null, to: 'FIAT_RECEIVED' }]);
    expect(steps('INITIALIZED', 'KYC 09:30:00')).toEqual(['null KYC 09:30']);
  });

  it('unknown fields do no harm', () => {
    expect(driftOf(aPurchase({ actions: '[{"type":"X"}]', escrowAddress: '""', ['__proto__']: '{"id":"x"}' }))).toEqual(
      [],
    );
  });
});

it.each([
  ['GOERLI', 'NATIVE', 'NATIVE'],
  ['MATIC_ERC20', 'ERC20', 'ERC20'],
  ['NATIVE', 'ERC20', 'NATIVE'],
  ['TRC20', 'ERC20', 'TRC20'],
])(
  'an asset of the type %s, and %s for v3, is %s: the own one counts where both name a standard',
  (type, v3, expected) => {
    const asset = `{"symbol":"USDC","chain":"ETH","type":"${type}","apiV3Type":"${v3}","decimals":6,"address":null}`;
    expect(stateOf(aPurchase({ asset })).asset.type).toBe(expected);
  },
);
