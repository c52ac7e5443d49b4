/**
 * What is under the keyed seal: of each table either the columns that decide a figure or a decision, or the reason why none
 * does. A column or a table that is missing here does not compile.
 */
import type { ColumnOf, TableName, Tables } from './tables.ts';

/** `true`: under the seal; `when set`: the same for a column that older rows do not have. Any other text: why a change of it decides nothing, or what finds one instead. */
const WHEN_SET = 'when set';

type Sealing = { readonly [T in TableName]: string | { readonly [C in keyof Tables[T] & string]: true | string } };

const KEY = 'a number that the store gives; what it names is under the seal';
const TOKEN = 'a token is sealed with its record as associated data: another one cannot be read';
const OBSERVED = 'follows the bodies and their digests: the next fetch writes it again';
const CONTENT = 'the digest of the body (contents.digest) finds a change';
const EVENTS = 'the seals of events (row_seals) find a change';
const RUNNING = 'holds for the minutes of a run or of a request';
const COMPARED = 'is compared with the last event of the break';
const REMARK = 'a remark of a person: no figure and no decision rests on it';
const NOT_YET = 'not sealed: the published sets and the bodies of the Service show what was there';

export const SEALING: Sealing = {
  tracked_records: {
    record_key: true,
    kind: true,
    record_id: true,
    origin: OBSERVED,
    tracked_at: OBSERVED,
    key_id: TOKEN,
    token: TOKEN,
    token_fingerprint: TOKEN,
    host_reference: true,
    quote_id: true,
    expected_status: true,
    conflict: true,
    webhook_events: OBSERVED,
    told_created_at: true,
    shown_total: true,
    shown_fee: true,
    retracted_at: true,
    last_verified_status: OBSERVED,
    body_created_at: OBSERVED,
    status: OBSERVED,
    status_since: OBSERVED,
    peak_status: OBSERVED,
    peak_at: OBSERVED,
    terminal_day: OBSERVED,
    first_snapshot: OBSERVED,
    terminal_snapshot: OBSERVED,
    last_snapshot: OBSERVED,
    last_verified_at: OBSERVED,
    last_verified_day: OBSERVED,
  },
  tracking_conflicts: TOKEN,
  tracking_events: 'what they decided is in the sealed columns of tracked_records',
  contents: CONTENT,
  bodies: 'the hash of each text is in its content',
  snapshots: NOT_YET,
  sealed_bodies: TOKEN,
  deliveries: NOT_YET,
  currencies_seen: 'decides which reference data is asked for, and no figure',
  sealing_keys: 'names of keys',
  quotes: {
    quote_key: true,
    quote_id: true,
    direction: true,
    api: true,
    captured_at: true,
    added_at: 'decides nothing after the run that used it',
    asset_chain: true,
    asset_symbol: true,
    asset_decimals: true,
    asset_address: true,
    asset_chain_presumed: true,
    fiat_currency: true,
    terms_currency: true,
    terms_min_purchase: true,
    terms_max_purchase: true,
    terms_min_units: true,
    terms_price: true,
    shown_total: true,
    shown_fee: true,
    shown_method: true,
    country: true,
    asset_type: true,
    rate_eur: true,
    fiat_rate_eur: true,
  },
  quote_methods: {
    quote_key: true,
    method: true,
    position: 'the order of the methods decides nothing',
    fiat_value: true,
    crypto_units: true,
    applied_fee: true,
    base_fee: true,
    network_fee: true,
    network_fee_exact: true,
    host_fee_cut: true,
    exchange_rate: true,
  },
  quote_bodies: 'evidence of the quote, by its hash; what is compared is in the sealed columns of quotes',
  reference_captures: NOT_YET,
  reference_contents: NOT_YET,
  reference_assets: NOT_YET,
  reference_methods: NOT_YET,
  runs: 'sealed by run, when it is settled and when it is finished (row_seals)',
  run_items: 'sealed by run, when it is settled (row_seals)',
  status_changes: NOT_YET,
  breaks: COMPARED,
  break_events: EVENTS,
  staged_break_events: RUNNING,
  period_statements: 'sealed by statement, when it is sealed (row_seals)',
  period_records: 'sealed by statement, when it is sealed (row_seals)',
  periods: {
    period: true,
    statement_key: true,
    state: true,
    reviewed_by: true,
    reviewed_at: true,
  },
  database_ids: 'is compared with the id in the out folder',
  publications: 'are compared with the manifests in the out folder',
  row_seals: 'seals themselves, and counted',
  sealed_rows: 'seals themselves, and counted',
  doubted_runs: NOT_YET,
  leases: RUNNING,
  bookings: RUNNING,
  circuits: RUNNING,
  access_links: {
    link_key: KEY,
    secret_hash: true,
    name: true,
    roles: true,
    made_at: true,
    ends_at: true,
    made_by: true,
    used_at: true,
    revoked_at: true,
  },
  access_sessions: {
    session_key: KEY,
    secret_hash: true,
    name: true,
    roles: true,
    made_at: true,
    ends_at: true,
    account: true,
    ended_at: true,
  },
  access_acts: {
    act_key: KEY,
    at: true,
    name: true,
    account: true,
    proof: true,
    action: true,
    subject: true,
    outcome: true,
    detail: true,
  },
  saved_views: 'a saved filter',
  break_notes: REMARK,
  break_attachments: REMARK,
  waiver_requests: {
    request_key: KEY,
    break_id: true,
    asked_by: true,
    asked_account: true,
    asked_at: true,
    reason: true,
    until: true,
    events: true,
    decided_by: true,
    decided_at: true,
    outcome: true,
  },
  claims: {
    claim_key: true,
    claim_id: true,
    title: true,
    state: true,
    reference: true,
    opened_at: true,
    opened_by: true,
    remind_on: true,
    events: true,
  },
  claim_items: { claim_key: true, break_id: true, currency: true, claimed: true, recovered: true },
  claim_events: {
    event_key: KEY,
    claim_key: true,
    at: true,
    state: true,
    name: true,
    account: true,
    proof: true,
    reason: true,
  },
  chain_sightings: { sighting_key: true, tx_name: true, settled: true, sighting: true, sha256: true },
  chain_answers: 'kept by the hash of their text',
  delivery_claims: {
    claim_key: KEY,
    tx_name: true,
    kind: true,
    record_id: true,
    receiver: true,
    asset_address: true,
    units: true,
    created_at: true,
  },
  payouts: {
    payout_key: KEY,
    payout_id: true,
    source: true,
    paid_at: true,
    currency: true,
    amount: true,
    added_at: 'decides nothing',
    reference: true,
    period: true,
    sha256: true,
    withheld: true,
    settled_currency: true,
    rate: true,
    statement_id: true,
    tx_name: true,
    type: 'when set',
  },
  run_revenue: { run_key: true, revenue: true },
  price_moves: OBSERVED,
};

/** The tables whose rows are sealed one by one, with the columns under the seal in the order of the seal. */
export const SEALED_COLUMNS: ReadonlyMap<TableName, readonly string[]> = new Map(
  Object.entries(SEALING).flatMap(([table, columns]) =>
    typeof columns === 'string'
      ? []
      : [
          [
            table as TableName,
            Object.entries(columns)
              .filter(([, how]) => how === true || how === WHEN_SET)
              .map(([column]) => column),
          ] as const,
        ],
  ),
);

/** Of a table whose rows are not sealed one by one: nothing to compare. */
export function sealedColumns<T extends TableName>(table: T): readonly ColumnOf<T>[] {
  const columns = SEALED_COLUMNS.get(table);
  if (columns === undefined) throw new Error(`rows of ${table} are not sealed one by one`);
  return columns as readonly ColumnOf<T>[];
}

/** Places in the order of the seal of columns that count only where they are set, so that the seals of older rows hold. */
export const PLACES_WHEN_SET: ReadonlyMap<TableName, readonly number[]> = new Map(
  [...SEALED_COLUMNS].map(([table, columns]) => {
    const how: Readonly<Record<string, unknown>> = Object(SEALING[table]);
    return [table, columns.flatMap((column, place) => (how[column] === WHEN_SET ? [place] : []))];
  }),
);
