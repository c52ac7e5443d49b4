/** Saves reference data: a capture is a few bytes, and each distinct content is stored once. */
import type { Direction } from '../domain/record.ts';
import type { ReferenceInput, ReferenceStore } from '../ports/store/store.ts';
import { columns, decimalCell, deflateText, flagCell, type Row, unitsCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { referenceAsOf } from './reference-as-of.ts';

const CONTENT_COLUMNS = columns(
  'type direction currency sha256 deflated global_currency global_min_purchase global_max_purchase',
  'global_min_fee global_min_fee_percent global_max_fee_percent',
);
const ASSET_COLUMNS = columns(
  'content_key asset_chain asset_symbol asset_decimals enabled min_purchase max_purchase min_units',
  'network_fee price asset_address',
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

async function insertContent(tx: WriteTransaction, input: ReferenceInput): Promise<number | null> {
  const { direction, currency } = subjectOf(input);
  const head = [input.type, direction, currency, input.sha256, deflateText(input.body)];
  const keys = await tx.insertForKeys('reference_contents', 'content_key', CONTENT_COLUMNS, [
    [...head, ...globalCells(input)],
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
    save: async (input) => {
      const { direction, currency } = subjectOf(input);
      await engine.write(async (tx) => {
        const known = await tx.db
          .selectFrom('reference_contents')
          .select('content_key')
          .where('type', '=', input.type)
          .where('direction', '=', direction)
          .where('currency', '=', currency)
          .where('sha256', '=', input.sha256)
          .executeTakeFirst();
        const contentKey = known?.content_key ?? (await insertContent(tx, input));
        await tx.insertMany(
          'reference_captures',
          ['type', 'direction', 'currency', 'captured_at', 'content_key'],
          [[input.type, direction, currency, input.at, contentKey]],
        );
      });
    },
    asOf: referenceAsOf(engine),
    latest: async () => {
      const rows = await engine.db
        .selectFrom('reference_captures')
        .select(['type', 'direction', 'currency'])
        .select((select) => select.fn.max('captured_at').as('at'))
        .groupBy(['type', 'direction', 'currency'])
        .orderBy('type')
        .orderBy('direction')
        .orderBy('currency')
        .execute();
      return rows.map((row) => ({
        type: row.type,
        direction: row.direction === '' ? null : row.direction,
        currency: row.currency === '' ? null : row.currency,
        at: row.at,
      }));
    },
  };
}
