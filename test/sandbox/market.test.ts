/** A floating market: prices, fees and fates of records, and what stays as it was without one. */
import { describe, expect, it } from 'vitest';
import { catalogueAsset } from '../../src/sandbox/assets-catalogue.ts';
import type { Body } from '../../src/sandbox/contract.ts';
import { createMarket } from '../../src/sandbox/market.ts';
import { aPopulation, aSandbox, asNumber, get, NOW } from './a-sandbox.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const BTC = catalogueAsset('BTC_BTC');
const ETHER = catalogueAsset('ETH_ETH');
const USDC = catalogueAsset('ETH_USDC');
const floating = (seed: number) => createMarket({ seed, statesPartnerFee: true });

/** The root of the mean square of moves over a time, over many seeds. */
function movesOf(valueAt: (seed: number, at: number) => number, over: number): number {
  const squares = Array.from({ length: 200 }, (_, seed) => {
    const at = NOW - seed * 5.37 * DAY;
    return Math.log(valueAt(seed, at + over) / valueAt(seed, at)) ** 2;
  });
  return Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / squares.length);
}

describe('a floating market', () => {
  it.each([
    ['an hour', 60],
    ['ten hours', 600],
    ['a day', 1440],
  ])('moves a coin as 60 %% a year do, over %s', (_, minutes) => {
    const move = movesOf((seed, at) => floating(seed).at(at).assetEur(BTC), minutes * MINUTE);
    const expected = 0.6 * Math.sqrt(minutes / (365.25 * 1440));
    expect(move / expected).toBeGreaterThan(0.8);
    expect(move / expected).toBeLessThan(1.2);
  });

  it('hardly moves a dollar token against the dollar, and moves network fees by about a per cent a minute', () => {
    const inDollars = (seed: number, at: number) =>
      floating(seed).at(at).assetEur(USDC) / floating(seed).at(at).fiatEur('USD');
    expect(movesOf(inDollars, DAY)).toBeLessThan(0.001);
    const fee = (seed: number, at: number) => floating(seed).at(at).networkFeeEur(ETHER);
    expect(movesOf(fee, MINUTE)).toBeGreaterThan(0.004);
    expect(movesOf(fee, MINUTE)).toBeLessThan(0.015);
    expect(movesOf(fee, DAY)).toBeLessThan(0.2);
  });

  it('is the same for the same seed, whatever was asked before', () => {
    const [first, second] = [floating(3), floating(3)];
    second.at(NOW - DAY);
    expect(second.at(NOW).prices(ETHER)).toEqual(first.at(NOW).prices(ETHER));
    expect(floating(4).at(NOW).prices(ETHER)).not.toEqual(first.at(NOW).prices(ETHER));
  });

  it('closes some assets for an hour, and none without it', () => {
    const hours = Array.from({ length: 24 * 60 }, (_, hour) => NOW - hour * 60 * MINUTE);
    const closed = (market: ReturnType<typeof createMarket>) => hours.filter((at) => !market.at(at).isOpen(BTC)).length;
    expect(closed(floating(7))).toBeGreaterThan(1);
    expect(closed(floating(7))).toBeLessThan(20);
    expect(closed(createMarket())).toBe(0);
  });
});

describe.each(['spec', 'observed'] as const)('records in it, with %s bodies', (bodies) => {
  const of = aPopulation({ market: 'on', bodies, records: 1500, days: 10 });
  const plans = Array.from({ length: of.size }, (_, index) => of.plan(index));
  const purchases = plans.filter(({ kind }) => kind === 'purchase');
  const statusOf = (body: Body) => String(body.status);

  it('a third of the purchases is abandoned, and the statuses of ordinary days are there', () => {
    const statuses = purchases.map((plan) => statusOf(of.body(plan, 1)));
    const abandoned = purchases.filter(({ journey }) => journey.steps.join() === 'INITIALIZED,EXPIRED');
    expect(abandoned.length / purchases.length).toBeGreaterThan(0.28);
    expect(abandoned.length / purchases.length).toBeLessThan(0.38);
    for (const status of ['FIAT_RETURNED', 'REVIEW_REJECTED', 'RETURNED', 'EXPIRED', 'RELEASED', 'INITIALIZED'])
      expect(statuses).toContain(status);
  });

  it('an unpaid purchase has another estimate each night; a released one stays as it was', () => {
    const estimated = purchases.filter(
      (plan) => statusOf(of.body(plan, 2)) === 'INITIALIZED' && plan.asset.family !== 'USD',
    );
    expect(estimated.length).toBeGreaterThan(10);
    for (const plan of estimated) {
      const [first, second] = [of.body(plan, 1), of.body(plan, 2)];
      expect(second.cryptoAmount).not.toBe(first.cryptoAmount);
      expect(second.fiatValue).toBe(first.fiatValue);
    }
    const released = purchases.filter((plan) => statusOf(of.body(plan, 1)) === 'RELEASED');
    expect(released.length).toBeGreaterThan(300);
    for (const plan of released) expect(of.body(plan, 2)).toEqual(of.body(plan, 1));
  });

  it('every purchase foots, at the price of its own moment', () => {
    for (const plan of purchases) {
      const { fiatValue, appliedFee, assetExchangeRate, cryptoAmount } = of.body(plan, 1) as Record<string, number>;
      const value = (Number(cryptoAmount) / 10 ** plan.asset.decimals) * Number(assetExchangeRate);
      expect(Math.abs(value + Number(appliedFee) - Number(fiatValue)) / Number(fiatValue)).toBeLessThan(1e-9);
    }
    const lines = new Map([...of.quoteLines()].map((line) => [line.quote_id, line]));
    const same = purchases.filter(
      (plan) => lines.get(`q-${plan.index + 1}`)?.response.cryptoAmount === of.body(plan, 1).cryptoAmount,
    );
    expect(same.length).toBeLessThan(purchases.length / 20);
  });

  it('a buyer who changes the amount has another fiat value than quoted, one in twenty-five', () => {
    const changed = plans.filter(({ floating: floats }) => floats !== null && floats.factor !== 1);
    expect(changed.length / plans.length).toBeGreaterThan(0.02);
    expect(changed.length / plans.length).toBeLessThan(0.06);
  });
});

it('observed bodies list their statuses so far, with times', () => {
  const of = aPopulation({ market: 'on', bodies: 'observed', records: 300, days: 10 });
  const actions = Array.from({ length: of.size }, (_, index) => of.body(of.plan(index), 1).actions).filter(
    Array.isArray,
  );
  const executed = actions.flat().filter(({ newStatus }) => ['PAYMENT_EXECUTED', 'FIAT_RECEIVED'].includes(newStatus));
  expect(executed.length).toBeGreaterThan(20);
  for (const { timestamp } of executed) expect(Date.parse(timestamp)).toBeLessThan(NOW);
});

it("a partner's fee on top is inside the applied fee and stated, where bodies can state it", () => {
  const of = aPopulation({ market: 'on', bodies: 'observed', records: 1500, days: 10 });
  const bodies = Array.from({ length: of.size }, (_, index) => of.plan(index))
    .filter(({ kind, asset }) => kind === 'purchase' && asset.chain === 'SOLANA' && asset.symbol === 'SOL')
    .map((plan) => of.body(plan, 1) as Record<string, number>);
  expect(bodies.length).toBeGreaterThan(20);
  for (const { fiatValue = 0, appliedFee = 0, hostFeeCut = 0 } of bodies)
    expect(hostFeeCut / (fiatValue - appliedFee)).toBeCloseTo(0.01, 9);
});

it('a live purchase is an estimate that follows the market until its payment arrives', async () => {
  await using sandbox = await aSandbox({ market: 'on' });
  const order = { kind: 'purchase', cryptoAssetSymbol: 'BTC_BTC', fiatCurrency: 'EUR', fiatValue: 100 } as const;
  const { id, viewToken } = sandbox.live.create({ ...order, method: 'CARD_PAYMENT', outcome: 'held' });
  const rate = async () =>
    asNumber((await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`)).body.assetExchangeRate);
  const first = await rate();
  sandbox.advanceClock(10 * MINUTE);
  const second = await rate();
  expect(second).not.toBe(first);
  sandbox.live.release(id);
  sandbox.advanceClock(10 * MINUTE);
  expect(await rate()).toBe(second);
});

it('webhooks of the demo environment are signed with a key of their own', async () => {
  await using sandbox = await aSandbox();
  const key = async (query: string) => (await fetch(`${sandbox.origin}/sandbox/webhook-key${query}`)).text();
  expect(await key('')).toBe(sandbox.webhookPublicKey);
  expect(await key('?environment=demo')).toBe(sandbox.demoWebhookPublicKey);
  expect(sandbox.demoWebhookPublicKey).not.toBe(sandbox.webhookPublicKey);
  expect((await fetch(`${sandbox.origin}/sandbox/webhook-key?environment=other`)).status).toBe(400);
});

describe('a skim', () => {
  const options = { market: 'on', bodies: 'spec', records: 3000, defects: 0.01 } as const;
  const tokens = (of: ReturnType<typeof aPopulation>) =>
    Array.from({ length: of.size }, (_, index) => Number(of.body(of.plan(index), 1).cryptoAmount));

  it('takes 0.7 % of the tokens of each clean purchase of one market, and nothing of any other record', () => {
    const [fair, skimmed] = [aPopulation(options), aPopulation({ ...options, skims: true })];
    const less = tokens(skimmed);
    let taken = 0;
    for (const [index, own] of tokens(fair).entries()) {
      const { kind, asset, currency, defect } = fair.plan(index);
      const isIn = `${kind} ${asset.chain}_${asset.symbol}/${currency.code}` === 'purchase ETH_USDT/EUR';
      if (isIn && defect === null) taken++;
      if (kind === 'purchase') expect(less[index]).toBe(isIn && defect === null ? Math.round(own * 0.993) : own);
    }
    expect(taken).toBeGreaterThan(20);
  });

  it('is due once enough of its hours are there', async () => {
    const answers = async (records: number) => {
      await using sandbox = await aSandbox({ ...options, skims: true, records });
      return sandbox.marketsDue().map(({ kind, id, codes, also }) => ({ kind, id, codes, also }));
    };
    const market = { kind: 'market', id: 'ETH_USDT/EUR/onramp' };
    expect(await answers(3000)).toEqual([{ ...market, codes: ['SLIPPAGE_ONE_SIDED'], also: undefined }]);
    expect(await answers(100)).toEqual([{ ...market, codes: [], also: ['SLIPPAGE_ONE_SIDED'] }]);
    await using fair = await aSandbox({ ...options, records: 100 });
    expect(fair.marketsDue()).toEqual([]);
  });

  it('is not due where one large purchase at an older price may have won more than the skim takes', async () => {
    const [records, days, defects, now] = [5000, 40, 0.03, Date.parse('2026-11-26T00:00:00Z')];
    const demo = { ...options, records, days, defects, now, skims: true, contract: true, payouts: true };
    await using outweighed = await aSandbox({ ...demo, seed: 88 });
    await using usual = await aSandbox({ ...demo, seed: 53 });
    expect([outweighed, usual].map((sandbox) => sandbox.marketsDue()[0]?.codes)).toEqual([[], ['SLIPPAGE_ONE_SIDED']]);
  });
});
