/**
 * Reference data as of a time, for pages of thousands of requests. The timelines of captures are kept in memory as two
 * arrays of numbers; contents are in bounded caches, as hundreds of hourly captures would not fit.
 */
import { resolveChain, symbolsOf } from '../domain/asset.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Published } from '../domain/market.ts';
import { listedRateEur } from '../domain/moving-terms.ts';
import type { Direction, Instant } from '../domain/record.ts';
import {
  type AssetTerms,
  type CurrencyTerms,
  type GlobalTerms,
  type Listed,
  type MethodTerms,
  type ReferenceAsOf,
  TERMS_MAY_FOLLOW,
  UNREAD,
} from '../domain/reference.ts';
import type { PublishedWanted, ReferenceStore, ReferenceWanted } from '../ports/store/store.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { Engine } from './engine.ts';
import { listReader } from './reference-lists.ts';
import {
  countUpTo,
  type ListedCapture,
  listName,
  readCurrencies,
  readListed,
  readMethods,
  readTimelines,
  type Timeline,
} from './reference-timelines.ts';
import type { ReferenceType } from './schema/quotes.ts';
import { closedKeys } from './statements.ts';

/** The captures next to a time: the last at or before it (of several at that time, the one stored last), and the first after it. */
interface Neighbours {
  before: ListedCapture | null;
  after: ListedCapture | null;
}

function around(timeline: Timeline, at: Instant): Neighbours {
  const next = countUpTo(timeline.times, at);
  return { before: captureIn(timeline, next - 1), after: captureIn(timeline, next) };
}

function captureIn({ times, contents, figures }: Timeline, index: number): ListedCapture | null {
  const [at, contentKey] = [times[index], contents[index]];
  return at === undefined || contentKey === undefined ? null : { at, contentKey, figures: figures[index] ?? 0 };
}

const NOTHING = new Float64Array();
const NO_CAPTURES: Timeline = { times: NOTHING, contents: NOTHING, figures: NOTHING };

/** Terms of the first hour after a creation stand in for older ones. */
function soon<T extends { capturedAt: Instant }>(listed: T | undefined, at: Instant): T | undefined {
  return listed !== undefined && listed.capturedAt - at <= TERMS_MAY_FOLLOW ? listed : undefined;
}

/** Caches are per store and never expire: contents never change, nor do captures under a closed watermark. */
export function referenceAsOf(engine: Engine) {
  const caches = {
    timelines: new BoundedCache<number, ReadonlyMap<string, Timeline>>(4),
    globals: new BoundedCache<string, GlobalTerms>(4_096),
    assets: new BoundedCache<string, AssetTerms | 'not listed'>(20_000),
    methods: new BoundedCache<number, ReadonlyMap<string, MethodTerms>>(64),
    currencies: new BoundedCache<number, ReadonlyMap<string, CurrencyTerms> | 'not read'>(64),
  };
  const lists = listReader(engine);

  /** Captures beyond the newest may still be added: a timeline of them must not be kept. */
  const closedUpTo = closedKeys(engine.db, 'reference_captures', 'capture_key');

  const timelineOf = async (type: ReferenceType, direction: Direction | '', currency: string, watermark: number) => {
    const timelines = await caches.timelines.getOr(watermark, () => readTimelines(engine, watermark));
    return timelines.get(listName(type, direction, currency)) ?? NO_CAPTURES;
  };

  const listedAsset = async (capture: ListedCapture, asset: ReferenceWanted['asset']) => {
    if (asset === null) return 'not listed';
    const { chain, symbol, address, decimals, chainPresumed } = asset;
    // A presumed chain follows only from a token standard: the contract address is better evidence.
    const isOpen = chain === '' || chainPresumed === true;
    const { contentKey } = capture;
    const name = `${contentKey} ${capture.figures} ${chain} ${symbolsOf(asset)} ${isOpen ? `${address} ${decimals}` : ''}`;
    return caches.assets.getOr(name, async () => {
      const found = isOpen ? resolveChain(asset, await readListed(engine, contentKey, symbol)) : null;
      const known = found ?? chain;
      if (known === '') return 'not listed';
      for (const each of symbolsOf(asset)) {
        const terms = await lists.asset(capture, known, each);
        if (terms !== 'not listed') return terms;
      }
      return 'not listed';
    });
  };

  const globalOf = async (capture: ListedCapture): Promise<GlobalTerms | null> => {
    const name = `${capture.contentKey} ${capture.figures}`;
    const known = caches.globals.get(name) ?? (await lists.global(capture));
    if (known !== null) caches.globals.set(name, known);
    return known;
  };

  const assetsIn = async (capture: ListedCapture, wish: ReferenceWanted) => {
    const asset = await listedAsset(capture, wish.asset);
    const listed = { capturedAt: capture.at, global: await globalOf(capture) };
    const isListed = asset !== 'not listed';
    if (isListed && asset.decimals !== UNREAD) return { ...listed, asset };
    // A list without any asset, as the Service may answer in a region that it does not serve, proves no asset missing.
    const isUnread = isListed || (await lists.assets(capture).next()).done === true;
    return { ...listed, asset: null, ...(isUnread ? { isUnread } : {}) };
  };

  const methodsIn = async ({ contentKey, at }: ListedCapture) => ({
    capturedAt: at,
    byName: await caches.methods.getOr(contentKey, () => readMethods(engine, contentKey)),
  });

  const currenciesIn = async ({ contentKey, at }: ListedCapture): Promise<Listed> => {
    const read = async () => (await readCurrencies(engine, contentKey)) ?? 'not read';
    const byCode = await caches.currencies.getOr(contentKey, read);
    return byCode === 'not read' ? {} : { currencies: { capturedAt: at, byCode } };
  };

  /** Undefined where nothing was captured on this side. */
  const listed = async (
    [assets = null, methods = null, currencies = null]: readonly (ListedCapture | null)[],
    wish: ReferenceWanted,
  ): Promise<Listed | undefined> => {
    if (assets === null && methods === null && currencies === null) return undefined;
    return {
      ...(assets === null ? {} : { assets: await assetsIn(assets, wish) }),
      ...(methods === null ? {} : { methods: await methodsIn(methods) }),
      ...(currencies === null ? {} : await currenciesIn(currencies)),
    };
  };

  const one = async (wish: ReferenceWanted, watermark: number): Promise<ReferenceAsOf> => {
    const { at, direction } = wish;
    if (at === null) return { global: null, asset: null, methods: null };
    const assets = around(await timelineOf('assets', direction, wish.currency, watermark), at);
    const methods = around(await timelineOf('methods', direction, '', watermark), at);
    const currencies = around(await timelineOf('currencies', '', '', watermark), at);
    const before = await listed([assets.before, methods.before, currencies.before], wish);
    const after = await listed([assets.after, methods.after, currencies.after], wish);
    const inForce = before?.assets ?? soon(after?.assets, at);
    const dated = <T>(terms: T | null | undefined) =>
      terms && inForce !== undefined ? { ...terms, capturedAt: inForce.capturedAt } : null;
    return {
      global: dated(inForce?.global),
      asset: dated(inForce?.asset),
      methods: (before?.methods ?? soon(after?.methods, at))?.byName ?? null,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  };

  const published = async ({ direction, currency, asset, from, to }: PublishedWanted, watermark: number) => {
    const timeline = await timelineOf('assets', direction, currency, watermark);
    const found: Published[] = [];
    for (let i = countUpTo(timeline.times, from - 1); i < timeline.times.length; i++) {
      const capture = captureIn(timeline, i);
      if (capture === null || capture.at > to) break;
      const listed = await listedAsset(capture, asset);
      if (listed !== 'not listed') found.push({ at: capture.at, price: listed.price, networkFee: listed.networkFee });
    }
    return found;
  };

  /** Null where no asset has both prices. */
  const eurRate = async (capture: ListedCapture): Promise<Decimal | null> => {
    const listed: Decimal[] = [];
    for await (const terms of lists.assets(capture)) {
      const rate = listedRateEur(terms);
      if (rate !== null) listed.push(rate);
    }
    return listed.sort((a, b) => a.compare(b))[listed.length >> 1] ?? null;
  };

  const eurRates = async (at: Instant, watermark: number) => {
    const timelines = await caches.timelines.getOr(watermark, () => readTimelines(engine, watermark));
    const rates = new Map<string, { rate: Decimal; at: Instant }>();
    for (const [name, timeline] of timelines) {
      const [type, direction, currency = ''] = name.split(' ');
      if (type !== 'assets' || direction !== 'onramp') continue;
      const { before } = around(timeline, at);
      const rate = before === null ? null : await eurRate(before);
      if (before !== null && rate !== null) rates.set(currency, { rate, at: before.at });
    }
    return rates;
  };

  return {
    eurRates: async (at, watermark) => eurRates(at, await closedUpTo(watermark)),
    asOf: async (wanted, watermark) => {
      const closed = await closedUpTo(watermark);
      return eachOf(wanted, (wish) => one(wish, closed));
    },
    published: async (wanted, watermark) => {
      const closed = await closedUpTo(watermark);
      return eachOf(wanted, (wish) => published(wish, closed));
    },
  } satisfies Partial<ReferenceStore>;
}

/** One after another: later ones find in the caches what earlier ones have read. */
async function eachOf<T, R>(wanted: readonly T[], read: (wish: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (const wish of wanted) found.push(await read(wish));
  return found;
}
