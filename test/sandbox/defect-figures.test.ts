import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { aPopulation, asNumber, asObject, type Json } from './a-sandbox.ts';
import { casesOf } from './defect-cases.ts';

const cvOf = (body: Json) =>
  (Number(body.cryptoAmount) / 10 ** asNumber(asObject(body.asset).decimals)) * asNumber(body.assetExchangeRate);

describe('quotes', () => {
  it('quote-missing: none is exported, none is linked', () => {
    for (const { quote, own } of casesOf('quote-missing')) expect([quote, own[0]?.quote_id]).toEqual([undefined, null]);
  });

  it('quote-for-sibling-asset: all figures agree, the asset does not', () => {
    for (const { quote, promised, first, plan, own } of casesOf('quote-for-sibling-asset')) {
      expect(own[0]?.quote_id).toBe(quote?.quote_id);
      expect(quote?.request.cryptoAssetSymbol).toBe(`${plan.asset.chain}_USDT`);
      expect(plan.asset.symbol).toBe('USDC');
      expect([promised.fiatValue, promised.cryptoAmount, promised.appliedFee]).toEqual([
        first.fiatValue,
        first.cryptoAmount,
        first.appliedFee,
      ]);
    }
  });

  it('look-alike-contract: the name of the quoted token, and another contract', () => {
    for (const { quote, first } of casesOf('look-alike-contract')) {
      const [quoted, own] = [asObject(quote?.response.asset), asObject(first.asset)];
      expect([own.name, own.decimals]).toEqual([quoted.name, quoted.decimals]);
      expect(String(own.address).toLowerCase()).not.toBe(String(quoted.address).toLowerCase());
    }
  });

  it('quote-without-method: the others are there', () => {
    for (const { quote, plan } of casesOf('quote-without-method')) {
      expect(quote?.response).not.toHaveProperty(plan.method.name);
      expect(Object.keys(quote?.response ?? {}).length).toBeGreaterThan(2);
    }
  });

  it('method-unsupported: PIX in euros, promised and paid alike', () => {
    for (const { promised, first } of casesOf('method-unsupported')) {
      expect(first).toMatchObject({ paymentMethodType: 'PIX', fiatCurrency: 'EUR', fiatValue: promised.fiatValue });
    }
  });
});

describe('figures that contradict the quote, the bounds or each other', () => {
  const footing = (body: Json) => asNumber(body.fiatValue) - cvOf(body) - asNumber(body.appliedFee);

  it('hidden-markup: the fee is up by half a percent of the value; total, crypto and base fee are as promised', () => {
    for (const { promised, first } of casesOf('hidden-markup')) {
      expect([first.fiatValue, first.cryptoAmount, first.baseServiceFee]).toEqual([
        promised.fiatValue,
        promised.cryptoAmount,
        promised.baseServiceFee,
      ]);
      const extra = asNumber(first.appliedFee) - asNumber(promised.appliedFee);
      expect(extra / cvOf(first)).toBeCloseTo(0.005, 4);
      expect(Math.abs(footing(first))).toBeLessThan(1e-6 * asNumber(first.fiatValue));
    }
  });

  it('overcharged: total, base and applied fee are up by the same amount', () => {
    for (const { promised, first } of casesOf('overcharged')) {
      const up = (field: string) => asNumber(first[field]) - asNumber(promised[field]);
      expect(up('fiatValue') / asNumber(promised.fiatValue)).toBeCloseTo(0.015, 9);
      expect(up('baseServiceFee') / up('fiatValue')).toBeCloseTo(1, 6);
      expect(up('appliedFee') / up('fiatValue')).toBeCloseTo(1, 6);
      expect(first.cryptoAmount).toBe(promised.cryptoAmount);
    }
  });

  it('overcharged: as printed, no fee is up by less than the total, which is up by exactly 1.5 %', () => {
    const { answerKey, find, body, quoteLines } = aPopulation({
      records: 4000,
      defects: 0.1,
      defectKinds: ['overcharged'],
    });
    const quotes = new Map([...quoteLines()].map((quote) => [quote.quote_id, quote]));
    let cases = 0;
    for (const { kind, id } of answerKey()) {
      const plan = find(kind, id);
      const quote = plan === null ? undefined : quotes.get(`q-${plan.index + 1}`);
      if (plan === null || quote === undefined) continue;
      const promised = quote.api_version === 'v1' ? quote.response : asObject(quote.response[plan.method.name]);
      const own = body(plan, 1);
      const up = (field: string) =>
        Decimal.parse(String(own[field])).minus(Decimal.parse(String(asObject(promised)[field])));
      const total = Decimal.parse(String(asObject(promised).fiatValue)).times(Decimal.parse('0.015'));
      expect(up('fiatValue').toString()).toBe(total.toString());
      expect(up('appliedFee').lessThan(total)).toBe(false);
      expect(up('baseServiceFee').lessThan(total)).toBe(false);
      cases++;
    }
    expect(cases).toBe(400);
  });

  it.each([
    ['base-fee-moved', 'baseServiceFee', 1.3],
    ['network-fee-moved', 'networkFee', 1.8],
  ])('%s: only %s differs', (defect, field, factor) => {
    for (const { promised, first, plan, quote } of casesOf(defect)) {
      expect([first.fiatValue, first.cryptoAmount, first.appliedFee]).toEqual([
        promised.fiatValue,
        promised.cryptoAmount,
        promised.appliedFee,
      ]);
      const inEur = plan.currency.code === 'KWD' || plan.currency.code === 'COP';
      if (quote?.api_version === 'v3' && field === 'networkFee' && inEur) continue;
      const source = quote?.api_version === 'v3' && field === 'networkFee' ? asObject(quote.response.asset) : promised;
      expect(asNumber(first[field]) / asNumber(source[field])).toBeCloseTo(factor, 9);
    }
  });

  it('fee-above-maximum: 9 % of the value or what a promotion leaves of it, promised and paid alike', () => {
    for (const { promised, first } of casesOf('fee-above-maximum')) {
      expect(first.appliedFee).toBe(promised.appliedFee);
      const share = (asNumber(first.appliedFee) - asNumber(first.networkFee)) / cvOf(first);
      expect(share).toBeGreaterThan(0.047);
    }
  });

  it('amount-scaled: 1.3 times the crypto, every share of the value as promised', () => {
    for (const { promised, first } of casesOf('amount-scaled')) {
      expect(Number(first.cryptoAmount) / Number(promised.cryptoAmount)).toBeCloseTo(1.3, 5);
      expect(asNumber(first.baseServiceFee) / asNumber(promised.baseServiceFee)).toBeCloseTo(1.3, 5);
      expect(Math.abs(footing(first))).toBeLessThan(1e-9 * asNumber(first.fiatValue));
    }
  });

  it('payout-short: nine percent less fiat for the same crypto', () => {
    for (const { promised, first } of casesOf('payout-short')) {
      expect(asObject(first.crypto).amount).toBe(promised.cryptoAmount);
      expect(Number(asObject(first.fiat).amount) / asNumber(promised.fiatValue)).toBeCloseTo(0.91, 9);
    }
  });

  it('above-asset-limit: over the 9,000 EUR that the quoted asset allows, under the 15,000 that hold for all', () => {
    for (const { quote, first, plan } of casesOf('above-asset-limit')) {
      const asset = asObject(quote?.response.asset);
      expect(asset.currencyCode).toBe(first.fiatCurrency);
      expect(asNumber(first.fiatValue)).toBeGreaterThan(asNumber(asset.maxPurchaseAmount) * 1.2);
      expect(asNumber(first.fiatValue) * plan.currency.eur).toBeLessThan(13_500);
    }
  });

  it('total-not-footing: the rates are up by 1.2 %, and nothing else is', () => {
    for (const { promised, first } of casesOf('total-not-footing')) {
      expect(-footing(first) / cvOf(first)).toBeCloseTo(0.012 / 1.012, 6);
      expect(first.fiatValue).toBe(promised.fiatValue);
    }
  });

  it('rates-contradict: the rate in EUR is 15 % too high', () => {
    for (const { first } of casesOf('rates-contradict')) {
      const inEur = asNumber(first.assetExchangeRate) * asNumber(first.fiatExchangeRateEur);
      expect(asNumber(first.assetExchangeRateEur) / inEur).toBeCloseTo(1.15, 9);
    }
  });
});
