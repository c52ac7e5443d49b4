/** The figures of a record's body as columns of `contents`, and how they are read and written. */
import type { Kind } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import {
  decimalCell,
  presumedCell,
  type Row,
  readDecimal,
  readDecimalOrNull,
  readPresumed,
  readUnits,
} from '../cells.ts';
import { type CellsOf, foundBy, id, integer, namesOf, text } from './column.ts';
import { cell, type PlacesOf } from './places.ts';

/** A RecordState without its identity, in the order of `contents.digest`: a new column is the last. */
export const STATE = foundBy('the digest of the body (contents.digest)', {
  status: text.orNull,
  created_at: integer.orNull,
  updated_at: integer.orNull,
  asset_chain: id,
  asset_symbol: id,
  asset_decimals: integer,
  asset_address: text.orNull,
  crypto_units: text,
  fiat_currency: id,
  fiat_value: text,
  exchange_rate: text.orNull,
  exchange_rate_eur: text.orNull,
  fiat_rate_eur: text.orNull,
  base_fee: text.orNull,
  network_fee: text.orNull,
  applied_fee: text.orNull,
  host_fee_cut: text.orNull,
  payment_method: id.orNull,
  receiver_address: text.orNull,
  final_tx_hash: text.orNull,
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: integer.orNull,
  asset_type: text.orNull,
  end_time: integer.orNull,
  /** Paths of fields that the body lacks, separated by spaces; null in rows older than the column. */
  lacks: text.orNull,
  /** 1 where the body has another view token than the one that it was read with. */
  other_token: integer.orNull,
  /** By the body's list of moments; null where it has none. */
  paid_at: integer.orNull,
  released_at: integer.orNull,
  returned_at: integer.orNull,
  /** Of a sale. */
  crypto_status: text.orNull,
  fee_currency: text.orNull,
});

export function stateCells(state: RecordState): CellsOf<typeof STATE> {
  return {
    status: state.status,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    asset_chain: state.asset.chain,
    asset_symbol: state.asset.symbol,
    asset_decimals: state.asset.decimals,
    asset_address: state.asset.address,
    crypto_units: state.cryptoUnits.toString(),
    fiat_currency: state.fiatCurrency,
    fiat_value: state.fiatValue.toString(),
    exchange_rate: decimalCell(state.exchangeRate),
    exchange_rate_eur: decimalCell(state.exchangeRateEur),
    fiat_rate_eur: decimalCell(state.fiatRateEur),
    base_fee: decimalCell(state.baseFee),
    network_fee: decimalCell(state.networkFee),
    applied_fee: decimalCell(state.appliedFee),
    host_fee_cut: decimalCell(state.hostFeeCut),
    payment_method: state.paymentMethod,
    receiver_address: state.receiverAddress,
    final_tx_hash: state.finalTxHash,
    asset_chain_presumed: presumedCell(state.asset),
    asset_type: state.asset.type ?? null,
    end_time: state.endTime,
    lacks: state.lacks?.join(' ') ?? null,
    other_token: state.hasOtherToken === true ? 1 : null,
    paid_at: state.paidAt ?? null,
    released_at: state.releasedAt ?? null,
    returned_at: state.returnedAt ?? null,
    crypto_status: state.cryptoStatus ?? null,
    fee_currency: state.feeCurrency ?? null,
  };
}

export const STATE_COLUMNS = namesOf(STATE);

/** As the digest has them. */
export const stateRow = (cells: CellsOf<typeof STATE>): Row => STATE_COLUMNS.map((column) => cells[column]);

/** Kind and id come from the record. */
export function readState(row: Row, at: PlacesOf<typeof STATE>, kind: Kind, recordId: string): RecordState {
  const [type, paidAt, releasedAt] = [cell(row, at.asset_type), cell(row, at.paid_at), cell(row, at.released_at)];
  const [returnedAt, cryptoStatus, feeCurrency] = [
    cell(row, at.returned_at),
    cell(row, at.crypto_status),
    cell(row, at.fee_currency),
  ];
  return {
    kind,
    recordId,
    status: cell(row, at.status),
    createdAt: cell(row, at.created_at),
    updatedAt: cell(row, at.updated_at),
    asset: {
      chain: cell(row, at.asset_chain),
      symbol: cell(row, at.asset_symbol),
      decimals: cell(row, at.asset_decimals),
      address: cell(row, at.asset_address),
      ...readPresumed(cell(row, at.asset_chain_presumed)),
      ...(type === null ? {} : { type }),
    },
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
    ...readLacks(cell(row, at.lacks)),
    ...(cell(row, at.other_token) === 1 ? { hasOtherToken: true as const } : {}),
    ...(paidAt === null ? {} : { paidAt }),
    ...(releasedAt === null ? {} : { releasedAt }),
    ...(returnedAt === null ? {} : { returnedAt }),
    ...(cryptoStatus === null ? {} : { cryptoStatus }),
    ...(feeCurrency === null ? {} : { feeCurrency }),
  };
}

const NOTHING_LACKING = { lacks: [] as readonly string[] };

function readLacks(lacks: string | null): Pick<RecordState, 'lacks'> {
  if (lacks === null) return {};
  return lacks === '' ? NOTHING_LACKING : { lacks: lacks.split(' ') };
}
