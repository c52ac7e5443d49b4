// The same work in SQL: match each record with its quote, compare fees, write the breaks. Run by bench/replay/run.ts.
import { DuckDBInstance } from '@duckdb/node-api';

// They stand in SQL texts, where a quote is written twice.
const [folder, out] = process.argv.slice(2).map((path) => path.replaceAll("'", "''"));
const started = process.hrtime.bigint();
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

const AMOUNT = 'DECIMAL(38,18)';
await connection.run(`
  CREATE TABLE records AS SELECT * FROM read_csv('${folder}/records.csv', header = true, columns = {
    'record_id': 'VARCHAR', 'created_at': 'BIGINT', 'chain': 'VARCHAR', 'symbol': 'VARCHAR', 'decimals': 'INTEGER',
    'currency': 'VARCHAR', 'method': 'VARCHAR', 'units': 'VARCHAR', 'rate': '${AMOUNT}', 'fiat_value': '${AMOUNT}',
    'base': '${AMOUNT}', 'network': '${AMOUNT}', 'applied': '${AMOUNT}', 'quote_id': 'VARCHAR'});
  CREATE TABLE quotes AS SELECT * FROM read_csv('${folder}/quotes.csv', header = true, columns = {
    'quote_id': 'VARCHAR', 'captured_at': 'BIGINT', 'chain': 'VARCHAR', 'symbol': 'VARCHAR', 'currency': 'VARCHAR',
    'method': 'VARCHAR', 'fiat_value': '${AMOUNT}', 'base': '${AMOUNT}', 'network': '${AMOUNT}', 'applied': '${AMOUNT}'});
`);

await connection.run(`
  CREATE TABLE matched AS
  SELECT r.record_id, r.currency, r.fiat_value, r.base, r.network, r.applied,
         q.fiat_value AS quoted_fiat, q.base AS quoted_base, q.network AS quoted_network, q.applied AS quoted_applied
  FROM records r JOIN quotes q ON q.quote_id = r.quote_id
  UNION ALL
  SELECT record_id, currency, fiat_value, base, network, applied, quoted_fiat, quoted_base, quoted_network, quoted_applied
  FROM (
    SELECT r.record_id, r.currency, r.fiat_value, r.base, r.network, r.applied,
           q.fiat_value AS quoted_fiat, q.base AS quoted_base, q.network AS quoted_network, q.applied AS quoted_applied,
           row_number() OVER (PARTITION BY r.record_id ORDER BY q.captured_at DESC) AS nth
    FROM records r JOIN quotes q
      ON q.chain = r.chain AND q.symbol = r.symbol AND q.currency = r.currency AND q.method = r.method
     AND q.captured_at BETWEEN r.created_at - 1800000 AND r.created_at + 600000
     AND abs(r.fiat_value - q.fiat_value) <= greatest(0.01, 0.001 * q.fiat_value)
    WHERE r.quote_id IS NULL
  ) WHERE nth = 1
`);

await connection.run(`
  COPY (
    SELECT record_id, rule, expected, actual, actual - expected AS difference, currency FROM (
      SELECT record_id, currency, 'AMOUNT_DIFFERS' AS rule, quoted_fiat AS expected, fiat_value AS actual FROM matched
      UNION ALL SELECT record_id, currency, 'FEE_APPLIED_DIFFERS', quoted_applied, applied FROM matched
      UNION ALL SELECT record_id, currency, 'FEE_BASE_DIFFERS', quoted_base, base FROM matched
      UNION ALL SELECT record_id, currency, 'FEE_NETWORK_DIFFERS', quoted_network, network FROM matched
    )
    WHERE abs(actual - expected) > greatest(0.01, 0.001 * expected)
    ORDER BY record_id, rule
  ) TO '${out}' (HEADER)
`);

const matched = (await connection.runAndReadAll('SELECT count(*) FROM matched')).getRows()[0]?.[0];
console.log(
  JSON.stringify({
    seconds: Number(process.hrtime.bigint() - started) / 1e9,
    peakMb: process.resourceUsage().maxRSS / 1024,
    matched: Number(matched),
  }),
);
