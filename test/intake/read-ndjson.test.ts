import { describe, expect, it } from 'vitest';
import { dec } from '../support/builders.ts';
import { readAll, told } from './reading.ts';

const options = { name: 'ids.ndjson' };

describe('NDJSON of ids', () => {
  it('has the columns as keys', async () => {
    const line =
      '{"id":"sqs6a428mqjtzbv","kind":"purchase","view_token":"tok-1","host_reference":"order \\"7\\"","created_at":null}';
    expect(await readAll(`${line}\n`, options)).toEqual([
      {
        type: 'good',
        line: 1,
        value: {
          kind: 'purchase',
          id: 'sqs6a428mqjtzbv',
          token: 'tok-1',
          createdAt: null,
          hostReference: 'order "7"',
          quoteId: null,
          expectedStatus: null,
          shown: null,
        },
      },
    ]);
  });

  it('may begin with a BOM', async () => {
    expect(await told('\ufeff{"kind":"sale","id":"a","view_token":"t"}\n', options)).toEqual(['1 good sale a']);
  });

  it('has a BOM in no other line', async () => {
    expect(
      await told('{"kind":"sale","id":"a","view_token":"t"}\n\ufeff{"kind":"sale","id":"b","view_token":"t"}', {
        format: 'ndjson',
      }),
    ).toEqual(['1 good sale a', '2 rejected is not a JSON object']);
  });

  it('takes whole numbers as ids, as they once were', async () => {
    expect(await told('{"kind":"purchase","id":322,"view_token":"t"}\n', options)).toEqual(['1 good purchase 322']);
  });

  it('accepts shown amounts as numbers or texts, with every digit, and rejects other values', async () => {
    const line = (amounts: string) => `{"kind":"purchase","id":"a","view_token":"t",${amounts}}`;
    const lines = [
      line('"shown_total":104.760000000000000001,"shown_fee":"4.76"'),
      line('"shown_total":null'),
      line('"shown_fee":"4,76"'),
      line('"shown_fee":-1'),
    ];
    const items = await readAll(lines.join('\n'), options);
    expect(items.slice(0, 2)).toMatchObject([
      { value: { shown: { total: dec('104.760000000000000001'), fee: dec('4.76') } } },
      { value: { shown: null } },
    ]);
    expect(await told(lines.slice(2).join('\n'), options)).toEqual([
      '1 rejected shown_fee must be an amount such as 104.76: digits with a point, and no currency (found 4,76)',
      '2 rejected shown_fee must be an amount such as 104.76: digits with a point, and no currency (found -1)',
    ]);
  });

  it('rejects a line that is no object or has no texts, and continues', async () => {
    const lines = [
      '{"kind":"purchase","id":"a","view_token":"t"}',
      '{"kind":"purchase","id":"b","view_token":"t"',
      '["purchase","c","t"]',
      'null',
      '{"kind":"purchase","id":1.5,"view_token":{"a":1}}',
      '',
      '{"kind":"sale","id":"d","view_token":"t"}',
    ];
    expect(await told(lines.join('\n'), options)).toEqual([
      '1 good purchase a',
      '2 rejected is not a JSON object',
      '3 rejected is not a JSON object',
      '4 rejected is not a JSON object',
      '5 rejected id must be a text; id is missing; view_token must be a text; view_token is missing: without it the record can never be fetched',
      '7 good sale d',
    ]);
  });

  it('rejects a key that is there twice: which of two tokens is meant?', async () => {
    const lines = [
      '{"kind":"purchase","id":"a","view_token":"t","view_token" : "u"}',
      '{"kind":"purchase","id":"b","view_token":"t","host_reference":"\\":\\"id\\":"}',
      '{"kind":"purchase","id":"c","view_token":"t","extra":{"id":"x","kind":1}}',
    ];
    expect(await told(lines.join('\n'), options)).toEqual([
      '1 rejected has a key twice',
      '2 good purchase b',
      '3 good purchase c',
      'note keys ignored: extra',
    ]);
  });

  it('remarks once on keys that it ignores', async () => {
    const lines = [
      '{"kind":"sale","id":"a","view_token":"t","x":1}',
      '{"kind":"sale","id":"b","view_token":"t","y":1,"x":2}',
    ];
    expect(await told(lines.join('\n'), options)).toEqual([
      '1 good sale a',
      '2 good sale b',
      'note keys ignored: x, y',
    ]);
  });

  it('shows a rejected line without its token, under any key', async () => {
    const TOKEN = 'k3yTh4tOpensAll1';
    const lines = [
      `{"kind":"refund","id":"a","view_token":"${TOKEN}","viewToken":"${TOKEN}"}`,
      `{"kind":"sale","id":"b","view_token":"${TOKEN}`,
    ];
    expect(await readAll(lines.join('\n'), options)).toMatchObject([
      { type: 'rejected', raw: '{"kind":"refund","id":"a","view_token":"[cut]","viewToken":"[cut]"}' },
      { type: 'rejected', raw: '{"kind":"sale","id":"b","[cut]":"[cut]' },
      { type: 'note' },
    ]);
  });
});

describe('the format', () => {
  it('is that of the last extension of a name', async () => {
    const line = '{"kind":"sale","id":"a","view_token":"t"}';
    expect(await told(line, { name: 'ids.csv.ndjson' })).toEqual(['1 good sale a']);
  });

  it('is no spreadsheet where only the first letter is that of one', async () => {
    expect(await told('Plan,kind,id,view_token\nx,sale,a,t\n', { name: 'ids' })).toEqual([
      'note columns ignored: Plan',
      '2 good sale a',
    ]);
  });

  const ndjson = '\n {"kind":"sale","id":"a","view_token":"t"}\n';
  const csv = 'kind,id,view_token\nsale,a,t\n';

  it.each([
    ['ids.jsonl', ndjson],
    ['ids.NDJSON', ndjson],
    ['-', ndjson],
    ['ids.txt', ndjson],
    ['-', csv],
    ['ids.txt', csv],
    ['ids.CSV', csv],
  ])('of %s is found out', async (name, content) => {
    expect((await told(content, { name })).map((line) => line.slice(2))).toEqual(['good sale a']);
  });

  it('can be said', async () => {
    expect(await told(ndjson, { name: 'ids.csv', format: 'ndjson' })).toEqual(['2 good sale a']);
  });

  it('is not a JSON array', async () => {
    await expect(told('[{"kind":"sale"}]', { name: 'ids.json' })).rejects.toThrow(
      "ids.json: is a JSON array; write one object per line: `jq -c '.[]' FILE | tieout import -`",
    );
  });
});
