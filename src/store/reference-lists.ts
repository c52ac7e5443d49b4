/** Lists of assets as they are stored: what an asset is once, and its figures by capture (`reference-figures.ts`). */
import type { Kysely } from 'kysely';
import type { AssetTerms, GlobalTerms } from '../domain/reference.ts';
import type { ReferenceInput } from '../ports/store/store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { readDecimalOrNull, readUnitsOrNull } from './cells.ts';
import type { Engine } from './engine.ts';
import { type Figure, figuresAt, type PackedLists, unpackLists } from './reference-figures.ts';
import type { ListedCapture } from './reference-timelines.ts';
import { type CellsOf, namesOf, only } from './schema/column.ts';
import { cell, of, selection, writerOf } from './schema/places.ts';
import { ASSET_FIGURES, GLOBAL_FIGURES, LISTED } from './schema/quotes.ts';
import type { Tables } from './schema/tables.ts';
import { findObjects, findRow, findRows, template } from './statements.ts';

export type AssetsInput = Extract<ReferenceInput, { type: 'assets' }>;

const GLOBALS = namesOf(GLOBAL_FIGURES);
const FIGURES = namesOf(ASSET_FIGURES);
/** Before the figures of an asset: `1`, or `0` in captures that leave the asset out. */
const PER_ASSET = FIGURES.length + 1;

const nameOf = (chain: string, symbol: string) => `${chain}\n${symbol}`;
const figure = (cell: string | number | null): Figure => (cell === null ? null : String(cell));

type AssetRow = CellsOf<typeof LISTED & typeof ASSET_FIGURES>;
type GlobalRow = CellsOf<typeof GLOBAL_FIGURES>;

const storedFigures = (row: CellsOf<typeof ASSET_FIGURES>) => ['1', ...FIGURES.map((name) => figure(row[name]))];
const storedGlobals = (row: GlobalRow) => GLOBALS.map((name) => row[name]);

export const globalCells = writerOf(GLOBAL_FIGURES);
export const assetCells = writerOf({ ...LISTED, ...ASSET_FIGURES });

/** Where the figures of an asset are: a kind of figure after the other, because those of one kind move alike. */
const placesOf = (asset: number, assets: number) =>
  Array.from({ length: PER_ASSET }, (_, kind) => GLOBALS.length + kind * assets + asset);

/** A stored content, with its assets in the order of their names. */
interface Content {
  currency: string | null;
  assets: readonly { name: string; is: string; figures: readonly Figure[] }[];
  figures: readonly Figure[];
}

const whatItIs = (row: AssetRow) => JSON.stringify([row.asset_decimals, row.asset_address, row.asset_type]);
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function sequence(globals: readonly Figure[], assets: readonly (readonly Figure[])[]): Figure[] {
  const kinds = Array.from({ length: PER_ASSET }, (_, kind) => assets.map((each) => each[kind] ?? null));
  return [...globals, ...kinds.flat()];
}

export async function newestContent(db: Kysely<Tables>, input: AssetsInput) {
  const ofList = { type: 'assets', direction: input.direction, currency: input.currency } as const;
  const named = ['content_key', 'global_currency', ...GLOBALS] as const;
  const row = await findRow(db, 'reference_contents', ofList, named, 'content_key desc');
  if (row === undefined) return null;
  const { content_key: key, global_currency: currency } = row;
  const rows = await findRows(db, 'reference_assets', { content_key: key }, [...namesOf(LISTED), ...FIGURES]);
  const assets = rows
    .map((asset) => ({
      name: nameOf(asset.asset_chain, asset.asset_symbol),
      is: whatItIs(asset),
      figures: storedFigures(asset),
    }))
    .sort(byName);
  const ofAssets = assets.map((each) => each.figures);
  const figures = sequence(storedGlobals(row), ofAssets);
  return { key, content: { currency, assets, figures } satisfies Content };
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
    const row = assetCells(asset);
    if (is === whatItIs(row)) known++;
    return storedFigures(row);
  });
  return known === given.size ? sequence(storedGlobals(globalCells(input.global)), assets) : null;
}

const ASSET = selection({ listed: of('a', LISTED), figures: of('a', ASSET_FIGURES) });

/** Reads lists as captures have them. Contents never change, nor do captures: its caches never expire. */
export function listReader(engine: Engine) {
  const names = new BoundedCache<number, ReadonlyMap<string, number>>(256);
  const captures = new BoundedCache<number, PackedLists>(128);

  const namesIn = (contentKey: number) =>
    findObjects(engine.db, 'reference_assets', only(LISTED, 'asset_chain', 'asset_symbol'), {
      content_key: contentKey,
    });

  const placeOf = (contentKey: number): Promise<ReadonlyMap<string, number>> =>
    names.getOr(contentKey, async () => {
      const rows = await namesIn(contentKey);
      const sorted = rows.map(({ chain, symbol }) => ({ name: nameOf(chain, symbol) })).sort(byName);
      return new Map(sorted.map(({ name }, place) => [name, place]));
    });

  /** Null where the content has them. */
  const listOf = async ({ figures, contentKey }: ListedCapture) => {
    if (figures === 0) return null;
    const lists = await captures.getOr(figures, () => packedIn(engine.db, figures));
    return lists.get(contentKey) ?? null;
  };

  const one = template(
    engine.db
      .selectFrom('reference_assets as a')
      .select(ASSET.columns)
      .where('content_key', '=', 0)
      .where('asset_chain', '=', '')
      .where('asset_symbol', '=', ''),
  );

  const asset = async (capture: ListedCapture, chain: string, symbol: string): Promise<AssetTerms | 'not listed'> => {
    const [row] = await engine.rows(one([capture.contentKey, chain, symbol]));
    if (row === undefined) return 'not listed';
    const { listed, figures } = ASSET.at;
    const content = ['1', ...FIGURES.map((name) => figure(cell<string | number | null>(row, figures[name])))];
    const type = cell(row, listed.asset_type);
    const list = await listOf(capture);
    const places = list === null ? null : await placeOf(capture.contentKey);
    const place = places?.get(nameOf(chain, symbol));
    const [isListed, enabled, hidden, least = null, most = null, units = null, fee = null, price = null, eur = null] =
      list === null || places === null || place === undefined
        ? content
        : figuresAt(list, placesOf(place, places.size), content);
    if (isListed === '0') return 'not listed';
    return {
      chain,
      symbol,
      decimals: cell(row, listed.asset_decimals),
      address: cell(row, listed.asset_address),
      enabled: enabled === '1',
      minPurchaseAmount: readDecimalOrNull(least),
      maxPurchaseAmount: readDecimalOrNull(most),
      minPurchaseCryptoUnits: readUnitsOrNull(units),
      networkFee: readDecimalOrNull(fee),
      price: readDecimalOrNull(price),
      ...(type === null ? {} : { type }),
      hidden: hidden === '1',
      priceEur: readDecimalOrNull(eur),
    };
  };

  return {
    asset,
    /** All of a capture. */
    assets: async function* (capture: ListedCapture): AsyncGenerator<AssetTerms> {
      for (const { chain, symbol } of await namesIn(capture.contentKey)) {
        const terms = await asset(capture, chain, symbol);
        if (terms !== 'not listed') yield terms;
      }
    },
    global: async (capture: ListedCapture): Promise<GlobalTerms | null> => {
      const ofKey = { content_key: capture.contentKey };
      const row = await findRow(engine.db, 'reference_contents', ofKey, ['global_currency', ...GLOBALS]);
      if (row === undefined || row.global_currency === null) return null;
      const content = storedGlobals(row);
      const list = await listOf(capture);
      const [least = null, most = null, fee = null, minPercent = null, maxPercent = null] =
        list === null ? content : figuresAt(list, [...content.keys()], content);
      return {
        currencyCode: row.global_currency,
        minPurchaseAmount: readDecimalOrNull(least),
        maxPurchaseAmount: readDecimalOrNull(most),
        minFeeAmount: readDecimalOrNull(fee),
        minFeePercent: readDecimalOrNull(minPercent),
        maxFeePercent: readDecimalOrNull(maxPercent),
      };
    },
  };
}

export async function packedIn(db: Kysely<Tables>, captureKey: number): Promise<PackedLists> {
  const row = await findRow(db, 'reference_captures', { capture_key: captureKey }, ['figures']);
  return row?.figures == null ? new Map() : unpackLists(row.figures);
}
