/** Saves reference data: a capture is one row; each list is stored once, and its moving figures with each capture. */
import { sql } from 'kysely';
import type { Direction } from '../domain/record.ts';
import type { ReferenceInput, ReferenceStore } from '../ports/store/store.ts';
import { deflateText } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { referenceAsOf } from './reference-as-of.ts';
import { packList, packLists } from './reference-figures.ts';
import { type AssetsInput, alignedTo, assetCells, globalCells, newestContent, packedIn } from './reference-lists.ts';
import { listName, OWN, PASS, type PassEntries, readCurrencies, readTimelines } from './reference-timelines.ts';
import { summedColumns, type TableName } from './schema/tables.ts';
import { read, type Where } from './sealed-rows.ts';
import { findRow } from './statements.ts';
import { sumRows } from './summed-rows.ts';
import { insertForKeys, insertRows } from './write-rows.ts';

/** The subject of a capture; empty where the type has no direction or currency. */
const subjectOf = (input: ReferenceInput): { direction: Direction | ''; currency: string } => ({
  direction: 'direction' in input ? input.direction : '',
  currency: 'currency' in input ? input.currency : '',
});

function currenciesCell(input: ReferenceInput): string | null {
  if (input.type !== 'currencies') return null;
  return JSON.stringify(input.currencies.map(({ code, onramp, offramp }) => [code, onramp, offramp]));
}

async function insertContent(tx: WriteTransaction, input: ReferenceInput): Promise<number> {
  const isOfAssets = input.type === 'assets';
  const [key] = await insertForKeys(tx, 'reference_contents', [
    {
      ...subjectOf(input),
      type: input.type,
      sha256: input.sha256,
      deflated: deflateText(input.body),
      global_currency: isOfAssets ? input.global.currencyCode : null,
      ...(isOfAssets ? globalCells(input.global) : {}),
      currencies: currenciesCell(input),
    },
  ]);
  const content_key = key as number;
  const isNew = sql`content_key = ${content_key}`;
  await addedRows(tx, 'reference_contents', isNew);
  if (input.type === 'assets') {
    const rows = input.assets.map((asset) => ({ content_key, ...assetCells(asset) }));
    // Where a body lists an asset twice, the first entry counts.
    await insertRows(tx, 'reference_assets', rows, { skipKnown: true });
    await addedRows(tx, 'reference_assets', isNew);
  }
  if (input.type === 'methods') {
    const rows = input.methods.map(({ name, currencies, countries }) => ({
      content_key,
      name,
      currencies: JSON.stringify(currencies),
      countries: JSON.stringify(countries),
    }));
    await insertRows(tx, 'reference_methods', rows, { skipKnown: true });
    await addedRows(tx, 'reference_methods', isNew);
  }
  return content_key;
}

/** Read back, because a list may have an entry twice. */
async function addedRows(tx: WriteTransaction, table: TableName, where: Where): Promise<void> {
  if (tx.sealer === null) return;
  await sumRows(tx, [{ table, is: await read(tx, table, summedColumns(table), where) }]);
}

export function referenceStore(engine: Engine): ReferenceStore {
  return {
    save: async (...inputs) => {
      await engine.write(async (tx) => {
        const { entries, lists } = await passOf(tx, inputs);
        const [first] = entries;
        if (first === undefined) return;
        const [key = 0] = await insertForKeys(tx, 'reference_captures', [
          {
            type: PASS,
            direction: '',
            currency: '',
            captured_at: Math.max(...entries.map(([, at]) => at)),
            content_key: first[0],
            entries: JSON.stringify(entries),
            figures: lists.size === 0 ? null : packLists(lists),
          },
        ]);
        await addedRows(tx, 'reference_captures', sql`capture_key = ${key}`);
      });
    },
    ...referenceAsOf(engine),
    latest: async () => {
      const lists = [...(await readTimelines(engine, Number.MAX_SAFE_INTEGER))].map(([name, { times }]) => {
        const [type = '', direction = '', currency = ''] = name.split(' ');
        return {
          type,
          direction: direction === '' ? null : (direction as Direction),
          currency: currency === '' ? null : currency,
          at: times.at(-1) ?? 0,
          name,
        };
      });
      return lists.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name: _, ...list }) => list);
    },
    currencies: async () => {
      const timelines = await readTimelines(engine, Number.MAX_SAFE_INTEGER);
      const newest = timelines.get(listName('currencies', '', ''))?.contents.at(-1);
      const listed = newest === undefined ? null : await readCurrencies(engine, newest);
      return listed === null ? null : [...listed.values()];
    },
  };
}

/** The packed lists of the newest pass, with the captures that have them. */
type Before = ReadonlyMap<number, { figures: number; list: Uint8Array }>;

async function passBefore(tx: WriteTransaction): Promise<Before> {
  const row = await findRow(tx.db, 'reference_captures', {}, ['capture_key', 'entries'], 'capture_key desc');
  const entries = row?.entries == null ? [] : (JSON.parse(row.entries) as PassEntries);
  const before = new Map<number, { figures: number; list: Uint8Array }>();
  const byCapture = Map.groupBy(entries, ([, , figures]) => (figures === OWN ? row?.capture_key : figures) ?? 0);
  for (const [figures, own] of byCapture) {
    if (figures === 0) continue;
    const lists = await packedIn(tx.db, figures);
    for (const [contentKey] of own) {
      const list = lists.get(contentKey);
      if (list !== undefined) before.set(contentKey, { figures, list });
    }
  }
  return before;
}

/** One pass over the lists. Of a list whose figures alone have changed, the figures are stored; where they are those of the last pass, its key. */
async function passOf(tx: WriteTransaction, inputs: readonly ReferenceInput[]) {
  const before = await passBefore(tx);
  const entries: PassEntries[number][] = [];
  const lists = new Map<number, Uint8Array>();
  /** Null where the list needs a content of its own. */
  const asFigures = async (input: AssetsInput): Promise<PassEntries[number] | null> => {
    const newest = await newestContent(tx.db, input);
    const figures = newest === null ? null : alignedTo(newest.content, input);
    if (newest === null || figures === null) return null;
    const { key } = newest;
    const list = packList(newest.content.figures, figures);
    if (list === null) return [key, input.at];
    const last = before.get(key);
    if (last !== undefined && Buffer.compare(last.list, list) === 0) return [key, input.at, last.figures];
    lists.set(key, list);
    return [key, input.at, OWN];
  };
  for (const input of inputs) {
    const known = await knownContent(tx, input);
    const moved = known === null && input.type === 'assets' ? await asFigures(input) : null;
    entries.push(moved ?? [known ?? (await insertContent(tx, input)), input.at]);
  }
  return { entries, lists };
}

/** The key of the content with exactly this text, or null. */
async function knownContent(tx: WriteTransaction, input: ReferenceInput): Promise<number | null> {
  const { direction, currency } = subjectOf(input);
  const same = { type: input.type, direction, currency, sha256: input.sha256 };
  return (await findRow(tx.db, 'reference_contents', same, ['content_key']))?.content_key ?? null;
}
