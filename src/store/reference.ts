/** Saves reference data: a capture is one row, and each distinct content is stored once. */
import type { Direction } from '../domain/record.ts';
import type { ReferenceInput, ReferenceStore } from '../ports/store/store.ts';
import { columns, decimalCell, deflateText, flagCell, type Row, unitsCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { referenceAsOf } from './reference-as-of.ts';
import { readCurrencies } from './reference-contents.ts';
import { listName, PASS, readTimelines } from './reference-timelines.ts';

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

async function insertContent(tx: WriteTransaction, input: ReferenceInput): Promise<number | null> {
  const { direction, currency } = subjectOf(input);
  const head = [input.type, direction, currency, input.sha256, deflateText(input.body)];
  const keys = await tx.insertForKeys('reference_contents', 'content_key', CONTENT_COLUMNS, [
    [...head, ...globalCells(input), currenciesCell(input)],
  ]);
  const key = keys[0] ?? null;
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
  }
  return key;
}

export function referenceStore(engine: Engine): ReferenceStore {
  return {
    save: async (...inputs) => {
      await engine.write(async (tx) => {
        const entries: [contentKey: number, at: number][] = [];
        for (const input of inputs) entries.push([await contentOf(tx, input), input.at]);
        const [first] = entries;
        if (first === undefined) return;
        await tx.insertMany(
          'reference_captures',
          ['type', 'direction', 'currency', 'captured_at', 'content_key', 'entries'],
          [[PASS, '', '', Math.max(...entries.map(([, at]) => at)), first[0], JSON.stringify(entries)]],
        );
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

/** The key of the content, stored where it is new. */
async function contentOf(tx: WriteTransaction, input: ReferenceInput): Promise<number> {
  const { direction, currency } = subjectOf(input);
  const known = await tx.db
    .selectFrom('reference_contents')
    .select('content_key')
    .where('type', '=', input.type)
    .where('direction', '=', direction)
    .where('currency', '=', currency)
    .where('sha256', '=', input.sha256)
    .executeTakeFirst();
  return Number(known?.content_key ?? (await insertContent(tx, input)));
}
