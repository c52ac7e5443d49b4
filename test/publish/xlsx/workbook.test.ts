import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { StakeFigures } from '../../../src/domain/stake-tally.ts';
import type { DecimalsMode, ProfileName } from '../../../src/ports/report-definition.ts';
import { verifySets } from '../../../src/publish/verify.ts';
import { workbookDocument } from '../../../src/publish/xlsx/workbook.ts';
import {
  type AFee,
  type ARecord,
  aRecord,
  FEES,
  facts,
  openPublication,
  RECORDS,
  THREE_RECORDS,
  TWO_FEES,
  WITHOUT_FIGURES,
} from '../support/a-set.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { unzip } from '../support/unzip.ts';

const tempFolder = tempFolders();

interface Options {
  records?: readonly ARecord[];
  fees?: readonly AFee[];
  /** Of the CSV files. */
  tables?: DecimalsMode;
  profile?: ProfileName;
  mostRows?: number;
  decimals?: DecimalsMode;
  more?: Record<string, unknown>;
  stake?: StakeFigures | null;
}

/** Publishes the small set with its workbook; the set's folder. */
async function publishWorkbook({
  records = THREE_RECORDS,
  fees = TWO_FEES,
  tables = 'exact',
  profile = 'standard',
  mostRows,
  decimals = 'exact',
  more = {},
  stake = null,
}: Options = {}) {
  const out = tempFolder();
  const publication = openPublication({ out, profile, decimals: tables });
  publication.open(RECORDS).write(records);
  publication.open(FEES).write(fees);
  const counted = (verdict: string) => records.filter((record) => record.verdict === verdict).length;
  const told = facts({
    ...more,
    population: records.length,
    verdicts: {
      matched: counted('matched'),
      pending: 0,
      break: counted('break'),
      unverified: 0,
      quarantined: 0,
      waived: 0,
    },
  });
  const document = workbookDocument({ decimals, ...(mostRows === undefined ? {} : { mostRows }) });
  await publication.attach(document.name, document.pieces(publication.tablesFor(told, { ...WITHOUT_FIGURES, stake })));
  const path = await publication.publish(told);
  return { out, folder: join(out, path), workbook: join(out, path, 'report.xlsx') };
}

async function sheetsOf(workbook: string) {
  const { sheets } = await readXlsx(readFileSync(workbook), { readStyles: true });
  return new Map(sheets.map((sheet) => [sheet.name, sheet]));
}

describe('the workbook, read by another program', () => {
  it('has a summary, the control totals, a sheet per CSV file, and what the columns mean', async () => {
    const { workbook } = await publishWorkbook();
    expect([...(await sheetsOf(workbook)).keys()]).toEqual(['Summary', 'Control totals', 'records', 'fees', 'Columns']);
  });

  it('has numbers as numbers, dates as dates, and ids, units and texts as they are; ids and units last', async () => {
    const { workbook } = await publishWorkbook();
    const rows = (await sheetsOf(workbook)).get('records')?.rows ?? [];
    expect(rows[0]).toEqual([
      'host_reference',
      'verdict',
      'fiat_currency',
      'fiat_value',
      'exchange_rate',
      'fetched_at',
      'break_count',
      'paid',
      'record_id',
      'crypto_units',
    ]);
    expect(rows[1]).toEqual([
      'order-1',
      'matched',
      'EUR',
      10,
      1180.9032500905719,
      new Date('2026-11-21T04:15:00.007Z'),
      0,
      true,
      'sqs6a428mqjtzbv',
      '8023728890597727',
    ]);
    // Unknown is an empty cell; a text that looks like a formula is a text, with no mark on it.
    expect(rows[2]?.[0]).toBe('=1+1');
    expect(rows[3]?.[0] ?? null).toBe(null);
    expect(rows[3]?.[7] ?? null).toBe(null);
  });

  it('makes room for a sentence of several lines', async () => {
    const columns = RECORDS.columns.map((column) => ({
      ...column,
      name: column.name.replace('verdict', 'explanation'),
    }));
    const out = tempFolder();
    const publication = openPublication({ out, profile: 'standard' });
    const long = aRecord({ reference: null });
    publication
      .open({
        ...RECORDS,
        columns: [...columns, { name: 'memo', type: 'text', description: '', value: () => 'word '.repeat(40) }],
      })
      .write([long]);
    await publication.attach('report.xlsx', workbookDocument().pieces(publication.tablesFor(facts(), WITHOUT_FIGURES)));
    const folder = join(out, await publication.publish(facts()));
    const sheet = unzip(readFileSync(join(folder, 'report.xlsx'))).get('xl/worksheets/sheet3.xml') ?? '';
    // 200 characters in a column of 60.
    expect(sheet).toMatch(/<row r="2" ht="60" customHeight="1">/);
    expect(sheet).toMatch(/<row r="1">/);
  });

  it('keeps ids whose digits a spreadsheet would lose', async () => {
    const { workbook } = await publishWorkbook({ records: [aRecord({ id: '000322' }), aRecord({ id: '12e5' })] });
    const rows = (await sheetsOf(workbook)).get('records')?.rows ?? [];
    expect(rows.slice(1, 3).map((row) => row[8])).toEqual(['000322', '12e5']);
  });

  it.each(['excel', 'excel-eu', 'google-sheets'] as const)(
    'is the same for the CSV files of profile %s',
    async (profile) => {
      const records = [
        ...THREE_RECORDS,
        aRecord({ id: '0042', reference: "'quoted", value: Decimal.parse('-0.43') }),
        aRecord({ id: 'comma', reference: '1,5' }),
      ];
      const standard = await publishWorkbook({ records });
      const other = await publishWorkbook({ records, profile });
      const rowsOf = async (workbook: string) => (await sheetsOf(workbook)).get('records')?.rows;
      expect(await rowsOf(other.workbook)).toEqual(await rowsOf(standard.workbook));
    },
  );

  it('has a frozen header with a filter over all rows', async () => {
    const { workbook } = await publishWorkbook();
    const sheet = (await sheetsOf(workbook)).get('records');
    expect(sheet?.freezePane).toMatchObject({ rows: 1 });
    expect(sheet?.autoFilter?.range).toBe('A1:J4');
  });

  it('repeats on each printed page the header, and the columns that name the row', async () => {
    const { workbook } = await publishWorkbook();
    const xml = unzip(readFileSync(workbook)).get('xl/workbook.xml') ?? '';
    const titles = [...xml.matchAll(/_xlnm\.Print_Titles" localSheetId="\d">([^<]*)</g)].map((found) => found[1]);
    expect(titles).toEqual([
      "'Control totals'!$1:$1",
      "'records'!$A:$A,'records'!$1:$1",
      expect.stringMatching(/^('fees'!\$A:\$A,)?'fees'!\$1:\$1$/),
      "'Columns'!$1:$1",
    ]);
  });

  it('goes on in another sheet where one cannot hold the rows, and loses none', async () => {
    const records = ['a', 'b', 'c', 'd', 'e'].map((id) => aRecord({ id }));
    const { workbook } = await publishWorkbook({ records, mostRows: 3 });
    const sheets = await sheetsOf(workbook);
    const idsOf = (name: string) => sheets.get(name)?.rows.map((row) => row[8]);
    expect(idsOf('records')).toEqual(['record_id', 'a', 'b']);
    expect(idsOf('records_2')).toEqual(['record_id', 'c', 'd']);
    expect(idsOf('records_3')?.slice(0, 2)).toEqual(['record_id', 'e']);
  });

  it('loses no row where one is longer than a piece of the file that it is read from', async () => {
    const records = [
      aRecord({ id: 'a', reference: 'x'.repeat(200_000) }),
      aRecord({ id: 'b', reference: `"${'y'.repeat(150_000)}` }),
      aRecord({ id: 'c' }),
    ];
    const { workbook } = await publishWorkbook({ records });
    const rows = (await sheetsOf(workbook)).get('records')?.rows ?? [];
    expect(rows.slice(1, 4).map((row) => row[8])).toEqual(['a', 'b', 'c']);
    // A cell takes no more, and ends with the mark that says so.
    expect(String(rows[1]?.[0])).toBe(`${'x'.repeat(32_766)}…`);
  });

  it('of a set without CSV files has no sheet of rows', async () => {
    const publication = openPublication({ out: tempFolder(), formats: ['json'] });
    publication.open(RECORDS).write(THREE_RECORDS);
    const pieces: Uint8Array[] = [];
    for await (const piece of workbookDocument().pieces(publication.tablesFor(facts(), WITHOUT_FIGURES)))
      pieces.push(piece);
    const { sheets } = await readXlsx(Buffer.concat(pieces));
    expect(sheets.map(({ name }) => name)).toEqual(['Summary', 'Control totals', 'Columns']);
  });

  it('has a report without rows as a sheet with its header alone', async () => {
    const { workbook } = await publishWorkbook({ records: [] });
    const sheet = (await sheetsOf(workbook)).get('records');
    expect(sheet?.rows.map((row) => row.length)).toEqual([10]);
    expect(sheet?.autoFilter?.range).toBe('A1:J1');
  });

  it('survives texts that XML cannot hold', async () => {
    const records = [aRecord({ reference: 'a\u0001b<&>"\r\n\ttwo  blanks  _x0041_ \ud800' })];
    const { workbook } = await publishWorkbook({ records });
    const rows = (await sheetsOf(workbook)).get('records')?.rows;
    // Spelled as SpreadsheetML prescribes; a lone surrogate is no character of any file.
    const xml = unzip(readFileSync(workbook)).get('xl/worksheets/sheet3.xml') ?? '';
    expect(xml).toContain('a\\x01b&lt;&amp;&gt;&quot;_x000D_\n\ttwo  blanks  _x005F_x0041_ \ufffd');
    expect(rows?.[1]?.[8]).toBe('sqs6a428mqjtzbv');
  });
});

describe('rounded to the places of the currency', () => {
  it('has rows that add up to their total, and the control totals say what rounding took', async () => {
    const records = ['1.004', '2.004', '3.004'].map((value, i) =>
      aRecord({ id: `r${i}`, value: Decimal.parse(value) }),
    );
    const { workbook } = await publishWorkbook({ records, decimals: 'minor-units' });
    const sheets = await sheetsOf(workbook);
    const values = sheets.get('records')?.rows.map((row) => row[3]);
    expect(values?.filter((value) => typeof value === 'number')).toEqual([1, 2, 3, 6]);
    expect(sheets.get('Control totals')?.rows[1]).toEqual([
      'records.csv',
      'fiat_value',
      'EUR',
      6.012,
      '6.012',
      'exact',
      '0.012',
    ]);
  });

  it('has rows that foot: what rounding leaves goes to the column that is the rest', async () => {
    const fees = [{ id: 'a', applied: '0.015', base: '0.005', network: '0.005', adjustment: '0.005' }];
    const { workbook } = await publishWorkbook({ fees, decimals: 'minor-units' });
    const [, row] = (await sheetsOf(workbook)).get('fees')?.rows ?? [];
    expect(row).toEqual(['EUR', 0.02, 0, 0, 0.02, 'a']);
  });

  it('says what rounding took from CSV files that are rounded themselves', async () => {
    const records = [aRecord({ value: Decimal.parse('1.004') })];
    const { workbook } = await publishWorkbook({ records, tables: 'minor-units', decimals: 'minor-units' });
    const [, row] = (await sheetsOf(workbook)).get('Control totals')?.rows ?? [];
    expect(row).toEqual(['records.csv', 'fiat_value', 'EUR', 1, '1', 'exact', '0.004']);
  });

  it('has the money at stake in its summary, as numbers', async () => {
    const eur = { currency: 'EUR', bearer: 'user', total: Decimal.parse('13.73') } as const;
    const open = [{ ...eur, records: 1, pending: Decimal.ZERO, claimed: Decimal.ZERO }];
    const { workbook } = await publishWorkbook({ stake: { recordsAtRisk: 2, open, waived: [] } });
    const rows = (await sheetsOf(workbook)).get('Summary')?.rows ?? [];
    expect(rows.find(([name]) => name === 'EUR')?.slice(0, 3)).toEqual(['EUR', 1, 13.73]);
  });
});

describe('its summary', () => {
  const summaryOf = async (options: Options = {}) => {
    const { workbook } = await publishWorkbook(options);
    const rows = (await sheetsOf(workbook)).get('Summary')?.rows ?? [];
    const texts = rows.map((row) => row.filter((cell) => cell !== null && cell !== ''));
    return { rows: texts, row: (name: string) => texts.find(([first]) => first === name) };
  };

  it('says what the run was, and what each verdict says', async () => {
    const { rows, row } = await summaryOf({ more: { supersedes: 'nightly-2026-11-20-r0', timezone: 'Europe/Rome' } });
    expect(rows.slice(0, 6)).toEqual([
      ['Tieout: nightly, 2026-11-20'],
      ['Run', 'nightly-2026-11-20-r1'],
      ['Status', 'complete'],
      ['Time zone of business dates', 'Europe/Rome'],
      ['Started, finished (UTC)', '2026-11-21T04:15:00.000Z to 2026-11-21T04:20:00.000Z'],
      ['Supersedes', 'nightly-2026-11-20-r0'],
    ]);
    expect((await summaryOf()).row('Supersedes')).toEqual(['Supersedes', 'nothing']);
    expect(row('Verdict')).toEqual(['Verdict', 'Records', 'What it says']);
    expect(row('matched')).toEqual(['matched', 2, 'Verified, finished, and nothing to object to']);
    expect(row('waived')).toEqual([
      'waived',
      0,
      'Verified, and every break of it waived by a person: accepted, not matched',
    ]);
    expect(row('population')).toEqual(['population', 3, 'The six verdicts add up to it']);
    expect(row('retracted')).toBeUndefined();
    expect(row('Source')).toBeUndefined();
    expect(row('Money at stake')).toBeUndefined();
  });

  it('says why it is incomplete, what the sources gave, and what people took out', async () => {
    const sources = [{ name: 'app', read: 1200, accepted: 1190, rejected: 10, failed: 1 }];
    const { row } = await summaryOf({
      more: {
        status: 'incomplete',
        incomplete_because: ['app failed', '3 deferred'],
        sources,
        retracted: 3,
        retracted_by_kind: { purchase: 2, sale: 1 },
      },
    });
    expect(row('Status')).toEqual(['Status', 'incomplete: app failed. 3 deferred']);
    expect(row('retracted')).toEqual(['retracted', 3, 'Out of the population by decision: 2 purchases, 1 sale']);
    expect(row('Source')).toEqual(['Source', 'Lines read', 'What became of them']);
    expect(row('app')).toEqual(['app', 1200, '1190 accepted, 10 rejected; 1 files or queries could not be read']);
    const other = await summaryOf({ more: { status: 'incomplete', retracted: 1 } });
    expect(other.row('Status')).toEqual(['Status', 'incomplete: something due was not verified']);
    expect(other.row('retracted')).toEqual(['retracted', 1, 'Out of the population by decision']);
  });

  it('says the money at stake, whose loss it is, and who waived what', async () => {
    const lost = { bearer: 'user', pending: Decimal.ZERO, claimed: Decimal.ZERO } as const;
    const stake: StakeFigures = {
      recordsAtRisk: 3,
      open: [
        { ...lost, currency: 'EUR', records: 2, total: Decimal.of(13n) },
        { ...lost, currency: 'JPY', records: 1, total: Decimal.of(500n) },
      ],
      waived: [
        { by: 'Ann', currency: 'EUR', bearer: 'user', breaks: 2, total: Decimal.of(9n) },
        { by: 'Bob', currency: null, bearer: null, breaks: 1, total: null },
      ],
    };
    const { row } = await summaryOf({ stake });
    expect(row('Money at stake')).toEqual(['Money at stake', 'Records', 'Amount', 'What it says']);
    expect(row('EUR')).toEqual(['EUR', 2, 13, 'lost by users']);
    expect(row('JPY')).toEqual(['JPY', 1, 500, 'lost by users']);
    expect(row('records with an open break')).toEqual(['records with an open break', 3]);
    expect(row('Waived by')).toEqual(['Waived by', 'Breaks', 'Amount', 'Currency']);
    expect(row('Ann')).toEqual(['Ann', 2, 9, 'EUR']);
    expect(row('Bob')).toEqual(['Bob', 1]);
    const none = await summaryOf({ stake: { ...stake, waived: [] } });
    expect(none.row('Waived by')).toBeUndefined();
  });

  it('names each sheet with its rows, what it holds, and the hash of its file', async () => {
    const { folder, workbook } = await publishWorkbook();
    const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const rows = (await sheetsOf(workbook)).get('Summary')?.rows ?? [];
    expect(rows.find(([name]) => name === 'Sheet')).toEqual([
      'Sheet',
      'Rows',
      'What it holds',
      'SHA-256 of the CSV file that it was made from',
    ]);
    expect(rows.find(([name]) => name === 'fees')).toEqual(['fees', 2, 'Fees', files[1].sha256]);
  });

  it('says how amounts are held', async () => {
    const notes = async (options: Options) => (await summaryOf(options)).rows.map(([first]) => String(first));
    const exact =
      'Amounts are shown to the places of their currency and hold all digits underneath; tokens are shown to 8 places.';
    const rounded = /^Fiat amounts are rounded to the places of their currency, row by row, so that each row foots\./;
    expect(await notes({})).toContain(exact);
    expect(await notes({})).not.toContainEqual(expect.stringMatching(rounded));
    const minor = await notes({ decimals: 'minor-units' });
    expect(minor).toContainEqual(expect.stringMatching(rounded));
    expect(minor).not.toContain(exact);
    expect(minor).toContain('An empty cell is unknown, never zero. Times are UTC.');
  });
});

describe('its figures', () => {
  const PRECISE: readonly ARecord[] = [
    aRecord({ id: 'a', value: Decimal.parse('21.037512345678901234') }),
    aRecord({ id: 'b', value: Decimal.parse('0.1') }),
    aRecord({ id: 'c', value: Decimal.parse('0.2') }),
    aRecord({ id: 'd', currency: 'JPY', value: Decimal.parse('1500') }),
  ];

  it('add up to the manifest to the last digit, as the file has them', async () => {
    const { workbook, folder } = await publishWorkbook({ records: PRECISE });
    const xml = unzip(readFileSync(workbook)).get('xl/worksheets/sheet3.xml') ?? '';
    const numbers = [...xml.matchAll(/<c r="D\d+" s="\d+"><v>([^<]*)<\/v>/g)].map(([, number]) => number);
    // The rows, and below them a total per currency.
    expect(numbers).toEqual(['21.037512345678901234', '0.1', '0.2', '1500', '21.337512345678901234', '1500']);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest.files[0].totals).toEqual({
      EUR: { fiat_value: '21.337512345678901234' },
      JPY: { fiat_value: '1500' },
    });
    const totals = (await sheetsOf(workbook)).get('Control totals')?.rows ?? [];
    expect(totals.slice(1, 3)).toEqual([
      ['records.csv', 'fiat_value', 'EUR', 21.337512345678903, '21.337512345678901234', 'rounded', '0'],
      ['records.csv', 'fiat_value', 'JPY', 1500, '1500', 'exact', '0'],
    ]);
  });

  it('are shown to the places of their currency', async () => {
    const { workbook } = await publishWorkbook({ records: PRECISE });
    const xml = unzip(readFileSync(workbook)).get('xl/worksheets/sheet3.xml') ?? '';
    const styles = unzip(readFileSync(workbook)).get('xl/styles.xml') ?? '';
    const formats = [...styles.matchAll(/formatCode="([^"]*)"/g)].map(([, format]) => format);
    const formatOf = (cell: string) => formats[Number(new RegExp(`r="${cell}" s="(\\d+)"`).exec(xml)?.[1])];
    expect([formatOf('D2'), formatOf('D5')]).toEqual(['#,##0.00', '#,##0']);
  });

  it('say how many of them a spreadsheet rounds', async () => {
    const { workbook } = await publishWorkbook({ records: PRECISE });
    const summary = JSON.stringify((await sheetsOf(workbook)).get('Summary')?.rows);
    // Four values of records, and seven known amounts of fees.
    expect(summary).toContain('1 of 11 amounts in this workbook have more');
    expect(summary).toContain('["matched",4,');
    expect(summary).toContain('["population",4,');
  });
});

describe('the file', () => {
  it('is the same to the byte when it is made again', async () => {
    const [one, other] = [await publishWorkbook(), await publishWorkbook()];
    expect(readFileSync(one.workbook).equals(readFileSync(other.workbook))).toBe(true);
  });

  it('is verified with its set: one changed byte fails', async () => {
    const { out, workbook } = await publishWorkbook();
    expect((await verifySets([out]))[0]?.problems).toEqual([]);
    const bytes = readFileSync(workbook);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(workbook, bytes);
    expect((await verifySets([out]))[0]?.problems[0]).toMatch(/^report\.xlsx: was changed: its SHA-256 is/);
  });

  // Where there is no LibreOffice this is not a test: hucre and the archive's own directory are the other readers.
  if (spawnSync('soffice', ['--version']).status === 0) {
    it('opens in LibreOffice, which has the same numbers', async () => {
      const { workbook } = await publishWorkbook();
      const folder = tempFolder();
      // An address: with an unescaped blank or apostrophe, LibreOffice waits for an answer to an invisible dialogue.
      const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
      const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,false,false,3';
      execFileSync('soffice', [profile, '--headless', '--convert-to', filter, '--outdir', folder, workbook], {
        stdio: 'ignore',
        timeout: 100_000,
        // It writes numbers as the language of the machine does.
        env: { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' },
      });
      const lines = readFileSync(join(folder, 'report-records.csv'), 'utf8').trim().split('\n');
      // It quotes texts and leaves numbers as they are.
      const values = lines.map((line) => line.split(',')[3]);
      expect(values.slice(0, 4)).toEqual(['"fiat_value"', '10', '1500', '0.125']);
      expect(lines[1]).toMatch(/^"order-1","matched","EUR",10,.*,"sqs6a428mqjtzbv","8023728890597727"$/);
    });
  }
});
