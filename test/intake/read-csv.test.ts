import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableFileError } from '../../src/intake/errors.ts';
import { readTrackedFile } from '../../src/intake/read-tracked-file.ts';
import { all, readAll, told } from './reading.ts';

const HEADER = 'kind,id,view_token,created_at,host_reference,quote_id,expected_status';

describe('a CSV of ids', () => {
  it('is read by its header, with columns in any order', async () => {
    const csv =
      'view_token,created_at,id,kind,quote_id\ntok-1,2026-10-13T10:02:00+02:00,sqs6a428mqjtzbv,purchase,q-17\n';
    expect(await readAll(csv)).toEqual([
      {
        type: 'good',
        line: 2,
        value: {
          kind: 'purchase',
          id: 'sqs6a428mqjtzbv',
          token: 'tok-1',
          createdAt: Date.UTC(2026, 9, 13, 8, 2),
          hostReference: null,
          quoteId: 'q-17',
          expectedStatus: null,
          shown: null,
        },
      },
    ]);
  });

  it.each([
    ['LF', `${HEADER}\npurchase,a,t,,,,\nsale,b,t,,,,\n`],
    ['CRLF', `${HEADER}\r\npurchase,a,t,,,,\r\nsale,b,t,,,,\r\n`],
    ['CR', `${HEADER}\rpurchase,a,t,,,,\rsale,b,t,,,,\r`],
    ['all three line ends', `${HEADER}\rpurchase,a,t,,,,\r\nsale,b,t,,,,\n`],
    ['a BOM', `\ufeff${HEADER}\npurchase,a,t,,,,\nsale,b,t,,,,\n`],
    ['a BOM before a quote', '\ufeff"kind","id","view_token"\npurchase,a,t\nsale,b,t\n'],
    ['no newline at the end', `${HEADER}\npurchase,a,t,,,,\nsale,b,t,,,,`],
    ['quoted cells', `"kind","id","view_token"\n"purchase","a","t"\n"sale","b","t"\n`],
    ['spaces around cells', 'kind , id,view_token\n purchase , a , t \nsale,b,t\n'],
    ['trailing commas', 'kind,id,view_token\npurchase,a,t,,\nsale,b,t,,\n'],
  ])('may have %s', async (_, csv) => {
    expect(await told(csv)).toEqual(['2 good purchase a', '3 good sale b']);
  });

  it('skips blank lines, and counts them', async () => {
    expect(await told(`\n${HEADER}\n\npurchase,a,t,,,,\n,,,,,,\n   \nsale,b,t,,,,\n`)).toEqual([
      '4 good purchase a',
      '7 good sale b',
    ]);
  });

  it('ignores unknown columns with one remark', async () => {
    expect(await told('kind,id,view_token,user_id,plan\npurchase,a,t,u,p\nsale,b,t,u,p\n')).toEqual([
      'note columns ignored: user_id, plan',
      '2 good purchase a',
      '3 good sale b',
    ]);
  });

  it('takes the kind from outside where it has none', async () => {
    expect(await told('id,view_token\na,t\n', { kind: 'sale' })).toEqual(['2 good sale a']);
    expect(await told('kind,id,view_token\n,a,t\npurchase,b,t\n', { kind: 'sale' })).toEqual([
      '2 good sale a',
      '3 good purchase b',
    ]);
  });

  it('keeps commas, quotes and line breaks of free text', async () => {
    const items = await readAll(`${HEADER}\npurchase,a,t,,"order ""7"",\nsecond line",q-1,\nsale,b,t,,,,\n`);
    expect(items[0]).toMatchObject({ line: 2, value: { hostReference: 'order "7",\nsecond line', quoteId: 'q-1' } });
    expect(items[1]).toMatchObject({ line: 4, value: { id: 'b' } });
  });

  it('says everything that is wrong with a line, and goes on', async () => {
    const csv = [
      HEADER,
      'refund,a b,,yesterday,,,',
      'purchase,ok1,t,,,,',
      'purchase,../etc,t t,2026-10-13 10:02,,,',
      'Buy,,t,,,,',
      'purchase,ok2,t,,,,RELEASED',
    ].join('\n');
    expect(await told(csv)).toEqual([
      '2 rejected kind must be purchase or sale (found refund); id may have only letters, digits, - and _, at most 64 (found a b); view_token is missing: without it the record can never be fetched; created_at must be an ISO 8601 date and time with its zone, such as 2026-10-13T10:02:00Z (found yesterday)',
      '3 good purchase ok1',
      '4 rejected id may have only letters, digits, - and _, at most 64 (found ../etc); view_token may have only visible ASCII characters, at most 256; created_at must be an ISO 8601 date and time with its zone, such as 2026-10-13T10:02:00Z (found 2026-10-13 10:02)',
      '5 rejected kind must be purchase or sale (found buy); id is missing',
      '6 good purchase ok2',
    ]);
  });
});

describe('reading goes on at the next line', () => {
  it('after an unbalanced quote', async () => {
    const csv = `kind,id,view_token\npurchase,"a,t\npurchase,b,t\nsale,c,t\n`;
    expect(await told(csv)).toEqual([
      '2 rejected has a quote that is never closed',
      '3 good purchase b',
      '4 good sale c',
    ]);
  });

  it('after two lines with a lost quote each, that would swallow the lines between', async () => {
    const csv = `kind,id,view_token\npurchase,a,"t1\npurchase,b,t2\npurchase,c,t3"\npurchase,d,t4\n`;
    expect(await told(csv)).toEqual([
      '2 rejected has a quote that is never closed',
      '3 good purchase b',
      '4 rejected has a quote that is never closed',
      '5 good purchase d',
    ]);
  });

  it('after two lost quotes in free text, that would make one cell of the records between', async () => {
    const csv = 'kind,id,view_token,note\npurchase,a,t,"x\npurchase,b,t,y\npurchase,c,t,z"\npurchase,d,t,\n';
    expect((await told(csv)).slice(1)).toEqual([
      '2 rejected has a quote that is never closed',
      '3 good purchase b',
      '4 rejected has a quote that is never closed',
      '5 good purchase d',
    ]);
  });

  it('after lost quotes that would break the lines of a column other than free text', async () => {
    const csv = 'kind,id,view_token,host_reference,quote_id\nsale,a,t,"x\ny","q\nr"\nsale,b,t,x,q\n';
    const lines = await told(csv);
    expect([lines[0], lines.at(-1)]).toEqual(['2 rejected has a quote that is never closed', '5 good sale b']);
  });

  it('after a quote that is closed too many lines later to be free text', async () => {
    const lines = Array.from({ length: 25 }, (_, index) => `words ${index}`).join('\n');
    const items = await told(`kind,id,view_token,note\nsale,a,t,"x\n${lines}\nend"\nsale,b,t,\n`);
    expect(items[1]).toBe('2 rejected has a quote that is never closed');
    expect(items.at(-1)).toBe('29 good sale b');
  });

  it('after a lost quote in the last line', async () => {
    expect(await told('kind,id,view_token\npurchase,a,t\nsale,b,"t')).toEqual([
      '2 good purchase a',
      '3 rejected has a quote that is never closed',
    ]);
  });

  it('after a lost quote with a hundred thousand lines behind it', async () => {
    const rest = Array.from({ length: 100_000 }, (_, index) => `purchase,id${index},t`).join('\n');
    const items = await readAll(`kind,id,view_token\nsale,x,"t\n${rest}\n`, {}, 65_536);
    expect(items).toHaveLength(100_001);
    expect(items.filter(({ type }) => type === 'rejected')).toHaveLength(1);
    expect(items.at(-1)).toMatchObject({ line: 100_002, value: { id: 'id99999' } });
  });

  const QUOTED = 'has a quote inside a cell; a cell with quotes is quoted, and its quotes doubled';
  it.each([
    ['a quote inside a cell', 'purchase,a"b"c,t\nsale,"b"x"",t', QUOTED, QUOTED],
    [
      'too few or too many cells',
      'purchase,a\npurchase,b,t,x',
      'has 2 cells where the header has 3',
      'has 4 cells where the header has 3',
    ],
  ])('after %s', async (_, lines, ...why) => {
    const [first, second] = why.map((each, i) => `${i + 2} rejected ${each}`);
    expect(await told(`kind,id,view_token\n${lines}\nsale,c,t\n`)).toEqual([first, second, '4 good sale c']);
  });

  it('after bytes that are not UTF-8, and after NUL', async () => {
    const csv = Buffer.concat([
      Buffer.from('kind,id,view_token\npurchase,a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(',t\nsale,b\0,t\nsale,c,t\n'),
    ]);
    expect(await told(csv)).toEqual([
      '2 rejected is not UTF-8',
      '3 rejected has a NUL character in it',
      '4 good sale c',
    ]);
  });

  it('after either, also where lines end with CR', async () => {
    const lines = ['kind,id,view_token', 'purchase,a\xff,t', 'sale,b\0,t', 'sale,c,t'];
    for (const end of ['\r', '\n', '\r\n']) {
      expect(await told(Buffer.from(lines.join(end), 'latin1'))).toEqual([
        '2 rejected is not UTF-8',
        '3 rejected has a NUL character in it',
        '4 good sale c',
      ]);
    }
  });

  it('after a line that is far too long, without keeping it', async () => {
    const csv = `kind,id,view_token\npurchase,a,${'t'.repeat(1_000_000)}\nsale,b,t\n`;
    expect(await readAll(csv, {}, 65_536)).toMatchObject([
      { type: 'rejected', line: 2, reason: 'is longer than 64 KiB', raw: '' },
      { type: 'good', line: 3 },
    ]);
  });
});

describe('a rejected line is shown without its token', () => {
  const TOKEN = 'k3yTh4tOpensAll1';

  it.each([
    ['a bad id', `purchase,a b,${TOKEN},,order 7,,`, 'purchase,a b,[cut],,order 7,,'],
    ['a lost quote', `purchase,"a,${TOKEN},,,,`, 'purchase,"a,[cut],,,,'],
    ['a shifted row', `purchase,a,b,${TOKEN},,,,,x`, 'purchase,a,b,[cut],,,,,x'],
    ['a quote inside', `purchase,a"x"b,"${TOKEN}",,,,`, 'purchase,a"x"b,"[cut]",,,,'],
  ])('%s', async (_, line, raw) => {
    expect(await readAll(`${HEADER}\n${line}\n`)).toMatchObject([{ type: 'rejected', raw }]);
  });

  it('also where it stands in an unknown column', async () => {
    const csv = `kind,id,view_token,secret\npurchase,a b,x,${TOKEN}\n`;
    expect(JSON.stringify(await readAll(csv))).not.toContain(TOKEN);
  });

  it('in a line of any form', async () => {
    const before = fc.constantFrom('', '"', ' ', '""', '"x');
    const piece = fc.constantFrom(
      'purchase',
      'sale',
      ',',
      ',',
      '"',
      '\r',
      ' ',
      'a b',
      '2026-10-13T10:02:00Z',
      ';',
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(before, fc.array(piece, { maxLength: 14 }), async (start, pieces) => {
        const items = await readAll(`view_token,kind,id\n${start}${TOKEN}${pieces.join('')}\n`);
        for (const item of items) {
          if (item.type === 'rejected') expect(`${item.reason} ${item.raw}`).not.toContain(TOKEN);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a file that is not what it should be', () => {
  it.each([
    [
      'no header',
      'purchase,a,t\n',
      'ids.csv: its header lacks kind, id, view_token; name the columns in the first line, such as kind,id,view_token',
    ],
    [
      'a missing column',
      'kind,id,token\n',
      'ids.csv: its header lacks view_token; name the columns in the first line, such as kind,id,view_token',
    ],
    ['a column twice', 'kind,id,view_token,id\n', 'ids.csv: its header has id twice'],
    ['JSON lines', '{"kind":"sale"}\n', 'ids.csv: its header line looks like NDJSON; use --format ndjson'],
    ['UTF-16', Buffer.from('\ufeffkind', 'utf16le'), 'ids.csv: is UTF-16; save it as UTF-8 first'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'ids.csv: is compressed; unpack it first: `gunzip FILE`'],
    [
      'a workbook',
      Buffer.from('PK\x03\x04....'),
      'ids.csv: is a spreadsheet or zip archive; save it as CSV (UTF-8) first',
    ],
  ])('%s stops it, with the remedy', async (_, content, message) => {
    const reading = readAll(content);
    await expect(reading).rejects.toThrow(UnreadableFileError);
    await expect(readAll(content)).rejects.toThrow(message);
  });

  it('is remarked on when it is empty', async () => {
    expect(await told('')).toEqual(['note the file is empty']);
    expect(await told('\n\n')).toEqual(['note the file is empty']);
  });
});

it('reads back every text that a CSV writer writes, in chunks of any size', async () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{1,20}$/);
  // A later line of free text with commas may look like a record, and is then taken for one: see the lost quotes above.
  const free = fc
    .string({ maxLength: 20, unit: fc.constantFrom('a', 'é', '"', ',', ' ', '\n', ';', '🙂') })
    .filter((text) => !/\n[^\n]*,/.test(text));
  const row = fc.record({ id: word, view_token: word, host_reference: free });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 2, max: 64 }),
      async (rows, chunk) => {
        const csv = stringify(rows, { header: true, columns: ['id', 'view_token', 'host_reference'] });
        const items = await readAll(csv, { kind: 'sale' }, chunk);
        const trimmed = (text: string) => (text.trim() === '' ? null : text.trim());
        expect(
          items.map((item) =>
            item.type === 'good' ? [item.value.id, item.value.token, item.value.hostReference] : item,
          ),
        ).toEqual(rows.map((each) => [each.id, each.view_token, trimmed(each.host_reference)]));
      },
    ),
    { numRuns: 200 },
  );
});

describe('columns that are not known', () => {
  const TOKEN = 'mg3voq92hd2mbdht';

  it('are named where they have names, and never where they could be tokens', async () => {
    const header = `kind,id,view_token,user_id,Plan name,order2,${TOKEN},x-${TOKEN},${TOKEN.toUpperCase()}`;
    expect(await told(`${header}\npurchase,a,t,,,,,,\n`)).toEqual([
      'note columns ignored: user_id, Plan name, order2, 3 without readable names',
      '2 good purchase a',
    ]);
  });

  it('with old Macintosh line ends have no token among them', async () => {
    const tokens = Array.from({ length: 6 }, (_, n) => `${n}${TOKEN}`);
    const csv = ['kind,id,view_token', ...tokens.map((token, n) => `purchase,id${n},${token}`)].join('\r');
    const lines = await told(csv);
    expect(lines).toHaveLength(6);
    expect(lines.join()).not.toContain(TOKEN);
  });

  it('are reported as duplicates without their text', async () => {
    const csv = `kind,id,view_token,${TOKEN},${TOKEN}\npurchase,a,t,,\n`;
    await expect(readAll(csv)).rejects.toThrow('its header has a column twice');
  });
});

it('shows no token that stands in the column of ids, with blanks around it or without', async () => {
  const items = await readAll(
    'kind,id,view_token,host_reference\npurchase, fz7Kq/92d2bdhtX ,,o\nsale,fz7Kq/92d2bdhtX,,o\n',
  );
  expect(items.map((item) => ('raw' in item ? item.raw : item.type))).toEqual([
    'purchase,[cut],,[cut]',
    'sale,[cut],,[cut]',
  ]);
});

it.each(['ids.csv', 'ids.ndjson'])(
  'a line of %s without an end ends the reading: a file may have a terabyte of NULs',
  async (name) => {
    async function* endless() {
      yield Buffer.from('kind,id,view_token\npurchase,a,t\n');
      for (;;) yield Buffer.alloc(1024 * 1024);
    }
    const reading = all(readTrackedFile(endless(), { name, format: null, kind: null }));
    await expect(reading).rejects.toThrow(`${name}: has a line of more than 64 MiB`);
  },
);
