/** Tables of tracked records, their bodies and their deliveries. */
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
import { bytes, id, integer, key, ROWS, risingKey, SUM, table, text } from './column.ts';
import { FACTS } from './facts.ts';

const TOKEN = 'a token is sealed with its record as associated data: another one cannot be read';
const DUE = 'only when the record is fetched again';
const DIGEST = 'the digest of the body (contents.digest)';
/** Of a number that the store gives. */
export const KEY = 'what it names is under the seal';
/** Of evidence. */
export const TEXT = 'evidence: it is compared with its sealed hash where it is shown';

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
      // The projection of all snapshots.
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
   * 1,024 consecutive rows: a hash is random, and in one index each new row would go to a page of its own.
   */
  contents: table(
    {
      content_key: key,
      /** Of the bytes received. */
      sha256: id,
      record_key: integer.references('tracked_records'),
      status: text.orNull.found(DIGEST),
      created_at: integer.orNull.found(DIGEST),
      updated_at: integer.orNull.found(DIGEST),
      asset_chain: id.found(DIGEST),
      asset_symbol: id.found(DIGEST),
      asset_decimals: integer.found(DIGEST),
      asset_address: text.orNull.found(DIGEST),
      crypto_units: text.found(DIGEST),
      fiat_currency: id.found(DIGEST),
      fiat_value: text.found(DIGEST),
      exchange_rate: text.orNull.found(DIGEST),
      exchange_rate_eur: text.orNull.found(DIGEST),
      fiat_rate_eur: text.orNull.found(DIGEST),
      base_fee: text.orNull.found(DIGEST),
      network_fee: text.orNull.found(DIGEST),
      applied_fee: text.orNull.found(DIGEST),
      host_fee_cut: text.orNull.found(DIGEST),
      payment_method: id.orNull.found(DIGEST),
      receiver_address: text.orNull.found(DIGEST),
      final_tx_hash: text.orNull.found(DIGEST),
      /** Hash of the kept text, without tokens; null in rows older than the column. */
      redacted_sha256: text.orNull,
      /** Keyed digest of the figures, which detects a row that was changed outside Tieout. Null in rows older than the column. */
      digest: bytes.orNull.found(DIGEST),
      /** 1 where the chain follows from a token standard alone. */
      asset_chain_presumed: integer.orNull.found(DIGEST),
      asset_type: text.orNull.found(DIGEST),
      end_time: integer.orNull.found(DIGEST),
      /** Paths of fields that the body lacks, separated by spaces; null in rows older than the column. */
      lacks: text.orNull.found(DIGEST),
      /** 1 where the body has another view token than the one that it was read with. */
      other_token: integer.orNull.found(DIGEST),
      /** By the body's list of moments; null where it has none. */
      paid_at: integer.orNull.found(DIGEST),
      released_at: integer.orNull.found(DIGEST),
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
