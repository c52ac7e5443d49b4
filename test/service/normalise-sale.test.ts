import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normaliseSale } from '../../src/service/normalise-record.ts';
import { aSale, SALE_ASSET } from './bodies.ts';

function read(text: string) {
  return normaliseSale(parseExactJson(text), 'Service');
}

function stateOf(text: string) {
  const reading = read(text);
  if (!reading.ok) throw new Error(`drifted: ${reading.drift.map(({ field }) => field).join(', ')}`);
  return reading.value;
}

function driftOf(text: string) {
  const reading = read(text);
  return reading.ok ? [] : reading.drift.map(({ field, problem }) => `${field} ${problem}`);
}

const crypto = (fields: string) => `{"amount":"100000000000000000","assetInfo":${SALE_ASSET}${fields}}`;

it('the escrow that a deployment names is where its crypto goes', () => {
  const escrow = '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c';
  const state = stateOf(
    aSale({
      escrowAddress: `"${escrow}"`,
      transactionHash: '"0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed"',
    }),
  );
  expect(state).toMatchObject({
    receiverAddress: escrow,
    finalTxHash: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
  });
  expect(stateOf(aSale({ escrowAddress: 'null' })).receiverAddress).toBeNull();
});

describe('a sale without what the specification shows', () => {
  it('names everything it lacks at once', () => {
    expect(driftOf(aSale({ crypto: '{"assetInfo":{}}', fiat: '{}' }))).toEqual([
      'crypto.amount missing',
      'crypto.assetInfo.symbol missing',
      'crypto.assetInfo.decimals missing',
      'fiat.amount missing',
      'fiat.currencySymbol missing',
    ]);
  });
});

describe('further fields', () => {
  it('a full sale', () => {
    const { appliedFee, exchangeRate, exchangeRateEur, finalTxHash, paymentMethod, status, updatedAt } = stateOf(
      aSale({
        fiat: '{"amount":"245.10","currencySymbol":"EUR","status":"completed","payoutMethod":"CARD"}',
        crypto: crypto(',"status":"completed"'),
        exchangeRate: '"2500.000000000000000001"',
        cryptoToEurRate: '2500.5',
        fees: '{"amount":"4.90","currencySymbol":"EUR"}',
        transactionHash: '"0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed"',
        updatedAt: '"2026-11-01T11:00:00Z"',
      }),
    );
    expect([String(appliedFee), String(exchangeRate), String(exchangeRateEur)]).toEqual([
      '4.9',
      '2500.000000000000000001',
      '2500.5',
    ]);
    expect({ finalTxHash, paymentMethod, status, updatedAt }).toEqual({
      finalTxHash: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
      paymentMethod: 'CARD',
      status: 'completed',
      updatedAt: Date.parse('2026-11-01T11:00:00Z'),
    });
  });

  it('its own status goes before the payout’s', () => {
    const fiat = '{"amount":1,"currencySymbol":"EUR","status":"initiated"}';
    expect(stateOf(aSale({ status: '"RELEASED"', fiat })).status).toBe('RELEASED');
    expect(stateOf(aSale({ status: '""', fiat })).status).toBe('initiated');
    expect(driftOf(aSale({ status: '4' }))).toEqual(['status type']);
  });

  it('a fee in another currency is unknown', () => {
    expect(stateOf(aSale({ fees: '{"amount":"0.001","currencySymbol":"ETH"}' })).appliedFee).toBeNull();
    expect(stateOf(aSale({ fees: '{"amount":4.9,"currencySymbol":"EUR"}' })).appliedFee?.toString()).toBe('4.9');
    expect(stateOf(aSale({ fees: 'null' })).appliedFee).toBeNull();
  });

  it('blank figures are unknown', () => {
    const { exchangeRate, exchangeRateEur } = stateOf(aSale({ exchangeRate: '""', cryptoToEurRate: 'null' }));
    expect([exchangeRate, exchangeRateEur]).toEqual([null, null]);
  });

  it.each([
    ['fiat', '{"amount":"","currencySymbol":"EUR"}', 'fiat.amount value'],
    ['fiat', '{"amount":"1,50","currencySymbol":"EUR"}', 'fiat.amount value'],
    ['fiat', '{"amount":-1,"currencySymbol":"EUR"}', 'fiat.amount value'],
    ['fiat', '{"amount":"-1","currencySymbol":"EUR"}', 'fiat.amount value'],
    ['fiat', '{"amount":true,"currencySymbol":"EUR"}', 'fiat.amount type'],
    ['crypto', `{"amount":100,"assetInfo":${SALE_ASSET}}`, 'crypto.amount type'],
    ['fees', '{"amount":"-4","currencySymbol":"EUR"}', 'fees.amount value'],
    ['exchangeRate', '"abc"', 'exchangeRate value'],
    ['transactionHash', '5', 'transactionHash type'],
    ['fees', '5', 'fees type'],
    ['fiat', '5', 'fiat type'],
  ])('%s as %s is drift', (field, text, drift) => {
    expect(driftOf(aSale({ [field]: text }))).toEqual([drift]);
  });

  it('a missing chain is derived', () => {
    const asset = '{"symbol":"USDC","type":"ERC20","decimals":6,"address":"0xA0"}';
    expect(stateOf(aSale({ crypto: `{"amount":"1","assetInfo":${asset}}` })).asset).toEqual({
      chain: 'ETH',
      symbol: 'USDC',
      decimals: 6,
      address: '0xA0',
      // ERC20 is in use on other chains too.
      chainPresumed: true,
      type: 'ERC20',
    });
  });
});
