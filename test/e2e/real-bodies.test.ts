/** Bodies that deployments really sent go the whole way: imported ids, fetched over HTTP, judged, published. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { samplePart } from '../service/sample.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

/** A documentation page's body of 2020, cut off after the crypto amount. */
const CUT_OFF =
  '{"id":311,"endTime":null,"tokenAddress":null,"asset":{"address":null,"symbol":"ETH","name":"Ether","decimals":18},"escrowAddress":null,"cryptoAmount":"30000000000000000"}';
/** Of the recorded body itself: another one would contradict it. The other bodies name none. */
const TOKENS: Readonly<Record<string, string>> = { sqs6a428mqjtzbv: 'mg3voq92hd2mbdht' };
const tokenOf = (id: string) => TOKENS[id] ?? `token-of-${id}`;
const SECRETS = ['token-of-', ...Object.values(TOKENS)];
const MAKER = { service: '  identifierName: Ramp\n' };

let server: RecordServer;
const workspaces: Workspace[] = [];

beforeAll(async () => {
  server = await startRecordServer({
    serhc5knxokfwpq: { body: samplePart('webhook-purchase-created-2021-gbp-bank', 'purchase') },
    sqs6a428mqjtzbv: { body: samplePart('webhook-purchase-created-eur-bank', 'purchase') },
    '322': { body: samplePart('webhook-purchase-docs-partial', 'purchase') },
    '311': { body: CUT_OFF },
  });
});
afterAll(async () => {
  for (const each of workspaces) each.remove();
  await server.close();
});

async function nightOf(date: string, ids: readonly string[]) {
  const workspace = openWorkspace(server.url, MAKER);
  workspaces.push(workspace);
  const lines = ids.map((id) => JSON.stringify({ kind: 'purchase', id, view_token: tokenOf(id) }));
  workspace.write('ids.ndjson', `${lines.join('\n')}\n`);
  const imported = await workspace.tieout(['import', 'ids.ndjson', '-q'], { now: `${date}T12:00:00Z` });
  expect(imported).toMatchObject({ code: 0, out: `ids.ndjson: ${ids.length} added, 0 unchanged, 0 rejected\n` });
  const run = await workspace.tieout(['run', '--date', date, '--json']);
  return { workspace, run, set: `${date}/nightly-r1` };
}

test('the purchase of 10 EUR by bank shows only that its quote is missing', async () => {
  const { workspace, run, set } = await nightOf('2023-01-05', ['sqs6a428mqjtzbv']);
  expect(workspace.csv(set, 'breaks').rows).toMatchObject([
    { rule: 'QUOTES_NOT_CAPTURED', kind: 'run', record_id: 'onramp', state: 'open', severity: 'low' },
  ]);
  expect(run.code).toBe(1);
  expect(workspace.csv(set, 'records').rows).toMatchObject([
    {
      record_id: 'sqs6a428mqjtzbv',
      created_at: '2023-01-05T12:26:39.806Z',
      status: 'INITIALIZED',
      verdict: 'pending',
      asset_chain: 'GOERLI',
      asset_symbol: 'ETH',
      crypto_units: '8023728890597727',
      crypto_amount: '0.008023728890597727',
      fiat_currency: 'EUR',
      fiat_value: '10',
      applied_fee: '0.5247524752475248',
      base_fee: '0.09475247524752475',
      network_fee: '0.43',
      // 0.5247524752475248 − 0.09475247524752475 − 0.43, with every digit.
      fee_adjustment: '0.00000000000000005',
      host_fee_cut: '',
      exchange_rate: '1180.9032500905719',
      payment_method: 'MANUAL_BANK_TRANSFER',
      final_tx_hash: '',
      quote_id: '',
      quote_basis: 'none',
      quote_age_seconds: '',
    },
  ]);
  const fees = workspace.csv(set, 'fees').rows[0];
  expect(fees).toMatchObject({
    actual_fee_percent: '1',
    quoted_fiat_value: '',
    quoted_applied_fee: '',
    applied_fee_variance: '',
    base_fee_variance: '',
    network_fee_variance: '',
    adjustment_variance: '',
    rate_variance_percent: '',
    min_fee_percent: '',
    max_fee_percent: '',
    min_fee_amount: '',
    tolerance: '',
    within_tolerance: '',
  });
});

test('the purchase of 4.34 GBP foots too, and bodies cut off are quarantined with no figure in any cell', async () => {
  const { workspace, run, set } = await nightOf('2021-04-30', ['serhc5knxokfwpq', '322', '311']);
  const breaks = workspace.csv(set, 'breaks');
  // One for each field that is gone, as each may come back by itself.
  expect(breaks.rows.map(({ record_id, rule, field }) => [record_id, rule, field])).toEqual([
    ['311', 'SCHEMA_DRIFT', 'applied_fee'],
    ['311', 'SCHEMA_DRIFT', 'asset_exchange_rate'],
    ['311', 'SCHEMA_DRIFT', 'base_ramp_fee'],
    ['311', 'SCHEMA_DRIFT', 'created_at'],
    ['311', 'SCHEMA_DRIFT', 'fiat_currency'],
    ['311', 'SCHEMA_DRIFT', 'fiat_value'],
    ['311', 'SCHEMA_DRIFT', 'network_fee'],
    ['311', 'SCHEMA_DRIFT', 'payment_method_type'],
    ['311', 'SCHEMA_DRIFT', 'status'],
    ['322', 'SCHEMA_DRIFT', 'created_at'],
    ['322', 'SCHEMA_DRIFT', 'payment_method_type'],
    ['322', 'SCHEMA_DRIFT', 'status'],
    ['onramp', 'QUOTES_NOT_CAPTURED', 'quote'],
  ]);
  expect(run.code).toBe(1);
  const summary = JSON.parse(run.out) as { verdicts: unknown };
  expect(summary.verdicts).toEqual({ matched: 0, pending: 1, break: 0, unverified: 0, quarantined: 2, waived: 0 });
  const records = workspace.csv(set, 'records');
  expect(records.row('record_id', 'serhc5knxokfwpq')).toMatchObject({
    asset_chain: 'MATIC',
    asset_symbol: 'DAI',
    fiat_value: '4.34',
    crypto_amount: '5.941100533426643564',
  });
  for (const [id, drifted] of [
    ['311', '9'],
    ['322', '3'],
  ] as const) {
    const { evidence_sha256 = '', ...row } = records.row('record_id', id);
    expect(evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(row).toMatchObject({ verdict: 'quarantined', break_count: drifted });
    // Unknown is empty, never zero.
    const {
      run_id: _run,
      business_date: _date,
      kind: _kind,
      record_id: _id,
      verdict: _v,
      break_count: _b,
      money_moved,
      // Without another date, a record belongs to the month of its import.
      business_month,
      ...rest
    } = row;
    expect([money_moved, business_month]).toEqual(['unknown', '2021-04']);
    expect(Object.entries(rest).filter(([, cell]) => cell !== '')).toEqual([]);
  }
  expect(workspace.csv(set, 'coverage').row('record_id', '322')).toMatchObject({
    outcome: 'quarantined',
    reason: 'SCHEMA_DRIFT',
    http_status: '200',
    attempts: '1',
  });
  // Sums contain known amounts only: records without a body have none.
  const totals = workspace.csv(set, 'totals');
  expect(
    totals.rows.map(({ fiat_currency, record_count, fiat_value_total }) => [
      fiat_currency,
      record_count,
      fiat_value_total,
    ]),
  ).toEqual([
    ['', '2', ''],
    ['GBP', '1', '4.34'],
  ]);
});

// Spec §2.10: the asset of a v1 quote is `address`, `symbol`, `name` and `decimals`, and nothing else.
test('the purchase of 4.34 GBP matches a v1 quote that names its asset by symbol and contract alone', async () => {
  const { workspace } = await nightOf('2021-04-30', ['serhc5knxokfwpq']);
  const asset = '{"address":"0x6A383CF1F8897585718DCA629A8F1471339ABFE4","symbol":"DAI","name":"DAI","decimals":18}';
  const response =
    `{"cryptoAssetSymbol":"DAI","fiatCurrency":"GBP","cryptoAmount":"5941100533426643564","fiatValue":4.34,` +
    `"paymentMethodType":"MANUAL_BANK_TRANSFER","asset":${asset},"assetExchangeRate":0.7218225599636798,` +
    `"assetExchangeRateEur":0.83,"fiatExchangeRateEur":1.15,"baseRampFee":0.042884203960396,` +
    `"networkFee":0.00869539999999999,"appliedFee":0.051579603960396}`;
  const line =
    `{"quote_id":"q-v1","direction":"onramp","api_version":"v1","captured_at":"2021-04-30T08:58:00Z",` +
    `"request":{"cryptoAssetSymbol":"DAI","fiatCurrency":"GBP","fiatValue":4.34},"response":${response}}`;
  workspace.write('quotes.ndjson', `${line}\n`);
  await workspace.ends(0, ['quotes', 'import', 'quotes.ndjson', '-q']);
  await workspace.tieout(['run', '--date', '2021-05-01', '--json']);
  const set = '2021-05-01/nightly-r1';
  expect(workspace.csv(set, 'breaks').rows.filter(({ state }) => state === 'open')).toEqual([]);
  expect(workspace.csv(set, 'records').row('record_id', 'serhc5knxokfwpq')).toMatchObject({
    asset_chain: 'MATIC',
    quote_id: 'q-v1',
    quote_basis: 'captured',
  });
});

test('no token is in anything that was published, printed or logged', async () => {
  for (const workspace of workspaces) {
    const printed = await workspace.tieout(['run', '--date', '2026-11-20', '-v']);
    for (const token of SECRETS) expect(printed.out + printed.err).not.toContain(token);
    for (const file of ['tieout.db', 'tieout.db-wal']) {
      try {
        const stored = readFileSync(workspace.path('var', file));
        for (const token of SECRETS) expect(stored.includes(token)).toBe(false);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }
});
