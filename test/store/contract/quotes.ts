import { beforeEach, describe, expect, it } from 'vitest';
import { withOtherNames } from '../../../src/domain/asset.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { Seen } from '../../../src/domain/market.ts';
import type { CapturedWanted } from '../../../src/domain/match-quote.ts';
import type { QuoteAnswer } from '../../../src/ports/service.ts';
import type { MarketWanted, Store } from '../../../src/ports/store/store.ts';
import { aQuote, aQuotedMethod, at, dec, ETH, MINUTES, type QuoteOverrides } from '../../support/builders.ts';

const EVER = Number.MAX_SAFE_INTEGER;
const NOON = at('2026-11-01 12:00');

function input(overrides: QuoteOverrides, response = '{"of":"the Service"}'): QuoteAnswer {
  return { quote: aQuote(overrides), request: '{"cryptoAssetSymbol":"ETH_ETH"}', response };
}

function wish(overrides: Partial<CapturedWanted> = {}): CapturedWanted {
  return {
    direction: 'onramp',
    asset: { chain: 'ETH', symbol: 'ETH', decimals: 18 },
    fiatCurrency: 'EUR',
    method: 'CARD_PAYMENT',
    from: NOON - 30 * MINUTES,
    to: NOON,
    ...overrides,
  };
}

/** Quotes: stored once, and found again for a record that names none. */
export function quotesContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  async function capturedIds(wanted: CapturedWanted, watermark = EVER): Promise<readonly string[]> {
    const [found] = await store.quotes.captured([wanted], watermark);
    return (found ?? []).map((quote) => quote.quoteId);
  }

  describe('quotes', () => {
    it('returns the stored quote, to the last digit', async () => {
      const quote = input(
        {
          methods: [
            aQuotedMethod({ method: 'PIX', fiatValue: '104.7600000000000001', hostFeeCut: '0.1', exchangeRate: null }),
            aQuotedMethod({ method: 'CARD_PAYMENT', cryptoUnits: 123_456_789_012_345_678_901n }),
          ],
          assetTerms: { minPurchaseAmount: '6', minPurchaseCryptoUnits: 100n, price: '2490.125' },
        },
        '{"CARD_PAYMENT":{"fiatValue":104.7600000000000001}}',
      );
      expect(await store.quotes.add([quote], NOON)).toEqual(['added']);
      expect(await store.quotes.get('q-17')).toEqual(quote);
      expect(await store.quotes.get('q-18')).toBeNull();
      expect([await store.quotes.has('q-17'), await store.quotes.has('q-18')]).toEqual([true, false]);
      expect(await store.quotes.requests(['q-17', 'q-18'])).toEqual(new Map([['q-17', quote.request]]));
    });

    it('keeps a quote of the first version, which has neither terms nor a base fee', async () => {
      const quote = input({
        api: 'v1',
        assetTerms: null,
        methods: [aQuotedMethod({ baseFee: null, networkFee: null })],
      });
      await store.quotes.add([quote], NOON);
      expect(await store.quotes.get('q-17')).toEqual(quote);
    });

    it('finds a quote for a coin by its old name and its new one', async () => {
      const coin = (symbol: string) => ({ chain: 'MATIC', symbol, decimals: 18, address: null });
      await store.quotes.add([input({ asset: coin('MATIC'), capturedAt: NOON - MINUTES })], NOON);
      await store.quotes.add([input({ quoteId: 'q-18', asset: coin('POL'), capturedAt: NOON - 2 * MINUTES })], NOON);
      expect(await capturedIds(wish({ asset: withOtherNames(coin('POL')) }))).toEqual(['q-17', 'q-18']);
      expect(await capturedIds(wish({ asset: withOtherNames(coin('MATIC')) }))).toEqual(['q-17', 'q-18']);
    });

    it('takes the same quote once and refuses another one of the same name', async () => {
      await store.quotes.add([input({})], NOON);
      const outcomes = await store.quotes.add(
        [input({}), input({}, '{"other":"body"}'), input({ quoteId: 'q-18' })],
        NOON,
      );
      expect(outcomes).toEqual(['unchanged', 'conflict', 'added']);
      expect((await store.quotes.get('q-17'))?.response).toBe('{"of":"the Service"}');
      expect(await store.quotes.count()).toBe(2);
    });

    it('keeps what the app showed of a quote; shown amounts that differ are another quote', async () => {
      const plain = input({});
      const shown = (fee: string) => {
        const told = { total: dec('104.76'), fee: dec(fee), method: 'PIX' };
        return { ...plain, quote: { ...plain.quote, shown: told } };
      };
      expect(await store.quotes.add([shown('4.76')], NOON)).toEqual(['added']);
      expect((await store.quotes.get('q-17'))?.quote.shown).toEqual(shown('4.76').quote.shown);
      expect(await store.quotes.add([shown('4.76'), shown('4.77')], NOON)).toEqual(['unchanged', 'conflict']);
    });

    it('sees repetitions within one batch', async () => {
      const outcomes = await store.quotes.add([input({}), input({}), input({}, '{"other":"body"}')], NOON);
      expect(outcomes).toEqual(['added', 'unchanged', 'conflict']);
    });

    it('notes the currencies of quotes', async () => {
      await store.quotes.add([input({ fiatCurrency: 'GBP' })], NOON);
      expect(await store.tracked.currenciesInUse()).toEqual(['GBP']);
    });
  });

  describe('captured quotes', () => {
    it('come latest first, both ends of the time included', async () => {
      await store.quotes.add(
        [
          input({ quoteId: 'too early', capturedAt: NOON - 30 * MINUTES - 1 }),
          input({ quoteId: 'first', capturedAt: NOON - 30 * MINUTES }),
          input({ quoteId: 'middle', capturedAt: NOON - 10 * MINUTES }),
          input({ quoteId: 'last', capturedAt: NOON }),
          input({ quoteId: 'too late', capturedAt: NOON + 1 }),
        ],
        NOON,
      );
      expect(await capturedIds(wish())).toEqual(['last', 'middle', 'first']);
    });

    it('are of the same direction, chain, symbol and currency', async () => {
      await store.quotes.add(
        [
          input({ quoteId: 'the one', capturedAt: NOON }),
          input({ quoteId: 'selling', capturedAt: NOON, direction: 'offramp' }),
          input({ quoteId: 'other chain', capturedAt: NOON, asset: { chain: 'BASE', symbol: 'ETH', decimals: 18 } }),
          input({ quoteId: 'other symbol', capturedAt: NOON, asset: { chain: 'ETH', symbol: 'USDC', decimals: 6 } }),
          input({ quoteId: 'other currency', capturedAt: NOON, fiatCurrency: 'GBP' }),
        ],
        NOON,
      );
      expect(await capturedIds(wish())).toEqual(['the one']);
    });

    it('are of any chain where one side names none, but never of another contract', async () => {
      const address = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
      const dai = { symbol: 'DAI', decimals: 18 };
      await store.quotes.add(
        [
          input({ quoteId: 'v1', capturedAt: NOON, asset: { ...dai, chain: '', address } }),
          input({ quoteId: 'v3', capturedAt: NOON - 1, asset: { ...dai, chain: 'ETH', address } }),
          input({ quoteId: 'other', capturedAt: NOON - 2, asset: { ...dai, chain: 'MATIC', address: '0x8f3c' } }),
        ],
        NOON,
      );
      const onEthereum = { ...dai, chain: 'ETH', address: address.toLowerCase() };
      expect(await capturedIds(wish({ asset: onEthereum }))).toEqual(['v1', 'v3']);
      expect(await capturedIds(wish({ asset: { ...onEthereum, chain: '' } }))).toEqual(['v1', 'v3']);
    });

    it('keep what their chain rests on', async () => {
      const asset = { chain: 'ETH', symbol: 'DAI', decimals: 18, address: '0x6b17', chainPresumed: true };
      await store.quotes.add([input({ quoteId: 'presumed', asset })], NOON);
      expect((await store.quotes.get('presumed'))?.quote.asset).toEqual(asset);
    });

    it('offer the method, and show only that one; any where none is wanted', async () => {
      const both = [aQuotedMethod({ method: 'PIX' }), aQuotedMethod({ method: 'CARD_PAYMENT' })];
      await store.quotes.add(
        [
          input({ quoteId: 'both', capturedAt: NOON, methods: both }),
          input({ quoteId: 'pix', capturedAt: NOON - 1, methods: [aQuotedMethod({ method: 'PIX' })] }),
        ],
        NOON,
      );
      const [card, any, none] = await store.quotes.captured(
        [wish(), wish({ method: null }), wish({ method: 'APPLE_PAY' })],
        EVER,
      );
      expect(card?.map((quote) => [quote.quoteId, quote.methods.map((each) => each.method)])).toEqual([
        ['both', ['CARD_PAYMENT']],
      ]);
      expect(any?.map((quote) => [quote.quoteId, quote.methods.map((each) => each.method)])).toEqual([
        ['both', ['PIX', 'CARD_PAYMENT']],
        ['pix', ['PIX']],
      ]);
      expect(none).toEqual([]);
    });

    it('near the wanted amount, by fiat value or by units; any where no amount is wanted', async () => {
      const worth = (quoteId: string, fiatValue: string, cryptoUnits: bigint) =>
        input({ quoteId, capturedAt: NOON, methods: [aQuotedMethod({ fiatValue, cryptoUnits })] });
      await store.quotes.add([worth('near', '100.5', 7n), worth('far', '250', 8n), worth('units', '9', 40n)], NOON);
      const near = (least: string, most: string) => [Decimal.parse(least), Decimal.parse(most)] as const;
      const amounts = { fiat: near('100', '101'), units: near('39.9', '40.1') };
      expect(await capturedIds(wish({ amounts }))).toEqual(['units', 'near']);
      expect(await capturedIds(wish({ amounts, method: null }))).toEqual(['units', 'near']);
      expect(await capturedIds(wish())).toEqual(['units', 'far', 'near']);
    });

    it('are read once for all wishes that they answer: a busy hour took gigabytes', async () => {
      const methods = [aQuotedMethod({ method: 'PIX' }), aQuotedMethod({ method: 'CARD_PAYMENT' })];
      await store.quotes.add([input({ quoteId: 'shared', capturedAt: NOON, methods })], NOON);
      const renamed = { ...wish().asset, otherNames: ['ETHER'] };
      const found = await store.quotes.captured(
        [wish(), wish(), wish({ method: 'PIX' }), wish({ method: null }), wish({ asset: renamed })],
        EVER,
      );
      const [one, same, pix, any, byAnyName] = found.map(([quote]) => quote);
      expect([same, byAnyName]).toEqual([one, one]);
      // The next page asks for most of them again.
      expect((await store.quotes.captured([wish()], EVER))[0]?.[0]).toBe(one);
      expect([one, pix, any].map((quote) => quote?.methods.map(({ method }) => method))).toEqual([
        ['CARD_PAYMENT'],
        ['PIX'],
        ['PIX', 'CARD_PAYMENT'],
      ]);
    });

    it('answer every wish of a page by itself, overlapping or not', async () => {
      await store.quotes.add(
        [0, 20, 40, 60, 80].map((minute) => input({ quoteId: `at ${minute}`, capturedAt: NOON + minute * MINUTES })),
        NOON,
      );
      const stretch = (from: number, to: number): CapturedWanted =>
        wish({ from: NOON + from * MINUTES, to: NOON + to * MINUTES });
      const found = await store.quotes.captured(
        [stretch(70, 90), stretch(0, 30), stretch(15, 45), stretch(81, 99)],
        EVER,
      );
      expect(found.map((quotes) => quotes.map((quote) => quote.quoteId))).toEqual([
        ['at 80'],
        ['at 20', 'at 0'],
        ['at 40', 'at 20'],
        [],
      ]);
    });

    it('of the latest hundred alone, where that is enough', async () => {
      const captured = Array.from({ length: 120 }, (_, i) =>
        input({ quoteId: `at ${i}`, capturedAt: NOON + i * 1000 }),
      );
      await store.quotes.add(captured, NOON);
      const all = wish({ from: NOON, to: NOON + 60 * MINUTES });
      expect(await capturedIds(all)).toHaveLength(120);
      const latest = await capturedIds({ ...all, latest: true });
      expect([latest.length, latest[0], latest.at(-1)]).toEqual([100, 'at 119', 'at 20']);
      expect(await capturedIds({ ...all, latest: true, to: NOON + 2000 })).toEqual(['at 2', 'at 1', 'at 0']);
    });

    it('of two captured in the same moment, the one stored last comes first', async () => {
      await store.quotes.add([input({ quoteId: 'b', capturedAt: NOON })], NOON);
      await store.quotes.add([input({ quoteId: 'a', capturedAt: NOON })], NOON);
      expect(await capturedIds(wish())).toEqual(['a', 'b']);
    });

    it('do not show what came in after the watermark', async () => {
      await store.quotes.add([input({ quoteId: 'known then', capturedAt: NOON - MINUTES })], NOON);
      await store.quotes.add([input({ quoteId: 'learned since', capturedAt: NOON })], NOON);
      expect(await capturedIds(wish(), 1)).toEqual(['known then']);
      expect(await capturedIds(wish(), 0)).toEqual([]);
    });
  });

  describe('what others were quoted around a time', () => {
    /** Of 0.04 ETH: the price is a twenty-fifth of the value after fees. */
    const quoted = (quoteId: string, minutes: number, value: string, networkFee = '1', rest: QuoteOverrides = {}) =>
      input({
        quoteId,
        capturedAt: NOON + minutes * MINUTES,
        methods: [aQuotedMethod({ fiatValue: dec(value).plus(dec('5')).toString(), appliedFee: '5', networkFee })],
        ...rest,
      });
    const around = (from: number, to: number, ownId = 'own', ownAt = from) => ({
      direction: 'onramp' as const,
      asset: ETH,
      currency: 'EUR',
      from: NOON + from * MINUTES,
      to: NOON + to * MINUTES,
      own: { quoteId: ownId, capturedAt: NOON + ownAt * MINUTES },
    });
    const shown = (seen: Seen | null) => (seen === null ? 'nothing' : `${seen.low} to ${seen.high} of ${seen.count}`);
    const seenBy = async (wanted: MarketWanted, watermark = EVER) => {
      const [found] = await store.quotes.seen([wanted], watermark);
      return [shown(found?.prices ?? null), shown(found?.networkFees ?? null)];
    };

    it('is the range of their prices and network fees, both ends of the time included, without the own quote', async () => {
      await store.quotes.add(
        [
          quoted('own', 0, '80'),
          quoted('before', -1, '60'),
          quoted('at the start', 0, '100', '0.8'),
          quoted('hours later', 200, '104', '1.2'),
          quoted('at the end', 300, '96'),
          quoted('after', 301, '140'),
        ],
        NOON,
      );
      expect(await seenBy(around(0, 300))).toEqual(['2400 to 2600 of 3', '0.8 to 1.2 of 3']);
      expect(await seenBy(around(0, 300, 'hours later', 200))).toEqual(['2000 to 2500 of 3', '0.8 to 1 of 3']);
      expect(await seenBy(around(10, 20))).toEqual(['nothing', 'nothing']);
    });

    it('is of the same asset, direction and currency, and of what was known then', async () => {
      await store.quotes.add([quoted('known', 1, '100')], NOON);
      await store.quotes.add(
        [
          quoted('learned since', 2, '110'),
          quoted('a sale', 3, '120', '1', { direction: 'offramp' }),
          quoted('in zloty', 4, '120', '1', { fiatCurrency: 'PLN' }),
          quoted('elsewhere', 5, '120', '1', { asset: { ...ETH, chain: 'OPTIMISM' } }),
        ],
        NOON,
      );
      expect(await seenBy(around(0, 10), 1)).toEqual(['2500 to 2500 of 1', '1 to 1 of 1']);
      expect(await seenBy(around(0, 10))).toEqual(['2500 to 2750 of 2', '1 to 1 of 2']);
      // The same from memory.
      expect(await seenBy(around(0, 10), 1)).toEqual(['2500 to 2500 of 1', '1 to 1 of 1']);
    });

    it('looks at a few of each ten minutes, and at no payment that would take a month', async () => {
      await store.quotes.add(
        Array.from({ length: 30 }, (_, i) => quoted(`q${i}`, i, '100')),
        NOON,
      );
      expect(await seenBy(around(0, 29))).toEqual(['2500 to 2500 of 12', '1 to 1 of 12']);
      expect(await seenBy(around(-60 * 24 * 31, 29))).toEqual(['nothing', 'nothing']);
    });
  });
}
