/** The figures of a record's body as columns of `contents`, and how they are read and written. */
import type { Kind } from '../../domain/record.ts';
import type { OddStep, RecordState } from '../../domain/snapshot.ts';
import { type Row, readDecimal, readDecimalOrNull, readUnits } from '../cells.ts';
import { ASSET, ASSET_CHAIN_PRESUMED, ASSET_TYPE, readAsset } from './asset.ts';
import { type CellsOf, decimal, foundBy, id, integer, namesOf, text, units } from './column.ts';
import { cell, type PlacesOf, writerOf } from './places.ts';

const paths = text.holds(
  (cell): readonly string[] => cell.split(' '),
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

/** Kind and id come from the record. What most bodies lack is added where there is any: a spread for each took half of the reading. */
export function readState(row: Row, at: PlacesOf<typeof STATE>, kind: Kind, recordId: string): RecordState {
  const state: RecordState = {
    kind,
    recordId,
    status: cell(row, at.status),
    createdAt: cell(row, at.created_at),
    updatedAt: cell(row, at.updated_at),
    asset: readAsset(row, at),
    cryptoUnits: readUnits(cell(row, at.crypto_units)),
    fiatCurrency: cell(row, at.fiat_currency),
    fiatValue: readDecimal(cell(row, at.fiat_value)),
    exchangeRate: readDecimalOrNull(cell(row, at.exchange_rate)),
    exchangeRateEur: readDecimalOrNull(cell(row, at.exchange_rate_eur)),
    fiatRateEur: readDecimalOrNull(cell(row, at.fiat_rate_eur)),
    baseFee: readDecimalOrNull(cell(row, at.base_fee)),
    networkFee: readDecimalOrNull(cell(row, at.network_fee)),
    appliedFee: readDecimalOrNull(cell(row, at.applied_fee)),
    hostFeeCut: readDecimalOrNull(cell(row, at.host_fee_cut)),
    paymentMethod: cell(row, at.payment_method),
    receiverAddress: cell(row, at.receiver_address),
    finalTxHash: cell(row, at.final_tx_hash),
    endTime: cell(row, at.end_time),
  };
  const lacks = cell(row, at.lacks);
  if (lacks !== null) state.lacks = lacks === '' ? NONE : lacks.split(' ');
  if (cell(row, at.other_token) === 1) state.hasOtherToken = true;
  const paidAt = cell(row, at.paid_at);
  if (paidAt !== null) state.paidAt = paidAt;
  const releasedAt = cell(row, at.released_at);
  if (releasedAt !== null) state.releasedAt = releasedAt;
  const returnedAt = cell(row, at.returned_at);
  if (returnedAt !== null) state.returnedAt = returnedAt;
  const cryptoStatus = cell(row, at.crypto_status);
  if (cryptoStatus !== null) state.cryptoStatus = cryptoStatus;
  const feeCurrency = cell(row, at.fee_currency);
  if (feeCurrency !== null) state.feeCurrency = feeCurrency;
  const alsoNamed = cell(row, at.also_named);
  if (alsoNamed !== null) state.alsoNamed = alsoNamed;
  const payoutStatus = cell(row, at.payout_status);
  if (payoutStatus !== null) state.payoutStatus = payoutStatus;
  const oddSteps = cell(row, at.odd_steps);
  if (oddSteps !== null) state.oddSteps = readSteps(oddSteps);
  return state;
}

const NONE: readonly string[] = [];
