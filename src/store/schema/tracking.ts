/** Tables of tracked records, their bodies and their deliveries. */
import type { Kind, Origin } from '../../domain/record.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import type { CorrectionEvent, Projection, ProjectionUpdate } from '../../ports/store/store.ts';
import {
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
import {
  bytes,
  type CellsOf,
  foundBy,
  id,
  integer,
  key,
  namesOf,
  ROWS,
  risingKey,
  SUM,
  table,
  text,
} from './column.ts';
import { FACTS } from './facts.ts';
import { cell, type PlacesOf } from './places.ts';

const TOKEN = 'a token is sealed with its record as associated data: another one cannot be read';
const DUE = 'only when the record is fetched again';
/** Of a number that the store gives. */
export const KEY = 'what it names is under the seal';
/** Of evidence. */
export const TEXT = 'evidence: it is compared with its sealed hash where it is shown';

/** The projection of all snapshots of a record. */
export const PROJECTION = {
  status: text.orNull.summed,
  status_since: integer.orNull.summed,
  peak_status: text.orNull.summed,
  peak_at: integer.orNull.summed,
  terminal_day: integer.orNull.unsealed(DUE),
  first_snapshot: integer.orNull.summed,
  terminal_snapshot: integer.orNull.summed,
  last_snapshot: integer.orNull.summed,
  last_verified_at: integer.orNull.summed,
  last_verified_day: integer.orNull.unsealed(DUE),
};

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
  returned_at: integer.orNull.found('the digest of the row'),
});

export const TRACKING = {
  tracked_records: table(
    {
      record_key: key,
      kind: id.as<Kind>(),
      record_id: id,
      origin: text.as<Origin>().unsealed('it says how the id came in, and nothing is compared with it'),
      tracked_at: integer.summed,
      key_id: text.unsealed(TOKEN),
      token: bytes.unsealed(TOKEN),
      /** Keyed, so that equal tokens are recognised without unsealing and cannot be guessed from the file. */
      token_fingerprint: bytes.unsealed(TOKEN),
      ...FACTS,
      webhook_events: FACTS.webhook_events.summed,
      /** Time of the retraction by a person; null while the record is in the population. */
      retracted_at: integer.orNull,
      /** Status at the last verification; `status` may have been learned from a webhook since. */
      last_verified_status: text.orNull.summed,
      /** Creation time by the newest body. */
      body_created_at: integer.orNull.summed,
      ...PROJECTION,
    },
    {
      seal: ROWS,
      unique: [['kind', 'record_id']],
      // Days from the end to the last verification, far below zero where either is missing. No index may hold a column that a night
      // changes: PostgreSQL then updates rows in place (heap-only tuples).
      computed: { column: 'looked_after_end', as: 'coalesce(last_verified_day - terminal_day, -1000000)' },
      indexes: [
        'tracked_records_looks (looked_after_end)',
        'tracked_records_retracted (retracted_at) where retracted_at is not null',
        'tracked_records_host (host_reference) where host_reference is not null',
      ],
      // Room for the next version of every row of a page: a batch is most rows of its pages.
      storage: 'fillfactor = 50',
    },
  ),

  /** Append-only: lines that contradict a tracked id by their token or their kind. */
  tracking_conflicts: table(
    {
      conflict_key: key,
      record_key: integer.references('tracked_records'),
      type: text.as<'token' | 'kind'>(),
      origin: text.as<Origin>(),
      at: integer,
      key_id: text.orNull,
      token: bytes.orNull,
      token_fingerprint: bytes.orNull,
      /** Time of a person's decision, which ends the conflict; null before. */
      settled_at: integer.orNull,
    },
    {
      seal: 'what was decided is in tracked_records.conflict, and a token opens with its record alone',
      indexes: ['tracking_conflicts_record (record_key)'],
    },
  ),

  /** Append-only: decisions of people about a tracked record. */
  tracking_events: table(
    {
      event_key: risingKey.unsealed(KEY),
      record_key: integer.references('tracked_records'),
      type: text.as<CorrectionEvent['type']>(),
      actor: text,
      reason: text,
      at: integer,
    },
    {
      seal: SUM,
      indexes: ['tracking_events_record (record_key)'],
    },
  ),

  /**
   * One row per record and distinct body: the figures of a RecordState, without its identity. Hashes are indexed in blocks of
   * 1,024 consecutive rows: a hash is random, and in one index each new row would go to a page of its own (18 KB
   * written for each record of a night, and not 14.1, by the redacted hashes alone).
   */
  contents: table(
    {
      content_key: key,
      /** Of the bytes received. */
      sha256: id,
      record_key: integer.references('tracked_records'),
      /** Hash of the kept text, without tokens; null in rows older than the column. */
      redacted_sha256: text.orNull,
      /** Keyed digest of the figures, which detects a row that was changed outside Tieout. Null in rows older than the column. */
      digest: bytes.orNull.found('itself'),
      ...STATE,
    },
    {
      seal: SUM,
      unique: [['record_key', 'sha256']],
      indexes: [
        'contents_received ((content_key / 1024), sha256)',
        'contents_redacted ((content_key / 1024), redacted_sha256) where redacted_sha256 is not null',
      ],
    },
  ),

  /** Evidence texts, deflated; apart from `contents`, so that a scan of the figures never touches them. */
  bodies: table({ content_key: integer.references('contents'), deflated: bytes }, { seal: TEXT, key: ['content_key'] }),

  snapshots: table(
    {
      snapshot_key: key,
      record_key: integer.references('tracked_records'),
      content_key: integer.references('contents'),
      origin: text.as<Origin>(),
      received_at: integer,
      http_status: integer.orNull.unsealed('shown in the history of a record; that of a run is in run_items'),
    },
    { seal: SUM, indexes: ['snapshots_content (content_key)'] },
  ),

  /** Bodies that could not be read, sealed: one may be another record's. */
  sealed_bodies: table(
    {
      sealed_key: key,
      record_key: integer.references('tracked_records'),
      sha256: id,
      stored_at: integer,
      key_id: text,
      sealed: bytes,
      /** As in `contents`. */
      redacted_sha256: text.orNull,
    },
    {
      seal: TOKEN,
      unique: [['record_key', 'sha256']],
      indexes: ['sealed_bodies_redacted (redacted_sha256) where redacted_sha256 is not null'],
    },
  ),

  deliveries: table(
    {
      delivery_key: key.unsealed(KEY),
      record_key: integer.references('tracked_records'),
      origin: text.as<Origin>(),
      /** Empty where the envelope had none. */
      event_type: text,
      /** `Delivery.identity`: a hash of the content. The hash of the bytes is in `contents`. */
      sha256: id,
      snapshot_key: integer.orNull.references('snapshots'),
      delivered_at: integer,
      /** When the record was first fetched after this delivery; null until then. */
      looked_at: integer.orNull.unsealed(DUE),
    },
    {
      seal: SUM,
      unique: [['record_key', 'origin', 'event_type', 'sha256']],
      indexes: [
        // Those that wait for a fetch: it takes its record's rows out of the index.
        'deliveries_waiting (record_key) where looked_at is null',
        'deliveries_time (delivered_at)',
        'deliveries_snapshot (snapshot_key) where snapshot_key is not null',
      ],
    },
  ),

  /** Fiat currencies met so far. */
  currencies_seen: table(
    { currency: id },
    { seal: 'decides which reference data is asked for, and no figure', key: ['currency'], clustered: true },
  ),
  /** Keys in use for sealed values. */
  sealing_keys: table({ key_id: id }, { seal: 'names of keys', key: ['key_id'], clustered: true }),
};

export function readProjection(row: Row, at: PlacesOf<typeof PROJECTION>): Projection {
  return {
    status: cell(row, at.status),
    statusSince: cell(row, at.status_since),
    peakStatus: cell(row, at.peak_status),
    peakAt: cell(row, at.peak_at),
    terminalDate: dateOrNull(cell(row, at.terminal_day)),
    firstSnapshot: cell(row, at.first_snapshot),
    terminalSnapshot: cell(row, at.terminal_snapshot),
    lastSnapshot: cell(row, at.last_snapshot),
    lastVerifiedAt: cell(row, at.last_verified_at),
    lastVerifiedDate: dateOrNull(cell(row, at.last_verified_day)),
  };
}

/** The update with `snapshot` in the place of 'this', which is also the record's newest snapshot from now on. */
export function projectionCells(update: ProjectionUpdate, snapshot: number): CellsOf<typeof PROJECTION> {
  const resolve = (key: number | 'this' | null): number | null => (key === 'this' ? snapshot : key);
  return {
    status: update.status,
    status_since: update.statusSince,
    peak_status: update.peakStatus,
    peak_at: update.peakAt,
    terminal_day: dayOrNull(update.terminalDate),
    first_snapshot: resolve(update.firstSnapshot),
    terminal_snapshot: resolve(update.terminalSnapshot),
    last_snapshot: snapshot,
    last_verified_at: update.lastVerifiedAt,
    last_verified_day: dayOrNull(update.lastVerifiedDate),
  };
}

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
  };
}

export const STATE_COLUMNS = namesOf(STATE);

/** As the digest has them. */
export const stateRow = (cells: CellsOf<typeof STATE>): Row => STATE_COLUMNS.map((column) => cells[column]);

/** Kind and id come from the record. */
export function readState(row: Row, at: PlacesOf<typeof STATE>, kind: Kind, recordId: string): RecordState {
  const [type, paidAt, releasedAt] = [cell(row, at.asset_type), cell(row, at.paid_at), cell(row, at.released_at)];
  const returnedAt = cell(row, at.returned_at);
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
  };
}

const NOTHING_LACKING = { lacks: [] as readonly string[] };

function readLacks(lacks: string | null): Pick<RecordState, 'lacks'> {
  if (lacks === null) return {};
  return lacks === '' ? NOTHING_LACKING : { lacks: lacks.split(' ') };
}
