import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import {
  type DecimalsMode,
  PROFILES,
  type ProfileName,
  type ReportDefinition,
  type WrittenFile,
} from '../../src/ports/report-definition.ts';
import { csvTable } from '../../src/publish/csv-file.ts';
import { realFileSystem } from '../../src/publish/file-system.ts';
import { HashedFile } from '../../src/publish/hashed-file.ts';
import { profileOf, undefuse } from '../../src/publish/profiles.ts';
import { readBack } from '../../src/publish/read-back.ts';
import { type AFee, aRecord, FEES, RECORDS, UNVERIFIED } from './support/a-set.ts';
import { watchedFileSystem } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

function writeCsv<Row>(
  definition: ReportDefinition<Row>,
  rows: readonly Row[],
  { profile = 'standard', decimals = 'exact' }: { profile?: ProfileName; decimals?: DecimalsMode } = {},
): { path: string; text: string; written: WrittenFile } {
  const path = join(tempFolder(), `${definition.name}.csv`);
  const file = csvTable(new HashedFile(path, realFileSystem), definition, profileOf(profile), decimals);
  file.write(rows);
  const written = file.finish();
  return { path, text: readFileSync(path, 'utf8'), written };
}

const HEADER =
  'record_id,host_reference,verdict,crypto_units,fiat_currency,fiat_value,exchange_rate,fetched_at,break_count,paid';

describe('cells', () => {
  it('are plain, with a point, Z and true or false', () => {
    const { text } = writeCsv(RECORDS, [aRecord()]);
    expect(text).toBe(
      `${HEADER}\nsqs6a428mqjtzbv,order-1,matched,8023728890597727,EUR,10,1180.9032500905719,2026-11-21T04:15:00.007Z,0,true\n`,
    );
  });

  it('are empty where a value is unknown, and never zero', () => {
    expect(writeCsv(RECORDS, [UNVERIFIED]).text).toBe(`${HEADER}\nx,,unverified,,,,,,,\n`);
  });

  it.each(PROFILES)(
    'with any line break are quoted: a spreadsheet ends a row at each, and would run what follows (%s)',
    (profile) => {
      for (const mark of ['\r', '\n', '\r\n']) {
        const reference = `order${mark}1+1`;
        const { text } = writeCsv(RECORDS, [aRecord({ reference })], { profile });
        expect(text).toContain(`"${reference}"`);
      }
    },
  );

  it.each(PROFILES)('end nowhere before a formula, whichever separator a program takes (%s)', (profile) => {
    const ends = { '\r': '\\x0d', '\n': '\\x0a', '\t': '\\x09', ';': '\\x3b', ',': '\\x2c' };
    for (const [mark, code] of Object.entries(ends)) {
      for (const formula of ['=1+1', '@SUM(1)', '"=1+1', '\ufeff+1', '\uFF1D1']) {
        const { text } = writeCsv(RECORDS, [aRecord({ reference: `order${mark}${formula}` })], { profile });
        expect(text).toContain(`order${code}${formula.replace('"', '""')}`);
      }
      const { text } = writeCsv(RECORDS, [aRecord({ reference: `1${mark} -5` })], { profile });
      expect(text).toContain(`1${mark} -5`);
    }
  });

  it('are defused in text columns and never touched in amounts', () => {
    const { text } = writeCsv(RECORDS, [
      aRecord({ reference: '=HYPERLINK("http://x","y")', value: Decimal.parse('-1.25') }),
    ]);
    expect(text.split('\n')[1]).toBe(
      'sqs6a428mqjtzbv,"\'=HYPERLINK(""http://x"",""y"")",matched,8023728890597727,EUR,-1.25,1180.9032500905719,2026-11-21T04:15:00.007Z,0,true',
    );
  });

  it('never have an exponent, however small or large the amount', () => {
    const amounts = ['1e-18', '1e20', '-0', '0.000'].map((value) => aRecord({ value: Decimal.parse(value) }));
    const { text } = writeCsv(RECORDS, amounts);
    const printed = text
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[5]);
    expect(printed).toEqual(['0.000000000000000001', '100000000000000000000', '0', '0']);
  });

  it('that repeat are the same each time', () => {
    const rows = [null, '=1', '=1', null, 'b', 'b'].map((reference) => aRecord({ reference }));
    const { text } = writeCsv(RECORDS, rows);
    const printed = text
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[1]);
    expect(printed).toEqual(['', "'=1", "'=1", '', 'b', 'b']);
  });
});

describe('profiles', () => {
  const row = [aRecord({ reference: 'a;b', units: '802372889059772', value: Decimal.parse('-1.25') })];
  const cells = 'matched,802372889059772,EUR,-1.25,1180.9032500905719,2026-11-21T04:15:00.007Z,0,true';

  it('standard: no mark, LF', () => {
    expect(writeCsv(RECORDS, row).text).toBe(`${HEADER}\nsqs6a428mqjtzbv,a;b,${cells}\n`);
  });

  it('google-sheets: no mark, LF', () => {
    expect(writeCsv(RECORDS, row, { profile: 'google-sheets' }).text).toBe(writeCsv(RECORDS, row).text);
  });

  it('excel: byte order mark and CRLF', () => {
    const { text } = writeCsv(RECORDS, row, { profile: 'excel' });
    expect(text).toBe(`\uFEFF${HEADER}\r\nsqs6a428mqjtzbv,a;b,${cells}\r\n`);
  });

  it('excel-eu: semicolons and decimal commas too', () => {
    const { text } = writeCsv(RECORDS, row, { profile: 'excel-eu' });
    expect(text).toBe(
      `\uFEFF${HEADER.replaceAll(',', ';')}\r\nsqs6a428mqjtzbv;"a;b";matched;802372889059772;EUR;-1,25;1180,9032500905719;2026-11-21T04:15:00.007Z;0;true\r\n`,
    );
  });

  it('mark ids that the program would take for numbers, and units of more digits than it keeps', () => {
    const long = aRecord({ id: '0000000000322', reference: '12345678901234567890', units: '12345678901234567890' });
    const start = (profile: ProfileName) =>
      writeCsv(RECORDS, [long], { profile }).text.split('\n')[1]?.split(',').slice(0, 4);
    expect(start('standard')).toEqual(['0000000000322', '12345678901234567890', 'matched', '12345678901234567890']);
    expect(start('excel')).toEqual(["'0000000000322", "'12345678901234567890", 'matched', "'12345678901234567890"]);
    expect(start('google-sheets')).toEqual(start('excel'));
  });

  it('print a number in a column of texts and numbers as their program reads numbers, and texts as they are', () => {
    const definition: ReportDefinition<string> = {
      name: 'x',
      description: '',
      columns: [
        { name: 'expected', type: 'text', mayBeNumber: true, description: '', value: (text) => text },
        { name: 'reference', type: 'text', description: '', value: (text) => text },
      ],
    };
    const { text } = writeCsv(definition, ['-1.25', 'RELEASED', '=1'], { profile: 'excel-eu' });
    expect(text).toBe("\uFEFFexpected;reference\r\n-1,25;-1.25\r\nRELEASED;RELEASED\r\n'=1;'=1\r\n");
  });
});

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '\n', '\r', "'", '=', '-', '0', '9', 'e', ' ', '\t', '\0'),
    maxLength: 8,
  }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
  .map(([unscaled, scale]) => Decimal.of(unscaled, scale));

/** Control characters, and what would end a cell before a formula, by their codes: a report is shown on terminals too. */
const seen = (text: string) =>
  [...text]
    .map((each, at, all) => {
      const code = each.charCodeAt(0);
      const isControl = (code < 32 && !'\t\n\r'.includes(each)) || (code >= 127 && code < 160);
      const isEnd =
        '\t\n\r,;'.includes(each) &&
        /^["\p{Cf}]*[=+@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212-]/u.test(all.slice(at + 1).join(''));
      return isControl || isEnd ? `\\x${code.toString(16).padStart(2, '0')}` : each;
    })
    .join('');

describe.each(PROFILES)('a file of profile %s', (name) => {
  const profile = profileOf(name);

  it('gives back every text and every amount, read by csv-parse', () => {
    const rows = fc.array(
      fc.record({
        reference: fc.option(text),
        currency: fc.constantFrom('EUR', 'JPY', '=X'),
        value: fc.option(amount),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(rows, (each) => {
        const records = each.map((one) => aRecord(one));
        const { text: csv, written } = writeCsv(RECORDS, records, { profile: name });
        const { bom, delimiter, lineEnd } = profile;
        const [, ...found] = parse(csv, { bom, delimiter, record_delimiter: lineEnd }) as string[][];
        expect(written.rows).toBe(records.length);
        expect(found.map((cells) => undefuse(cells[1] ?? '', profile))).toEqual(
          records.map((r) => seen(r.reference ?? '')),
        );
        expect(found.map((cells) => (cells[5] ?? '').replace(profile.decimalPoint, '.'))).toEqual(
          records.map((r) => r.value?.toString() ?? ''),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('reads back with the hash, bytes, rows and totals that were counted while writing', async () => {
    const rows = fc.array(
      fc.record({ reference: fc.option(text), currency: fc.option(text), value: fc.option(amount) }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('exact', 'minor-units'), async (each, decimals) => {
        const records = each.map((one) => aRecord(one));
        const { path, written } = writeCsv(RECORDS, records, { profile: name, decimals });
        const { bytes, sha256, rows: count, totals } = written;
        const found = await readBack(path, written, { profile, fileSystem: realFileSystem });
        expect(found).toEqual({ bytes, sha256, rows: count, totals, unreadable: null });
      }),
      { numRuns: 50 },
    );
  });
});

describe('totals', () => {
  it('are exact, per currency, and leave out unknown amounts', () => {
    const { written } = writeCsv(RECORDS, [
      aRecord({ currency: 'JPY', value: Decimal.parse('-3') }),
      aRecord({ value: Decimal.parse('0.1') }),
      aRecord({ value: Decimal.parse('0.2') }),
      aRecord({ currency: 'USD', value: null }),
      aRecord({ currency: null, value: Decimal.parse('7.125') }),
    ]);
    expect(written.totals).toEqual({
      '': { fiat_value: '7.125' },
      EUR: { fiat_value: '0.3' },
      JPY: { fiat_value: '-3' },
    });
    expect(written.currency_columns).toEqual({ fiat_value: 'fiat_currency' });
    expect(Object.keys(written.totals)).toEqual(['', 'EUR', 'JPY']);
  });

  it('refuse a report whose amounts have no currency column', () => {
    const definition: ReportDefinition<Decimal> = {
      name: 'x',
      description: '',
      columns: [{ name: 'a', type: 'amount', description: '', currencyColumn: 'b', value: (value) => value }],
    };
    expect(() => writeCsv(definition, [])).toThrow('x.csv: the currency column of a must be a text column');
  });
});

describe('minor units', () => {
  it('round half to even at the places of the row’s currency, and total the printed amounts', () => {
    const { text: csv, written } = writeCsv(
      RECORDS,
      [
        aRecord({ value: Decimal.parse('0.125') }),
        aRecord({ value: Decimal.parse('0.135') }),
        aRecord({ value: Decimal.parse('10') }),
        aRecord({ currency: 'JPY', value: Decimal.parse('1499.5') }),
        aRecord({ currency: 'KWD', value: Decimal.parse('0.0005') }),
        aRecord({ currency: 'ETH', value: Decimal.parse('0.008023728890597727') }),
      ],
      { decimals: 'minor-units' },
    );
    const printed = csv
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[5]);
    expect(printed).toEqual(['0.12', '0.14', '10.00', '1500', '0.000', '0.008023728890597727']);
    expect(written.totals).toEqual({
      ETH: { fiat_value: '0.008023728890597727' },
      EUR: { fiat_value: '10.26' },
      JPY: { fiat_value: '1500' },
      KWD: { fiat_value: '0' },
    });
  });

  it('leave the rest to the adjustment, so that the printed row still foots', () => {
    const row: AFee = { id: 'a', applied: '0.015', base: '0.005', network: '0.005', adjustment: '0.005' };
    const { text: csv, written } = writeCsv(FEES, [row], { decimals: 'minor-units' });
    expect(csv.split('\n')[1]).toBe('a,EUR,0.02,0.00,0.00,0.02');
    expect(written.totals.EUR).toEqual({
      applied_fee_variance: '0.02',
      base_fee_variance: '0',
      network_fee_variance: '0',
      adjustment_variance: '0.02',
    });
  });
});

it.each(PROFILES)('writes in profile %s the bytes that csv-stringify writes of the same cells', (profile) => {
  const { delimiter, lineEnd } = profileOf(profile);
  const text = fc.string({ unit: fc.constantFrom(',', ';', '"', '\n', '\r', ' ', 'a', "'", '='), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), (pairs) => {
      const rows = pairs.map(([id, reference]) => aRecord({ id, reference }));
      const written = writeCsv(RECORDS, rows, { profile }).text.replace(/^\uFEFF/, '');
      const cells = parse(written, { delimiter, record_delimiter: lineEnd }) as string[][];
      expect(cells).toHaveLength(rows.length + 1);
      expect(stringify(cells, { delimiter, record_delimiter: lineEnd, quoted_match: /[\r\n]/ })).toBe(written);
    }),
    { numRuns: 200 },
  );
});

it('holds no more than a buffer of a long file in memory', () => {
  const sizes: number[] = [];
  const { fileSystem } = watchedFileSystem((_, call, args) => {
    if (call === 'write') sizes.push((args[1] as Uint8Array).length);
  });
  const file = csvTable(
    new HashedFile(join(tempFolder(), 'records.csv'), fileSystem),
    RECORDS,
    profileOf('standard'),
    'exact',
  );
  const rows = Array.from({ length: 1000 }, () => aRecord());
  for (let i = 0; i < 50; i++) file.write(rows);
  expect(file.finish().rows).toBe(50_000);
  expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
  expect(sizes.length).toBeGreaterThan(20);
});

it('goes on where the disk takes fewer bytes than it was given', () => {
  const path = join(tempFolder(), 'records.csv');
  const grudging = {
    ...realFileSystem,
    write: (file: number, bytes: Uint8Array, from: number) =>
      realFileSystem.write(file, bytes.subarray(0, from + Math.min(7, bytes.length - from)), from),
  };
  const file = csvTable(new HashedFile(path, grudging), RECORDS, profileOf('standard'), 'exact');
  file.write([aRecord(), aRecord({ id: 'b' })]);
  const { bytes } = file.finish();
  expect(readFileSync(path).length).toBe(bytes);
  expect(readFileSync(path, 'utf8')).toBe(writeCsv(RECORDS, [aRecord(), aRecord({ id: 'b' })]).text);
});

it('gives up where the disk takes nothing at all', () => {
  const stuck = { ...realFileSystem, write: () => 0 };
  const file = csvTable(new HashedFile(join(tempFolder(), 'x.csv'), stuck), RECORDS, profileOf('standard'), 'exact');
  file.write([aRecord()]);
  expect(() => file.finish()).toThrow('the file system takes no more bytes');
});
