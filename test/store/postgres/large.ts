/** A database with enough rows that an index matters, made by the server itself in a second or two. */
export const RECORDS = 20_000;

/** Hexadecimal digits of a number, so that ids and hashes are spread as real ones are. */
const HASH = (of: string) => `encode(sha256(${of}::text::bytea), 'hex')`;

const SERIES = `generate_series(1, ${RECORDS}) as n`;

/** Run 1 is judged, run 2 under way: half of its items are observed. Every other
 * record has had a break, open for one in a hundred; every tenth names a quote. */
export const MAKE_LARGE: readonly string[] = [
  `insert into tracked_records (kind, record_id, origin, tracked_at, key_id, token, token_fingerprint, quote_id, status,
     last_snapshot, last_verified_at, last_verified_day, terminal_day, body_created_at)
   select case when n % 4 = 0 then 'sale' else 'purchase' end, left(${HASH('n')}, 15), 'import', n, 'key', 'x', 'y',
     case when n % 10 = 0 then 'q' || n end, 'RELEASED', n, 1000000 + n, 20400 + n % 30, 20390 + n % 30, 1000000 + n
   from ${SERIES}`,
  `insert into contents (sha256, redacted_sha256, record_key, status, asset_chain, asset_symbol, asset_decimals, crypto_units,
     fiat_currency, fiat_value, payment_method)
   select ${HASH('n')}, ${HASH("'kept ' || n")}, n, 'RELEASED', 'ETH', 'ETH', 18, '1', 'EUR', '1', 'CARD_PAYMENT' from ${SERIES}`,
  `insert into bodies (content_key, deflated) select n, 'x' from ${SERIES}`,
  `insert into snapshots (record_key, content_key, origin, received_at) select n, n, 'fetch', n from ${SERIES}`,
  `insert into quotes (quote_id, direction, api, captured_at, added_at, asset_chain, asset_symbol, asset_decimals,
     fiat_currency)
   select 'q' || n, 'onramp', 'v3', n * 1000, n, 'ETH', 'ETH', 18, case when n % 5 = 0 then 'EUR' else 'USD' end
   from ${SERIES}`,
  `insert into quote_methods (quote_key, method, position, fiat_value, crypto_units, applied_fee, network_fee_exact)
   select n, method, 0, '1', '1', '1', 1 from ${SERIES}, unnest(array['CARD_PAYMENT', 'APPLE_PAY']) as method`,
  `insert into runs (run_id, job, business_day, revision, state, selection, timezone, started_at, as_of, terms, rules_hash,
     config_hash, code_version, requests_sent, planned, population, observed, quote_watermark, reference_watermark,
     break_watermark)
   select 'nightly-2025-11-' || (19 + n) || '-r1', 'nightly', 20410 + n, 1, case when n = 1 then 'judging' else 'fetching' end,
     '{"type":"due"}', 'UTC', 1, 1, '{}', 'r', 'c', 'v', 0, 1, ${RECORDS}, ${RECORDS}, 1000000, 0, 1000000
   from generate_series(1, 2) as n`,
  `insert into run_items (run_key, kind, record_id, record_key, position, due_class, attempts, outcome, snapshot_key,
     content_key, quote_key, before_first_snapshot, before_terminal_snapshot, observed_at)
   select run, t.kind, t.record_id, t.record_key, t.record_key, 'not-terminal', 1,
     case when run = 1 or t.record_key <= ${RECORDS / 2} then 'verified' end, t.record_key, t.record_key,
     case when t.record_key % 10 = 0 then t.record_key end, t.record_key, t.record_key, 1
   from tracked_records as t, generate_series(1, 2) as run`,
  `insert into breaks (break_id, record_key, kind, record_id, rule, field, state, first_seen_day, events, last_event_key)
   select ${HASH('n')}, t.record_key, t.kind, t.record_id, 'FEE_APPLIED_DIFFERS', 'applied_fee',
     case when n % 200 = 0 then 'open' else 'resolved' end, 20400, 1, n / 2
   from ${SERIES} join tracked_records as t on t.record_key = n where n % 2 = 0 order by n`,
  `insert into break_events (break_key, run_key, type, at, who, severity, state, first_seen_day, last_seen_day,
     times_reopened, explanation)
   select break_key, 1, 'opened', 1, 'tieout', 'high', state, 20400, 20400, 0, repeat('why', 200) from breaks order by break_key`,
  `insert into deliveries (record_key, origin, event_type, sha256, delivered_at, looked_at)
   select n, 'webhook', 'CREATED', ${HASH('n')}, n, case when n % 500 <> 0 then n end from ${SERIES}`,
  `insert into status_changes (record_key, kind, record_id, run_key, from_status, to_status, from_seen_at, to_seen_at,
     learned_from, legal)
   select record_key, kind, record_id, 1 + record_key % 2, 'A', 'B', 1, 2, 'fetch', 1 from tracked_records`,
  `insert into bookings (egress, domain, at) select 'office', 'boot', n from generate_series(1, 5000) as n`,
  'analyze',
];
