import { describe, expect, it, test } from 'vitest';
import { type Asset, withOtherNames } from '../../src/domain/asset.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { StatusDefinition } from '../../src/domain/status.ts';
import { recordContradictsItself } from '../../src/rules/record-contradicts-itself.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { aPurchase as aPurchaseBody } from '../service/bodies.ts';
import {
  aCase,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  DAYS,
  MINUTES,
  STATUSES,
  type StateOverrides,
  someAssetTerms,
  someReference,
  someTerms,
  USDC,
} from '../support/builders.ts';
import { ask, NOTHING } from './ask.ts';

const bought = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aPurchase(state) }));
const TX = aPurchase().finalTxHash;
const RETURNED: StatusDefinition = { value: 'RETURNED', stage: 7, terminal: true, stuckAfter: null, mayReturnTo: null };
const sold = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aSale(state), kind: 'sale' }));

describe('a released purchase without a receiver', () => {
  it('contradicts itself where the body says so', () => {
    expect(bought({ receiverAddress: null, lacks: [] })).toMatchObject([{ field: 'receiver_address' }]);
  });

  it('is a remark where the body lacks the field, which is counted with the others', () => {
    expect(bought({ receiverAddress: null, lacks: ['receiverAddress'] })).toMatchObject([{ severity: 'info' }]);
    // A version before did not keep what a body lacks.
    expect(bought({ receiverAddress: null })).toMatchObject([{ severity: 'info' }]);
  });

  it('is nothing before the crypto is sent', () => {
    expect(bought({ receiverAddress: null, lacks: [], status: 'PAYMENT_STARTED', finalTxHash: null })).toEqual(NOTHING);
  });
});

test('a purchase says nothing of a transfer of its tokens', () => {
  expect(bought({ cryptoStatus: 'failed' })).toEqual(NOTHING);
});

describe('a sale that was paid out', () => {
  it.each(['not-started', 'failed'])('for tokens whose transfer is %s contradicts itself', (cryptoStatus) => {
    expect(sold({ status: 'RELEASED', cryptoStatus })).toMatchObject([
      { field: 'crypto_status', actual: cryptoStatus },
    ]);
    expect(sold({ status: 'initiated', cryptoStatus })).toEqual(NOTHING);
    expect(sold({ status: null, cryptoStatus })).toEqual(NOTHING);
  });

  it.each(['completed', 'initiated', 'delayed'])('for tokens whose transfer is %s does not', (cryptoStatus) => {
    expect(sold({ status: 'completed', cryptoStatus })).toEqual(NOTHING);
  });
});

test('a fee is stated in the currency of the payout, or in the crypto', () => {
  expect(sold({ feeCurrency: 'CHF' })).toMatchObject([{ field: 'fee_currency', expected: 'EUR', actual: 'CHF' }]);
  expect(sold({ feeCurrency: 'ETH' })).toEqual(NOTHING);
  expect(sold({ fiatCurrency: 'PLN', feeCurrency: 'EUR', exchangeRateEur: '2500' })).toEqual(NOTHING);
  expect(sold({ fiatCurrency: 'PLN', feeCurrency: 'EUR', exchangeRateEur: null })).toMatchObject([
    { field: 'fee_currency' },
  ]);
});

describe('moments', () => {
  const created = at('2026-11-01 10:00');
  const { endTime, ...fields } = { endTime: 'end_time', updatedAt: 'updated_at' };

  it.each(Object.entries({ ...fields, endTime }))('%s: clocks of two servers may be a second apart', (name, field) => {
    expect(bought({ [name]: created - 1000 })).toEqual(NOTHING);
    expect(bought({ [name]: created - 1001 })).toMatchObject([{ field }]);
  });

  it.each(['updatedAt', 'endTime'])('%s before a creation that cannot be true contradicts nothing', (name) => {
    expect(bought({ createdAt: Date.UTC(9999, 0, 1), [name]: created })).toEqual(NOTHING);
  });
});

test('an expiry before its creation, or years later, is a contradiction whatever the date; that of updates is another rule', () => {
  const ending = (endTime: number) => bought({ endTime });
  expect(bought({ updatedAt: Date.UTC(2001, 0, 1) })).toEqual(NOTHING);
  expect(ending(0)).toMatchObject([{ field: 'end_time', actual: '1970-01-01T00:00:00.000Z' }]);
  expect(ending(at('2036-10-29 10:00'))).toEqual(NOTHING);
  expect(ending(at('2036-10-29 10:01'))).toMatchObject([
    { field: 'end_time', explanation: expect.stringContaining('more than ten years after it was created') },
  ]);
});

describe('a receiver that nobody has the key of', () => {
  it.each([
    ["the token's own contract", USDC.address?.toLowerCase() ?? ''],
    ['the address of all zeros', '0x0000000000000000000000000000000000000000'],
  ])('%s', (name, receiverAddress) => {
    expect(bought({ asset: USDC, receiverAddress })).toMatchObject([
      { field: 'receiver_address', explanation: expect.stringContaining(name) },
    ]);
  });
});

describe('an address or a transaction', () => {
  const receiverAddress = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
  const unquoted = (asset: Asset, listed: Asset | null = null) => {
    const reference = someReference({ asset: listed === null ? null : someAssetTerms(listed) });
    const state = aPurchase({ receiverAddress, asset: { ...asset, chainPresumed: true } });
    return ask(recordContradictsItself, aCase({ state, quote: null, reference }));
  };

  it('of another form says nothing where the chain is only presumed', () => {
    expect(bought({ receiverAddress })).toMatchObject([{ field: 'receiver_address' }]);
    expect(unquoted(aPurchase().asset)).toEqual(NOTHING);
    // A coin of that name is on several chains.
    expect(unquoted(aPurchase().asset, aPurchase().asset)).toEqual(NOTHING);
  });

  it('is held against the chain of the quote, or of the listing that has the contract', () => {
    expect(bought({ receiverAddress, asset: { ...aPurchase().asset, chainPresumed: true } })).toMatchObject([
      { field: 'receiver_address' },
    ]);
    expect(unquoted(USDC, USDC)).toMatchObject([{ field: 'receiver_address' }]);
  });

  it('of a purchase that fell back after it was sent is left to the status', () => {
    const state = aPurchase({ status: 'PAYMENT_STARTED' });
    const fellBack = (peak: string) =>
      ask(recordContradictsItself, aCase({ state, history: { peak: { status: peak, at: at('2026-11-01 10:20') } } }));
    expect(fellBack('RELEASED')).toEqual(NOTHING);
    expect(fellBack('RELEASING')).toEqual(NOTHING);
    expect(fellBack('FIAT_RECEIVED')).toMatchObject([{ field: 'final_tx_hash' }]);
  });

  it.each(['CANCELLED', 'EXPIRED'])('of a purchase that was being sent and is %s is a contradiction', (status) => {
    const history = { peak: { status: 'RELEASING', at: at('2026-11-01 10:20') } };
    const found = ask(recordContradictsItself, aCase({ state: aPurchase({ status }), history }));
    expect(found).toMatchObject([{ field: 'final_tx_hash' }]);
  });
});

test('a sale for no crypto contradicts itself where it was paid out', () => {
  expect(sold({ cryptoUnits: 0n })).toMatchObject([{ field: 'crypto_amount' }]);
  expect(sold({ cryptoUnits: 0n, fiatValue: '0' })).toEqual(NOTHING);
});

test('one EUR is one EUR, but for the digits of a double', () => {
  expect(bought({ fiatRateEur: '1.0000005' })).toEqual(NOTHING);
  expect(bought({ fiatRateEur: '1.001' })).toMatchObject([{ field: 'fiat_rate_eur' }]);
});

describe('a purchase that expired', () => {
  const [endTime, read] = [at('2026-11-04 10:00'), at('2026-11-02 04:15')];
  const expired = (state: StateOverrides) => bought({ status: 'EXPIRED', finalTxHash: null, ...state });

  it('before it expires is a remark, whichever way our clock is wrong', () => {
    expect(expired({ endTime })).toMatchObject([{ field: 'status', severity: 'info', actual: 'EXPIRED' }]);
    expect(expired({ endTime: read + 5 * MINUTES + 1 })).toMatchObject([{ field: 'status' }]);
    expect(expired({ endTime: read + 5 * MINUTES })).toEqual(NOTHING);
    expect(expired({ endTime: null })).toEqual(NOTHING);
    expect(bought({ status: 'CANCELLED', finalTxHash: null, endTime })).toEqual(NOTHING);
  });

  it('stays one on later nights', () => {
    const state = aPurchase({ status: 'EXPIRED', finalTxHash: null, endTime });
    const onLaterNight = (firstTerminal: Snapshot) =>
      ask(recordContradictsItself, aCase({ state, receivedAt: endTime + DAYS, history: { firstTerminal } }));
    expect(onLaterNight(aSnapshot(state, read))).toMatchObject([{ field: 'status' }]);
    expect(onLaterNight(aSnapshot(state, endTime))).toEqual(NOTHING);
    expect(onLaterNight(aSnapshot({ ...state, status: 'CANCELLED' }, read))).toEqual(NOTHING);
  });
});

describe('names of one asset in one body', () => {
  const token = { address: USDC.address, decimals: 6, type: 'ERC20' };
  const coin = { address: null, decimals: 18 };
  const named = (asset: object) => {
    const read = normalisePurchase(
      parseExactJson(aPurchaseBody({ asset: JSON.stringify({ name: 'of one name', ...asset }) })),
      'Service',
    );
    if (!read.ok) throw new Error(JSON.stringify(read.drift));
    return read.value;
  };
  const asked = (asset: object, listed: Asset | null = null) => {
    const read = named(asset);
    const state = { ...read, asset: withOtherNames(read.asset) };
    const reference = someReference({ asset: listed === null ? null : { ...someAssetTerms(), ...listed } });
    const found = ask(recordContradictsItself, aCase({ state, reference }));
    return typeof found === 'string' ? found : found.filter(({ field }) => field === 'asset');
  };

  it.each([
    ['the joined symbol is of another chain', { ...coin, symbol: 'MATIC_ETH', apiV3Symbol: 'ETH', chain: 'ETH' }],
    ['without a name in v3', { ...coin, symbol: 'ARBITRUM_ETH', chain: 'ETH' }],
    ['the symbol is another one', { ...token, symbol: 'ETH_USDC', apiV3Symbol: 'USDT', chain: 'ETH' }],
    ['a bare symbol is another one', { ...token, symbol: 'DAI', apiV3Symbol: 'USDC' }],
    ['the type is another chain', { ...coin, symbol: 'ETH_ETH', chain: 'ETH', type: 'MATIC', apiV3Type: 'NATIVE' }],
    ['the type is not the chain of the joined symbol', { ...coin, symbol: 'MATIC_ETH', type: 'ARBITRUM' }],
  ])('contradict each other: %s', (_, asset) => {
    expect(asked(asset)).toMatchObject([{ field: 'asset', actual: named(asset).alsoNamed }]);
  });

  it.each([
    ['v3', { ...token, symbol: 'USDC', chain: 'ETH' }],
    ['v1 and v3', { ...token, symbol: 'ETH_USDC', apiV3Symbol: 'USDC', apiV3Type: 'ERC20', chain: 'ETH' }],
    [
      'a coin of v1',
      { ...coin, symbol: 'ARBITRUM_ETH', type: 'ARBITRUM', apiV3Symbol: 'ETH', apiV3Type: 'ETH', chain: 'ARBITRUM' },
    ],
    ["a coin's own name as its type", { ...coin, symbol: 'ARBITRUM_ETH', type: 'ETH', chain: 'ARBITRUM' }],
    ['a bridged token', { ...token, symbol: 'MATIC_USDC', apiV3Symbol: 'USDC.e', chain: 'MATIC' }],
    ['a renamed coin', { ...coin, symbol: 'MATIC_MATIC', apiV3Symbol: 'POL', type: 'MATIC', chain: 'MATIC' }],
    ['another spelling', { ...token, symbol: 'MATIC_USDC', apiV3Symbol: 'USDC', chain: 'POLYGON' }],
    ['a test network', { ...token, symbol: 'ETH_USDC', apiV3Symbol: 'USDC', chain: 'SEPOLIA' }],
    ['a symbol with a bar', { ...token, symbol: 'USDC_E', chain: 'ARBITRUM' }],
    ['a standard of another chain', { ...token, symbol: 'MATIC_USDC', chain: 'MATIC' }],
    ['a chain that is not known', { ...coin, symbol: 'MONAD_MON', chain: 'HYPE', type: 'MONAD' }],
  ])('agree: %s', (_, asset) => expect(asked(asset)).toEqual([]));

  it('are explained by a listing of the contract', () => {
    const asset = { ...token, symbol: 'ETH_USDC', apiV3Symbol: 'USDT', chain: 'ETH' };
    expect(asked(asset, { ...USDC, symbol: 'USDT' })).toEqual([]);
    expect(asked(asset, { ...USDC, symbol: 'USDT', address: `0x${'1'.repeat(40)}` })).toMatchObject([
      { field: 'asset' },
    ]);
  });

  it.each(['MATIC_USDC', 'DOGE_SHIB'])('are not, where they name another chain: %s', (symbol) => {
    const asset = { ...token, symbol, apiV3Symbol: 'USDC', chain: 'ETH' };
    expect(asked(asset, USDC)).toMatchObject([{ field: 'asset', actual: `symbol ${symbol}` }]);
  });
});

describe('a receiver whose checksum is wrong', () => {
  const on = (chain: string, receiverAddress: string, state: StateOverrides = {}) =>
    bought({ receiverAddress, asset: { ...aPurchase().asset, chain, symbol: chain, address: null }, ...state });

  it.each([
    ['BTC', 'bc1q3ze6pqw5h0w7xrrwdn5qnl8e2gzxn2p2tcr4kd'],
    ['BTC', '17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhfm'],
    ['LTC', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc2'],
    ['TRON', 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeD'],
    ['XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi?dt=12345'],
    ['XLM', 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWNA'],
  ])('on %s is a remark: %s', (chain, receiverAddress) => {
    const found = on(chain, receiverAddress, { finalTxHash: null, status: 'PAYMENT_STARTED' });
    const explanation = expect.stringContaining('its checksum is wrong');
    expect(found).toMatchObject([{ field: 'receiver_address', severity: 'info', explanation }]);
  });

  it('has a length as well: 31 bytes in 43 letters are no Solana address, whose form has no checksum', () => {
    const short = '2wxNCvomKGXHkV3dfjoSpoGNsykWP4x9WWCpoWfZVGJ';
    expect(on('SOLANA', short, { finalTxHash: null, status: 'PAYMENT_STARTED' })).toMatchObject([
      { field: 'receiver_address', explanation: expect.stringContaining('is not a Solana address') },
    ]);
  });

  it('says nothing where the chain is only presumed, or not known', () => {
    const mistyped = {
      receiverAddress: '17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhfm',
      finalTxHash: null,
      status: 'PAYMENT_STARTED',
    };
    const asset = { ...aPurchase().asset, chain: 'BTC', symbol: 'BTC', address: null };
    expect(bought({ ...mistyped, asset: { ...asset, chainPresumed: true } })).toEqual(NOTHING);
    expect(bought({ ...mistyped, asset: { ...asset, chain: 'HYPE' } })).toEqual(NOTHING);
  });
});

test('capitals of an EVM address that are not its checksum are a remark', () => {
  const receiverAddress = '0x14701438D1e2A4BE2578158D26F027ea4e99dA6c';
  expect(bought({ receiverAddress })).toMatchObject([{ field: 'receiver_address', severity: 'info' }]);
  expect(bought({ receiverAddress: receiverAddress.toLowerCase() })).toEqual(NOTHING);
  expect(bought({ receiverAddress: `0x${receiverAddress.slice(2).toUpperCase()}` })).toEqual(NOTHING);
});

describe('a list of actions', () => {
  const [paidAt, releasedAt, returnedAt] = [at('2026-11-01 10:10'), at('2026-11-01 10:20'), at('2026-11-10 10:00')];

  it('in order says nothing, whatever came after', () => {
    expect(bought({ paidAt, releasedAt })).toEqual(NOTHING);
    expect(bought({ paidAt: releasedAt + 1000, releasedAt })).toEqual(NOTHING);
    expect(bought({ status: 'RELEASING', paidAt, releasedAt })).toEqual(NOTHING);
    expect(bought({ status: 'SETTLED', finalTxHash: null, paidAt, releasedAt })).toEqual(NOTHING);
  });

  it('with a payment is of no purchase that nobody has begun to pay', () => {
    const failed = { ...RETURNED, value: 'PAYMENT_FAILED', stage: 1, terminal: false, mayReturnTo: 1 };
    const purchase = new Map(STATUSES.purchase).set('PAYMENT_FAILED', failed);
    const terms = someTerms({ statuses: { ...STATUSES, purchase } });
    const asked = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aPurchase(state) }), terms);
    const paid = (status: string) => asked({ status, finalTxHash: null, paidAt });
    expect(paid('INITIALIZED')).toMatchObject([{ field: 'status', actual: 'INITIALIZED' }]);
    for (const status of ['PAYMENT_FAILED', 'PAYMENT_STARTED', 'RELEASING', 'EXPIRED', 'SETTLED'])
      expect(paid(status)).toEqual(NOTHING);
    expect(asked({ status: 'INITIALIZED', finalTxHash: null, paidAt, returnedAt: releasedAt })).toEqual(NOTHING);
  });

  it('does not go on after the end, as far as the status model says so', () => {
    const cancelled = { ...RETURNED, value: 'CANCELLED' };
    const expired = { ...RETURNED, value: 'EXPIRED', mayBecome: ['RELEASED'] };
    const purchase = new Map(STATUSES.purchase).set('CANCELLED', cancelled).set('EXPIRED', expired);
    const terms = someTerms({ statuses: { ...STATUSES, purchase } });
    const step = (from: string | null, to: string, moment: number | null = releasedAt) =>
      ask(recordContradictsItself, aCase({ state: aPurchase({ oddSteps: [{ from, to, at: moment }] }) }), terms);
    expect(step('RELEASED', 'EXPIRED')).toMatchObject([
      {
        field: 'actions',
        expected: 'RELEASED',
        actual: 'EXPIRED',
        explanation: expect.stringContaining('after it was RELEASED already'),
      },
    ]);
    expect(step('EXPIRED', 'RELEASED')).toEqual(NOTHING);
    expect(step('CANCELLED', 'RELEASED', null)).toMatchObject([{ field: 'status', expected: 'CANCELLED' }]);
    expect(step(null, 'PAYMENT_STARTED', at('2026-10-01 09:00'))).toMatchObject([
      { field: 'actions', explanation: expect.stringContaining('begins before') },
    ]);
    // Long after the last update, which need not move with each step.
    expect(step(null, 'FIAT_RECEIVED')).toEqual(NOTHING);
    expect(step(null, 'FIAT_RECEIVED', at('2027-06-01 09:00'))).toMatchObject([
      { field: 'actions', explanation: expect.stringContaining('still to come (FIAT_RECEIVED, 2027-06-01') },
    ]);
  });

  it('explains a transaction of what was charged back', () => {
    const back = { status: 'RETURNED', paidAt, returnedAt: at('2026-11-02 01:00') };
    const terms = someTerms({
      statuses: { ...STATUSES, purchase: new Map(STATUSES.purchase).set('RETURNED', RETURNED) },
    });
    const asked = (state: StateOverrides) => ask(recordContradictsItself, aCase({ state: aPurchase(state) }), terms);
    expect(asked({ ...back, releasedAt })).toEqual(NOTHING);
    expect(asked(back)).toMatchObject([{ field: 'final_tx_hash' }]);
    expect(asked({ ...back, returnedAt })).toMatchObject([{ field: 'final_tx_hash' }, { field: 'actions' }]);
  });
});

test('a payout that is under way, or a transfer that failed, may be behind the sale', () => {
  expect(sold({ status: 'RELEASED', payoutStatus: 'initiated' })).toEqual(NOTHING);
  expect(sold({ status: 'RELEASING', payoutStatus: 'completed' })).toEqual(NOTHING);
  expect(sold({ status: 'SETTLED', payoutStatus: 'completed' })).toEqual(NOTHING);
  expect(sold({ status: 'CREATED', payoutStatus: 'not-started', finalTxHash: TX })).toEqual(NOTHING);
  expect(sold({ status: 'CREATED', cryptoStatus: 'failed', finalTxHash: TX })).toEqual(NOTHING);
  expect(sold({ status: 'CREATED', cryptoStatus: 'not-started', finalTxHash: TX })).toMatchObject([
    { field: 'crypto_status' },
  ]);
});
