import { beforeEach, describe, expect, it } from 'vitest';
import type { MethodTerms } from '../../../src/domain/reference.ts';
import { UNREAD } from '../../../src/domain/reference.ts';
import type { ReferenceInput, ReferenceWanted, Store } from '../../../src/ports/store/store.ts';
import { at, dec, someAssetTerms, someGlobalTerms } from '../../support/builders.ts';

const EVER = Number.MAX_SAFE_INTEGER;
const ETHER = { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null };

function assets(text: string, price: string, sha256 = `hash of ${price}`): ReferenceInput {
  const { capturedAt: _asset, ...asset } = someAssetTerms({ price });
  const { capturedAt: _global, ...global } = someGlobalTerms({ maxPurchaseAmount: price });
  return {
    type: 'assets',
    direction: 'onramp',
    currency: 'EUR',
    global,
    assets: [asset],
    body: `{"price":${price}}`,
    sha256,
    at: at(text),
  };
}

function methods(text: string, list: readonly MethodTerms[]): ReferenceInput {
  return {
    type: 'methods',
    direction: 'onramp',
    methods: list,
    body: '[]',
    sha256: JSON.stringify(list),
    at: at(text),
  };
}

function wish(text: string | null, overrides: Partial<ReferenceWanted> = {}): ReferenceWanted {
  const when = text === null ? null : at(text);
  return { direction: 'onramp', currency: 'EUR', asset: ETHER, at: when, ...overrides };
}

/** Reference data as of a time. */
export function referenceContract(use: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = use();
  });

  /** The price and the global maximum in force, which every capture here sets to the same figure. */
  async function pricesAt(wanted: readonly ReferenceWanted[], watermark = EVER): Promise<readonly string[]> {
    const found = await store.reference.asOf(wanted, watermark);
    return found.map((each) => `${each.asset?.price ?? '-'}/${each.global?.maxPurchaseAmount ?? '-'}`);
  }

  describe('reference data', () => {
    it('is captured in passes, which keep the time of each list', async () => {
      const lists = (hour: number) => [
        assets(`2026-11-01 ${hour}:00`, '100'),
        methods(`2026-11-01 ${hour}:01`, []),
        { ...assets(`2026-11-01 ${hour}:02`, '300'), currency: 'USD' } as ReferenceInput,
      ];
      for (let hour = 10; hour < 22; hour++) await store.reference.save(...lists(hour));
      const [found] = await store.reference.asOf([wish('2026-11-01 20:30')], EVER);
      expect(found?.asset?.capturedAt).toBe(at('2026-11-01 20:00'));
      expect((await store.reference.latest()).map((list) => list.at)).toEqual(
        ['2026-11-01 21:00', '2026-11-01 21:02', '2026-11-01 21:01'].map((text) => at(text)),
      );
    });

    it('of a list whose figures move has each capture as it was, with assets that go, come back or become something else', async () => {
      const list = (hour: number): ReferenceInput => {
        const input = assets(
          `2026-11-01 ${String(hour).padStart(2, '0')}:00`,
          `${2500 + hour}.${'123456789012345'.slice(hour)}`,
        );
        if (input.type !== 'assets') throw new Error('no assets');
        const [ether] = input.assets;
        if (ether === undefined) throw new Error('no asset');
        const dollar = {
          ...ether,
          ...{ symbol: 'USDC', address: '0xA0b8', type: 'ERC20', decimals: hour < 9 ? 6 : 18 },
          ...{ enabled: hour % 3 !== 0, hidden: hour % 4 === 0, networkFee: hour % 5 === 0 ? null : dec(`1.${hour}`) },
        };
        // Away for some hours; then it is listed with other decimals.
        return { ...input, assets: hour === 4 || hour === 5 ? [ether] : [dollar, ether], sha256: `hash of ${hour}` };
      };
      const hours = [...Array(12).keys()];
      for (const hour of hours) await store.reference.save(list(hour));
      const dollars = { chain: 'ETH', symbol: 'USDC', decimals: 6, address: '0xa0b8' };
      for (const asset of [ETHER, dollars]) {
        const found = await store.reference.asOf(
          hours.map((hour) => wish(`2026-11-01 ${String(hour).padStart(2, '0')}:30`, { asset })),
          EVER,
        );
        const expected = hours.map((hour) => {
          const input = list(hour);
          if (input.type !== 'assets') throw new Error('no assets');
          const terms = input.assets.find(({ symbol }) => symbol === asset.symbol);
          return {
            global: { ...input.global, capturedAt: input.at },
            asset: terms === undefined ? null : { priceEur: null, hidden: false, ...terms, capturedAt: input.at },
          };
        });
        expect(found.map(({ global, asset: terms }) => ({ global, asset: terms }))).toEqual(expected);
      }
      const published = await store.reference.published(
        [
          {
            direction: 'onramp',
            currency: 'EUR',
            asset: dollars,
            from: at('2026-11-01 03:00'),
            to: at('2026-11-01 06:00'),
          },
        ],
        EVER,
      );
      expect(published[0]?.map(({ networkFee }) => networkFee?.toString())).toEqual(['1.3', '1.6']);
    });

    it('is the last capture at or before the time, or the first within an hour after it', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      await store.reference.save(assets('2026-11-01 11:00', '200'));
      const times = [
        '2026-11-01 08:59',
        '2026-11-01 09:00',
        '2026-11-01 10:00',
        '2026-11-01 10:59',
        '2026-11-01 11:00',
        '2027-01-01 00:00',
      ];
      expect(await pricesAt(times.map((time) => wish(time)))).toEqual([
        '-/-',
        '100/100',
        '100/100',
        '100/100',
        '200/200',
        '200/200',
      ]);
    });

    it('has an asset whose entry could not be read as listed, and nothing of its terms', async () => {
      const input = assets('2026-11-01 10:00', '100');
      if (input.type !== 'assets') throw new Error('no assets');
      const unread = input.assets.map((asset) => ({ ...asset, decimals: UNREAD, price: null }));
      await store.reference.save({ ...input, assets: unread });
      const [found] = await store.reference.asOf([wish('2026-11-01 10:30')], EVER);
      expect(found).toMatchObject({ asset: null, before: { assets: { asset: null, isUnread: true } } });
    });

    it('proves no asset missing by a list without any', async () => {
      const input = assets('2026-11-01 10:00', '100');
      if (input.type !== 'assets') throw new Error('no assets');
      await store.reference.save(input);
      await store.reference.save({ ...input, at: at('2026-11-01 11:00'), sha256: 'e'.repeat(64), assets: [] });
      const [found] = await store.reference.asOf([wish('2026-11-01 10:30')], EVER);
      expect(found).toMatchObject({ after: { assets: { asset: null, isUnread: true } } });
    });

    it('is nothing where there is no time to ask for', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      expect(await store.reference.asOf([wish(null)], EVER)).toEqual([{ global: null, asset: null, methods: null }]);
    });

    it('keeps directions, currencies and assets apart', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      const late = '2026-11-02 00:00';
      const found = await pricesAt([
        wish(late, { direction: 'offramp' }),
        wish(late, { currency: 'GBP' }),
        wish(late, { asset: { ...ETHER, symbol: 'USDC' } }),
        wish(late, { asset: { ...ETHER, chain: 'BASE' } }),
      ]);
      // The global figures are those of the capture, whether it lists the asset or not.
      expect(found).toEqual(['-/-', '-/-', '-/100', '-/100']);
    });

    it('knows the chain of a token by its contract, in any case of its digits', async () => {
      const input = assets('2026-11-01 10:00', '100');
      if (input.type !== 'assets') throw new Error('no assets');
      const listed = input.assets.flatMap((asset) => [
        { ...asset, chain: 'ETH', symbol: 'DAI', address: '0x6B17' },
        { ...asset, chain: 'MATIC', symbol: 'DAI', address: '0x8F3C' },
      ]);
      await store.reference.save({ ...input, assets: listed });
      const dai = { chain: '', symbol: 'DAI', decimals: 18, address: '0x8f3c' };
      const late = '2026-11-02 00:00';
      const wanted = [dai, { ...dai, address: '0x9999' }, { ...dai, decimals: 6 }, { ...dai, address: null }];
      const found = await store.reference.asOf(
        wanted.map((asset) => wish(late, { asset })),
        EVER,
      );
      expect(found.map(({ asset }) => asset?.chain ?? null)).toEqual(['MATIC', null, null, null]);
    });

    it('says when it was captured, also where the content is as before', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      await store.reference.save(assets('2026-11-01 11:00', '100'));
      const [found] = await store.reference.asOf([wish('2026-11-01 12:00')], EVER);
      expect(found?.asset).toMatchObject(someAssetTerms({ price: '100', capturedAt: at('2026-11-01 11:00') }));
      expect(found?.global).toEqual(someGlobalTerms({ maxPurchaseAmount: '100', capturedAt: at('2026-11-01 11:00') }));
    });

    it('goes by time, not by the order in which captures were stored', async () => {
      await store.reference.save(assets('2026-11-01 11:00', '200'));
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      expect(await pricesAt([wish('2026-11-01 10:30'), wish('2026-11-01 11:30')])).toEqual(['100/100', '200/200']);
    });

    it('shows nothing that was stored after the watermark, however often it was asked before', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      const later = wish('2026-11-01 12:00');
      expect(await pricesAt([later], 1)).toEqual(['100/100']);
      await store.reference.save(assets('2026-11-01 11:00', '200'));
      expect(await pricesAt([later], 1)).toEqual(['100/100']);
      expect(await pricesAt([later], 0)).toEqual(['-/-']);
      expect(await pricesAt([later])).toEqual(['200/200']);
      await store.reference.save(assets('2026-11-01 11:30', '300'));
      expect(await pricesAt([later])).toEqual(['300/300']);
    });

    it('lists the prices that were published from one time to another, as far as they were known', async () => {
      for (const hour of ['10', '11', '12', '13'])
        await store.reference.save(assets(`2026-11-01 ${hour}:00`, `1${hour}`));
      const wanted = { direction: 'onramp', currency: 'EUR', asset: ETHER } as const;
      const [from, to] = [at('2026-11-01 11:00'), at('2026-11-01 12:59')];
      const prices = async (watermark: number) =>
        (await store.reference.published([{ ...wanted, from, to }], watermark)).map((found) =>
          found.map(({ price, at: when }) => [String(price), when]),
        );
      const eleven = ['111', at('2026-11-01 11:00')];
      expect(await prices(EVER)).toEqual([[eleven, ['112', at('2026-11-01 12:00')]]]);
      expect(await prices(2)).toEqual([[eleven]]);
    });

    it('has the rate of each currency by the middle asset with both prices, up to a time and a watermark', async () => {
      const { capturedAt: _, ...global } = someGlobalTerms({});
      const capture = (text: string, currency: string, prices: readonly (readonly [string, string | null])[]) =>
        store.reference.save({
          type: 'assets',
          direction: 'onramp',
          currency,
          global: { ...global, currencyCode: currency },
          assets: prices.map(([price, eur], i) => {
            const { capturedAt: _at, ...asset } = someAssetTerms({
              price,
              priceEur: eur === null ? null : dec(eur),
              symbol: `A${i}`,
            });
            return asset;
          }),
          body: JSON.stringify(prices),
          sha256: JSON.stringify([currency, prices]),
          at: at(text),
        });
      await capture('2026-11-01 10:00', 'USD', [
        ['100', '90'],
        ['100', '20'],
        ['10', '8'],
        ['0', '1'],
        ['5', null],
      ]);
      await capture('2026-11-01 11:00', 'USD', [['100', '70']]);
      await capture('2026-11-01 10:00', 'JPY', [['100', null]]);
      const rates = async (text: string, watermark = EVER) =>
        [...(await store.reference.eurRates(at(text), watermark))].map(([code, { rate, at: when }]) => [
          code,
          rate.toString(),
          when,
        ]);
      expect(await rates('2026-11-01 09:59')).toEqual([]);
      expect(await rates('2026-11-01 10:59')).toEqual([['USD', '0.8', at('2026-11-01 10:00')]]);
      expect(await rates('2026-11-01 12:00')).toEqual([['USD', '0.7', at('2026-11-01 11:00')]]);
      expect(await rates('2026-11-01 12:00', 1)).toEqual([['USD', '0.8', at('2026-11-01 10:00')]]);
    });

    it('has the methods of the direction by name', async () => {
      await store.reference.save(
        methods('2026-11-01 10:00', [{ name: 'PIX', currencies: ['BRL'], countries: ['br'] }]),
      );
      await store.reference.save(
        methods('2026-11-01 11:00', [
          { name: 'PIX', currencies: ['BRL'], countries: ['br'] },
          { name: 'CARD_PAYMENT', currencies: ['EUR', 'GBP'], countries: ['fr', 'gb'] },
        ]),
      );
      const [before, first, second] = await store.reference.asOf(
        [wish('2026-11-01 08:59'), wish('2026-11-01 10:30'), wish('2026-11-01 11:00')],
        EVER,
      );
      expect(before?.methods).toBeNull();
      expect([...(first?.methods?.keys() ?? [])]).toEqual(['PIX']);
      expect(second?.methods?.get('CARD_PAYMENT')).toEqual({
        name: 'CARD_PAYMENT',
        currencies: ['EUR', 'GBP'],
        countries: ['fr', 'gb'],
      });
    });

    it('lists the latest capture of each kind', async () => {
      await store.reference.save(assets('2026-11-01 10:00', '100'));
      await store.reference.save(assets('2026-11-01 11:00', '100'));
      await store.reference.save({ type: 'countries', body: '[]', sha256: 'c', at: at('2026-11-01 08:00') });
      await store.reference.save(methods('2026-11-01 09:00', []));
      expect(await store.reference.latest()).toEqual([
        { type: 'assets', direction: 'onramp', currency: 'EUR', at: at('2026-11-01 11:00') },
        { type: 'countries', direction: null, currency: null, at: at('2026-11-01 08:00') },
        { type: 'methods', direction: 'onramp', currency: null, at: at('2026-11-01 09:00') },
      ]);
    });
  });
}
