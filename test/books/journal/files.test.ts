/** The journal as each accounting program imports it, checked against the rules that the program publishes; each rule by its section. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chartFor, JOURNAL_FORMATS, type JournalFormat } from '../../../src/books/journal/accounts.ts';
import type { JournalEntry, Posting } from '../../../src/books/journal/entries.ts';
import { journalFiles } from '../../../src/books/journal/files.ts';
import { readCsv } from '../../e2e/support/csv.ts';
import { at, dec } from '../../support/builders.ts';

const MEMO = 'Accrued host share of 12 purchases in 2026-10, not confirmed by the Service';

function anEntry(over: Partial<JournalEntry> = {}, amount = '129.02'): JournalEntry {
  const postings: Posting[] = [
    { role: 'hostFeeReceivable', debit: dec(amount), credit: null, memo: MEMO },
    { role: 'hostFeeRevenue', debit: null, credit: dec(amount), memo: MEMO },
  ];
  return {
    key: 'TO-202610-EUR-PH',
    statement: '2026-10',
    date: '2026-10-31',
    currency: 'EUR',
    memo: MEMO,
    evidence: 'ab'.repeat(32),
    contra: 'hostFeeRevenue',
    postings,
    ...over,
  };
}

const SETTINGS = {
  xero: { taxRate: '15% GST on Income' },
  netsuite: { dateFormat: 'MM/DD/YYYY' as const },
  datev: { consultant: 29098, client: 55003, accountLength: 4, fiscalYearStart: '01-01' },
};

function written(format: JournalFormat, entries: readonly JournalEntry[], settings = SETTINGS) {
  const input = { entries, chart: chartFor(format, {}), settings, statedAt: at('2026-11-02 09:30'), timezone: 'UTC' };
  return journalFiles(format, '2026-10', input).files;
}

const text = (content: Uint8Array | undefined) => new TextDecoder().decode(content);
const one = (format: JournalFormat, ...entries: readonly JournalEntry[]) => text(written(format, entries)[0]?.content);

const USD = anEntry({ key: 'TO-202610-USD-PH', currency: 'USD' }, '7.5');

describe('any ledger', () => {
  it('gets a line a posting, and the hash of the sealed set that it rests on', () => {
    expect(one('generic', anEntry())).toBe(
      [
        'entry,date,account,currency,debit,credit,memo,evidence_sha256',
        `TO-202610-EUR-PH,2026-10-31,Host fee receivable,EUR,129.02,,"${MEMO}",${'ab'.repeat(32)}`,
        `TO-202610-EUR-PH,2026-10-31,Host fee revenue,EUR,,129.02,"${MEMO}",${'ab'.repeat(32)}`,
        '',
      ].join('\n'),
    );
  });
});

describe('Xero: "Enter multiple manual journals using an import template"', () => {
  it('Enter journal details: narration, dd/mm/yyyy, code, the tax rate by its full name, debits positive and credits negative', () => {
    const { header, rows } = readCsv(one('xero', anEntry()));
    expect(header.slice(0, 6)).toEqual(['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount']);
    expect(rows.map((row) => Object.values(row).slice(0, 6))).toEqual([
      ['TO-202610-EUR-PH', '31/10/2026', MEMO, '615', '15% GST on Income', '129.02'],
      ['TO-202610-EUR-PH', '31/10/2026', MEMO, '215', '15% GST on Income', '-129.02'],
    ]);
  });

  it('"up to 300 lines in one template file": several files, each of which balances', () => {
    const many = Array.from({ length: 310 }, (_, i) => anEntry({ key: `TO-202610-EUR-PH-N${i}` }));
    const files = written('xero', many);
    expect(files.map(({ name }) => name)).toEqual([
      '2026-10-xero-EUR-1.csv',
      '2026-10-xero-EUR-2.csv',
      '2026-10-xero-EUR-3.csv',
    ]);
    const rows = files.map(({ content }) => readCsv(text(content)).rows);
    expect(rows.map(({ length }) => length)).toEqual([300, 300, 20]);
    for (const file of rows) {
      const narrations = file.map((row) => row['*Narration']);
      // Both lines of an entry are in one file.
      expect(new Set(narrations).size * 2).toBe(narrations.length);
    }
  });

  it('has one currency a file', () => {
    expect(written('xero', [anEntry(), USD]).map(({ name }) => name)).toEqual([
      '2026-10-xero-EUR-1.csv',
      '2026-10-xero-USD-2.csv',
    ]);
  });
});

describe('QuickBooks Online: "Import journal entries"', () => {
  it('JournalNo of at most 21 characters, MM/DD/YYYY, Parent:Sub, debits and credits apart', () => {
    const { rows } = readCsv(one('quickbooks', anEntry(), USD));
    expect(
      rows.map((row) => [row.JournalNo, row.JournalDate, row.AccountName, row.Debits, row.Credits, row.Currency]),
    ).toEqual([
      ['TO-202610-EUR-PH', '10/31/2026', 'Other receivables:Host fee receivable', '129.02', '', 'EUR'],
      ['TO-202610-EUR-PH', '10/31/2026', 'Other income:Host fee revenue', '', '129.02', 'EUR'],
      ['TO-202610-USD-PH', '10/31/2026', 'Other receivables:Host fee receivable', '7.50', '', 'USD'],
      ['TO-202610-USD-PH', '10/31/2026', 'Other income:Host fee revenue', '', '7.50', 'USD'],
    ]);
    expect(rows.every(({ JournalNo = '' }) => JournalNo.length <= 21)).toBe(true);
  });

  it('refuses a longer number, instead of having it cut', () => {
    expect(() => one('quickbooks', anEntry({ key: 'LONG-202610-EUR-PH-R100' }))).toThrow(
      'has 23 characters, QuickBooks takes 21',
    );
  });
});

describe('NetSuite: "Journal Entry and Intercompany Journal Entry Line-Level Fields Table"', () => {
  it('an external id, dates as the user has them, line fields by their names', () => {
    expect(one('netsuite', anEntry()).split('\n')[0]).toBe(
      'External ID,Date,Currency,Memo,Journal Entry - Line: Account,Journal Entry - Line: Debit,Journal Entry - Line: Credit,Journal Entry - Line: Memo',
    );
    const { rows } = readCsv(one('netsuite', anEntry()));
    expect(rows.map((row) => [row['External ID'], row.Date, row['Journal Entry - Line: Debit']])).toEqual([
      ['TO-202610-EUR-PH', '10/31/2026', '129.02'],
      ['TO-202610-EUR-PH', '10/31/2026', ''],
    ]);
  });

  it('Debit, Credit: ten digits before the point and two after it', () => {
    const kuwait = anEntry({ currency: 'KWD' }, '1.234');
    expect(() => one('netsuite', kuwait)).toThrow(
      'at most ten digits before the point and two after it, not 1.234 KWD; book KWD by hand',
    );
  });

  it.each(['netsuite', 'datev'] as const)(
    '%s: a currency of three places is left out, by name, and the others are written',
    (format) => {
      const kuwait = anEntry({ key: 'TO-202610-KWD-PH', currency: 'KWD' }, '1.234');
      const input = {
        entries: [anEntry(), kuwait, USD],
        chart: chartFor(format, {}),
        settings: SETTINGS,
        statedAt: 0,
        timezone: 'UTC',
      };
      const { files, leftOut } = journalFiles(format, '2026-10', input);
      const all = files.map(({ content }) => text(content)).join('');
      expect([all.includes('USD'), all.includes('EUR'), all.includes('KWD')]).toEqual([true, true, false]);
      expect([...leftOut.keys()]).toEqual(['KWD']);
      expect(leftOut.get('KWD')).toContain('TO-202610-KWD-PH');
    },
  );
});

describe('DATEV: "DATEV-Format" and "Buchungsstapel", version 13', () => {
  const fields = (line: string) => line.split(';');

  it('Header, fields 1 to 31: format, consultant, client, fiscal year, month, currency', () => {
    const [header = ''] = one('datev', anEntry()).split('\r\n');
    const all = fields(header);
    expect(all).toHaveLength(31);
    expect(header.startsWith('"EXTF";700;21;"Buchungsstapel";13;20261102093000000;;')).toBe(true);
    expect(all.slice(10, 17)).toEqual(['29098', '55003', '20260101', '4', '20261001', '20261031', '"Tieout 2026-10"']);
    expect([all[18], all[19], all[20], all[21]]).toEqual(['1', '0', '0', '"EUR"']);
  });

  it('Buchungsstapel: 125 fields, a positive amount with a comma, S or H for the account in field 7', () => {
    const [, names = '', row = '', end] = one('datev', anEntry()).split('\r\n');
    expect([fields(names).length, fields(row).length, end]).toEqual([125, 125, '']);
    expect(fields(row).slice(0, 14)).toEqual([
      '129,02',
      '"S"',
      '"EUR"',
      '',
      '',
      '',
      '1500',
      '8510',
      '',
      '3110',
      '"TO-202610-EUR-PH"',
      '',
      '',
      '"Accrued host share of 12 purchases in 2026-10, not confirmed"',
    ]);
    expect(fields(row)[113]).toBe('0');
  });

  it('field 2: a reversal is the same positive amount with H', () => {
    const postings = anEntry().postings.map((each) => ({ ...each, debit: each.credit, credit: each.debit }));
    const [, , row = ''] = one('datev', anEntry({ postings })).split('\r\n');
    expect(fields(row).slice(0, 2)).toEqual(['129,02', '"H"']);
  });

  it('field 10: the year comes from the header, so a file holds one month; and one currency, as rates are not known', () => {
    const later = anEntry({ key: 'TO-202610-EUR-PH-N2', date: '2026-12-03' });
    const files = written('datev', [anEntry(), later, USD]);
    expect(files.map(({ name }) => name)).toEqual([
      '2026-10-datev-EUR-1.csv',
      '2026-10-datev-EUR-2.csv',
      '2026-10-datev-USD-3.csv',
    ]);
    expect(text(files[1]?.content).split(';').slice(14, 16)).toEqual(['20261201', '20261203']);
  });

  it('a fiscal year that begins in July began in the year before the month of March', () => {
    const settings = { ...SETTINGS, datev: { ...SETTINGS.datev, fiscalYearStart: '07-01' } };
    const [file] = written('datev', [anEntry({ date: '2026-03-31' })], settings);
    expect(text(file?.content).split(';')[12]).toBe('20250701');
  });

  it('Zeichensatz: Windows-1252', () => {
    const postings = anEntry().postings.map((each) => ({ ...each, memo: 'Gebühr € – 日' }));
    const bytes = Buffer.from(written('datev', [anEntry({ postings })])[0]?.content ?? []);
    expect(bytes.includes(Buffer.from([0x47, 0x65, 0x62, 0xfc, 0x68, 0x72, 0x20, 0x80, 0x20, 0x96, 0x20, 0x3f]))).toBe(
      true,
    );
    // "Gegenkonto (ohne BU-Schlüssel)" among the names.
    expect(bytes.includes(Buffer.from('Schl\xfcssel', 'latin1'))).toBe(true);
  });

  it('field 1: a third place is refused, and yen have two as well', () => {
    expect(() => one('datev', anEntry({ currency: 'KWD' }, '1.234'))).toThrow('two after it, not 1.234 KWD');
    const [, , row = ''] = one('datev', anEntry({ currency: 'JPY' }, '1200')).split('\r\n');
    expect(fields(row)[0]).toBe('1200,00');
  });
});

const SALE = anEntry({ key: 'TO-202610-EUR-SH' }, '0.98');
const CORRECTIONS = [
  anEntry({ key: 'TO-202610-EUR-PH-R1', statement: '2026-10-D001', date: '2026-11-12' }, '3'),
  anEntry({ key: 'TO-202610-EUR-PH-N2', statement: '2026-10-D002', date: '2026-12-03' }, '4.5'),
];

describe('Beancount: "Beancount Language Syntax"', () => {
  it('Open, Metadata, Balance Assertions: accounts of the month, the hash of the set, and what the Service owes then', () => {
    expect(one('beancount', anEntry(), SALE)).toBe(
      [
        '2026-10-31 open Assets:Receivable:Host-Fee:2026-10',
        '2026-10-31 open Income:Host-Fee:2026-10',
        '',
        `2026-10-31 * "Tieout" "${MEMO}"`,
        '  entry: "TO-202610-EUR-PH"',
        `  evidence: "${'ab'.repeat(32)}"`,
        '  Assets:Receivable:Host-Fee:2026-10  129.02 EUR',
        '  Income:Host-Fee:2026-10  -129.02 EUR',
        '',
        `2026-10-31 * "Tieout" "${MEMO}"`,
        '  entry: "TO-202610-EUR-SH"',
        `  evidence: "${'ab'.repeat(32)}"`,
        '  Assets:Receivable:Host-Fee:2026-10  0.98 EUR',
        '  Income:Host-Fee:2026-10  -0.98 EUR',
        '',
        '2026-11-01 balance Assets:Receivable:Host-Fee:2026-10  130.00 ~ 0 EUR',
        '',
      ].join('\n'),
    );
  });
});

describe('hledger: "Journal format"', () => {
  it('Directives, Transactions, Tags, Balance assertions', () => {
    expect(one('hledger', anEntry())).toBe(
      [
        'decimal-mark .',
        '',
        'commodity 1000.00 EUR',
        'account Assets:Receivable:Host-Fee:2026-10',
        'account Income:Host-Fee:2026-10',
        '',
        `2026-10-31 * (TO-202610-EUR-PH) ${MEMO}`,
        `    ; evidence: ${'ab'.repeat(32)}`,
        '    Assets:Receivable:Host-Fee:2026-10  129.02 EUR',
        '    Income:Host-Fee:2026-10  -129.02 EUR',
        '',
        '2026-10-31 * Balance after this file',
        '    Assets:Receivable:Host-Fee:2026-10  0 EUR = 129.02 EUR',
        '',
      ].join('\n'),
    );
  });
});

describe('the real programs, where they are installed,', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tieout-journal-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const STATISTICAL = anEntry({
    key: 'TO-202610-JPY-PF',
    currency: 'JPY',
    contra: 'serviceClearing',
    postings: [
      { role: 'userFees', debit: dec('900'), credit: null, memo: '' },
      { role: 'feeAdjustments', debit: null, credit: dec('20'), memo: '' },
      { role: 'serviceClearing', debit: null, credit: dec('880'), memo: '' },
    ],
  });

  /** The journal, its corrections, and a ledger that includes both. */
  function ledger(format: 'beancount' | 'hledger', spoil: (text: string) => string = (same) => same): string {
    const month = join(folder, `month.${format}`);
    writeFileSync(month, spoil(one(format, anEntry(), SALE, USD, STATISTICAL)));
    const corrections = join(folder, `corrections.${format}`);
    writeFileSync(corrections, one(format, ...CORRECTIONS));
    const whole = join(folder, `whole.${format}`);
    const include = (path: string) => (format === 'beancount' ? `include "${path}"` : `include ${path}`);
    writeFileSync(whole, `${include(month)}\n${include(corrections)}\n`);
    return whole;
  }

  const run = (program: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };
  const tooHigh = (journal: string) => journal.replace('130.00', '130.01');

  describe.runIf(existsSync('/usr/bin/bean-check'))('bean-check', () => {
    it('finds nothing wrong, and notices a balance that is off by a cent', () => {
      expect(run('bean-check', '--no-cache', ledger('beancount'))).toEqual({ status: 0, said: '' });
      expect(run('bean-check', '--no-cache', ledger('beancount', tooHigh))).toMatchObject({ status: 1 });
    });
  });

  describe.runIf(existsSync('/usr/bin/hledger'))('hledger', () => {
    it('finds nothing wrong under --strict, and notices a balance that is off by a cent', () => {
      expect(run('hledger', 'check', '--strict', '-f', ledger('hledger'))).toEqual({ status: 0, said: '' });
      expect(run('hledger', 'check', '--strict', '-f', ledger('hledger', tooHigh)).status).toBe(1);
    });
  });
});

describe('accounts', () => {
  it.each(JOURNAL_FORMATS)('of the settings are checked against what %s takes', (format) => {
    expect(() => chartFor(format, {})).not.toThrow();
    expect(() => chartFor(format, { hostFeeRevenue: ' ;bad\naccount ' })).toThrow('books.accounts.hostFeeRevenue is');
  });

  it.each([
    ['xero', 'Host fee receivable', 'an account code'],
    ['datev', 'Erlöse', 'an account number'],
    ['quickbooks', 'A:B:C:D:E:F', 'at most five levels'],
    ['beancount', 'Receivable', 'Assets, Liabilities'],
  ] as const)('%s refuses %s and says what it needs', (format, account, need) => {
    expect(() => chartFor(format, { hostFeeReceivable: account })).toThrow(need);
  });

  it('that are not set take the default of the program', () => {
    expect(chartFor('xero', { hostFeeRevenue: '200', userFees: null })).toMatchObject({
      hostFeeRevenue: '200',
      hostFeeReceivable: '615',
      userFees: '991',
    });
  });
});
