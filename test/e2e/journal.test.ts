/** The journal of a closed month on the command line: from the sealed set alone, and what its deltas correct. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { readCsv } from './support/csv.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

let server: RecordServer;
let workspace: Workspace;

function serve(id: string, hostFeeCut: string, fields: Record<string, string> = {}): void {
  const dates = { createdAt: '"2024-09-15T10:00:00.000Z"', updatedAt: '"2024-09-15T10:05:00.000Z"' };
  const body = aPurchase({ id: `"${id}"`, ...dates, purchaseViewToken: undefined, hostFeeCut, ...fields });
  server.answers.set(id, { body });
}

const journal = (...flags: readonly string[]) => workspace.tieout(['journal', ...flags]);
const september = (...flags: readonly string[]) => journal('--period', '2024-09', ...flags);

beforeAll(async () => {
  server = await startRecordServer();
  workspace = openWorkspace(server.url, {
    settings:
      'reports: { formats: [csv, xlsx, html] }\nrules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, RATE_OUT_OF_LINE: off }\nbooks: { xero: { taxRate: No VAT } }\n',
  });
  serve('euro', '0.5');
  serve('second', '0.755');
  serve('dollar', '2', { fiatCurrency: '"USD"', assetExchangeRateEur: '2000' });
  // Its fee is higher than that of the others, as the host's share of it is.
  serve('waiting', '7', {
    status: '"PAYMENT_STARTED"',
    finalTxHash: 'null',
    cryptoAmount: '"39000000000000000"',
    baseServiceFee: '6.4',
    appliedFee: '7.26',
  });
  const ids = ['euro', 'second', 'dollar', 'waiting'].map((id) => `purchase,${id},token-${id}\n`);
  workspace.write('ids.csv', `kind,id,view_token\n${ids.join('')}`);
  expect(await workspace.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
  const run = await workspace.tieout(['run', '--date', '2024-10-02', '--fail-on', 'none', '-q']);
  expect([run.code, run.err]).toEqual([0, run.err]);
});
afterAll(async () => {
  workspace.remove();
  await server.close();
});

describe('before the close', () => {
  it('there is a draft, whose entry numbers no sealed journal has', async () => {
    const { code, out } = await journal('--from', '2024-09-01', '--to', '2024-10-01', '--currency', 'EUR');
    expect(code).toBe(0);
    expect(readCsv(out).column('entry')).toEqual(['TO-D20240901-EUR-PH', 'TO-D20240901-EUR-PH']);
  });

  it('there is no journal of the month', async () => {
    const { code, out, err } = await september();
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('2024-09 is not closed');
  });
});

describe('the journal of a closed month', () => {
  let sealed = '';

  beforeAll(async () => {
    const close = await workspace.tieout([
      'period',
      'close',
      '2024-09',
      '--by',
      'Ann',
      '--accept-open',
      'one is waiting',
    ]);
    expect([close.code, close.err]).toEqual([0, close.err]);
    sealed = (await september()).out;
  });

  it('is sealed in every format of reports.formats', () => {
    const files = readdirSync(workspace.path('out', 'periods', '2024-09'));
    expect(files).toEqual(expect.arrayContaining(['records.csv', 'report.html', 'report.xlsx', 'manifest.json']));
  });

  it('has what released records of the sealed set state, and names the set', async () => {
    const rows = readCsv(sealed).rows.map((row) => [row.entry, row.date, row.account, row.debit, row.credit]);
    expect(rows).toEqual([
      ['TO-202409-EUR-PH', '2024-09-30', 'Host fee receivable', '1.26', ''],
      ['TO-202409-EUR-PH', '2024-09-30', 'Host fee revenue', '', '1.26'],
      ['TO-202409-USD-PH', '2024-09-30', 'Host fee receivable', '2.00', ''],
      ['TO-202409-USD-PH', '2024-09-30', 'Host fee revenue', '', '2.00'],
    ]);
    const status = JSON.parse((await workspace.tieout(['period', 'status', '2024-09', '--json'])).out);
    expect(new Set(readCsv(sealed).column('evidence_sha256'))).toEqual(new Set([status.manifest_sha256]));
  });

  it('is one of three figures of the host share, and period status lists the steps between them', async () => {
    const { out } = await workspace.tieout(['period', 'status', '2024-09', '--json']);
    const { host_share: share, currencies, records } = JSON.parse(out);
    expect(share[0]).toMatchObject({
      currency: 'EUR',
      every_record: { records: 3, amount: '8.255' },
      not_released: { records: 1, amount: '7' },
      released: { records: 2, amount: '1.255' },
      rounding: '0.005',
      journal: '1.26',
      revenue: { records: 2, amount: '1.255' },
    });
    expect(currencies[0]).toMatchObject({ currency: 'EUR', host_fee_cut_total: '8.255' });
    expect(records).toEqual([
      {
        kind: 'purchase',
        record_id: 'waiting',
        host_reference: null,
        verdict: 'break',
        why: 'STATUS_STUCK',
        last_look: 'nightly-2024-10-02-r1',
      },
    ]);
    const text = (await workspace.tieout(['period', 'status', '2024-09'])).out;
    expect(text).toMatch(/^EUR +8\.26 +7\.00 +1\.26 +0\.00 +0\.00 +0\.00 +0\.00 +1\.26 +1\.26$/m);
    expect(text).toMatch(/^purchase waiting +break +STATUS_STUCK +nightly-2024-10-02-r1$/m);
  });

  it('refuses live figures for the same days', async () => {
    const { code, err } = await journal('--from', '2024-09-01', '--to', '2024-10-01');
    expect([code, err.includes('`tieout journal --period 2024-09` writes it')]).toEqual([2, true]);
  });

  it('refuses an unknown currency, and an empty result', async () => {
    const unknown = await september('--currency', 'EURO');
    expect([unknown.code, unknown.out, unknown.err.includes('no currency of ISO 4217')]).toEqual([2, '', true]);
    const empty = await september('--currency', 'GBP');
    expect([empty.code, empty.out, empty.err.includes('nothing to book for 2024-09')]).toEqual([2, '', true]);
    const sales = await september('--kind', 'sale');
    expect([sales.code, sales.out]).toEqual([2, '']);
  });

  it('needs a folder where a program needs several files', async () => {
    const refused = await september('--format', 'xero');
    expect([refused.code, refused.err.includes('--dir')]).toEqual([2, true]);
    const { code, out } = await september('--format', 'xero', '--dir', 'for-xero');
    expect([code, out]).toEqual([0, 'for-xero/2024-09-xero-EUR-1.csv\nfor-xero/2024-09-xero-USD-2.csv\n']);
    const rows = readCsv(readFileSync(workspace.path('for-xero', '2024-09-xero-EUR-1.csv'), 'utf8')).rows;
    expect(rows.map((row) => [row['*Date'], row['*TaxRate'], row['*Amount']])).toEqual([
      ['30/09/2024', 'No VAT', '1.26'],
      ['30/09/2024', 'No VAT', '-1.26'],
    ]);
  });

  it('is the same to the byte after a later fetch found another amount', async () => {
    serve('euro', '0.9');
    const audit = await workspace.tieout(['audit', '--id', 'euro', '--kind', 'purchase', '--fail-on', 'none', '-q']);
    expect([audit.code, audit.err]).toEqual([0, audit.err]);
    expect((await september()).out).toBe(sealed);
  });

  it('has no corrections before a delta has been stated', async () => {
    const { code, out, err } = await september('--corrections');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('`tieout period delta 2024-09 --by NAME`');
  });

  it('is corrected by what the delta states: the old entry reversed, the new one posted, today', async () => {
    expect(await workspace.tieout(['period', 'delta', '2024-09', '--by', 'Ann'])).toMatchObject({ code: 0 });
    const first = await september('--corrections');
    expect(first.code).toBe(0);
    const { rows } = readCsv(first.out);
    expect(rows.map((row) => [row.entry, row.account, row.debit, row.credit])).toEqual([
      ['TO-202409-EUR-PH-R1', 'Host fee receivable', '', '1.26'],
      ['TO-202409-EUR-PH-R1', 'Host fee revenue', '1.26', ''],
      ['TO-202409-EUR-PH-N1', 'Host fee receivable', '1.66', ''],
      ['TO-202409-EUR-PH-N1', 'Host fee revenue', '', '1.66'],
    ]);
    // The month in which it was stated is open; September never changes.
    expect(rows.every(({ date = '' }) => date > '2024-10-01')).toBe(true);
    expect((await september('--corrections')).out).toBe(first.out);
    expect((await september()).out).toBe(sealed);
  });

  it('is the source of its pages too: the month is rendered again as a workbook and a page', async () => {
    const { code, out } = await workspace.tieout([
      'report',
      '2024-09',
      '--format',
      'xlsx,html',
      '--out',
      'board',
      '--json',
    ]);
    expect(code).toBe(0);
    const { folder } = JSON.parse(out) as { folder: string };
    expect(folder).toBe('board/periods/2024-09');
    const sealed = readFileSync(workspace.path('out', 'periods', '2024-09', 'records.csv'), 'utf8');
    expect(readFileSync(workspace.path(folder, 'records.csv'), 'utf8')).toBe(sealed);
    expect(readFileSync(workspace.path(folder, 'report.html'), 'utf8')).toContain(
      '<title>Closed month 2024-09</title>',
    );
    expect(readFileSync(workspace.path(folder, 'report.xlsx')).subarray(0, 2).toString()).toBe('PK');
    await workspace.ends(2, ['report', '2024-10', '--out', 'board']);
  });

  it('is packed for the month end: a signed workbook and a page, from the sealed set', async () => {
    const keys = JSON.parse((await workspace.tieout(['keys', 'generate', '--out', 'keys', '--json'])).out);
    const env = { TIEOUT_SIGNING_KEY_FILE: keys.private_key_file };
    const { err: place } = await workspace.ends(2, ['period', 'pack', '2024-09', '--out', keys.private_key_file]);
    expect(place).toContain('a part of its path is a file, not a folder');
    const { code, out, err } = await workspace.tieout(['period', 'pack', '2024-09', '--json'], { env });
    expect([code, err]).toEqual([0, err]);
    const pack = JSON.parse(out) as { folder: string; workbook: string; page: string; signed: boolean };
    expect(pack).toEqual({
      folder: 'out/packs/2024-09-30/month-end-r1',
      workbook: 'out/packs/2024-09-30/month-end-r1/month-end-2024-09.xlsx',
      page: 'out/packs/2024-09-30/month-end-r1/month-end-2024-09.html',
      signed: true,
    });
    expect((await workspace.tieout(['verify', 'out'])).out).toContain('packs/2024-09-30/month-end-r1: ');
    const table = (name: string) => readCsv(workspace.read(`${pack.folder}/${name}.csv`)).rows;
    expect(table('sign_offs').map(({ what, by, detail }) => [what, by, detail])).toEqual([
      ['closed', 'Ann', 'periods/2024-09'],
      ['accepted as open', 'Ann', 'one is waiting'],
      ['not reviewed yet', '', ''],
      ['delta 1 stated', 'Ann', 'periods/2024-09-delta-001'],
      // A delta needs a second person, as its close does.
      ['delta 1 not reviewed yet', '', ''],
    ]);
    expect(
      table('host_bridge').map(({ currency, step, record_count: n, amount }) => [currency, step, n, amount]),
    ).toEqual([
      ['EUR', 'every record', '3', '8.255'],
      ['EUR', 'less not released', '1', '-7'],
      ['EUR', 'of these in flight', '1', '-7'],
      ['EUR', 'released records', '2', '1.255'],
      ['EUR', 'from quotes', '0', '0'],
      ['EUR', 'created here', '2', '1.255'],
      ['EUR', 'less earned later', '0', '0'],
      ['EUR', 'created before', '0', '0'],
      ['EUR', 'less taken back', '0', '0'],
      ['EUR', 'revenue', '2', '1.255'],
      ['EUR', 'rounding', '', '0.005'],
      ['EUR', 'journal', '2', '1.26'],
      ['USD', 'every record', '1', '2'],
      ['USD', 'less not released', '0', '0'],
      ['USD', 'of these in flight', '0', '0'],
      ['USD', 'released records', '1', '2'],
      ['USD', 'from quotes', '0', '0'],
      ['USD', 'created here', '1', '2'],
      ['USD', 'less earned later', '0', '0'],
      ['USD', 'created before', '0', '0'],
      ['USD', 'less taken back', '0', '0'],
      ['USD', 'revenue', '1', '2'],
      ['USD', 'rounding', '', '0'],
      ['USD', 'journal', '1', '2'],
    ]);
    expect(table('journal').map(({ entry, debit, credit }) => [entry, debit, credit])).toEqual(
      readCsv(sealed).rows.map(({ entry, debit = '', credit = '' }) => [
        entry,
        debit === '' ? '' : String(Number(debit)),
        credit === '' ? '' : String(Number(credit)),
      ]),
    );
    // The one that waits has an open break, so it is in the movement.
    expect(table('not_verified')).toEqual([]);
    expect(
      table('movement').map(({ rule, new_count: opened, closing_count: closing }) => [rule, opened, closing]),
    ).toEqual([['STATUS_STUCK', '1', '1']]);
    expect(workspace.read(pack.page)).toContain('<title>Month-end pack of 2024-09, revision 1</title>');
    expect(workspace.read(pack.page)).toContain('Movement of open breaks');
    const page = workspace.read(pack.page).replace(/<[^>]*>/g, '');
    expect(page).toMatch(/No money at stake ?1 record with an open break/);
    expect(page).not.toContain('requests sent');
    // The steps lead from one figure to the next: a sum over them would count each several times.
    const { sheets } = await readXlsx(readFileSync(workspace.path(pack.workbook)));
    const firstCells = (name: string) => sheets.find((sheet) => sheet.name === name)?.rows.map(([cell]) => cell) ?? [];
    expect(firstCells('host_bridge').filter((cell) => String(cell).startsWith('Total'))).toEqual([]);
    expect(firstCells('journal')).toEqual(expect.arrayContaining(['entry', 'TO-202409-EUR-PH', 'Total EUR']));
    expect(firstCells('movement')).toEqual(expect.arrayContaining(['rule', 'STATUS_STUCK']));
    expect(
      (await workspace.tieout(['verify', pack.folder, '--require-signed', '--public-key', keys.public_key_file])).code,
    ).toBe(0);
  });

  it('is not written from a set that was changed', async () => {
    const records = workspace.path('out', 'periods', '2024-09', 'records.csv');
    const before = readFileSync(records, 'utf8');
    writeFileSync(records, before.replace('0.755', '9.755'));
    const { code, out, err } = await september();
    writeFileSync(records, before);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('the sealed set of 2024-09 fails verification');
  });
});

it("the app's own list is checked against a month, as CSV, lost ids first", async () => {
  workspace.write(
    'app.csv',
    'id;fiat_value;fiat_currency;created_at\neuro;104,76;EUR;2024-09-15\nlost;50,00;EUR;2024-09-30\nlater;9,00;EUR;2024-10-01\n',
  );
  const range = ['--from', '2024-09-01', '--to', '2024-10-01'];
  const { out } = await workspace.ends(1, ['orphans', 'app.csv', ...range, '--format', 'csv']);
  expect(out).toBe(
    [
      'finding,kind,record_id,host_reference,line,field,listed,known,difference,currency',
      'not-tracked,,lost,,3,fiat_value,50,,,EUR',
      'not-listed,purchase,dollar,,,fiat_value,,104.76,,USD',
      'not-listed,purchase,second,,,fiat_value,,104.76,,EUR',
      'not-listed,purchase,waiting,,,fiat_value,,104.76,,EUR',
      '',
    ].join('\n'),
  );
});
