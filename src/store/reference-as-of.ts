/**
 * Reference data as of a time, for pages of thousands of requests. The timelines of captures are kept in memory as two
 * arrays of numbers; contents are in bounded caches, as hundreds of hourly captures would not fit.
 */
import { type AssetIdentity, resolveChain } from '../domain/asset.ts';
import type { Direction, Instant } from '../domain/record.ts';
import type { AssetTerms, GlobalTerms, MethodTerms, ReferenceAsOf } from '../domain/reference.ts';
import type { ReferenceStore, ReferenceWanted } from '../ports/store/store.ts';
import { readDecimalOrNull, readUnitsOrNull } from './cells.ts';
import type { Engine } from './engine.ts';
import type { ReferenceType } from './schema/quotes.ts';
import { newestKey, template } from './statements.ts';

/** Captures of one kind up to a watermark, by time. */
interface Timeline {
  times: Float64Array;
  contents: Float64Array;
}

interface Capture {
  at: Instant;
  contentKey: number;
}

interface Caches {
  timelines: BoundedCache<string, Timeline>;
  globals: BoundedCache<number, GlobalTerms>;
  assets: BoundedCache<string, AssetTerms | 'not listed'>;
  methods: BoundedCache<number, ReadonlyMap<string, MethodTerms>>;
}

/** The last capture at or before a time; of several at the same time, the one stored last. */
function lastAt(timeline: Timeline, at: Instant): Capture | null {
  let low = 0;
  let high = timeline.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timeline.times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const time = timeline.times[low - 1];
  const contentKey = timeline.contents[low - 1];
  return time === undefined || contentKey === undefined ? null : { at: time, contentKey };
}

async function readTimeline(
  engine: Engine,
  type: ReferenceType,
  direction: Direction,
  currency: string,
  watermark: number,
): Promise<Timeline> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('reference_captures')
      .select(['captured_at', 'content_key'])
      .where('type', '=', type)
      .where('direction', '=', direction)
      .where('currency', '=', currency)
      .where('capture_key', '<=', watermark)
      .orderBy('captured_at')
      .orderBy('capture_key'),
  );
  return {
    times: Float64Array.from(rows, (row) => row[0] as number),
    contents: Float64Array.from(rows, (row) => row[1] as number),
  };
}

async function readGlobal(engine: Engine, contentKey: number): Promise<GlobalTerms | null> {
  const row = await engine.db
    .selectFrom('reference_contents')
    .selectAll()
    .where('content_key', '=', contentKey)
    .executeTakeFirstOrThrow();
  if (row.global_currency === null) return null;
  return {
    currencyCode: row.global_currency,
    minPurchaseAmount: readDecimalOrNull(row.global_min_purchase),
    maxPurchaseAmount: readDecimalOrNull(row.global_max_purchase),
    minFeeAmount: readDecimalOrNull(row.global_min_fee),
    minFeePercent: readDecimalOrNull(row.global_min_fee_percent),
    maxFeePercent: readDecimalOrNull(row.global_max_fee_percent),
  };
}

type AssetReader = (contentKey: number, chain: string, symbol: string) => Promise<AssetTerms | 'not listed'>;

const LISTED = ['asset_decimals', 'asset_address'] as const;

/** All assets of a capture with this symbol. */
async function readListed(engine: Engine, contentKey: number, symbol: string): Promise<readonly AssetIdentity[]> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('reference_assets')
      .select(['asset_chain', ...LISTED])
      .where('content_key', '=', contentKey)
      .where('asset_symbol', '=', symbol),
  );
  return rows.map((row) => ({
    chain: row[0] as string,
    symbol,
    decimals: row[1] as number,
    address: row[2] as string | null,
  }));
}

/** A month needs tens of thousands of single look-ups, so the statement is built once. */
function assetReader(engine: Engine): AssetReader {
  const statement = template(
    engine.db
      .selectFrom('reference_assets')
      .select([...LISTED, 'enabled', 'min_purchase', 'max_purchase', 'min_units', 'network_fee', 'price'])
      .where('content_key', '=', 0)
      .where('asset_chain', '=', '')
      .where('asset_symbol', '=', ''),
  );
  return async (contentKey, chain, symbol) => {
    const [row] = await engine.rows(statement([contentKey, chain, symbol]));
    if (row === undefined) return 'not listed';
    return {
      chain,
      symbol,
      decimals: row[0] as number,
      address: row[1] as string | null,
      enabled: row[2] === 1,
      minPurchaseAmount: readDecimalOrNull(row[3]),
      maxPurchaseAmount: readDecimalOrNull(row[4]),
      minPurchaseCryptoUnits: readUnitsOrNull(row[5]),
      networkFee: readDecimalOrNull(row[6]),
      price: readDecimalOrNull(row[7]),
    };
  };
}

async function readMethods(engine: Engine, contentKey: number): Promise<ReadonlyMap<string, MethodTerms>> {
  const rows = await engine.db
    .selectFrom('reference_methods')
    .selectAll()
    .where('content_key', '=', contentKey)
    .orderBy('name')
    .execute();
  return new Map(
    rows.map((row) => [
      row.name,
      {
        name: row.name,
        currencies: JSON.parse(row.currencies) as string[],
        countries: JSON.parse(row.countries) as string[],
      },
    ]),
  );
}

async function cached<K, V>(cache: BoundedCache<K, V>, key: K, read: () => Promise<V>): Promise<V> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = await read();
  cache.set(key, value);
  return value;
}

/** False where captures with keys up to the watermark may still be added, so that a timeline must not be cached. */
const isClosed = async (engine: Engine, watermark: number) =>
  watermark <= (await newestKey(engine.db, 'reference_captures', 'capture_key'));

/** Caches are per store and never expire: contents never change, nor do captures under a closed watermark. */
export function referenceAsOf(engine: Engine): ReferenceStore['asOf'] {
  const caches: Caches = {
    timelines: new BoundedCache(256),
    globals: new BoundedCache(4_096),
    assets: new BoundedCache(20_000),
    methods: new BoundedCache(64),
  };
  const readAsset = assetReader(engine);

  const captureOf = async (
    type: ReferenceType,
    direction: Direction,
    currency: string,
    at: Instant,
    watermark: number,
  ): Promise<Capture | null> => {
    const name = `${type} ${direction} ${currency} ${watermark}`;
    const known = caches.timelines.get(name);
    if (known !== undefined) return lastAt(known, at);
    const timeline = await readTimeline(engine, type, direction, currency, watermark);
    if (await isClosed(engine, watermark)) caches.timelines.set(name, timeline);
    return lastAt(timeline, at);
  };

  const listedAsset = async (contentKey: number, asset: ReferenceWanted['asset']) => {
    if (asset === null) return 'not listed';
    const { chain, symbol, address, decimals, chainPresumed } = asset;
    // A presumed chain follows only from a token standard: the contract address is better evidence.
    const isOpen = chain === '' || chainPresumed === true;
    const name = `${contentKey} ${chain} ${symbol} ${isOpen ? `${address} ${decimals}` : ''}`;
    return cached(caches.assets, name, async () => {
      const found = isOpen ? resolveChain(asset, await readListed(engine, contentKey, symbol)) : null;
      const known = found ?? chain;
      return known === '' ? 'not listed' : readAsset(contentKey, known, symbol);
    });
  };

  const one = async (wish: ReferenceWanted, watermark: number): Promise<ReferenceAsOf> => {
    if (wish.at === null) return { global: null, asset: null, methods: null };
    const assets = await captureOf('assets', wish.direction, wish.currency, wish.at, watermark);
    const methods = await captureOf('methods', wish.direction, '', wish.at, watermark);
    let global: ReferenceAsOf['global'] = null;
    let asset: ReferenceAsOf['asset'] = null;
    if (assets !== null) {
      const { contentKey, at: capturedAt } = assets;
      const terms = caches.globals.get(contentKey) ?? (await readGlobal(engine, contentKey));
      if (terms !== null) {
        caches.globals.set(contentKey, terms);
        global = { ...terms, capturedAt };
      }
      const listed = await listedAsset(contentKey, wish.asset);
      if (listed !== 'not listed') asset = { ...listed, capturedAt };
    }
    return {
      global,
      asset,
      methods:
        methods === null
          ? null
          : await cached(caches.methods, methods.contentKey, () => readMethods(engine, methods.contentKey)),
    };
  };

  return async (wanted, watermark) => {
    const answers: ReferenceAsOf[] = [];
    for (const wish of wanted) answers.push(await one(wish, watermark));
    return answers;
  };
}

/**
 * A bounded cache that approximates LRU with two generations. A full young generation becomes the old one, and the
 * entries of the previous old one are dropped; a hit in the old generation moves the entry to the young one. A hit in
 * the young generation, the usual case, writes nothing.
 */
export class BoundedCache<K, V> {
  #young = new Map<K, V>();
  #old: ReadonlyMap<K, V> = new Map();
  readonly #halfLimit: number;

  /** @param limit maximum number of entries; at least the most recently used half of them is kept. */
  constructor(limit: number) {
    this.#halfLimit = Math.max(1, Math.floor(limit / 2));
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#halfLimit && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
