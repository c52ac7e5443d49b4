/** The accrued host share on the command line, and beside the postings of the books. */
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
  await workspace.ends(0, ['run', '--date', '2026-08-31', '--fail-on', 'none', '-q']);
});
afterAll(async () => {
  workspace.remove();
  await server.close();
});

it('separates shares stated by records from shares that only quotes promised', async () => {
  const { out } = await workspace.ends(0, ['revenue', '--format', 'csv']);
  expect(out).toBe(`${HEADER}2026-08,purchase,EUR,CARD_PAYMENT,3,1.05,0.5,1,0.55,1,1,,,silent\n`);
  const other = await workspace.tieout(['revenue', 'accrual', '--from', '2026-09-01', '--format', 'csv']);
  expect(other.out).toBe(HEADER);
  const { out: table } = await workspace.ends(0, ['revenue']);
  expect(table.split('\n')[1]?.split(/ {2,}/)).toEqual([
    ...['2026-08', 'purchase', 'EUR', 'CARD_PAYMENT', '3', '1.05', '0.50', '0.55', '1'],
  ]);
});

it('leaves host_revenue.csv to what records state', () => {
  expect(workspace.csv('2026-08-31/nightly-r1', 'host_revenue').rows).toMatchObject([
    { record_count: '4', host_fee_cut_total: '7.5', records_without_host_fee_cut: '2' },
  ]);
});

it('holds the postings of the books beside both, and refuses those that it would have to guess at', async () => {
  workspace.write('posted.csv', 'Month;Currency;Amount\n2026-08;eur;0,50\n2026-08;EUR;0,55\n');
  const { out } = await workspace.tieout([
    'payouts',
    'match',
    '--date',
    '2026-09-01',
    '--posted',
    'posted.csv',
    '--json',
  ]);
  expect(JSON.parse(out)).toMatchObject({ legs: [{ accrued_total: '1.05', posted_total: '1.05' }], findings: [] });
  for (const [line, says] of [
    ['2026-08,Euro,1', 'currency Euro: write its ISO 4217 code'],
    ['2999-12,EUR,1', 'month 2999-12: write it as 2026-10, from 2017 on and not far ahead'],
    ['2016-12,EUR,1', 'month 2016-12: write it as 2026-10, from 2017 on and not far ahead'],
  ] as const) {
    workspace.write('odd.csv', `month,currency,amount\n${line}\n`);
    const { code, err } = await workspace.tieout(['payouts', 'match', '--posted', 'odd.csv']);
    expect([code, err]).toEqual([2, `tieout: odd.csv:2: ${says}\n`]);
  }
});
