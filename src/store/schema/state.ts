/** The figures of a record's body as columns of `contents`, and how they are read and written. */
import type { Kind } from '../../domain/record.ts';
import type { OddStep, RecordState } from '../../domain/snapshot.ts';
import type { Row } from '../cells.ts';
import { ASSET, ASSET_CHAIN_PRESUMED, ASSET_TYPE, readAsset } from './asset.ts';
import { type CellsOf, decimal, foundBy, id, integer, namesOf, text, units } from './column.ts';
import { cell, type PlacesOf, placedReaderOf, writerOf } from './places.ts';

const paths = text.holds(
  (cell): readonly string[] => (cell === '' ? [] : cell.split(' ')),
  (all) => all.join(' '),
);

/** `RELEASED>EXPIRED@1762000000000`, separated by spaces. */
const readSteps = (cell: string): readonly OddStep[] =>
  cell.split(' ').map((step) => {
    const [from = '', to = '', at = ''] = step.split(/[>@]/);
    return { from: from === '' ? null : from, to, at: at === '' ? null : Number(at) };
  });

const steps = text.holds(readSteps, (all) =>
  all.map(({ from, to, at }) => `${from ?? ''}>${to}@${at ?? ''}`).join(' '),
);

/** A RecordState without its identity, in the order of `contents.digest`: a new column is the last. */
export const STATE = foundBy('the digest of the body (contents.digest)', {
  status: text.orNull,
  created_at: integer.orNull,
  updated_at: integer.orNull,
  ...ASSET,
  crypto_units: units,
  fiat_currency: id,
  fiat_value: decimal,
  exchange_rate: decimal.orNull,
  exchange_rate_eur: decimal.orNull,
  fiat_rate_eur: decimal.orNull,
  base_fee: decimal.orNull,
  network_fee: decimal.orNull,
  applied_fee: decimal.orNull,
  host_fee_cut: decimal.orNull,
  payment_method: id.orNull,
  receiver_address: text.orNull,
  final_tx_hash: text.orNull,
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: ASSET_CHAIN_PRESUMED,
  asset_type: ASSET_TYPE,
  end_time: integer.orNull,
  /** Paths of fields that the body lacks, separated by spaces; null in rows older than the column. */
  lacks: paths.orNull.ifAny,
  /** 1 where the body has another view token than the one that it was read with. */
  other_token: integer.orNull.from((state: RecordState) => (state.hasOtherToken === true ? 1 : null)),
  /** By the body's list of moments; null where it has none. */
  paid_at: integer.orNull.ifAny,
  released_at: integer.orNull.ifAny,
  returned_at: integer.orNull.ifAny,
  /** Of a sale. */
  crypto_status: text.orNull.ifAny,
  fee_currency: text.orNull.ifAny,
  also_named: text.orNull.ifAny,
  payout_status: text.orNull.ifAny,
  odd_steps: steps.orNull.ifAny,
});

export const stateCells = writerOf(STATE);

export const STATE_COLUMNS = namesOf(STATE);

/** As the digest has them. */
export const stateRow = (cells: CellsOf<typeof STATE>): Row => STATE_COLUMNS.map((column) => cells[column]);

const readParts = placedReaderOf(STATE, 'kind', 'recordId', 'asset');

/** Kind and id come from the record. */
export function readState(row: Row, at: PlacesOf<typeof STATE>, kind: Kind, recordId: string): RecordState {
  const state = readParts(row, at) as RecordState;
  state.kind = kind;
  state.recordId = recordId;
  state.asset = readAsset(row, at);
  if (cell(row, at.other_token) === 1) state.hasOtherToken = true;
  return state;
}
