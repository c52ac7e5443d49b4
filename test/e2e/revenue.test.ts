/** The accrued host share on the command line, and against a payout statement. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const HEADER =
  'business_month,kind,fiat_currency,payment_method,record_count,accrued_total,host_fee_cut_total,records_with_host_fee_cut,quoted_host_fee_cut_total,records_from_quote,records_without_host_fee_cut,taken_back_total,estimated_total,unknown_records\n';

let server: RecordServer;
let workspace: Workspace;

beforeAll(async () => {
  server = await startRecordServer();
  workspace = openWorkspace(server.url);
  const body = (id: string, fields: Record<string, string | undefined>) => ({
    body: aPurchase({
      id: `"${id}"`,
      createdAt: '"2026-08-31T10:00:00.000Z"',
      updatedAt: '"2026-08-31T10:00:00.000Z"',
      purchaseViewToken: undefined,
      ...fields,
    }),
  });
  server.answers.set('states', body('states', { hostFeeCut: '0.5' }));
  server.answers.set('quoted', body('quoted', {}));
  server.answers.set('silent', body('silent', {}));
  server.answers.set('waiting', body('waiting', { status: '"PAYMENT_STARTED"', finalTxHash: 'null', hostFeeCut: '7' }));
  workspace.write(
    'ids.csv',
    'kind,id,view_token,quote_id\npurchase,states,t1,q-1\npurchase,quoted,t2,q-1\npurchase,silent,t3,\npurchase,waiting,t4,\n',
  );
  workspace.write('quotes.ndjson', aQuoteLine({ hostFeeCut: '0.55' }));
  expect(await workspace.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
  expect(await workspace.tieout(['quotes', 'import', 'quotes.ndjson', '-q'])).toMatchObject({ code: 0 });
  expect((await workspace.tieout(['run', '--date', '2026-08-31', '--fail-on', 'none', '-q'])).code).toBe(0);
});
afterAll(async () => {
  workspace.remove();
  await server.close();
});

it('separates shares stated by records from shares that only quotes promised', async () => {
  const { code, out } = await workspace.tieout(['revenue', '--format', 'csv']);
  expect(code).toBe(0);
  expect(out).toBe(`${HEADER}2026-08,purchase,EUR,CARD_PAYMENT,3,1.05,0.5,1,0.55,1,1,,,silent\n`);
  const other = await workspace.tieout(['revenue', 'accrual', '--from', '2026-09-01', '--format', 'csv']);
  expect(other.out).toBe(HEADER);
});

it('leaves host_revenue.csv to what records state', () => {
  expect(workspace.csv('2026-08-31/nightly-r1', 'host_revenue').rows).toMatchObject([
    { record_count: '4', host_fee_cut_total: '7.5', records_without_host_fee_cut: '2' },
  ]);
});

it('agrees with a statement of both, and names the month that differs', async () => {
  workspace.write('paid.csv', 'Month;Currency;Amount\n2026-08;eur;0,50\n2026-08;EUR;0,55\n');
  const agreeing = await workspace.tieout(['revenue', 'compare', 'paid.csv', '--json']);
  expect(agreeing.code).toBe(0);
  expect(JSON.parse(agreeing.out)).toEqual({
    rows: [
      {
        month: '2026-08',
        currency: 'EUR',
        accrued: '1.05',
        stated: '1.05',
        difference: '0',
        tolerance: '0.01',
        agrees: true,
        from_quotes: '0.55',
      },
    ],
    records_without_host_fee_cut: 1,
  });
  workspace.write('short.csv', 'month,currency,amount\n2026-08,EUR,0.50\n');
  const short = await workspace.tieout(['revenue', 'compare', 'short.csv']);
  expect(short.code).toBe(1);
  expect(short.out).toMatch(/2026-08 +EUR +1\.05 +0\.55 +0\.50 +-0\.55 +differs/);
});

it('refuses a statement that it would have to guess at', async () => {
  workspace.write('odd.csv', 'month,currency,amount\n2026-08,Euro,1\n');
  const { code, err } = await workspace.tieout(['revenue', 'compare', 'odd.csv']);
  expect([code, err]).toEqual([2, 'tieout: odd.csv:2: currency Euro: write its ISO 4217 code\n']);
});
