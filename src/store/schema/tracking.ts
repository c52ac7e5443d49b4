/** Tables of tracked records, their bodies and their deliveries. */
import type { Generated } from 'kysely';
import type { Kind, Origin } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { CorrectionEvent, Projection, ProjectionUpdate } from '../../ports/store/store.ts';
import {
  type Cell,
  columns,
  dateOrNull,
  dayOrNull,
  decimalCell,
  presumedCell,
  type Row,
  readDecimal,
  readDecimalOrNull,
  readPresumed,
  readUnits,
} from '../cells.ts';
import type { AssetColumns, FactColumns } from './facts.ts';

/** The projection of all snapshots of a record. */
interface ProjectionColumns {
  status: string | null;
  status_since: number | null;
  peak_status: string | null;
  peak_at: number | null;
  terminal_day: number | null;
  first_snapshot: number | null;
  terminal_snapshot: number | null;
  last_snapshot: number | null;
  last_verified_at: number | null;
  last_verified_day: number | null;
}

export interface TrackedRecordTable extends ProjectionColumns, FactColumns {
  record_key: Generated<number>;
  kind: Kind;
  record_id: string;
  origin: Origin;
  tracked_at: number;
  key_id: string;
  token: Uint8Array;
  /** Keyed, so that equal tokens are recognised without unsealing and cannot be guessed from the file. */
  token_fingerprint: Uint8Array;
  /** Status at the last verification; `status` may have been learned from a webhook since. */
  last_verified_status: string | null;
  /** Creation time by the newest body. */
  body_created_at: number | null;
  /** Time of the retraction by a person; null while the record is in the population. */
  retracted_at: number | null;
}

/** Append-only: lines that contradict a tracked id by their token or their kind. */
export interface TrackingConflictTable {
  conflict_key: Generated<number>;
  record_key: number;
  type: 'token' | 'kind';
  origin: Origin;
  at: number;
  key_id: string | null;
  token: Uint8Array | null;
  token_fingerprint: Uint8Array | null;
  /** Time of a person's decision, which ends the conflict; null before. */
  settled_at: number | null;
}

/** Append-only: decisions of people about a tracked record. */
export interface TrackingEventTable extends CorrectionEvent {
  event_key: Generated<number>;
  record_key: number;
}

/** One row per record and distinct body; the typed columns of a RecordState, without its identity. */
export interface ContentTable extends AssetColumns {
  content_key: Generated<number>;
  /** Of the bytes received. */
  sha256: string;
  /**
   * Keyed digest of the typed columns, which detects a row that was changed outside Tieout. Null in rows older than
   * the column.
   */
  digest: Uint8Array | null;
  /** Hash of the kept text, without tokens; null in rows older than the column. */
  redacted_sha256: string | null;
  record_key: number;
  status: string | null;
  created_at: number | null;
  updated_at: number | null;
  /** 1 where the chain follows from a token standard alone. */
  asset_chain_presumed: number | null;
  crypto_units: string;
  fiat_currency: string;
  fiat_value: string;
  exchange_rate: string | null;
  exchange_rate_eur: string | null;
  fiat_rate_eur: string | null;
  base_fee: string | null;
  network_fee: string | null;
  applied_fee: string | null;
  host_fee_cut: string | null;
  payment_method: string | null;
  receiver_address: string | null;
  final_tx_hash: string | null;
  asset_type: string | null;
  end_time: number | null;
  /** Paths of fields that the body lacks, separated by spaces; null in rows older than the column. */
  lacks: string | null;
  /** 1 where the body has another view token than the one that it was read with. */
  other_token: number | null;
  /** By the body's list of moments; null where it has none. */
  paid_at: number | null;
  released_at: number | null;
}

/** Evidence texts, deflated; apart from `contents`, so that a scan of the typed columns never touches them. */
export interface BodyTable {
  content_key: number;
  deflated: Uint8Array;
}

export interface SnapshotTable {
  snapshot_key: Generated<number>;
  record_key: number;
  content_key: number;
  origin: Origin;
  received_at: number;
  http_status: number | null;
}

/** Bodies that could not be read, sealed: one may be another record's. */
export interface SealedBodyTable {
  sealed_key: Generated<number>;
  record_key: number;
  sha256: string;
  /** As in `contents`. */
  redacted_sha256: string | null;
  stored_at: number;
  key_id: string;
  sealed: Uint8Array;
}

export interface DeliveryTable {
  delivery_key: Generated<number>;
  record_key: number;
  origin: Origin;
  /** Empty where the envelope had none. */
  event_type: string;
  /** `Delivery.identity`: a hash of the content. The hash of the bytes is in `contents`. */
  sha256: string;
  snapshot_key: number | null;
  delivered_at: number;
  /** When the record was first fetched after this delivery; null until then. */
  looked_at: number | null;
}

/** Fiat currencies met so far. */
export interface CurrencyTable {
  currency: string;
}

/** Keys in use for sealed values. */
export interface SealingKeyTable {
  key_id: string;
}

/** In the order in which `projectionCells` writes and `readProjection` reads. */
export const PROJECTION_COLUMNS = columns(
  'status status_since peak_status peak_at terminal_day first_snapshot terminal_snapshot last_snapshot',
  'last_verified_at last_verified_day',
);

/** Where the last snapshot stands, counted from the first of these columns. */
export const LAST_SNAPSHOT_OFFSET = PROJECTION_COLUMNS.indexOf('last_snapshot');

export function readProjection(row: Row, at: number): Projection {
  return {
    status: row[at] as string | null,
    statusSince: row[at + 1] as number | null,
    peakStatus: row[at + 2] as string | null,
    peakAt: row[at + 3] as number | null,
    terminalDate: dateOrNull(row[at + 4] as number | null),
    firstSnapshot: row[at + 5] as number | null,
    terminalSnapshot: row[at + 6] as number | null,
    lastSnapshot: row[at + 7] as number | null,
    lastVerifiedAt: row[at + 8] as number | null,
    lastVerifiedDate: dateOrNull(row[at + 9] as number | null),
  };
}

/** The update with `snapshot` in the place of 'this', which is also the record's newest snapshot from now on. */
export function projectionCells(update: ProjectionUpdate, snapshot: number): Cell[] {
  const resolve = (key: number | 'this' | null): number | null => (key === 'this' ? snapshot : key);
  return [
    update.status,
    update.statusSince,
    update.peakStatus,
    update.peakAt,
    dayOrNull(update.terminalDate),
    resolve(update.firstSnapshot),
    resolve(update.terminalSnapshot),
    snapshot,
    update.lastVerifiedAt,
    dayOrNull(update.lastVerifiedDate),
  ];
}

/** In the order in which `stateCells` writes and `readState` reads. */
export const STATE_COLUMNS = columns(
  'status created_at updated_at asset_chain asset_symbol asset_decimals asset_address crypto_units',
  'fiat_currency fiat_value exchange_rate exchange_rate_eur fiat_rate_eur base_fee network_fee',
  'applied_fee host_fee_cut payment_method receiver_address final_tx_hash',
  'asset_chain_presumed asset_type end_time lacks other_token paid_at released_at',
);

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
    presumedCell(state.asset),
    state.asset.type ?? null,
    state.endTime,
    state.lacks?.join(' ') ?? null,
    state.hasOtherToken === true ? 1 : null,
    state.paidAt ?? null,
    state.releasedAt ?? null,
  ];
}

/** Reads the columns that begin at `at`; kind and id come from the record. */
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
      ...readPresumed(row[at + 20]),
      ...(row[at + 21] === null ? {} : { type: row[at + 21] as string }),
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
    endTime: row[at + 22] as number | null,
    ...readLacks(row[at + 23] as string | null),
    ...(row[at + 24] === 1 ? { hasOtherToken: true as const } : {}),
    ...(row[at + 25] === null ? {} : { paidAt: row[at + 25] as number }),
    ...(row[at + 26] === null ? {} : { releasedAt: row[at + 26] as number }),
  };
}

const NOTHING_LACKING = { lacks: [] as readonly string[] };

function readLacks(cell: string | null): Pick<RecordState, 'lacks'> {
  if (cell === null) return {};
  return cell === '' ? NOTHING_LACKING : { lacks: cell.split(' ') };
}
