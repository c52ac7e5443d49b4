/** A RecordState as the typed columns of `contents`. */
import type { Kind } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { decimalCell, readDecimal, readDecimalOrNull, readUnits } from './cells.ts';
import type { Cell, Row } from './engine.ts';

/** In the order in which `stateCells` writes and `readState` reads. */
export const STATE_COLUMNS = [
  'status',
  'created_at',
  'updated_at',
  'asset_chain',
  'asset_symbol',
  'asset_decimals',
  'asset_address',
  'crypto_units',
  'fiat_currency',
  'fiat_value',
  'exchange_rate',
  'exchange_rate_eur',
  'fiat_rate_eur',
  'base_fee',
  'network_fee',
  'applied_fee',
  'host_fee_cut',
  'payment_method',
  'receiver_address',
  'final_tx_hash',
] as const;

export function stateCells(state: RecordState): Cell[] {
  return [
    state.status,
    state.createdAt,
    state.updatedAt,
    state.asset.chain,
    state.asset.symbol,
    state.asset.decimals,
    state.asset.address,
    state.cryptoUnits.toString(),
    state.fiatCurrency,
    state.fiatValue.toString(),
    decimalCell(state.exchangeRate),
    decimalCell(state.exchangeRateEur),
    decimalCell(state.fiatRateEur),
    decimalCell(state.baseFee),
    decimalCell(state.networkFee),
    decimalCell(state.appliedFee),
    decimalCell(state.hostFeeCut),
    state.paymentMethod,
    state.receiverAddress,
    state.finalTxHash,
  ];
}

/** Reads the columns that begin at `at`; the identity comes from the record, which its contents belong to. */
export function readState(row: Row, at: number, kind: Kind, recordId: string): RecordState {
  return {
    kind,
    recordId,
    status: row[at] as string | null,
    createdAt: row[at + 1] as number | null,
    updatedAt: row[at + 2] as number | null,
    asset: {
      chain: row[at + 3] as string,
      symbol: row[at + 4] as string,
      decimals: row[at + 5] as number,
      address: row[at + 6] as string | null,
    },
    cryptoUnits: readUnits(row[at + 7]),
    fiatCurrency: row[at + 8] as string,
    fiatValue: readDecimal(row[at + 9]),
    exchangeRate: readDecimalOrNull(row[at + 10]),
    exchangeRateEur: readDecimalOrNull(row[at + 11]),
    fiatRateEur: readDecimalOrNull(row[at + 12]),
    baseFee: readDecimalOrNull(row[at + 13]),
    networkFee: readDecimalOrNull(row[at + 14]),
    appliedFee: readDecimalOrNull(row[at + 15]),
    hostFeeCut: readDecimalOrNull(row[at + 16]),
    paymentMethod: row[at + 17] as string | null,
    receiverAddress: row[at + 18] as string | null,
    finalTxHash: row[at + 19] as string | null,
  };
}
