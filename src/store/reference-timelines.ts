/**
 * When which reference data were captured. One row of `reference_captures` has a whole pass over the lists, as pairs of
 * content and time: a list that did not change costs a dozen bytes. Rows of earlier versions have one list each.
 */
import { sql } from 'kysely';
import type { AssetIdentity } from '../domain/asset.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { Direction, Instant } from '../domain/record.ts';
import type { CurrencyTerms, MethodTerms } from '../domain/reference.ts';
import type { Engine } from './engine.ts';
import { namesOf } from './schema/column.ts';
import { LISTED, type ReferenceType } from './schema/quotes.ts';
import { findRow, findRows } from './statements.ts';

export interface ListedCapture {
  at: Instant;
  contentKey: number;
  /** The capture that has its figures; 0 where the content has them. */
  figures: number;
}

/** Captures of one list up to a watermark, by time. */
export interface Timeline {
  times: Float64Array;
  contents: Float64Array;
  /** Keys of the captures that have the list's figures; 0 where its content has them. */
  figures: Float64Array;
}

/**
 * Content and time of each list of a pass, and the key of the capture that has its figures: `OWN` for the pass itself, absent where the
 * content has them.
 */
export type PassEntries = readonly (readonly [contentKey: number, at: Instant, figures?: number])[];

export const OWN = -1;

/** Type of a row that has a pass; its content is that of the first entry. */
export const PASS = 'pass';

export const listName = (type: ReferenceType | typeof PASS, direction: Direction | '', currency: string) =>
  `${type} ${direction} ${currency}`;

/** A capture with its lists. */
export interface StoredPass {
  key: number;
  at: Instant;
  lists: readonly (ListedCapture & { name: string })[];
}

/** By key, of captures up to the watermark. */
export async function readPasses({ db }: Pick<Engine, 'db'>, watermark: number): Promise<readonly StoredPass[]> {
  const contents = await findRows(db, 'reference_contents', {}, ['content_key', 'type', 'direction', 'currency']);
  const names = new Map(contents.map((row) => [row.content_key, listName(row.type, row.direction, row.currency)]));
  const named = ['captured_at', 'content_key', 'entries', 'capture_key'] as const;
  const isKnown = sql`capture_key <= ${watermark}`;
  const rows = await findRows(db, 'reference_captures', isKnown, named, 'capture_key');
  return rows.map(({ captured_at: capturedAt, content_key: content, entries, capture_key: key }) => {
    const pass: PassEntries = entries === null ? [[content, capturedAt]] : (JSON.parse(entries) as PassEntries);
    const lists = pass.map(([contentKey, at, figures = 0]) => ({
      name: names.get(contentKey) ?? '',
      contentKey,
      at,
      figures: figures === OWN ? key : figures,
    }));
    return { key, at: capturedAt, lists };
  });
}

/** All assets of a content with this symbol; a capture may leave one out. */
export async function readListed(
  engine: Engine,
  contentKey: number,
  symbol: string,
): Promise<readonly AssetIdentity[]> {
  const ofSymbol = { content_key: contentKey, asset_symbol: symbol };
  const rows = await findRows(engine.db, 'reference_assets', ofSymbol, namesOf(LISTED));
  return rows.map((row) => ({
    chain: row.asset_chain,
    symbol: row.asset_symbol,
    decimals: row.asset_decimals,
    address: row.asset_address,
  }));
}

export async function readMethods(engine: Engine, contentKey: number): Promise<ReadonlyMap<string, MethodTerms>> {
  const named = ['name', 'currencies', 'countries'] as const;
  const rows = await findRows(engine.db, 'reference_methods', { content_key: contentKey }, named, 'name');
  const listOf = (text: string) => JSON.parse(text) as string[];
  return new Map(
    rows.map(({ name, currencies, countries }) => [
      name,
      { name, currencies: listOf(currencies), countries: listOf(countries) },
    ]),
  );
}

/** Null where an earlier version captured the list. */
export async function readCurrencies(
  engine: Engine,
  contentKey: number,
): Promise<ReadonlyMap<string, CurrencyTerms> | null> {
  const content = await findRow(engine.db, 'reference_contents', { content_key: contentKey }, ['currencies']);
  const currencies = content?.currencies ?? null;
  if (currencies === null) return null;
  const listed = JSON.parse(currencies) as readonly [string, boolean, boolean][];
  return new Map(listed.map(([code, onramp, offramp]) => [code, { code, onramp, offramp }]));
}

/** Of every list by its name, of captures with keys up to the watermark. */
export async function readTimelines(engine: Engine, watermark: number): Promise<ReadonlyMap<string, Timeline>> {
  const found = new Map<string, ListedCapture[]>();
  for (const { lists } of await readPasses(engine, watermark))
    for (const { name, ...capture } of lists) entryOf(found, name, () => []).push(capture);
  return new Map([...found].map(([name, captures]) => [name, timelineOf(captures)]));
}

/** Of several captures at one time, the one stored last is the last: sorting is stable. */
function timelineOf(captures: ListedCapture[]): Timeline {
  captures.sort((a, b) => a.at - b.at);
  return {
    times: Float64Array.from(captures, ({ at }) => at),
    contents: Float64Array.from(captures, ({ contentKey }) => contentKey),
    figures: Float64Array.from(captures, ({ figures }) => figures),
  };
}

/** How many of these rising times are at or before an instant. */
export function countUpTo(times: ArrayLike<Instant>, at: Instant): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
