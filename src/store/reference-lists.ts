/** Lists of assets as they are stored: what an asset is once, and its figures by capture (`reference-figures.ts`). */
import type { AssetTerms, GlobalTerms } from '../domain/reference.ts';
import type { ReferenceInput } from '../ports/store/store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { columns, decimalCell, type Row, readDecimalOrNull, readUnitsOrNull, unitsCell } from './cells.ts';
import type { ArrayReader, Engine } from './engine.ts';
import { type Figure, figuresAt, type PackedLists, unpackLists } from './reference-figures.ts';
import type { ListedCapture } from './reference-timelines.ts';
import { template } from './statements.ts';

export type AssetsInput = Extract<ReferenceInput, { type: 'assets' }>;

const GLOBALS = columns(
  'global_min_purchase global_max_purchase global_min_fee global_min_fee_percent global_max_fee_percent',
);
const STATICS = columns('asset_chain asset_symbol asset_decimals asset_address asset_type');
const FIGURES = columns('enabled hidden min_purchase max_purchase min_units network_fee price price_eur');
/** Before the figures of an asset: `1`, or `0` in captures that leave the asset out. */
const PER_ASSET = FIGURES.length + 1;

const nameOf = (chain: string, symbol: string) => `${chain}\n${symbol}`;
const figure = (cell: Row[number] | undefined): Figure => (cell == null ? null : String(cell));

const globalFigures = ({ global }: AssetsInput): Figure[] =>
  [
    global.minPurchaseAmount,
    global.maxPurchaseAmount,
    global.minFeeAmount,
    global.minFeePercent,
    global.maxFeePercent,
  ].map(decimalCell);

const assetFigures = (asset: AssetTerms): Figure[] => [
  '1',
  asset.enabled ? '1' : '0',
  asset.hidden === true ? '1' : '0',
  decimalCell(asset.minPurchaseAmount),
  decimalCell(asset.maxPurchaseAmount),
  unitsCell(asset.minPurchaseCryptoUnits),
  decimalCell(asset.networkFee),
  decimalCell(asset.price),
  decimalCell(asset.priceEur ?? null),
];

/** Where the figures of an asset are: a kind of figure after the other, because those of one kind move alike. */
const placesOf = (asset: number, assets: number) =>
  Array.from({ length: PER_ASSET }, (_, kind) => GLOBALS.length + kind * assets + asset);

/** A stored content, with its assets in the order of their names. */
interface Content {
  currency: string | null;
  assets: readonly { name: string; is: string; figures: readonly Figure[] }[];
  figures: readonly Figure[];
}

const whatItIs = (decimals: unknown, address: unknown, type: unknown) => JSON.stringify([decimals, address, type]);
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function sequence(globals: readonly Figure[], assets: readonly (readonly Figure[])[]): Figure[] {
  const kinds = Array.from({ length: PER_ASSET }, (_, kind) => assets.map((each) => each[kind] ?? null));
  return [...globals, ...kinds.flat()];
}

/** The newest content of a list, or none. */
export async function newestContent(tx: ArrayReader & Pick<Engine, 'db'>, input: AssetsInput) {
  const [row] = await tx.rows(
    tx.db
      .selectFrom('reference_contents')
      .select(['content_key', 'global_currency', ...GLOBALS])
      .where('type', '=', 'assets')
      .where('direction', '=', input.direction)
      .where('currency', '=', input.currency)
      .orderBy('content_key', 'desc')
      .limit(1),
  );
  if (row === undefined) return null;
  const [key, currency, ...globals] = row;
  const rows = await tx.rows(
    tx.db
      .selectFrom('reference_assets')
      .select([...STATICS, ...FIGURES])
      .where('content_key', '=', key as number),
  );
  const assets = rows
    .map(([chain, symbol, decimals, address, type, ...figures]) => ({
      name: nameOf(String(chain), String(symbol)),
      is: whatItIs(decimals, address, type),
      figures: ['1', ...figures.map(figure)],
    }))
    .sort(byName);
  const figures = sequence(
    globals.map(figure),
    assets.map((each) => each.figures),
  );
  return { key: key as number, content: { currency: figure(currency), assets, figures } satisfies Content };
}

/** The figures of a list in the order of a content; null where it has another asset, or one that is something else. */
export function alignedTo(content: Content, input: AssetsInput): readonly Figure[] | null {
  if (content.currency !== input.global.currencyCode) return null;
  const given = new Map<string, AssetTerms>();
  // Where a body lists an asset twice, the first entry counts.
  for (const asset of input.assets) {
    const name = nameOf(asset.chain, asset.symbol);
    if (!given.has(name)) given.set(name, asset);
  }
  let known = 0;
  const assets = content.assets.map(({ name, is, figures }) => {
    const asset = given.get(name);
    if (asset === undefined) return ['0', ...figures.slice(1)];
    if (is === whatItIs(asset.decimals, asset.address ?? null, asset.type ?? null)) known++;
    return assetFigures(asset);
  });
  return known === given.size ? sequence(globalFigures(input), assets) : null;
}

export type ListReader = ReturnType<typeof listReader>;

/** Reads lists as captures have them. Contents never change, nor do captures: its caches never expire. */
export function listReader(engine: Engine) {
  const names = new BoundedCache<number, ReadonlyMap<string, number>>(256);
  const captures = new BoundedCache<number, PackedLists>(128);

  const placeOf = async (contentKey: number): Promise<ReadonlyMap<string, number>> => {
    const known = names.get(contentKey);
    if (known !== undefined) return known;
    const rows = await engine.rows(
      engine.db
        .selectFrom('reference_assets')
        .select(['asset_chain', 'asset_symbol'])
        .where('content_key', '=', contentKey),
    );
    const sorted = rows.map(([chain, symbol]) => ({ name: nameOf(String(chain), String(symbol)) })).sort(byName);
    const places = new Map(sorted.map(({ name }, place) => [name, place]));
    names.set(contentKey, places);
    return places;
  };

  const packed = async (captureKey: number): Promise<PackedLists> => {
    const known = captures.get(captureKey);
    if (known !== undefined) return known;
    const lists = await packedIn(engine, captureKey);
    captures.set(captureKey, lists);
    return lists;
  };

  /** Null where the content has them. */
  const listOf = async ({ figures, contentKey }: ListedCapture) =>
    figures === 0 ? null : ((await packed(figures)).get(contentKey) ?? null);

  const one = template(
    engine.db
      .selectFrom('reference_assets')
      .select([...STATICS, ...FIGURES])
      .where('content_key', '=', 0)
      .where('asset_chain', '=', '')
      .where('asset_symbol', '=', ''),
  );

  return {
    /** Names of the content, listed in this capture or not. */
    assets: async ({ contentKey }: ListedCapture) =>
      engine.db
        .selectFrom('reference_assets')
        .select(['asset_chain as chain', 'asset_symbol as symbol'])
        .where('content_key', '=', contentKey)
        .execute(),
    asset: async (capture: ListedCapture, chain: string, symbol: string): Promise<AssetTerms | 'not listed'> => {
      const [row] = await engine.rows(one([capture.contentKey, chain, symbol]));
      if (row === undefined) return 'not listed';
      const [, , decimals, address, type, ...stored] = row;
      const content = ['1', ...stored.map(figure)];
      const list = await listOf(capture);
      const places = list === null ? null : await placeOf(capture.contentKey);
      const place = places?.get(nameOf(chain, symbol));
      const [isListed, enabled, hidden, least, most, units, fee, price, eur] =
        list === null || places === null || place === undefined
          ? content
          : figuresAt(list, placesOf(place, places.size), content);
      if (isListed === '0') return 'not listed';
      return {
        chain,
        symbol,
        decimals: decimals as number,
        address: address as string | null,
        enabled: enabled === '1',
        minPurchaseAmount: readDecimalOrNull(least),
        maxPurchaseAmount: readDecimalOrNull(most),
        minPurchaseCryptoUnits: readUnitsOrNull(units ?? null),
        networkFee: readDecimalOrNull(fee),
        price: readDecimalOrNull(price),
        ...(type === null ? {} : { type: type as string }),
        hidden: hidden === '1',
        priceEur: readDecimalOrNull(eur),
      };
    },
    global: async (capture: ListedCapture): Promise<GlobalTerms | null> => {
      const [row] = await engine.rows(
        engine.db
          .selectFrom('reference_contents')
          .select(['global_currency', ...GLOBALS])
          .where('content_key', '=', capture.contentKey),
      );
      const [currencyCode, ...stored] = row ?? [];
      if (currencyCode == null) return null;
      const content = stored.map(figure);
      const list = await listOf(capture);
      const [least, most, fee, minPercent, maxPercent] =
        list === null ? content : figuresAt(list, [...content.keys()], content);
      return {
        currencyCode: String(currencyCode),
        minPurchaseAmount: readDecimalOrNull(least),
        maxPurchaseAmount: readDecimalOrNull(most),
        minFeeAmount: readDecimalOrNull(fee),
        minFeePercent: readDecimalOrNull(minPercent),
        maxFeePercent: readDecimalOrNull(maxPercent),
      };
    },
  };
}

export async function packedIn(tx: ArrayReader & Pick<Engine, 'db'>, captureKey: number): Promise<PackedLists> {
  const [row] = await tx.rows(
    tx.db.selectFrom('reference_captures').select('figures').where('capture_key', '=', captureKey),
  );
  const packed = row?.[0] ?? null;
  return packed === null ? new Map() : unpackLists(packed as Uint8Array);
}
