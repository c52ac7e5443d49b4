import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { RecordPlan } from '../../src/sandbox/record-plan.ts';
import { aPopulation, asNumber, asObject, bodiesOf, type Json } from './a-sandbox.ts';

const population = aPopulation();
const { purchases, sales } = bodiesOf(population);

/** The digits that stand in the JSON text. */
const big = (value: unknown) => new Big(typeof value === 'string' ? value : String(asNumber(value)));
const tokens = (units: unknown, decimals: unknown) => big(units).div(new Big(10).pow(asNumber(decimals)));

/** The worst of all records, so that a failure says how bad it is and of whom. */
function worst<T extends { plan: RecordPlan }>(items: readonly T[], badness: (item: T) => Big): [number, number] {
  let [most, index] = [new Big(0), -1];
  for (const item of items) {
    const bad = badness(item);
    if (bad.gt(most)) [most, index] = [bad, item.plan.index];
  }
  return [most.toNumber(), index];
}

/** The published fees per method, in percent of the value. */
const PERCENT: Readonly<Record<string, string>> = {
  MANUAL_BANK_TRANSFER: '0.99',
  AUTO_BANK_TRANSFER: '1',
  CARD_PAYMENT: '3.9',
  APPLE_PAY: '3.5',
  GOOGLE_PAY: '3.5',
  PIX: '1.99',
};

describe('the arithmetic of every purchase (field facts "Fees")', () => {
  const figures = purchases.map(({ plan, body }) => {
    const asset = asObject(body.asset);
    const cv = tokens(body.cryptoAmount, asset.decimals).times(big(body.assetExchangeRate));
    // 2.49 EUR in the record's currency, by the rate that the body carries, or by the quote's where it carries none.
    const least = body.fiatExchangeRateEur === undefined ? null : new Big('2.49').div(big(body.fiatExchangeRateEur));
    return { plan, body, cv, least, applied: big(body.appliedFee), base: big(body.baseServiceFee) };
  });

  it('fiatValue = cv + appliedFee, to twelve digits', () => {
    const off = worst(figures, ({ body, cv, applied }) =>
      cv.plus(applied).minus(big(body.fiatValue)).abs().div(big(body.fiatValue)),
    );
    expect(off[0]).toBeLessThan(1e-12);
  });

  it('assetExchangeRate × fiatExchangeRateEur = assetExchangeRateEur, to thirteen digits', () => {
    const both = figures.filter(({ body }) => 'fiatExchangeRateEur' in body && 'assetExchangeRateEur' in body);
    expect(both.length).toBeGreaterThan(1000);
    const off = worst(both, ({ body }) => {
      const eur = big(body.assetExchangeRateEur);
      return big(body.assetExchangeRate).times(big(body.fiatExchangeRateEur)).minus(eur).abs().div(eur);
    });
    expect(off[0]).toBeLessThan(1e-13);
  });

  it("base fee = the method's percentage of cv, or the least fee", () => {
    const known = figures.filter(({ least }) => least !== null);
    const off = worst(known, ({ plan, cv, base, least }) => {
      const share = cv.times(PERCENT[plan.method.name] ?? '0').div(100);
      const due = least?.gt(share) ? least : share;
      return base.minus(due).abs().div(due);
    });
    expect(off[0]).toBeLessThan(1e-12);
  });

  it('appliedFee = base + network, or a fifth of the base fee less under a promotion', () => {
    let discounted = 0;
    const off = worst(figures, ({ body, base, applied }) => {
      const full = base.plus(big(body.networkFee));
      if (full.minus(applied).abs().div(applied).lt('1e-12')) return new Big(0);
      discounted++;
      return full.minus(base.times('0.2')).minus(applied).abs().div(applied);
    });
    expect(off[0]).toBeLessThan(1e-12);
    expect(discounted).toBeGreaterThan(50);
    expect(discounted).toBeLessThan(purchases.length / 5);
  });

  it('the service fee lies between the published minimum and maximum', () => {
    for (const { plan, body, cv, applied, least } of figures) {
      if (least === null) continue;
      const service = applied.minus(big(body.networkFee));
      const [low, high] = [cv.times('0.0099'), cv.times('0.039')];
      const most = (least.gt(high) ? least : high).times('1.000000001');
      const fewest = (least.lt(low) ? least : low).times('0.999999999');
      expect([plan.index, service.lte(most), service.gte(fewest)]).toEqual([plan.index, true, true]);
    }
  });

  it("amounts lie within the global limits of 6 and 15,000 EUR, and within the asset's own", () => {
    const own: Readonly<Record<string, readonly [number, number]>> = {
      BTC_BTC: [7, 12000],
      ETH_USDC: [6, 9000],
      ETH_USDT: [6, 9000],
    };
    for (const { plan, body } of figures) {
      const eur = asNumber(body.fiatValue) * plan.currency.eur;
      const [low, high] = own[`${plan.asset.chain}_${plan.asset.symbol}`] ?? [6.67, 15000];
      expect([plan.index, eur > low * 1.05, eur < high * 0.95]).toEqual([plan.index, true, true]);
    }
  });

  it('host fee cuts are on most records, and a share of the base fee', () => {
    const cut = figures.filter(({ body }) => 'hostFeeCut' in body);
    expect(cut.length / figures.length).toBeGreaterThan(0.5);
    expect(cut.length / figures.length).toBeLessThan(0.8);
    expect(worst(cut, ({ body, base }) => base.times('0.25').minus(big(body.hostFeeCut)).abs())[0]).toBeLessThan(1e-9);
  });
});

describe('the arithmetic of every sale (field facts "Sales")', () => {
  it('fiat.amount = cv − fees.amount where rate and fee are there', () => {
    const whole = sales.filter(({ body }) => 'exchangeRate' in body && 'fees' in body);
    expect(whole.length).toBeGreaterThan(200);
    const off = worst(whole, ({ body }) => {
      const [crypto, fiat] = [asObject(body.crypto), asObject(body.fiat)];
      const cv = tokens(crypto.amount, asObject(crypto.assetInfo).decimals).times(big(body.exchangeRate));
      return cv
        .minus(big(asObject(body.fees).amount))
        .minus(big(fiat.amount))
        .abs()
        .div(big(fiat.amount));
    });
    expect(off[0]).toBeLessThan(1e-12);
  });

  it('come with and without each of the fields that are not always there', () => {
    const share = (has: (body: Json) => boolean) => sales.filter(({ body }) => has(body)).length / sales.length;
    const shares = [
      share((body) => 'status' in body),
      share((body) => 'updatedAt' in body),
      share((body) => 'exchangeRate' in body),
      share((body) => 'fees' in body),
      share((body) => 'saleViewToken' in body),
      share((body) => 'purchaseViewToken' in body),
      share((body) => typeof asObject(body.fiat).amount === 'string'),
      share((body) => 'payoutMethod' in asObject(body.fiat)),
      share((body) => 'status' in asObject(body.fiat) && 'status' in asObject(body.crypto)),
    ];
    expect(shares.every((each) => each > 0.15 && each < 0.95)).toBe(true);
  });

  it('name their payout method wherever their currency has more than one', () => {
    const silent = sales.filter(({ body }) => !('payoutMethod' in asObject(body.fiat)));
    expect(silent.filter(({ plan }) => plan.currency.code === 'EUR')).toEqual([]);
  });
});
