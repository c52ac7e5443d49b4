import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { QuoteLine, TrackedLine } from '../../src/sandbox/contract.ts';
import {
  offrampQuoteV3,
  onrampQuoteV3,
  quoteRequestV1,
  quoteRequestV3,
  quoteV1,
} from '../../src/service/wire/quotes.ts';
import { aPopulation, aSandbox, asObject, type Json, post } from './a-sandbox.ts';

const MINUTE = 60_000;

const population = aPopulation({ records: 2000 });
const quotes = [...population.quoteLines()];
const tracked = [...population.trackedLines()];

/** Clean records have one quote and one line each, in the order of the population. */
const pairs = tracked.map((line, index) => {
  const quote = quotes[index];
  const plan = population.plan(index);
  const answered = population.answer(plan, 1);
  if (quote === undefined || 'refusal' in answered) throw new Error(`record ${index} is not clean`);
  return { line, quote, plan, body: JSON.parse(JSON.stringify(answered.body)) as Json };
});

/** What a quote promises for a method, in either version. */
function promise(quote: QuoteLine, method: string): Json {
  return quote.api_version === 'v1' ? quote.response : asObject(quote.response[method]);
}

describe('the quotes that users were shown (spec §2.6, §2.7, §2.10)', () => {
  it('are requests and responses that the schemas of the Service accept', () => {
    for (const { request, response, api_version, direction } of quotes) {
      const [asked, answered] =
        api_version === 'v1'
          ? [quoteRequestV1, quoteV1]
          : [quoteRequestV3, direction === 'onramp' ? onrampQuoteV3 : offrampQuoteV3];
      expect(asked.safeParse(request).error).toBeUndefined();
      expect(answered.safeParse(response).error).toBeUndefined();
    }
  });

  it('are exactly what the endpoint answers at that time', async () => {
    const sandbox = await aSandbox();
    const key = `hostApiKey=${sandbox.hostApiKey}`;
    for (const quote of quotes.filter((_, index) => index % 8 === 0)) {
      sandbox.setClock(Date.parse(quote.captured_at));
      const path = quote.api_version === 'v1' ? 'quote' : `v3/${quote.direction}/quote/all`;
      const { status, body } = await post(sandbox.url, `/host-api/${path}?${key}`, quote.request);
      expect([quote.quote_id, status, body]).toEqual([quote.quote_id, 200, quote.response]);
    }
    await sandbox.close();
  });

  it('were captured 1 to 25 minutes before creation', () => {
    for (const { line, quote } of pairs) {
      const age = Date.parse(line.created_at) - Date.parse(quote.captured_at);
      expect(age >= MINUTE && age <= 25 * MINUTE).toBe(true);
    }
  });

  it('mix versions and ways of asking; v1 leaves the method out at times', () => {
    const share = (test: (quote: QuoteLine) => boolean) => quotes.filter(test).length / quotes.length;
    expect(share((quote) => quote.api_version === 'v1')).toBeGreaterThan(0.25);
    expect(share((quote) => quote.direction === 'offramp')).toBeGreaterThan(0.25);
    expect(share((quote) => 'cryptoAmount' in quote.request)).toBeGreaterThan(0.3);
    expect(share((quote) => 'fiatValue' in quote.request)).toBeGreaterThan(0.3);
    expect(quotes.some((quote) => quote.api_version === 'v1' && !('paymentMethodType' in quote.request))).toBe(true);
    expect(quotes.every((quote) => 'cryptoAmount' in quote.request !== 'fiatValue' in quote.request)).toBe(true);
  });
});

describe('a clean record keeps every promise of its quote', () => {
  it('purchases: total, crypto, base and applied fee are the same numbers', () => {
    for (const { quote, plan, body } of pairs.filter(({ line }) => line.kind === 'purchase')) {
      const { fiatValue, cryptoAmount, baseServiceFee, appliedFee } = promise(quote, plan.method.name);
      expect({ fiatValue, cryptoAmount, baseServiceFee, appliedFee }).toEqual({
        fiatValue: body.fiatValue,
        cryptoAmount: body.cryptoAmount,
        baseServiceFee: body.baseServiceFee,
        appliedFee: body.appliedFee,
      });
    }
  });

  it('purchases: the network fee is the quoted one, converted where the asset is quoted in EUR', () => {
    for (const { quote, body } of pairs.filter(({ line }) => line.kind === 'purchase')) {
      const asset = asObject(quote.response.asset);
      const quoted = new Big(String(quote.api_version === 'v1' ? quote.response.networkFee : asset.networkFee));
      const price = asObject(asset.price);
      const factor =
        quote.api_version === 'v1' || asset.currencyCode === body.fiatCurrency
          ? new Big(1)
          : new Big(String(price[String(body.fiatCurrency)])).div(String(price.EUR));
      const off = quoted.times(factor).minus(String(body.networkFee)).abs().div(String(body.networkFee));
      expect(off.lt('1e-12')).toBe(true);
    }
  });

  it('sales: payout, crypto and fee', () => {
    for (const { quote, plan, body } of pairs.filter(({ line }) => line.kind === 'sale')) {
      const promised = promise(quote, plan.method.name);
      const [crypto, fiat] = [asObject(body.crypto), asObject(body.fiat)];
      expect(promised.cryptoAmount).toBe(crypto.amount);
      expect(String(promised.fiatValue)).toBe(String(fiat.amount));
      if ('fees' in body) expect(String(promised.appliedFee)).toBe(asObject(body.fees).amount);
    }
  });

  it('rates stay within one percent of the quoted price', () => {
    for (const { quote, body } of pairs.filter((pair) => pair.quote.api_version === 'v3')) {
      const currency = String(body.fiatCurrency ?? asObject(body.fiat).currencySymbol);
      const rate = body.assetExchangeRate ?? body.exchangeRate;
      if (rate === undefined) continue;
      const price = new Big(String(asObject(asObject(quote.response.asset).price)[currency]));
      expect(price.minus(String(rate)).abs().div(price).lt('0.01')).toBe(true);
    }
  });
});

describe('how quotes are found', () => {
  const unlinked = pairs.filter(({ line }) => line.quote_id === null);

  it('nine in ten are linked by id, to their own', () => {
    expect(unlinked).toHaveLength(200);
    for (const { line, quote } of pairs) expect([null, quote.quote_id]).toContain(line.quote_id);
  });

  it('the others can be mistaken for none: no other quote of the window is for their asset, method and amount', () => {
    // 1,000 records a day is far denser than the sample above.
    const dense = aPopulation({ records: 4000, days: 4, seed: 3 });
    const all = [...dense.quoteLines()].map((quote) => ({ quote, at: Date.parse(quote.captured_at) }));
    let looked = 0;
    [...dense.trackedLines()].forEach((line: TrackedLine, index) => {
      if (line.quote_id !== null) return;
      looked++;
      const plan = dense.plan(index);
      const own = all[index];
      if (own === undefined) throw new Error(`no quote for record ${index}`);
      const amount = Number(promise(own.quote, plan.method.name).fiatValue);
      const rivals = all.filter(({ quote, at }) => {
        if (quote === own.quote || quote.direction !== own.quote.direction) return false;
        if (at < plan.createdAt - 30 * MINUTE || at > plan.createdAt + 10 * MINUTE) return false;
        if (quote.request.cryptoAssetSymbol !== own.quote.request.cryptoAssetSymbol) return false;
        const rival = promise(quote, plan.method.name);
        if (quote.request.fiatCurrency !== own.quote.request.fiatCurrency) return false;
        return Math.abs(Number(rival.fiatValue) / amount - 1) < 0.002;
      });
      expect(rivals).toEqual([]);
    });
    expect(looked).toBe(400);
  });
});
