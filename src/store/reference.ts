/** Saves reference data: a capture is one row; each list is stored once, and its moving figures with each capture. */
import { sql } from 'kysely';
import type { Direction } from '../domain/record.ts';
import type { ReferenceInput, ReferenceStore } from '../ports/store/store.ts';
import { columns, decimalCell, deflateText, flagCell, type Row, unitsCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { referenceAsOf } from './reference-as-of.ts';
import { readCurrencies } from './reference-contents.ts';
import { packList, packLists } from './reference-figures.ts';
import { type AssetsInput, alignedTo, newestContent, packedIn } from './reference-lists.ts';
import { listName, OWN, PASS, type PassEntries, readTimelines } from './reference-timelines.ts';
import type { TableName } from './schema/tables.ts';
import { summedColumns } from './schema/tables.ts';
import { read, type Where } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';
import { sumRows } from './summed-rows.ts';

const CONTENT_COLUMNS = columns(
  'type direction currency sha256 deflated global_currency global_min_purchase global_max_purchase',
  'global_min_fee global_min_fee_percent global_max_fee_percent currencies',
);
const ASSET_COLUMNS = columns(
  'content_key asset_chain asset_symbol asset_decimals enabled min_purchase max_purchase min_units',
  'network_fee price asset_address asset_type hidden price_eur',
);

/** The subject of a capture; empty where the type has no direction or currency. */
function subjectOf(input: ReferenceInput): { direction: Direction | ''; currency: string } {
  switch (input.type) {
    case 'assets':
      return { direction: input.direction, currency: input.currency };
    case 'methods':
      return { direction: input.direction, currency: '' };
    case 'currencies':
    case 'countries':
      return { direction: '', currency: '' };
  }
}

function globalCells(input: ReferenceInput): Row {
  if (input.type !== 'assets') return [null, null, null, null, null, null];
  const { global } = input;
  return [
    global.currencyCode,
    decimalCell(global.minPurchaseAmount),
    decimalCell(global.maxPurchaseAmount),
    decimalCell(global.minFeeAmount),
    decimalCell(global.minFeePercent),
    decimalCell(global.maxFeePercent),
  ];
}

function currenciesCell(input: ReferenceInput): string | null {
  if (input.type !== 'currencies') return null;
  return JSON.stringify(input.currencies.map(({ code, onramp, offramp }) => [code, onramp, offramp]));
}

async function insertContent(
  tx: WriteTransaction,
  sealer: Sealer | null,
  input: ReferenceInput,
): Promise<number | null> {
  const { direction, currency } = subjectOf(input);
  const head = [input.type, direction, currency, input.sha256, deflateText(input.body)];
  const keys = await tx.insertForKeys('reference_contents', 'content_key', CONTENT_COLUMNS, [
    [...head, ...globalCells(input), currenciesCell(input)],
  ]);
  const key = keys[0] ?? null;
  const isNew = sql`content_key = ${key}`;
  await addedRows(tx, sealer, 'reference_contents', isNew);
  if (input.type === 'assets') {
    const rows = input.assets.map((asset) => [
      key,
      asset.chain,
      asset.symbol,
      asset.decimals,
      flagCell(asset.enabled),
      decimalCell(asset.minPurchaseAmount),
      decimalCell(asset.maxPurchaseAmount),
      unitsCell(asset.minPurchaseCryptoUnits),
      decimalCell(asset.networkFee),
      decimalCell(asset.price),
      asset.address ?? null,
      asset.type ?? null,
      flagCell(asset.hidden === true),
      decimalCell(asset.priceEur ?? null),
    ]);
    // Where a body lists an asset twice, the first entry counts.
    await tx.insertMany('reference_assets', ASSET_COLUMNS, rows, { skipKnown: true });
    await addedRows(tx, sealer, 'reference_assets', isNew);
  }
  if (input.type === 'methods') {
    const rows = input.methods.map((method) => [
      key,
      method.name,
      JSON.stringify(method.currencies),
      JSON.stringify(method.countries),
    ]);
    const columns = ['content_key', 'name', 'currencies', 'countries'] as const;
    await tx.insertMany('reference_methods', columns, rows, { skipKnown: true });
    await addedRows(tx, sealer, 'reference_methods', isNew);
  }
  return key;
}

/** Read back, because a list may have an entry twice. */
async function addedRows(tx: WriteTransaction, sealer: Sealer | null, table: TableName, where: Where): Promise<void> {
  if (sealer === null) return;
  await sumRows(tx, sealer, [{ table, is: await read(tx, table, summedColumns(table), where) }]);
}

export function referenceStore(engine: Engine, sealer: Sealer | null): ReferenceStore {
  return {
    save: async (...inputs) => {
      await engine.write(async (tx) => {
        const pass = new Pass(await passBefore(tx));
        for (const input of inputs) await pass.add(tx, sealer, input);
        const [first] = pass.entries;
        if (first === undefined) return;
        const [key = 0] = await tx.insertForKeys(
          'reference_captures',
          'capture_key',
          ['type', 'direction', 'currency', 'captured_at', 'content_key', 'entries', 'figures'],
          [
            [
              PASS,
              '',
              '',
              Math.max(...pass.entries.map(([, at]) => at)),
              first[0],
              JSON.stringify(pass.entries),
              pass.lists.size === 0 ? null : packLists(pass.lists),
            ],
          ],
        );
        await addedRows(tx, sealer, 'reference_captures', sql`capture_key = ${key}`);
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
  const [row] = await tx.rows(
    tx.db.selectFrom('reference_captures').select(['capture_key', 'entries']).orderBy('capture_key', 'desc').limit(1),
  );
  const entries = row?.[1] == null ? [] : (JSON.parse(row[1] as string) as PassEntries);
  const before = new Map<number, { figures: number; list: Uint8Array }>();
  const byCapture = Map.groupBy(entries, ([, , figures]) => (figures === OWN ? (row?.[0] as number) : (figures ?? 0)));
  for (const [figures, own] of byCapture) {
    if (figures === 0) continue;
    const lists = await packedIn(tx, figures);
    for (const [contentKey] of own) {
      const list = lists.get(contentKey);
      if (list !== undefined) before.set(contentKey, { figures, list });
    }
  }
  return before;
}

/** One pass over the lists. Of a list whose figures alone have changed, the figures are stored; where they are those of the last pass, its key. */
class Pass {
  readonly entries: (readonly [contentKey: number, at: number, figures?: number])[] = [];
  readonly lists = new Map<number, Uint8Array>();
  private readonly before: Before;

  constructor(before: Before) {
    this.before = before;
  }

  async add(tx: WriteTransaction, sealer: Sealer | null, input: ReferenceInput): Promise<void> {
    const known = await knownContent(tx, input);
    if (known === null && input.type === 'assets' && (await this.#addFigures(tx, input))) return;
    const key = known ?? (await insertContent(tx, sealer, input));
    if (key !== null) this.entries.push([key, input.at]);
  }

  /** False where the list needs a content of its own. */
  async #addFigures(tx: WriteTransaction, input: AssetsInput): Promise<boolean> {
    const newest = await newestContent(tx, input);
    const figures = newest === null ? null : alignedTo(newest.content, input);
    if (newest === null || figures === null) return false;
    const { key } = newest;
    const list = packList(newest.content.figures, figures);
    const last = this.before.get(key);
    if (list === null) this.entries.push([key, input.at]);
    else if (last !== undefined && Buffer.compare(last.list, list) === 0)
      this.entries.push([key, input.at, last.figures]);
    else {
      this.lists.set(key, list);
      this.entries.push([key, input.at, OWN]);
    }
    return true;
  }
}

/** The key of the content with exactly this text, or null. */
async function knownContent(tx: WriteTransaction, input: ReferenceInput): Promise<number | null> {
  const { direction, currency } = subjectOf(input);
  const known = await tx.db
    .selectFrom('reference_contents')
    .select('content_key')
    .where('type', '=', input.type)
    .where('direction', '=', direction)
    .where('currency', '=', currency)
    .where('sha256', '=', input.sha256)
    .executeTakeFirst();
  return known === undefined ? null : Number(known.content_key);
}
