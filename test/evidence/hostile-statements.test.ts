/** Statements that were damaged, guessed at, or made to attack: a line is read as it was meant, or it is rejected by name. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextFile } from '../../src/app/read-csv.ts';
import { LINE_TYPES } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS } from '../support/builders.ts';
import { processorMs } from '../support/processor-time.ts';

const ofCsv = (date: string, amount: string, currency = 'EUR', reference = '') => {
  const [line] = readStatement(
    `date;amount;currency;reference\n${date};${amount};${currency};${reference}\n`,
    'csv',
    STATEMENT_TERMS,
  );
  if (line === undefined) return undefined;
  return 'payout' in line ? line.payout : 'rejected' in line ? line.rejected : undefined;
};

describe('a date', () => {
  it.each([
    '2026-02-30',
    '2026-11-31T00:00:00Z',
    '11/05/2026',
    '5 Nov 2026',
    '2026-11-05 10:00',
    '+275760-09-13T00:00:00Z',
    '0000-01-01',
    '9999-12-31',
  ])('%s is not guessed at', (date) => {
    expect(ofCsv(date, '10')).toBe(`date ${date}: write it as 2026-11-05`);
  });

  it.each(['2026-11-05', '2026-11-05T00:00:00', '2026-11-05T02:00:00+02:00'])('%s is one day', (date) => {
    expect(ofCsv(date, '10')).toMatchObject({ paidAt: Date.UTC(2026, 10, 5) });
  });
});

it.each(['2016-12-31', '2027-12-31'])(
  'the day %s is before the Service or still to come, and a mistake of the year',
  (date) => {
    expect(ofCsv(date, '10')).toBe(`date ${date}: not between 2017-01-01 and 2027-04-02`);
  },
);

describe('a line', () => {
  const read = (row: string) =>
    readStatement(`date,amount,currency,settles,gross\n2026-11-05,${row}\n`, 'csv', STATEMENT_TERMS);

  it('of several payments is taken as a whole or not at all', () => {
    expect(read('1000,USDC,600 EUR @ 1.1 + 170 QQQ @ 2,')).toEqual([
      { line: 2, rejected: 'settled_currency QQQ: write its ISO 4217 code' },
    ]);
    expect(read('1000,USDC,600 EUR @ 1.1 + 345 USD,')).toHaveLength(3);
  });

  it('that names a part of what it pays leaves no exchange: rates explain two in a hundred', () => {
    expect(read('1000,USDC,5 USD,')).toEqual([
      { line: 2, rejected: 'settles 5 USD: comes to 5 of 1000 USDC, more apart than rates explain' },
    ]);
  });

  it.each([
    ['gross', '"1.234,56"', 'gross 1.234,56: not a plain number; write it as 1234.56'],
    ['withheld', '"1.234,56"', 'withheld 1.234,56: not a plain number; write it as 1.50'],
    ['withheld', '-5', 'withheld -5: not a plain number; write it as 1.50'],
    ['gross,withheld', '150,30', 'gross 150: amount and what was withheld come to 140'],
    ['rate', '1.08', 'rate 1.08: name the currency of the revenue too (settled_currency)'],
    ['settled_currency,rate', 'USD,0', 'rate 0: write EUR for one USD, as 1.0850'],
    ['period', '2026-13', 'period 2026-13: write it as 2026-10, or as 2026-09/2026-11, from 2017 on and not far ahead'],
    ...['9999-12', '2206-10', '0001-01', '2016-12', '2016-12/2017-01'].map((period) => [
      'period',
      period,
      `period ${period}: write it as 2026-10, or as 2026-09/2026-11, from 2017 on and not far ahead`,
    ]),
    ['chain,tx_hash', `eth,${'a'.repeat(64)}`, 'chain eth: write it as in evidence.chains, such as ETH'],
    ['chain,tx_hash', 'ETH,0x', 'tx 0x: write the id of the transaction'],
    ['type', 'gift', `type gift: write one of ${LINE_TYPES.join(', ')}, or leave it out`],
  ])('whose %s is %s is rejected: another amount would be booked', (names, cells, rejected) => {
    const text = `date,amount,currency,${names}\n2026-11-05,110,EUR,${cells}\n`;
    expect(readStatement(text, 'csv', STATEMENT_TERMS)).toEqual([{ line: 2, rejected }]);
  });

  it('of a transaction may be about no record: an invoice has none', () => {
    const text = 'id,share,currency,date,type\n,50,EUR,2026-11-10,invoice\n';
    expect(readStatement(text, 'lines', STATEMENT_TERMS)).toMatchObject([
      { payout: { type: 'invoice', amount: { unscaled: -50n }, statementId: null } },
    ]);
    expect(() => readStatement(text.replace('id,', 'no,'), 'lines', STATEMENT_TERMS)).toThrow('no column for id');
  });
});

describe('an amount', () => {
  it.each(['1e119', '1e3', '1E+03', `${'9'.repeat(41)}`, `0.${'1'.repeat(41)}`, '١٢', '0x10', '1_000', 'NaN'])(
    '%s is no plain number',
    (amount) => {
      expect(ofCsv('2026-11-05', amount)).toBe(`amount ${amount}: not a plain number; write it as 1234.56`);
    },
  );

  it('with a comma before three digits may mean thousands, and is rejected; a decimal comma is read', () => {
    expect(ofCsv('2026-11-05', '1,234', 'KWD')).toBe('amount 1,234: not a plain number; write it as 1234.56');
    expect(ofCsv('2026-11-05', '1234,5')).toMatchObject({ amount: { unscaled: 12345n, scale: 1 } });
  });
});

describe('a reference', () => {
  it.each(['RE 204711', 'No. 201607', '2099-12'])('%s names no month: none is so far away', (reference) => {
    expect(ofCsv('2026-11-05', '10', 'EUR', reference)).toMatchObject({ period: null });
  });

  it.each(['\0', 'x'.repeat(2001)])('that no database and no cell can hold is rejected', (reference) => {
    expect(ofCsv('2026-11-05', '10', 'EUR', `a${reference}b`)).toMatch(/^reference: /);
  });
});

describe('a CSV', () => {
  it('with a column twice, or without one that was named, is refused', () => {
    expect(() => readStatement('date,amount,amount,currency\n2026-11-05,1,2,EUR\n', 'csv', STATEMENT_TERMS)).toThrow(
      'amount twice',
    );
    // Of something else, and without a line: not a statement without payments.
    for (const text of ['', '7', '7.00', '{', '[]', 'id,name\n', 'null\n'])
      expect(() => readStatement(text, 'auto', STATEMENT_TERMS), text).toThrow('no column for date');
    expect(() => readStatement(':20:x\n:25:DE1\n', 'auto', STATEMENT_TERMS)).toThrow('no balance');
    expect(readStatement('date,amount,currency\n', 'auto', STATEMENT_TERMS)).toEqual([]);
    expect(readStatement(':20:x\n:60F:C261101EUR1,00\n:62F:C261101EUR1,00\n', 'auto', STATEMENT_TERMS)).toEqual([]);
    expect(() =>
      readStatement('date,amount,currency\n2026-11-05,1,EUR\n', 'csv', {
        ...STATEMENT_TERMS,
        mapping: { reference: 'Txt' },
      }),
    ).toThrow('no column for reference');
  });

  it('may have names of prototypes in its header', () => {
    const text = '__proto__,constructor,date,amount,currency\n{},x,2026-11-05,1,EUR\n';
    expect(readStatement(text, 'csv', STATEMENT_TERMS)).toMatchObject([{ payout: { currency: 'EUR' } }]);
    expect({}).not.toHaveProperty('x');
  });

  it('with bare carriage returns is read like any other', () => {
    const text = 'date;amount;currency\r2026-11-05;1,50;EUR\r';
    expect(readStatement(text, 'auto', STATEMENT_TERMS)).toMatchObject([{ payout: { amount: { unscaled: 150n } } }]);
  });
});

describe('MT940', () => {
  const text =
    ':20:X\n:60F:C261101KWD0,00\n:61:2611051105C1234,500NTRFNONREF//B7\n:86:PAYOUT 2026-10\n:62F:C261105KWD1234,5\n-}\n';
  it.each(['\n', '\r\n', '\r'])('has lines that end with %j, and amounts of three places', (end) => {
    expect(readStatement(text.replaceAll('\n', end), 'auto', STATEMENT_TERMS)).toMatchObject([
      { payout: { amount: { unscaled: 1234500n, scale: 3 }, period: '2026-10' } },
    ]);
  });

  it('with ten megabytes in one field 86 is rejected, in seconds', () => {
    const endless = text.replace(':62F:', 'TWENTY-SEVEN CHARACTERS TEXT?21\n'.repeat(320_000).concat(':62F:'));
    let lines: ReturnType<typeof readStatement> = [];
    const took = processorMs(() => {
      lines = readStatement(endless.replace(':86:', ':86:166?00CREDIT?20'), 'mt940', STATEMENT_TERMS);
    });
    expect(lines).toMatchObject([{ rejected: expect.stringContaining('longer than 2000') }]);
    expect(took).toBeLessThan(10_000);
  });

  it('with a day that no calendar has is rejected', () => {
    const wrong = text.replace(':61:261105', ':61:260230');
    expect(readStatement(wrong, 'mt940', STATEMENT_TERMS)).toMatchObject([
      { rejected: 'date 2026-02-30: write it as 2026-11-05' },
    ]);
  });
});

describe('camt.053', () => {
  const around = (inner: string) =>
    `<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt>${inner}</Ntry></Stmt></BkToCstmrStmt></Document>`;

  it.each([
    ['a hundred thousand levels', around(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`)],
    ['no end', around('').slice(0, -30)],
    ['entities without a definition', `<!ENTITY a "b">${around('')}`],
  ])('with %s is refused in a sentence', (_, text) => {
    expect(() => readStatement(text, 'camt.053', STATEMENT_TERMS)).toThrow(
      /^The statement is not well-formed XML|^The statement has/,
    );
  });

  it.each([
    ['seven million elements', () => `<Document>${'<a/>'.repeat(7_000_000)}</Document>`],
    ['as many levels', () => '<a>'.repeat(7_000_000)],
    ['an element of a million attributes', () => `<Document ${'a="1" '.repeat(1_000_000)}/>`],
  ])('with %s, which took more than a gigabyte, is refused before it is parsed', (_, make) => {
    const text = make();
    const ms = processorMs(() =>
      expect(() => readStatement(text, 'camt.053', STATEMENT_TERMS)).toThrow('more elements or attributes'),
    );
    expect(ms).toBeLessThan(5_000);
  });

  it('with a million levels and no end is refused at the first hundred', () => {
    const text = '<a>'.repeat(1_000_000);
    const ms = processorMs(() =>
      expect(() => readStatement(text, 'camt.053', STATEMENT_TERMS)).toThrow('not well-formed'),
    );
    expect(ms).toBeLessThan(2_000);
  });

  it('does not resolve references to characters that command a terminal', () => {
    const [line] = readStatement(around('<AddtlNtryInf>a&#27;[2Jb&#0;c</AddtlNtryInf>'), 'camt.053', STATEMENT_TERMS);
    expect(JSON.stringify(line, (_, each) => (typeof each === 'bigint' ? String(each) : each))).not.toMatch(/\\u00/);
  });

  it('of a megabyte is read in seconds: one of ten megabytes takes ten times as long', () => {
    const entry = around('').replace(/^.*<Stmt>|<\/Stmt>.*$/g, '');
    const text = around('').replace('</Stmt>', `${entry.repeat(Math.ceil(1_000_000 / entry.length))}</Stmt>`);
    let lines = 0;
    const took = processorMs(() => {
      lines = readStatement(text, 'camt.053', STATEMENT_TERMS).length;
    });
    expect(lines).toBeGreaterThan(5_000);
    expect(took).toBeLessThan(10_000);
  });
});

it('a statement of more than 32 MiB is refused before it is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-statement-'));
  try {
    const file = join(folder, 'large.csv');
    writeFileSync(file, 'date,amount,currency\n');
    truncateSync(file, 33 * 1024 * 1024);
    expect(() => readTextFile(file)).toThrow('has more than 32 MiB');
    truncateSync(file, 21);
    expect(readTextFile(file)).toContain('date,amount');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a device without an end, which has no size, is left after 32 MiB', () => {
  expect(() => readTextFile('/dev/zero')).toThrow('has more than 32 MiB');
});

describe('a bank statement that is not whole', () => {
  const told = (text: string) =>
    readStatement(text, 'auto', STATEMENT_TERMS).map((each) => {
      if ('payout' in each) return each.payout.amount.toString();
      if ('note' in each) return `note: ${each.note}`;
      return 'rejected' in each ? each.rejected : `left out: ${each.leftOut}`;
    });
  const MT = `:20:X
:60F:D261101EUR1,00
:61:2611051105C10,50NTRFNONREF//B1
:86:REV 2026-10
:61:2611061106D2,NTRFNONREF//B2
:61:2611071107RC3,25NTRFNONREF//B3
:62F:C261130EUR4,25
-}
`;
  const gap = (after: string, sum: string) =>
    `the balance after is ${after}, and the balance before with all movements ${sum}: are lines missing?`;
  const GOOD = ['10.5', 'left out: a debit', '-3.25'];

  it('MT940: its movements lead from one balance to the other', () => {
    expect(told(MT)).toEqual(GOOD);
    expect(told(MT.replace(/:61:\d+D2,.*\n/, ''))).toEqual(['10.5', '-3.25', `note: ${gap('4.25', '6.25')}`]);
    expect(told(MT.replace('C10,50', 'C100,50'))).toEqual(['100.5', ...GOOD.slice(1), `note: ${gap('4.25', '94.25')}`]);
    expect(told(MT.replace('RC3', 'RD3')).at(-1)).toBe(`note: ${gap('4.25', '10.75')}`);
    // Which of two balances is the first cannot be told, and a line that cannot be read is reported by itself.
    expect(told(MT.replace(':60F:', ':60M:C261101EUR9,\n:60F:'))).toEqual(GOOD);
    expect(told(MT.replace('D2,', 'ED2,'))).toEqual(['10.5', 'field 61 cannot be read', '-3.25']);
  });

  it('MT940: one that was cut off anywhere says so', () => {
    for (let length = 1; length < MT.indexOf(':62F:') + 19; length++) {
      let lines: string[] = [];
      try {
        lines = told(MT.slice(0, length));
      } catch {
        continue;
      }
      expect(lines.join(), MT.slice(0, length)).toMatch(/note: .*(?:cut off|lines missing)/);
    }
  });

  it('MT940: one that comes twice in a file counts once', () => {
    expect(told(`{1:F01A}{4:\n${MT}{1:F01B}{4:\n${MT}`)).toEqual([
      ...GOOD,
      'left out: the same statement as one before it',
    ]);
    expect(told(MT + MT.replace('REV 2026-10', 'REV 2026-11'))).toEqual([...GOOD, ...GOOD]);
  });

  const balance = (code: string, amount: string, mark = 'CRDT', currency = 'EUR') =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd></Bal>`;
  const entry = (amount: string, mark = 'CRDT', more = '') =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd>${more}<Sts>BOOK</Sts><BookgDt><Dt>2026-11-05</Dt></BookgDt></Ntry>`;
  const statement = (...inner: readonly string[]) => `<Stmt>${inner.join('')}</Stmt>`;
  const camt = (...inner: readonly string[]) => `<Document><BkToCstmrStmt>${inner.join('')}</BkToCstmrStmt></Document>`;
  const RVSL = '<RvslInd>true</RvslInd>';
  const BALANCES = [balance('OPBD', '1.00', 'DBIT'), balance('CLBD', '4.25')];
  const ENTRIES = [entry('10.50'), entry('2', 'DBIT'), entry('3.25', 'DBIT', RVSL)];
  const WHOLE = ['10.5', 'left out: entry 2 is a debit', '-3.25'];

  it('camt.053: its entries lead from one balance to the other', () => {
    const whole = statement(...BALANCES, ...ENTRIES);
    expect(told(camt(whole))).toEqual(WHOLE);
    expect(told(camt(whole.replace('OPBD', 'PRCD')))).toEqual(WHOLE);
    expect(told(camt(whole.replace('10.50', '100.50'))).at(-1)).toBe(`note: statement 1: ${gap('4.25', '94.25')}`);
    expect(told(camt(statement(...BALANCES, ...ENTRIES.slice(0, 2))))).toEqual([
      ...WHOLE.slice(0, 2),
      `note: statement 1: ${gap('4.25', '7.5')}`,
    ]);
    // A page has the balances of all pages; another currency, or one balance alone, says nothing.
    for (const other of [
      statement('<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>', ...BALANCES, entry('1')),
      statement(balance('OPBD', '1'), balance('CLBD', '9', 'CRDT', 'USD'), entry('1')),
      statement(balance('OPBD', '1'), entry('1')),
      statement(balance('OPBD', '1'), balance('OPBD', '2'), balance('CLBD', '9'), entry('1')),
    ])
      expect(told(camt(other))).toEqual(['1']);
  });

  it('camt.053: a statement that comes twice in a file counts once', () => {
    const one = statement('<Id>1</Id>', entry('5'), entry('5'));
    expect(told(camt(one, one.replace('<Id>1', '<Id>2'), one))).toEqual([
      ...['5', '5', '5', '5'],
      'left out: statement 3 is the same as one before it',
    ]);
  });

  it.each([
    ['-5', entry('-5')],
    ['-5, taken back', entry('-5', 'DBIT', RVSL)],
    ['5, then an element, then 5', entry('5<x>7</x>5')],
    ['5 of two reversals', entry('5', 'DBIT', RVSL + RVSL)],
    ['5 with a reversal that is neither true nor false', entry('5', 'CRDT', '<RvslInd>TRUE</RvslInd>')],
    ['5 with the name of a function as reversal', entry('5', 'DBIT', '<RvslInd>constructor</RvslInd>')],
  ])('camt.053: an amount of %s is rejected', (_, inner) => {
    expect(readStatement(camt(statement(inner)), 'auto', STATEMENT_TERMS)).toMatchObject([
      { rejected: expect.stringMatching(/^entry 1 |^currency /) },
    ]);
  });

  it('camt.053: the parts of a batch count only with the mark and without a sign of their own', () => {
    const parts = (...each: readonly string[]) =>
      entry('80', 'CRDT', `<NtryDtls>${each.map((part) => `<TxDtls>${part}</TxDtls>`).join('')}</NtryDtls>`);
    const of = (amount: string) => `<Amt Ccy="EUR">${amount}</Amt>`;
    expect(told(camt(statement(parts(of('60'), of('20')))))).toEqual(['60', '20']);
    expect(told(camt(statement(parts(of('100'), of('-20')))))).toEqual(['80']);
    expect(told(camt(statement(parts(`${of('60')}<CdtDbtInd>DBIT</CdtDbtInd>`, of('20')))))).toEqual(['80']);
    expect(() => told(camt(statement(entry('5').replace(' Ccy="EUR"', ' Ccy="EUR" x:Ccy="USD"'))))).toThrow(
      'currency of another namespace',
    );
  });
});
