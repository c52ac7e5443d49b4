/** Tables of tracked records, their bodies and their deliveries. */
import type { Kind, Origin } from '../../domain/record.ts';
import type { CorrectionEvent, ProjectionUpdate } from '../../ports/store/store.ts';
import { bytes, type CellsOf, date, id, integer, key, ROWS, risingKey, SUM, table, text } from './column.ts';
import { FACTS } from './facts.ts';
import { placedReaderOf, writerOf } from './places.ts';
import { STATE } from './state.ts';

const DUE = 'only when the record is fetched again';
/** Of a number that the store gives. */
export const KEY = 'what it names is under the seal';
export const TEXT = 'evidence: it is compared with its sealed hash where it is shown';

/** The projection of all snapshots of a record. */
export const PROJECTION = {
  status: text.orNull.summed,
  status_since: integer.orNull.summed,
  peak_status: text.orNull.summed,
  peak_at: integer.orNull.summed,
  terminal_day: date.orNull.named('terminalDate').summedApart,
  first_snapshot: integer.orNull.summed,
  terminal_snapshot: integer.orNull.summed,
  last_snapshot: integer.orNull.summed,
  last_verified_at: integer.orNull.summed,
  last_verified_day: date.orNull.named('lastVerifiedDate').summedApart,
};

export const TRACKING = {
  tracked_records: table(
    {
      record_key: key,
      kind: id.as<Kind>(),
      record_id: id,
      origin: text.as<Origin>().unsealed('it says how the id came in, and nothing is compared with it'),
      tracked_at: integer.summed,
      key_id: text.found('opening the token'),
      token: bytes.found('opening it'),
      /** Keyed, so that equal tokens are recognised without unsealing and cannot be guessed from the file. */
      token_fingerprint: bytes.found('opening the token'),
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
      seal: 'each is opened, and another record’s cannot be',
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

export const readProjection = placedReaderOf(PROJECTION);
const writeProjection = writerOf(PROJECTION);

/** The update with `snapshot` in the place of 'this', which is also the record's newest snapshot from now on. */
export function projectionCells(update: ProjectionUpdate, snapshot: number): CellsOf<typeof PROJECTION> {
  const resolve = (key: number | 'this' | null): number | null => (key === 'this' ? snapshot : key);
  const { firstSnapshot, terminalSnapshot } = update;
  const snapshots = { firstSnapshot: resolve(firstSnapshot), terminalSnapshot: resolve(terminalSnapshot) };
  return writeProjection({ ...update, ...snapshots, lastSnapshot: snapshot });
}
